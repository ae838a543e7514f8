package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/licensecheck"

	"whyhot/internal/host/tooltest"
)

// permitted are the licences of what may be linked in, by their SPDX names. None asks
// more of who passes the program on than to pass on the text.
var permitted = []string{"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "BSD-3-Clause-Clear", "ISC", "MPL-2.0", "Unlicense", "CC0-1.0", "0BSD", "Zlib", "blessing"}

// notOfCode are files that say nothing of what is linked in, or that a person has read.
var notOfCode = map[string]string{
	"github.com/opencontainers/go-digest LICENSE.docs": "of its documentation",
	"modernc.org/memory LICENSE-LOGO":                  "of its logo",
	"modernc.org/libc LICENSE-3RD-PARTY.md":            "prose around BSD and MIT texts: Go, musl, go-netdb, nixpkgs",
}

// least is how much of a licence file must be the text of licences; the rest is
// copyright lines.
const least = 60

// Everything that is linked into the program is under a licence that was agreed to.
func TestLicences(t *testing.T) {
	list := exec.CommandContext(t.Context(), tooltest.Find(t, "go"), "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", ".")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(strings.Join(slices.Compact(slices.Sorted(strings.Lines(string(out)))), ""))
	if len(modules) < 2*50 {
		t.Fatalf("only %d modules are linked in", len(modules)/2)
	}
	for i := 0; i < len(modules); i += 2 {
		path, dir := modules[i], modules[i+1]
		if path == "whyhot" {
			continue
		}
		check(t, path, dir)
	}
}

func check(t *testing.T, module, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "UNLICENSE") {
			continue
		}
		if notOfCode[module+" "+e.Name()] != "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		c := licensecheck.Scan(text)
		if len(c.Match) == 0 || c.Percent < least {
			t.Errorf("%s: %s is the text of a known licence to %.0f%%", module, e.Name(), c.Percent)
		}
		for _, m := range c.Match {
			found++
			if !slices.Contains(permitted, m.ID) {
				t.Errorf("%s: %s is %s", module, e.Name(), m.ID)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: no licence in %s", module, dir)
	}
}
