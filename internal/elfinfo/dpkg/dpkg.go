// Package dpkg answers which Debian package a file belongs to.
//
// It reads dpkg's data base under /var/lib/dpkg as plain files and runs nothing.
// It takes paths and gives package names and versions; on a system without dpkg
// every answer is empty. It imports nothing of this module.
package dpkg

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Package is one installed Debian package.
type Package struct {
	Name    string // without the architecture
	Version string // "" when the status file does not tell
	Source  string // name of the source package
}

// DB is dpkg's data base of one system. Its methods may be called from many
// goroutines.
type DB struct {
	root   string
	mu     sync.Mutex
	owners map[string]string // path asked for → package, "" for none
	once   sync.Once
	status map[string]Package
}

// Open returns the data base of the system whose root directory is root, ""
// for this one. Nothing is read before the first question.
func Open(root string) *DB {
	return &DB{root: root, owners: map[string]string{}}
}

// Present reports whether the system has dpkg's data base at all.
func (d *DB) Present() bool {
	_, err := os.Stat(filepath.Join(d.root, "/var/lib/dpkg/status"))
	return err == nil
}

// Owner returns the package that installed the file at path.
func (d *DB) Owner(path string) (Package, bool) {
	p, ok := d.Owners([]string{path})[path]
	return p, ok
}

// Owners is Owner for many files with one pass over the data base.
func (d *DB) Owners(paths []string) map[string]Package {
	d.mu.Lock()
	defer d.mu.Unlock()
	var unknown []string
	for _, p := range paths {
		if _, seen := d.owners[p]; !seen {
			unknown = append(unknown, p)
			d.owners[p] = ""
		}
	}
	if len(unknown) > 0 {
		d.scan(unknown)
	}
	out := map[string]Package{}
	for _, p := range paths {
		if name := d.owners[p]; name != "" {
			out[p] = d.describe(name)
		}
	}
	return out
}

// spellings are the names under which the lists may hold a file: as asked for,
// with symbolic links resolved, and each with and without /usr, because a
// package may still own the path from before the merge of /lib into /usr/lib.
func (d *DB) spellings(path string) []string {
	names := []string{filepath.Clean(path)}
	if target, err := filepath.EvalSymlinks(filepath.Join(d.root, path)); err == nil {
		if rel, ok := strings.CutPrefix(target, filepath.Clean(d.root)); ok || d.root == "" {
			if d.root == "" {
				rel = target
			}
			names = append(names, filepath.Join("/", rel))
		}
	}
	for _, n := range slices.Clone(names) {
		if short, ok := strings.CutPrefix(n, "/usr/"); ok {
			names = append(names, "/"+short)
		} else {
			names = append(names, "/usr"+n)
		}
	}
	return names
}

// scan reads every list once and fills owners.
func (d *DB) scan(paths []string) {
	wanted := map[string][]string{} // spelling → paths asked for
	for _, p := range paths {
		for _, s := range d.spellings(p) {
			wanted[s] = append(wanted[s], p)
		}
	}
	missing := len(paths)
	for _, list := range d.lists(paths) {
		if missing == 0 {
			return // no other package owns the same file
		}
		data, err := os.ReadFile(filepath.Join(d.root, infoDir, list))
		if err != nil {
			continue
		}
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte{'\n'})
			for _, p := range wanted[string(line)] {
				if d.owners[p] == "" {
					d.owners[p] = strings.TrimSuffix(list, listSuffix)
					missing--
				}
			}
			data = rest
		}
	}
}

const (
	infoDir    = "/var/lib/dpkg/info"
	listSuffix = ".list"
)

// lists are the names of the lists of files, those first whose package is called
// like one of the files: most files are found after a few lists.
func (d *DB) lists(paths []string) []string {
	dir, err := os.Open(filepath.Join(d.root, infoDir))
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // what could be read is better than nothing
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, listSuffix) })
	common := make(map[string]int, len(names))
	for _, n := range names {
		for _, p := range paths {
			common[n] = max(common[n], commonPrefix(n, filepath.Base(p)))
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), strings.Compare(a, b))
	})
	return names
}

// commonPrefix counts the letters that two names begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// describe adds version and source to a package as its list file is named
// ("libc6:amd64").
func (d *DB) describe(list string) Package {
	d.once.Do(d.readStatus)
	name, _, _ := strings.Cut(list, ":")
	if p, ok := d.status[list]; ok {
		return p
	}
	if p, ok := d.status[name]; ok {
		return p
	}
	return Package{Name: name}
}

// readStatus reads the paragraphs of the status file.
func (d *DB) readStatus() {
	d.status = map[string]Package{}
	f, err := os.Open(filepath.Join(d.root, "/var/lib/dpkg/status"))
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	var p Package
	arch := ""
	flush := func() {
		if p.Name != "" && p.Version != "" {
			if p.Source == "" {
				p.Source = p.Name
			}
			d.status[p.Name+":"+arch] = p
			if _, seen := d.status[p.Name]; !seen {
				d.status[p.Name] = p
			}
		}
		p, arch = Package{}, ""
	}
	for in.Scan() {
		line := in.Text()
		if line == "" {
			flush()
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "Package":
			p.Name = value
		case "Version":
			p.Version = value
		case "Architecture":
			arch = value
		case "Source":
			p.Source, _, _ = strings.Cut(value, " ")
		}
	}
	flush()
}

// handMade are the debug packages that older source packages build by hand, by
// source package. A %s stands for what follows the hyphen or the letters of the
// source's name, its version: gcc-12, python3.11.
var handMade = []struct{ source, debug string }{
	{"glibc", "libc6-dbg"},
	{"perl", "perl-debug"},
	{"krb5", "libkrb5-dbg"},
	{"python", "python%s-dbg"},
	{"openjdk-", "openjdk-%s-dbg"},
}

// DebugPackage is the package that holds the debug symbols of p. Debian builds
// NAME-dbgsym for every package unless it has an older, hand-made one.
func (p Package) DebugPackage() string {
	if strings.HasPrefix(p.Name, "linux-image-") {
		return p.Name + "-dbg"
	}
	if version, ok := strings.CutPrefix(p.Source, "gcc-"); ok && strings.HasPrefix(p.Name, "libstdc++6") {
		return "libstdc++6-" + version + "-dbg"
	}
	for _, h := range handMade {
		if p.Source == h.source {
			return h.debug
		}
		if version, ok := strings.CutPrefix(p.Source, h.source); ok && version != "" &&
			strings.Contains(h.debug, "%s") && version[0] >= '0' && version[0] <= '9' {
			return strings.Replace(h.debug, "%s", version, 1)
		}
	}
	return p.Name + "-dbgsym"
}
