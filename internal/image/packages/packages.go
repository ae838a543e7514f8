// Package packages finds the packages that are installed in a file system: those of
// distributions and those of languages.
//
// It owns which of OSV-SCALIBR's readers are used, and what of their answers is kept.
// It takes an fs.FS and gives packages. It must know nothing of layers, images and
// catalogue entries.
package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/osv-scalibr/extractor"
	"github.com/google/osv-scalibr/extractor/filesystem"
	apkmeta "github.com/google/osv-scalibr/extractor/filesystem/os/apk/metadata"
	dpkgmeta "github.com/google/osv-scalibr/extractor/filesystem/os/dpkg/metadata"
	scalibrfs "github.com/google/osv-scalibr/fs"
	"github.com/google/osv-scalibr/log"
	"github.com/google/osv-scalibr/plugin"
	"github.com/google/osv-scalibr/purl"
	"github.com/google/osv-scalibr/stats"

	"whyhot/internal/image/inventory"
)

// FS is the file system of a scan; its regular files must be io.ReaderAt.
type FS = scalibrfs.FS

// kinds are the names that SCALIBR has for ours.
var kinds = map[string]string{
	purl.TypeDebian: inventory.Deb, purl.TypeApk: inventory.Apk, purl.TypeRPM: inventory.RPM,
	purl.TypePyPi: inventory.PyPI, purl.TypeNPM: inventory.NPM, purl.TypeGolang: inventory.Go,
	purl.TypeMaven: inventory.Maven, purl.TypeCargo: inventory.Cargo, purl.TypeGem: inventory.Gem,
	purl.TypeComposer: inventory.Composer, purl.TypeNuget: inventory.NuGet,
}

// Finder finds packages. It is not for several goroutines at once.
type Finder struct {
	all, system, languages []filesystem.Extractor
}

// New is a Finder.
func New() (*Finder, error) {
	log.SetLogger(silent{})
	installed, err := languages()
	if err != nil {
		return nil, err
	}
	system, err := databases()
	if err != nil {
		return nil, err
	}
	return &Finder{all: slices.Concat(system, installed), system: system, languages: installed}, nil
}

// Wants says whether a reader will open a regular file.
func (f *Finder) Wants(name string, mode fs.FileMode, size int64) bool {
	return wants(f.all, name, mode, size) || isList(name)
}

// Databases says whether a name belongs to a distribution's data base of packages.
func (f *Finder) Databases(name string) bool { return wants(f.system, name, 0o644, 1) }

func wants(readers []filesystem.Extractor, name string, mode fs.FileMode, size int64) bool {
	api := asked{name, mode, size}
	return slices.ContainsFunc(readers, func(e filesystem.Extractor) bool { return e.FileRequired(api) })
}

// isList tells files that readers open beside those they ask for.
func isList(name string) bool {
	return name == "etc/os-release" || name == "usr/lib/os-release"
}

// Find gives all packages, and what could not be read of them: those of the
// distribution first, which takes the blink of an eye, then those of languages, for
// which every name is looked at. Doing is told how far it is.
func (f *Finder) Find(ctx context.Context, fsys FS, doing func(string)) ([]inventory.Package, []string, error) {
	system, notes, err := f.FindSystem(ctx, fsys)
	if err != nil {
		return nil, nil, err
	}
	count := &counting{before: fmt.Sprintf("%d packages of the distribution", len(system)), doing: doing}
	languages, more, err := find(ctx, fsys, f.languages, count)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	slices.Sort(notes)
	out := slices.Concat(system, languages)
	slices.SortFunc(out, inOrder)
	return out, slices.Compact(notes), nil
}

// FindSystem gives those of the distribution alone.
func (f *Finder) FindSystem(ctx context.Context, fsys FS) ([]inventory.Package, []string, error) {
	return find(ctx, fsys, f.system, stats.NoopCollector{}, "var/lib", "usr/lib/sysimage", "usr/share/rpm", "lib/apk", "usr/lib/apk", "usr/lib/opkg")
}

