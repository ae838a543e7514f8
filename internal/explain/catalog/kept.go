package catalog

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"whyhot/internal/host/wholefile"
)

// What KeepIn was told.
var kept struct {
	dir     string
	program func() string
}

// KeepIn has Builtin keep the catalogue in dir as it was read from YAML and checked, for the next
// start of the same program: to read that takes a tenth of the CPU. program tells builds apart,
// code and catalogue, such as a build ID does; where it gives none, nothing is kept. It is called
// before Builtin, if at all.
func KeepIn(dir string, program func() string) { kept.dir, kept.program = dir, program }

// Builtin are the entries that are part of the program, which nobody may change. They are read
// once.
var Builtin = sync.OnceValues(func() (*Catalog, error) {
	program := ""
	if kept.dir != "" {
		program = kept.program()
	}
	if program == "" {
		return readBuiltin()
	}
	path := filepath.Join(kept.dir, program+".json")
	if c, ok := recall(path); ok {
		return c, nil
	}
	c, err := readBuiltin()
	if err == nil {
		keep(path, c)
	}
	return c, err
})

// recall reads what keep wrote. What is damaged counts as not there.
func recall(path string) (*Catalog, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	c := &Catalog{}
	if json.Unmarshal(data, c) != nil || len(c.Entries) == 0 {
		return nil, false
	}
	return c, true
}

// manyKept bounds how many catalogues are kept: the programs of a few releases, or of somebody
// who builds whyhot.
const manyKept = 4

// keep writes a catalogue and takes those away that were not written for longest. That it cannot
// be written is no error: the next start takes longer.
func keep(path string, c *Catalog) {
	data, err := json.Marshal(c)
	if err != nil {
		return
	}
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o755) != nil || wholefile.Write(path, 0o600, wholefile.Bytes(data)) != nil {
		return
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(all) <= manyKept {
		return
	}
	written := map[string]int64{}
	for _, f := range all {
		if info, err := os.Stat(f); err == nil {
			written[f] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(written[b], written[a]) })
	for _, old := range all[manyKept:] {
		_ = os.Remove(old)
	}
}
