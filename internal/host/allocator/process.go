package allocator

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// State says whether a process has a library loaded.
type State int

// The states. Early means that the loader was still at work, so that the answer
// may yet change.
const (
	Early State = iota
	Loaded
	NotLoaded
)

// InProcess looks at the memory map of a live process. It needs the rights of
// the process's owner.
func InProcess(pid int, lib Library) (State, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return Early, fmt.Errorf("looking for %s in process %d: %w", lib.Name, pid, err)
	}
	defer func() { _ = f.Close() }()
	return inMaps(f, lib)
}

// inMaps reads a memory map. The loader maps preloaded libraries before the C
// library, so a process that has the one and not the other is past the point.
func inMaps(r io.Reader, lib Library) (State, error) {
	want := lib.Path
	if target, err := filepath.EvalSymlinks(lib.Path); err == nil {
		want = target
	}
	state := Early
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		at := strings.IndexByte(lines.Text(), '/')
		if at < 0 {
			continue
		}
		path := lines.Text()[at:]
		if path == want {
			return Loaded, nil
		}
		if base := filepath.Base(path); strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "libc-2") {
			state = NotLoaded
		}
	}
	return state, lines.Err()
}
