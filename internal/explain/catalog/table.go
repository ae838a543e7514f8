package catalog

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/host/yamldoc"
)

// Table is a file of many small entries that have most in common: libraries of one
// ecosystem, a row for each cause. A row becomes an entry like any other, with tests made
// of the stacks that it must find and those of which it must be silent.
type Table struct {
	Ecosystem string    `yaml:"ecosystem"`
	Kind      []string  `yaml:"kind"`      // of every frame that a row names
	NotName   []Pattern `yaml:"not_name"`  // what no such frame may be called
	MinShare  float64   `yaml:"min_share"` // where a row says none
	Reduction Reduction `yaml:"reduction"` // where a row says none
	Rows      []Row     `yaml:"rows"`
}

// Row is one cause: frames of a library, and what to do. Keys that an entry has too
// mean the same there.
type Row struct {
	ID     string `yaml:"id"`
	Title  string `yaml:"title"`
	Family string `yaml:"family"` // or other
	Group  string `yaml:"group"`
	Why    string `yaml:"why"`
	// File, Name and NotName are those of the frames that match; Also are further ones,
	// and Outside those that may be nowhere in the stack.
	File     []Pattern `yaml:"file"`
	Name     []Pattern `yaml:"name"`
	NotName  []Pattern `yaml:"not_name"`
	Also     []Frame   `yaml:"also"`
	Outside  []Frame   `yaml:"outside"`
	Unless   []Frame   `yaml:"unless"` // frames anywhere in the program that make the advice moot
	MinShare float64   `yaml:"min_share"`
	Place    string    `yaml:"place"` // or caller
	Priority int       `yaml:"priority"`
	// Packages are names of the ecosystem's registry, in full.
	Packages []string `yaml:"packages"`
	Versions string   `yaml:"versions"`
	// ReplaceWith makes it a replacement; without, it is an anti-pattern.
	ReplaceWith string     `yaml:"replace_with"`
	Swap        string     `yaml:"swap"` // the kind of change, or code
	Steps       []string   `yaml:"steps"`
	Reduction   *Reduction `yaml:"reduction"`
	Claims      []Claim    `yaml:"claims"`
	Caveats     []string   `yaml:"caveats"`
	Licence     string     `yaml:"licence"`
	Links       []string   `yaml:"links"`
	// Found are stacks, root to leaf, that are found when they have much of the samples
	// and not when they have little; Silent are never found.
	Found  []string `yaml:"found"`
	Silent []string `yaml:"silent"`
}

var rows = regexp.MustCompile(`(?m)^rows:`)

// registries are where the packages of an ecosystem come from.
var registries = map[string]string{
	"python": "pypi", "node": "npm", "ruby": "gem", "php": "composer", "rust": "cargo", "go": "go", "java": "maven", "dotnet": "nuget",
}

func (c *Catalog) readEntries(fsys fs.FS, name string) ([]Entry, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if rows.Match(data) {
		return c.ParseTable(name, data)
	}
	e, err := c.Parse(name, data)
	return []Entry{e}, err
}

// ParseTable reads and checks a table, which errors call name.
func (c *Catalog) ParseTable(name string, data []byte) (out []Entry, err error) {
	defer yamldoc.Guard(name, &err)
	var t Table
	if err := decode(name, data, &t); err != nil {
		return nil, err
	}
	var problems []problem
	for i := range t.Rows {
		row := fmt.Sprintf("$.rows[%d]", i)
		e := t.entry(&t.Rows[i])
		e.File = name
		for _, p := range c.check(&e) {
			problems = append(problems, problem{row + strings.TrimPrefix(p.path, "$"), fmt.Sprintf("row %s: %s", e.ID, p.msg)})
		}
		out = append(out, e)
	}
	if len(t.Rows) == 0 {
		problems = append(problems, problem{"$.rows", "a table without rows"})
	}
	if len(problems) > 0 {
		return nil, locate(name, data, problems)
	}
	return out, nil
}

// entry is what a row stands for.
func (t *Table) entry(r *Row) Entry {
	e := Entry{
		ID: r.ID, Title: r.Title, Type: Antipattern, Ecosystem: t.Ecosystem, Family: cmp.Or(r.Family, NoFamily), Group: r.Group,
		Priority: r.Priority, Why: r.Why, Versions: r.Versions, ReplaceWith: r.ReplaceWith, Claims: r.Claims, Caveats: r.Caveats,
		Licence: r.Licence, Links: r.Links, Reduction: t.Reduction,
		Match: Match{
			Measure: Inclusive, MinShare: cmp.Or(r.MinShare, t.MinShare), Place: cmp.Or(r.Place, PlaceCaller), Outside: r.Outside,
		},
		Unless: Unless{Frames: r.Unless},
		Swap:   Swap{Kind: cmp.Or(r.Swap, "code"), Steps: r.Steps},
	}
	if r.ReplaceWith != "" {
		e.Type = Replacement
	}
	if r.Reduction != nil {
		e.Reduction = *r.Reduction
	}
	frames := r.Also
	if len(r.File)+len(r.Name) > 0 {
		frames = slices.Concat([]Frame{{File: r.File, Name: r.Name, NotName: r.NotName}}, r.Also)
	}
	for _, f := range frames {
		if len(f.Kind) == 0 {
			f.Kind, f.NotName = t.Kind, slices.Concat(f.NotName, t.NotName)
		}
		e.Match.Any = append(e.Match.Any, f)
	}
	if len(r.Packages) > 0 {
		p := Packages{Kind: registries[t.Ecosystem]}
		for _, n := range r.Packages {
			p.Name = append(p.Name, Expression("^"+regexp.QuoteMeta(n)+"$"))
		}
		e.Packages = []Packages{p}
	}
	e.Tests = r.tests()
	return e
}

// tests are the profiles in which a row's stacks have much and little of the samples.
func (r *Row) tests() []Test {
	var out []Test
	for i, s := range r.Found {
		root, _, _ := strings.Cut(s, ";")
		out = append(out,
			Test{Name: fmt.Sprintf("found %d", i), Profile: fmt.Sprintf("%s 400\n%s 600\n", s, root), Expect: ExpectFound},
			Test{Name: fmt.Sprintf("found %d, little", i), Profile: fmt.Sprintf("%s 10\n%s 990\n", s, root), Expect: ExpectSilent})
	}
	for i, s := range r.Silent {
		root, _, _ := strings.Cut(s, ";")
		out = append(out, Test{Name: fmt.Sprintf("silent %d", i), Profile: fmt.Sprintf("%s 400\n%s 600\n", s, root), Expect: ExpectSilent})
	}
	return out
}
