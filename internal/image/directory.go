package image

import (
	"errors"
	"io/fs"
	"os"
	"path"
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
	own, err := os.Stat("/")
	if err != nil {
		return err
	}
	return r.readInPlace(root, device(info), os.SameFile(info, own))
}

// readInPlace reads a root directory on one device; running says that it is this
// system's.
func (r *reading) readInPlace(root *os.Root, device uint64, running bool) error {
	d := &rooted{dirFS: root.FS().(dirFS), root: root, device: device, places: placesOf(r.q, running)} //nolint:forcetypeassert // documented of os.Root
	defer d.closeBelow()
	if err := r.read(d, nil); err != nil {
		return err
	}
	r.out.Notes = append(r.out.Notes, d.places.note()...)
	return nil
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
	places *places
	below  []opened
}

// opened is a directory on the way to the one that is being read. os.Root opens every
// directory of a name: hundreds of thousands of names are asked for in the directory
// that was just read, and take one call from here.
type opened struct {
	name string
	root *os.Root
	fsys dirFS
}

func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Dev
	}
	return 0
}

// enter opens a directory from the nearest one above it that is open.
func (d *rooted) enter(name string) (dirFS, error) {
	if name == "." {
		return d.dirFS, nil
	}
	for len(d.below) > 0 {
		last := d.below[len(d.below)-1]
		if name == last.name {
			return last.fsys, nil
		}
		if strings.HasPrefix(name, last.name+"/") {
			break
		}
		_ = last.root.Close() // only read from
		d.below = d.below[:len(d.below)-1]
	}
	from, rest := d.root, name
	if n := len(d.below); n > 0 {
		from, rest = d.below[n-1].root, name[len(d.below[n-1].name)+1:]
	}
	sub, err := from.OpenRoot(rest)
	if err != nil && from != d.root { // a link that leads out of this directory, not out of the root
		sub, err = d.root.OpenRoot(name)
	}
	if err != nil {
		return nil, err
	}
	d.below = append(d.below, opened{name, sub, sub.FS().(dirFS)}) //nolint:forcetypeassert // documented of os.Root
	return d.below[len(d.below)-1].fsys, nil
}

func (d *rooted) closeBelow() {
	for _, o := range d.below {
		_ = o.root.Close() // only read from
	}
	d.below = nil
}

// near is the directory of a name where that is open, and the name in it.
func (d *rooted) near(name string) (dirFS, string, bool) {
	for i := len(d.below) - 1; i >= 0; i-- {
		if base, ok := strings.CutPrefix(name, d.below[i].name+"/"); ok && !strings.Contains(base, "/") {
			return d.below[i].fsys, base, true
		}
	}
	return nil, "", false
}

// Stat is that of fs.StatFS.
func (d *rooted) Stat(name string) (fs.FileInfo, error) {
	if dir, base, ok := d.near(name); ok {
		if info, err := dir.Stat(base); err == nil {
			return info, nil
		} // else a link that leads out of the directory
	}
	return d.dirFS.Stat(name)
}

// Open gives directories that are read with ReadDir alone: it is there that what is
// mounted is left out.
func (d *rooted) Open(name string) (fs.File, error) {
	f, err := d.open(name)
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

func (d *rooted) open(name string) (fs.File, error) {
	if dir, base, ok := d.near(name); ok {
		if f, err := dir.Open(base); err == nil {
			return f, nil
		} // else a link that leads out of the directory
	}
	return d.dirFS.Open(name)
}

// ReadDir leaves out what is mounted, and where nothing is installed.
func (d *rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	dir, err := d.enter(name)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(".")
	whole := d.places.entered(name, entries)
	kept := entries[:0]
	for _, e := range entries {
		if !whole && !d.places.leads(path.Join(name, e.Name())) {
			continue
		}
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
