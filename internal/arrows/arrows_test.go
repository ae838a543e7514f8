// Package arrows holds no code: its test keeps the imports between the rooms
// pointing one way. It imports nothing of ours.
package arrows

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport lists, for every room, the rooms it may use. A package in a room's
// sub-folder belongs to the room and may use its siblings.
var mayImport = map[string][]string{
	"profile":     {},
	"finding":     {"profile"},
	"symname":     {},
	"elfinfo":     {},
	"unwind":      {"elfinfo"},
	"otlp":        {"profile"},
	"cgroup":      {},
	"ingest":      {"profile", "unwind", "otlp", "cgroup"},
	"symbol":      {"profile", "elfinfo", "wholefile"},
	"view":        {"profile", "finding"},
	"catalog":     {"profile"},
	"rule":        {"profile", "finding", "view", "catalog", "symname", "shellwords"},
	"binfacts":    {"profile", "rule", "elfinfo"},
	"shellwords":  {},
	"wholefile":   {},
	"compdb":      {"shellwords"},
	"analyzer":    {"compdb", "wholefile"},
	"loopfinding": {"analyzer", "finding"},
	"astfinding":  {"analyzer", "finding"},
	"fix":         {"analyzer", "compdb"},
	"userrule":    {"analyzer", "astfinding", "compdb"},
	"join":        {"profile", "finding", "compdb"},
	"remarks":     {"analyzer", "finding", "compdb"},
	"collect":     {"profile", "ingest", "symbol", "elfinfo", "cgroup"},
	"debuginfo":   {"elfinfo", "otlp"},
	"agent":       {"profile", "collect", "otlp", "debuginfo"},
	"preload":     {},
	"trial":       {"finding", "shellwords", "preload", "wholefile"},
	"report":      {"profile", "view", "finding", "symname", "shellwords", "trial", "analyzer"},
	"arrows":      {},
}

func room(path string) string {
	r, ok := strings.CutPrefix(path, "whyhot/internal/")
	if !ok {
		return ""
	}
	r, _, _ = strings.Cut(r, "/")
	return r
}

func TestImportsPointOneWay(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "whyhot/internal/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	checked := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string   `json:"ImportPath"`
			Imports    []string `json:"Imports"`
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from := room(pkg.ImportPath)
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("the room %q is in no list: say in this test what it may import", from)
			continue
		}
		for _, imp := range pkg.Imports {
			to := room(imp)
			if to == "" || to == from {
				continue
			}
			checked++
			if !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: the arrow points the wrong way", pkg.ImportPath, imp)
			}
		}
	}
	if checked == 0 {
		t.Error("no arrow was checked")
	}
}
