// Package codemap reads which files a process has mapped code of, and where.
//
// It owns the reading of /proc/PID/maps for that, and what tells files apart. It takes a process
// and gives regions. It must never open the files, nor import another package of this module.
package codemap

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Region is a part of a file whose code a process has mapped.
type Region struct {
	Low, High uint64 // addresses
	Offset    uint64 // of Low in the file
	Path      string // as the process has it, with " (deleted)" where it is gone
}

// File tells files of this machine apart, whatever they are called.
type File struct{ Device, Inode uint64 }

// FileOf is the file at a path; ok is false where there is none.
func FileOf(path string) (f File, ok bool) {
	var s unix.Stat_t
	if unix.Stat(path, &s) != nil {
		return f, false
	}
	return File{s.Dev, s.Ino}, true
}

// Of are the regions of a process, by address.
func Of(pid int) ([]Region, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	return Parse(string(text)), nil
}

// Parse reads the text of a maps file (proc_pid_maps(5)): range, rights, offset, device,
// inode, path. Only the path has spaces.
func Parse(text string) (out []Region) {
	for line := range strings.Lines(text) {
		const path = 5 // fields come before it
		fields := strings.Fields(line)
		if len(fields) <= path || !strings.Contains(fields[1], "x") || !strings.HasPrefix(fields[path], "/") {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		r := Region{Path: strings.TrimSpace(line[strings.IndexByte(line, '/'):])}
		var errs [3]error
		r.Low, errs[0] = strconv.ParseUint(low, 16, 64)
		r.High, errs[1] = strconv.ParseUint(high, 16, 64)
		r.Offset, errs[2] = strconv.ParseUint(fields[2], 16, 64)
		if errs == [3]error{} {
			out = append(out, r)
		}
	}
	return out
}

// Files are the paths of regions, each once.
func Files(regions []Region) (out []string) {
	for _, r := range regions {
		if !slices.Contains(out, r.Path) {
			out = append(out, r.Path)
		}
	}
	return out
}
