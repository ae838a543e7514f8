package catalog

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"whyhot/internal/image/inventory"
)

// problem is one thing wrong with an entry, at a YAML path such as
// "$.reduction.basis".
type problem struct {
	path string
	msg  string
}

var (
	idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	// A number with a unit of speed-up: what only a read source may say.
	gainNumber = regexp.MustCompile(`\d\s*(%|×|x\b|-fold|times\b)`)
)

// NoFamily is what a function or an entry that no family claims belongs to.
const NoFamily = "other"

// Kinds are the names of profile.Kind that a frame may ask for.
var Kinds = []string{
	"unknown", "native", "kernel", "vdso", "jit", "python", "java", "js", "go",
	"ruby", "php", "perl", "dotnet", "lua", "r",
}

// Ecosystems that an entry may be of.
var Ecosystems = []string{
	"native", "kernel", "cli", "python", "go", "java", "node", "rust", "ruby", "php", "perl", "dotnet",
}

// checker collects the problems of one entry.
type checker struct {
	cat *Catalog
	e   *Entry
	out []problem
}

func (k *checker) addf(ok bool, path, format string, args ...any) {
	if !ok {
		k.out = append(k.out, problem{path, fmt.Sprintf(format, args...)})
	}
}

// oneOf asks that value be in list.
func (k *checker) oneOf(value string, list []string, path string) {
	k.addf(slices.Contains(list, value), path, "%q is none of %s", value, strings.Join(list, ", "))
}

func (c *Catalog) check(e *Entry) []problem {
	k := &checker{cat: c, e: e}
	k.head()
	k.match()
	k.fix()
	k.claims("$.claims", e.Claims)
	k.tests()
	return k.out
}

func (k *checker) head() {
	e := k.e
	k.addf(idForm.MatchString(e.ID), "$.id", "id %q: use lower-case words joined by hyphens", e.ID)
	k.addf(e.Title != "", "$.title", "title is missing")
	k.oneOf(e.Type, []string{Replacement, Antipattern}, "$.type")
	k.oneOf(e.Ecosystem, Ecosystems, "$.ecosystem")
	k.addf(e.Why != "", "$.why", "why is missing: give the reason for the advice")
	names := make([]string, 0, 1+len(k.cat.Families))
	names = append(names, NoFamily)
	for _, f := range k.cat.Families {
		names = append(names, f.Name)
	}
	k.oneOf(e.Family, names, "$.family")
	for i := range e.Packages {
		at := fmt.Sprintf("$.packages[%d]", i)
		k.oneOf(e.Packages[i].Kind, inventory.Kinds, at+".kind")
		k.addf(len(e.Packages[i].Name) > 0, at, "packages need a name pattern, such as '^zlib1g$'")
	}
	k.addf(e.SourceRule == "" || idForm.MatchString(e.SourceRule), "$.source_rule", "source_rule %q: the name of a rule of docs/rules/source-rules.md", e.SourceRule)
}

func (k *checker) match() {
	m := &k.e.Match
	k.addf(len(m.Any) > 0, "$.match.any", "match.any is empty: the entry would never match")
	k.oneOf(m.Measure, []string{Inclusive, Exclusive}, "$.match.measure")
	k.oneOf(m.Place, []string{PlaceProgram, PlaceLibrary, PlaceFunction, PlaceCaller}, "$.match.place")
	k.addf(m.MinShare > 0 && m.MinShare < 1, "$.match.min_share",
		"min_share is %g: it must be a fraction between 0 and 1 (0.05 for 5%%)", m.MinShare)
	k.addf(m.SeenShare >= 0 && m.SeenShare < 1, "$.match.seen_share", "seen_share is %g: it must be a fraction from 0 to 1", m.SeenShare)
	k.addf(m.SeenShare == 0 || len(m.Seen) > 0, "$.match.seen_share", "seen_share needs seen")
	share := k.e.Unless.FrameShare
	k.addf(share >= 0 && share < 1, "$.unless.frame_share", "frame_share is %g: it must be a fraction from 0 to 1", share)
	k.addf(!m.Innermost || !slices.ContainsFunc(m.Any, func(f Frame) bool { return len(f.Kind) == 0 }), "$.match.innermost",
		"innermost compares frames of one kind: each alternative of any needs its kind")
	k.source(&m.Source)
	k.frames("$.match.any", m.Any)
	k.frames("$.match.inside", m.Inside)
	k.frames("$.match.outside", m.Outside)
	k.frames("$.match.leaf", m.Leaf)
	k.frames("$.match.stays", m.Stays)
	k.frames("$.match.seen", m.Seen)
	k.frames("$.unless.frames", k.e.Unless.Frames)
	k.runtimes("$.match.runtime", m.Runtime)
	k.runtimes("$.unless.runtime", k.e.Unless.Runtime)
}