// counting says how many names have been looked at.
type counting struct {
	stats.NoopCollector

	before string
	doing  func(string)
	names  int
	last   time.Time
}

// every is how often it is said.
const every = 200 * time.Millisecond

// AfterInodeVisited is called for each name.
func (c *counting) AfterInodeVisited(name string) {
	c.names++
	if c.names%256 != 1 || time.Since(c.last) < every {
		return
	}
	c.last = time.Now()
	if words := strings.SplitN(name, "/", 4); len(words) > 3 {
		name = strings.Join(words[:3], "/")
	}
	c.doing(fmt.Sprintf("%s; looking at /%s (%d files)", c.before, name, c.names))
}

func find(ctx context.Context, fsys FS, readers []filesystem.Extractor, collector stats.Collector, below ...string) ([]inventory.Package, []string, error) {
	restricted := len(below) > 0
	below = slices.DeleteFunc(below, func(name string) bool {
		_, err := fsys.Stat(name)
		return err != nil
	})
	if restricted && len(below) == 0 {
		return nil, nil, nil // else everything would be read
	}
	found, status, err := filesystem.Run(ctx, &filesystem.Config{
		Extractors: readers, Stats: collector,
		ScanRoots:      []*scalibrfs.ScanRoot{{FS: fsys}},
		PathsToExtract: below,
	})
	if err != nil {
		return nil, nil, err
	}
	// A reader of jars inside jars says the same more than once.
	seen := map[inventory.Package]bool{}
	var out []inventory.Package
	for _, p := range found.Packages {
		one, ok := converted(p)
		if ok && !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	slices.SortFunc(out, inOrder)
	return out, notes(status), nil
}

func inOrder(a, b inventory.Package) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Path, b.Path))
}

// notes says which readers could not read something.
func notes(status []*plugin.Status) []string {
	var out []string
	for _, s := range status {
		if s.Status == nil || s.Status.Status == plugin.ScanStatusSucceeded {
			continue
		}
		for _, e := range s.Status.FileErrors {
			out = append(out, fmt.Sprintf("%s could not be read: %s", e.FilePath, firstLine(e.ErrorMessage)))
		}
		if len(s.Status.FileErrors) == 0 {
			out = append(out, fmt.Sprintf("packages of %s could not be read: %s", s.Name, firstLine(s.Status.FailureReason)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func converted(p *extractor.Package) (inventory.Package, bool) {
	kind, ok := kinds[p.PURLType]
	if !ok || p.Name == "" {
		return inventory.Package{}, false
	}
	out := inventory.Package{Kind: kind, Name: p.Name, Version: p.Version, Path: path.Clean("/" + p.Location.PathOrEmpty())}
	switch m := p.Metadata.(type) {
	case *dpkgmeta.Metadata:
		out.Source = m.SourceName
	case *apkmeta.Metadata:
		out.Source = m.OriginName
	}
	switch kind {
	case inventory.PyPI: // "PyYAML" and "pyyaml" are one (PEP 503)
		out.Name = strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(p.Name))
	case inventory.Go:
		if p.Name == "go" {
			out.Name = "std" // the standard library, of the version of the compiler
		}
	}
	if out.Source == out.Name {
		out.Source = ""
	}
	return out, true
}

// System is the name of the distribution, "" where the file system has none.
func System(fsys fs.FS) string {
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
				return strings.Trim(v, `"'`)
			}
		}
	}
	return ""
}

// asked is a file that readers are asked about.
type asked struct {
	name string
	mode fs.FileMode
	size int64
}

func (a asked) Path() string { return a.name }
func (a asked) Stat() (fs.FileInfo, error) {
	if !fs.ValidPath(a.name) {
		return nil, errors.New("no path")
	}
	return info{a}, nil
}
