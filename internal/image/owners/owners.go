// Package owners says which package of a distribution installed a file of an image.
//
// It reads the lists of files that dpkg and apk keep. It takes an fs.FS and paths in it
// and gives names of packages; a file that nobody installed has none. It imports
// nothing of this module but the inventory's names. (elfinfo/dpkg answers the same for
// this machine, by its paths and with the links of its file system.)
package owners

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"whyhot/internal/image/inventory"
)

// Owner is a package that installed a file.
type Owner struct{ Kind, Name string }

// Where the lists are.
const (
	dpkgInfo   = "var/lib/dpkg/info"
	dpkgList   = ".list"
	distroless = "var/lib/dpkg/status.d"
	md5sums    = ".md5sums"
)

var apkInstalled = []string{"lib/apk/db/installed", "usr/lib/apk/db/installed"}

// Wants says whether a file is one of the lists.
func Wants(name string) bool {
	dir, base := path.Split(name)
	switch strings.TrimSuffix(dir, "/") {
	case dpkgInfo:
		return strings.HasSuffix(base, dpkgList)
	case distroless:
		return strings.HasSuffix(base, md5sums)
	}
	return name == apkInstalled[0] || name == apkInstalled[1]
}

// Find gives the owners of files, whose names are absolute and without links. A list
// that cannot be read is in the error; the owners that the others tell come with it.
func Find(fsys fs.FS, files []string) (map[string]Owner, error) {
	f := finder{wanted: map[string][]string{}, out: map[string]Owner{}}
	for _, name := range files {
		for _, s := range spellings(name) {
			f.wanted[s] = append(f.wanted[s], name)
		}
	}
	if len(f.wanted) == 0 {
		return f.out, nil
	}
	var errs []error
	for _, dir := range []string{dpkgInfo, distroless} {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); Wants(name) {
				errs = append(errs, f.list(fsys, name, e.Name()))
			}
		}
	}
	for _, name := range apkInstalled {
		errs = append(errs, f.open(fsys, name, f.apk))
	}
	return f.out, errors.Join(errs...)
}

// spellings are the names that a list may have for a file: a package may still own the
// path from before the merge of /lib into /usr/lib, or from after it.
func spellings(name string) []string {
	name = path.Clean("/" + name)
	if short, ok := strings.CutPrefix(name, "/usr/"); ok {
		return []string{name, "/" + short}
	}
	return []string{name, "/usr" + name}
}

type finder struct {
	wanted map[string][]string // spelling → names asked for
	out    map[string]Owner
}

func (f *finder) owns(name string, o Owner) {
	for _, asked := range f.wanted[name] {
		f.out[asked] = o
	}
}

func (f *finder) open(fsys fs.FS, name string, read func(io.Reader) error) error {
	file, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read from
	if err := read(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// list reads "/path" a line, or "DIGEST  path" of a distroless image. The package is
// the name of the list: zlib1g:amd64.list, zlib1g.md5sums.
func (f *finder) list(fsys fs.FS, name, base string) error {
	pkg := strings.TrimSuffix(strings.TrimSuffix(base, dpkgList), md5sums)
	pkg, _, _ = strings.Cut(pkg, ":")
	return f.open(fsys, name, func(r io.Reader) error {
		return lines(r, func(line string) {
			if strings.HasSuffix(base, md5sums) {
				_, line, _ = strings.Cut(line, "  ")
			}
			f.owns(path.Clean("/"+line), Owner{inventory.Deb, pkg})
		})
	})
}

// apk reads the data base of apk: of each package a P: line with its name, F: lines
// with directories, and R: lines with the files in the directory above them.
func (f *finder) apk(r io.Reader) error {
	var pkg, dir string
	return lines(r, func(line string) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			pkg, dir = "", ""
			return
		}
		switch key {
		case "P":
			pkg = value
		case "F":
			dir = value
		case "R":
			if pkg != "" {
				f.owns(path.Join("/", dir, value), Owner{inventory.Apk, pkg})
			}
		}
	})
}

func lines(r io.Reader, each func(string)) error {
	s := bufio.NewScanner(r)
	for s.Scan() {
		each(s.Text())
	}
	return s.Err()
}
