package rule

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/folded"
	"whyhot/internal/profile"
)

func parse(tb testing.TB, text string) *profile.Profile {
	tb.Helper()
	p, err := folded.Read(tb.Context(), strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func builtin(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.Builtin()
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// only returns a catalogue with some of the built-in entries.
func only(tb testing.TB, ids ...string) *catalog.Catalog {
	tb.Helper()
	all := builtin(tb)
	c := &catalog.Catalog{Families: all.Families, Runtimes: all.Runtimes, Memory: all.Memory}
	for _, id := range ids {
		e, ok := all.Entry(id)
		if !ok {
			tb.Fatalf("no entry %q", id)
		}
		c.Entries = append(c.Entries, *e)
	}
	return c
}

// run gives what is said of p beside general advice.
func run(tb testing.TB, p *profile.Profile, c *catalog.Catalog, f Facts) []finding.Finding {
	tb.Helper()
	out, _, err := Run(tb.Context(), p, c, f, Options{ProfilePath: "p.folded"})
	if err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(out, func(f finding.Finding) bool { return f.General })
}

// oneBinary answers for the mapping of one base name.
type oneBinary struct {
	base  string
	trust judge.Trust
	file  judge.Binary
}

func (o oneBinary) answer(m *profile.Mapping) (judge.Binary, judge.Trust) {
	if baseName(m.Path) == o.base {
		return o.file, o.trust
	}
	return nil, judge.NoTrust
}

type factList []oneBinary

func (fs factList) Source(string) ([]string, bool) { return nil, false }

func (fs factList) Binary(m *profile.Mapping) (judge.Binary, judge.Trust) {
	for _, f := range fs {
		if b, trust := f.answer(m); trust != judge.NoTrust {
			return b, trust
		}
	}
	return nil, judge.NoTrust
}

// elf is a binary made of lists.
type elf struct {
	defines, needed, strings, producers []string
	pkg, version                        string
	static, stripped                    bool
}

func (e elf) Defines(re *regexp.Regexp) (string, bool, bool) {
	for _, s := range e.defines {
		if re.MatchString(s) {
			return s, true, true
		}
	}
	return "", false, !e.stripped
}
func (e elf) Needed() []string                { return e.needed }
func (e elf) Static() bool                    { return e.static }
func (e elf) Package() (name, version string) { return e.pkg, e.version }
func (e elf) Producers() []string             { return e.producers }
func (e elf) String(re *regexp.Regexp) (string, bool) {
	for _, s := range e.strings {
		if m := re.FindStringSubmatch(s); m != nil {
			return m[len(m)-1], true
		}
	}
	return "", false
}

// parse2 is parse for rapid's own T.
func parse2(t *rapid.T, text string) *profile.Profile {
	p, err := folded.Read(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
