package image

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"whyhot/internal/elfinfo/elffile"
)

// directory reads a root directory in place.
func (r *reading) directory(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // only read from
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	r.q.Image = absolute // names of a profile may begin with it
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	return r.read(&rooted{dirFS: root.FS().(dirFS), root: root, device: device(info)}, nil) //nolint:forcetypeassert // documented of os.Root
}

// dirFS is what os.Root.FS gives.
type dirFS interface {
	fs.ReadDirFS
	fs.StatFS
}

// rooted is a directory as the root of a file system. Links out of it are not followed
// (os.Root), nor are other file systems entered: /proc, /sys, and what is mounted.
type rooted struct {
	dirFS

	root   *os.Root
	device uint64
}

func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Dev
	}
	return 0
}

// Open gives directories that are read with ReadDir alone: it is there that what is
// mounted is left out.
func (d *rooted) Open(name string) (fs.File, error) {
	f, err := d.dirFS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if info.IsDir() {
		return struct{ fs.File }{f}, nil
	}
	return f, nil
}

// ReadDir leaves out what is mounted.
func (d *rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := d.dirFS.ReadDir(name)
	kept := entries[:0]
	for _, e := range entries {
		if e.IsDir() {
			if info, err := e.Info(); err == nil && device(info) != d.device {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept, err
}

// Layer is none.
func (d *rooted) Layer(string) int { return 0 }

// maxLinks is how many symbolic links Linux follows for one name.
const maxLinks = 40

// Real resolves links as a process does whose root the directory is.
func (d *rooted) Real(name string) (string, error) {
	todo := strings.Split(name, "/")
	var done []string
	for links := 0; len(todo) > 0; {
		word := todo[0]
		todo = todo[1:]
		switch word {
		case "", ".":
			continue
		case "..":
			done = done[:max(0, len(done)-1)]
			continue
		}
		here := strings.Join(append(slices.Clip(done), word), "/")
		info, err := d.root.Lstat(here)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, word)
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: syscall.ELOOP}
		}
		target, err := d.root.Readlink(here)
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(target, "/") {
			done = nil
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return strings.Join(done, "/"), nil
}

// maxBinary bounds a file that is read for its build ID.
const maxBinary = 1 << 30

// buildID is that of a binary, "" of other files.
func buildID(fsys fs.FS, name string) string {
	info, err := fs.Stat(fsys, name)
	if err != nil || info.Size() > maxBinary {
		return ""
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return ""
	}
	f, err := elffile.New(name, data)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // nothing is mapped
	return f.BuildID()
}
