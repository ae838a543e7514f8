package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	builtin "whyhot/catalog"
	"whyhot/internal/host/yamldoc"
)

// Catalog is all that rules know. It is immutable once loaded.
type Catalog struct {
	Entries  []Entry // sorted by ID
	Families []Family
	Runtimes []Runtime
	Memory   []Memory
}

func readBuiltin() (*Catalog, error) {
	c := &Catalog{}
	if err := readAll(builtin.Files, "families.yaml", &c.Families); err != nil {
		return nil, err
	}
	if err := readAll(builtin.Files, "runtimes.yaml", &c.Runtimes); err != nil {
		return nil, err
	}
	if err := readAll(builtin.Files, "memory.yaml", &c.Memory); err != nil {
		return nil, err
	}
	if err := c.validateLists(); err != nil {
		return nil, err
	}
	all, err := c.With(builtin.Files, "")
	if err != nil {
		return nil, err
	}
	return all, all.attachTrials(builtin.Files)
}

// With returns a catalogue that has the entries of every *.yaml file below dir
// of fsys as well, those with rows as tables; an entry with the ID of an older one takes its place. Files
// named families.yaml, runtimes.yaml and memory.yaml are not entries and are passed
// over.
// The error lists everything that is wrong, one "file:line: …" a line.
func (c *Catalog) With(fsys fs.FS, dir string) (*Catalog, error) {
	files, err := entryFiles(fsys, cmp.Or(dir, "."))
	if err != nil {
		return nil, err
	}
	read := make([][]Entry, len(files))
	errs := make([]error, len(files))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range files {
		g.Go(func() error {
			read[i], errs[i] = c.readEntries(fsys, name)
			return nil
		})
	}
	_ = g.Wait() // the goroutines put their errors into errs
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c.merge(slices.Concat(read...))
}

func (c *Catalog) merge(entries []Entry) (*Catalog, error) {
	byID := make(map[string]Entry, len(c.Entries)+len(entries))
	for _, e := range c.Entries {
		byID[e.ID] = e
	}
	var errs []error
	fresh := make(map[string]string, len(entries))
	for _, e := range entries {
		if other, twice := fresh[e.ID]; twice {
			errs = append(errs, fmt.Errorf("%s: the id %q is taken by %s", e.File, e.ID, other))
		}
		fresh[e.ID] = e.File
		byID[e.ID] = e
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := &Catalog{Families: c.Families, Runtimes: c.Runtimes, Memory: c.Memory}
	for _, e := range byID {
		out.Entries = append(out.Entries, e)
	}
	slices.SortFunc(out.Entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// Entry returns the entry with an ID.
func (c *Catalog) Entry(id string) (*Entry, bool) {
	i, ok := slices.BinarySearchFunc(c.Entries, id, func(e Entry, id string) int { return cmp.Compare(e.ID, id) })
	if !ok {
		return nil, false
	}
	return &c.Entries[i], true
}

func entryFiles(fsys fs.FS, dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		isList := base == "families.yaml" || base == "runtimes.yaml" || base == "memory.yaml"
		ext := path.Ext(base)
		if !d.IsDir() && !isList && (ext == ".yaml" || ext == ".yml") {
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read rules: no .yaml file in %s", dir)
	}
	return slices.DeleteFunc(files, func(name string) bool { return aboutSource(fsys, name) }), nil
}

var matchers = regexp.MustCompile(`(?m)^matchers:`)

// aboutSource says whether a file holds rules about source, which are not the
// catalogue's. One that cannot be read is told by whoever reads it.
func aboutSource(fsys fs.FS, name string) bool {
	data, err := readFile(fsys, name)
	return err == nil && matchers.Match(data)
}

// Parse reads and checks one entry, which errors call name.
func (c *Catalog) Parse(name string, data []byte) (e Entry, err error) {
	defer yamldoc.Guard(name, &err)
	if err := decode(name, data, &e); err != nil {
		return e, err
	}
	e.File = name
	if problems := c.check(&e); len(problems) > 0 {
		return e, locate(name, data, problems)
	}
	return e, nil
}

func readAll(fsys fs.FS, name string, into any) error {
	data, err := readFile(fsys, name)
	if err != nil {
		return err
	}
	return decode(name, data, into)
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	if len(data) > yamldoc.MaxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes: one entry per file", name, yamldoc.MaxFile)
	}
	return data, nil
}

func decode(name string, data []byte, into any) error {
	err := yamldoc.Decode(name, data, into)
	if errors.Is(err, yamldoc.ErrSecond) {
		return fmt.Errorf("%w: one entry per file", err)
	}
	return err
}
