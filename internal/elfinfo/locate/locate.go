// Package locate finds the separate debug file of a binary where the process that runs
// it has it.
//
// It owns the places (the .build-id tree of distributions, those that .gnu_debuglink
// names, the files of dwz) and that a file is only taken when its build ID is the
// binary's. It takes root directories of processes and gives open files. It must never
// read anything but headers, nor leave the root directory that it was given: links
// there may have been made by whoever runs the process. That is why it is not
// internal/elfinfo/debugfile, which follows links, maps files and knows the caches of
// the user.
package locate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/elfinfo/extract"
)

// File is an open file whose build ID was looked at.
type File struct {
	*extract.File

	Path string // in the root directory
	file *os.File
}

// Close ends the use of the file.
func (f *File) Close() error { return f.file.Close() }

const debugTree = "/usr/lib/debug"

// Debug finds the debug file of the binary that a process has at path, or nil.
func Debug(roots []string, path string, bin *extract.File) *File {
	id := bin.BuildID()
	if len(id) < 4 {
		return nil
	}
	places := []string{inTree(id)}
	if link := bin.DebugLink(); link != "" && filepath.IsAbs(path) {
		dir := filepath.Dir(path)
		places = append(places, filepath.Join(dir, link), filepath.Join(dir, ".debug", link), filepath.Join(debugTree, dir, link))
	}
	return first(roots, places, id)
}

// Alt finds the file that dwz moved shared debug information of f to, or nil. at is
// where f itself lies.
func Alt(roots []string, at string, f *extract.File) *File {
	name, id := f.AltLink()
	if name == "" || len(id) < 4 {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(at), name)
	}
	return first(roots, []string{name, filepath.Join(debugTree, ".dwz", filepath.Base(name)), inTree(id)}, id)
}

func inTree(id string) string { return filepath.Join(debugTree, ".build-id", id[:2], id[2:]+".debug") }

func first(roots, places []string, id string) *File {
	for _, root := range roots {
		for _, place := range places {
			if f, err := openIn(root, place); err == nil {
				if f.BuildID() == id {
					return f
				}
				_ = f.Close() // only read from
			}
		}
	}
	return nil
}

// Root is the root directory of a process, and what a path of its memory map is called
// there. The kernel writes those paths as the mount name space has them, which is not
// what the process sees after a chroot.
func Root(pid int, path string) (root, inside string) {
	root = fmt.Sprintf("/proc/%d/root", pid)
	if changed, err := os.Readlink(root); err == nil && changed != "/" {
		if rest, ok := strings.CutPrefix(path, changed+"/"); ok {
			return root, "/" + rest
		}
	}
	return root, path
}

var errNotRegular = errors.New("not a regular file")

// OpenIn opens a regular file below a root directory, in which all links stay.
func OpenIn(root, path string) (*os.File, error) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	defer func() { _ = unix.Close(dir) }()
	// O_NONBLOCK: the path may be that of a pipe that nobody writes to.
	how := &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(dir, path, how)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: filepath.Join(root, path), Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errNotRegular, err, file.Close())
	}
	return file, nil
}

func openIn(root, path string) (*File, error) {
	file, err := OpenIn(root, path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f, err := extract.Open(file, info.Size())
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{File: f, Path: path, file: file}, nil
}
