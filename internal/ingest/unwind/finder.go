package unwind

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Finder opens the binaries that were running. It may be used by several
// goroutines; every binary is opened once.
type Finder struct {
	debugDirs []string
	mu        sync.Mutex
	modules   map[moduleKey]*Module
}

type moduleKey struct{ path, buildID string }

// NewFinder returns a finder that looks for binaries at their recorded path, in
// debugDirs and the system's debug directories by build ID, and in perf's own
// build-ID cache.
func NewFinder(debugDirs []string) *Finder {
	dirs := append([]string(nil), debugDirs...)
	dirs = append(dirs, "/usr/lib/debug")
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".debug"))
	}
	return &Finder{debugDirs: dirs, modules: map[moduleKey]*Module{}}
}

// vdsoPath is what the kernel calls the code it maps into every process.
const vdsoPath = "[vdso]"

// Find returns the module for a path and a build ID ("" when not known), nil
// when no binary that fits is to be had. pid is a process that had it mapped:
// while it lives, its own view of the file system is looked at too.
func (f *Finder) Find(path, buildID string, pid uint32) *Module {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := moduleKey{path, buildID}
	if m, ok := f.modules[k]; ok {
		return m
	}
	m := f.open(path, buildID, pid)
	f.modules[k] = m
	return m
}

func (f *Finder) open(path, buildID string, pid uint32) *Module {
	if path == vdsoPath {
		m, err := ownVDSO(buildID)
		if err != nil {
			return nil
		}
		return m
	}
	for _, candidate := range f.candidates(path, buildID, pid) {
		if m, err := openFile(candidate, buildID); err == nil {
			return m
		}
	}
	return nil
}

func (f *Finder) candidates(path, buildID string, pid uint32) []string {
	var out []string
	if filepath.IsAbs(path) {
		out = append(out, path)
		if pid != 0 {
			out = append(out, fmt.Sprintf("/proc/%d/root%s", pid, path))
		}
	}
	if len(buildID) <= 2 {
		return out
	}
	for _, d := range f.debugDirs {
		base := filepath.Join(d, ".build-id", buildID[:2], buildID[2:])
		out = append(out, filepath.Join(base, "elf"), base+".debug", base)
	}
	return out
}