func (k *checker) source(s *Source) {
	rest := map[string]string{"not_line": s.NotLine, "defined": s.Defined, "as": s.As, "has": s.Has}
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		text := rest[key]
		if text == "" {
			continue
		}
		k.addf(s.Line != nil || key == "has", "$.match.source", "%s narrows line, which is missing", key)
		_, err := About(text, "x")
		k.addf(err == nil, "$.match.source."+key, "pattern %q: %v", text, err)
		k.addf(!strings.Contains(text, "$1") || s.Line != nil && s.Line.Regexp().NumSubexp() > 0, "$.match.source."+key, "$1 stands for group 1 of line, which has none")
	}
	k.addf((s.Defined == "") == (s.As == ""), "$.match.source", "defined and as need each other")
}

func (k *checker) runtimes(path string, names []string) {
	known := make([]string, 0, len(k.cat.Runtimes))
	for _, r := range k.cat.Runtimes {
		known = append(known, r.Name)
	}
	for i, n := range names {
		k.oneOf(n, known, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (k *checker) frames(path string, fs []Frame) {
	for i := range fs {
		f := &fs[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		k.addf(len(f.Name) > 0 || len(f.File) > 0 || len(f.Library) > 0, at,
			"a frame needs a name, file or library pattern")
		k.addf(!f.NoLibrary || len(f.Library)+len(f.NotLibrary) == 0, at,
			"no_library and library contradict each other")
		k.addf(!f.Unnamed || len(f.Name)+len(f.NotName) == 0, at,
			"unnamed and name contradict each other")
		for _, kind := range f.Kind {
			k.oneOf(kind, Kinds, at+".kind[0]")
		}
	}
}

func (k *checker) fix() {
	e := k.e
	k.oneOf(e.Swap.Kind, SwapKinds, "$.swap.kind")
	k.addf(len(e.Swap.Steps) > 0, "$.swap.steps", "swap.steps is empty: say what to do")
	k.addf(e.Type != Replacement || e.ReplaceWith != "", "$.replace_with", "replace_with is missing")
	r := e.Reduction
	k.addf(r.Low <= r.High && r.High > 0 && r.Low >= -1 && r.High <= 3, "$.reduction",
		"reduction %g … %g: fractions of the matched share, low ≤ high, high > 0", r.Low, r.High)
	if r.Change != "" {
		k.oneOf(r.Change, Changes, "$.reduction.change")
	}
	k.addf(r.Basis != "", "$.reduction.basis", "reduction.basis is missing: say how the range is known")
	if e.Swap.Kind == "preload" {
		k.addf(len(e.Candidates) > 0, "$.swap.kind", "a preload needs candidates")
	}
	for _, kv := range e.Swap.Env {
		k.addf(strings.IndexByte(kv, '=') > 0, "$.swap.env", "env %q: must be NAME=VALUE", kv)
	}
	k.addf(e.Swap.Try == "" || strings.HasPrefix(e.Swap.Try, "--"), "$.swap.try", "try %q: must be flags of whyhot try, such as --cflags -O2", e.Swap.Try)
	for i := range e.Swap.Cases {
		c := &e.Swap.Cases[i]
		k.addf(c.Line.String() != "" && c.Why != "" && len(c.Steps) > 0, fmt.Sprintf("$.swap.cases[%d]", i), "a case needs line, why and steps")
	}
	for i := range e.Candidates {
		c := &e.Candidates[i]
		at := fmt.Sprintf("$.candidates[%d]", i)
		k.addf(c.Name != "", at, "a candidate needs a name")
		k.claims(at+".claims", c.Claims)
	}
	for i := range e.Confirm {
		k.condition(fmt.Sprintf("$.confirm[%d]", i), &e.Confirm[i])
	}
}

func (k *checker) condition(at string, c *Condition) {
	k.oneOf(c.Of, []string{"library", "program"}, at+".of")
	k.addf(c.Text != "", at, "a condition needs a text for when it holds")
	asks := len(c.Defines) + len(c.Lacks) + len(c.Needed) + len(c.NotNeed) + len(c.NoString)
	k.addf(asks > 0 || c.Package != nil || c.String != nil || c.Producer != nil || c.Static != nil, at,
		"a condition must ask for something")
	k.addf(c.NotProducer == nil || c.Producer != nil, at, "not_producer narrows producer, which is missing")
	ranged := c.Min != "" || c.Below != ""
	k.addf(!ranged || c.Package != nil || c.String != nil, at, "min and below need a package or a string to get the version from")
	k.addf(!ranged || c.String == nil || c.String.Regexp().NumSubexp() > 0, at, "string needs a group () that captures the version")
}

func (k *checker) claims(path string, cs []Claim) {
	for i, c := range cs {
		at := fmt.Sprintf("%s[%d]", path, i)
		k.oneOf(c.Evidence, []string{EvidenceRead, EvidencePart, EvidenceRecall}, at+".evidence")
		k.addf(c.Text != "" && c.Source != "", at, "a claim needs a text and a source")
		k.addf(c.Evidence == EvidenceRead || !gainNumber.MatchString(c.Text), at+".text",
			"a gain in numbers needs evidence: read")
	}
}

func (k *checker) tests() {
	found, silent := false, false
	for i, t := range k.e.Tests {
		at := fmt.Sprintf("$.tests[%d]", i)
		k.oneOf(t.Expect, []string{ExpectFound, ExpectConfirmed, ExpectSilent}, at+".expect")
		k.addf(t.Profile != "", at, "a test needs a profile")
		if t.Expect == ExpectSilent {
			silent = true
		} else {
			found = true
		}
	}
	k.addf(found && silent, "$.tests", "at least one test with expect: found (or confirmed) and one with expect: silent are needed")
}

// validateLists checks families and runtimes.
func (c *Catalog) validateLists() error {
	k := &checker{cat: c, e: &Entry{}}
	for i, f := range c.Families {
		k.addf(f.Name != "" && len(f.Any) > 0, "families", "family %d has no name or no frames", i)
		k.frames("families: "+f.Name, f.Any)
	}
	for i, r := range c.Runtimes {
		k.addf(r.Name != "" && len(r.Any) > 0, "runtimes", "runtime %d has no name or no frames", i)
		k.frames("runtimes: "+r.Name, r.Any)
	}
	for i, m := range c.Memory {
		k.addf(m.Name != "" && len(m.Makes) > 0 && len(m.Releases) > 0, "memory", "memory %d has no name, makes or releases", i)
		k.frames("memory: "+m.Name, m.Makes)
		k.frames("memory: "+m.Name, m.Releases)
	}
	errs := make([]error, 0, len(k.out))
	for _, p := range k.out {
		errs = append(errs, fmt.Errorf("%s: %s", p.path, p.msg))
	}
	return errors.Join(errs...)
}

// locate puts the line of each problem before it: that of the key, or of the
// nearest enclosing one that is there.
func locate(name string, data []byte, problems []problem) error {
	file, err := parser.ParseBytes(data, 0)
	errs := make([]error, 0, len(problems))
	for _, p := range problems {
		line := 1
		for at := p.path; err == nil && at != "" && at != "$"; at = at[:strings.LastIndexAny(at, ".[")] {
			yp, perr := yaml.PathString(at)
			if perr != nil {
				continue
			}
			node, ferr := yp.FilterFile(file)
			if ferr == nil && node != nil && node.GetToken() != nil {
				line = node.GetToken().Position.Line
				break
			}
		}
		errs = append(errs, fmt.Errorf("%s:%d: %s", name, line, p.msg))
	}
	return errors.Join(errs...)
}
