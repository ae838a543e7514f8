package profile

import (
	"testing"

	"pgregory.net/rapid"
)

// random builds a profile from a small alphabet, so that stacks, locations and
// samples collide often, and returns what was put in.
func random(t *rapid.T) (*Profile, int64, int64) {
	b := NewBuilder()
	var count, value int64
	for range rapid.IntRange(0, 40).Draw(t, "samples") {
		var locs []LocationID
		for range rapid.IntRange(0, 6).Draw(t, "depth") {
			m := b.Mapping(Mapping{Path: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "path")})
			var lines []Line
			for range rapid.IntRange(0, 2).Draw(t, "inlined") {
				fn := b.Function(Function{Name: rapid.SampledFrom([]string{"f", "g", "h"}).Draw(t, "fn"), Mapping: m})
				lines = append(lines, Line{Function: fn, Line: rapid.Int32Range(0, 3).Draw(t, "line")})
			}
			locs = append(locs, b.Location(m, rapid.Uint64Range(0, 4).Draw(t, "addr"), KindNative, lines...))
		}
		s := Sample{
			Stack: b.Stack(locs),
			Labels: b.Labels([]Label{
				{Key: LabelProcess, Str: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "process")},
			}),
			Count: rapid.Int64Range(1, 5).Draw(t, "count"),
			Value: rapid.Int64Range(0, 50).Draw(t, "value"),
		}
		count += s.Count
		value += s.Value
		b.Sample(s)
	}
	return b.Build(Meta{}), count, value
}

func TestTotalsAreConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, count, value := random(t)
		if p.Count() != count || p.Total() != value {
			t.Fatalf("in %d events of %d, out %d of %d", count, value, p.Count(), p.Total())
		}
		type row struct {
			stack  StackID
			labels LabelSetID
		}
		seen := map[row]bool{}
		for _, s := range p.Samples() {
			if seen[row{s.Stack, s.Labels}] {
				t.Fatalf("stack %d with labels %d has two rows", s.Stack, s.Labels)
			}
			seen[row{s.Stack, s.Labels}] = true
			for _, l := range p.Stack(s.Stack) {
				if len(p.Lines(l)) == 0 {
					t.Fatalf("location %d has no line", l)
				}
			}
		}
		isX := func(s *Sample) bool {
			l, _ := p.Label(s.Labels, LabelProcess)
			return l.Str == "x"
		}
		x, rest := p.Filtered(isX), p.Filtered(func(s *Sample) bool { return !isX(s) })
		if x.Total()+rest.Total() != p.Total() || x.Count()+rest.Count() != p.Count() {
			t.Fatal("a filter and its complement do not make the whole")
		}
	})
}

func TestStacksAreStoredOnce(t *testing.T) {
	b := NewBuilder()
	f := b.Function(Function{Name: "f"})
	g := b.Function(Function{Name: "g"})
	lf, lg := b.Location(0, 0, KindUnknown, Line{Function: f}), b.Location(0, 0, KindUnknown, Line{Function: g})
	one := b.Stack([]LocationID{lf, lg})
	if again := b.Stack([]LocationID{lf, lg}); again != one {
		t.Errorf("the same stack got the IDs %d and %d", one, again)
	}
	if other := b.Stack([]LocationID{lg, lf}); other == one {
		t.Error("the order of frames does not count")
	}
	empty := b.Stack(nil)
	p := b.Build(Meta{})
	if got := p.Stack(one); len(got) != 2 || got[0] != lf || got[1] != lg {
		t.Errorf("stack came back as %v", got)
	}
	if len(p.Stack(empty)) != 0 {
		t.Error("the empty stack is not empty")
	}
}

func TestLabelsIgnoreOrderButNotBorders(t *testing.T) {
	b := NewBuilder()
	ab := b.Labels([]Label{{Key: "a", Str: "1"}, {Key: "b", Str: "2"}})
	if b.Labels([]Label{{Key: "b", Str: "2"}, {Key: "a", Str: "1"}}) != ab {
		t.Error("the order of labels counts")
	}
	if b.Labels([]Label{{Key: "ab", Str: "c"}}) == b.Labels([]Label{{Key: "a", Str: "bc"}}) {
		t.Error("the border between key and value does not count")
	}
}

func TestSymbolizedKeepsStacksAndTotals(t *testing.T) {
	b := NewBuilder()
	m := b.Mapping(Mapping{Path: "/bin/x"})
	known, unknown := b.Location(m, 0x10, KindNative), b.Location(m, 0x20, KindNative)
	b.Sample(Sample{Stack: b.Stack([]LocationID{known, unknown}), Count: 1, Value: 7})
	p := b.Build(Meta{})
	q := p.Symbolized(func(id LocationID) ([]Frame, bool) {
		if id != known {
			return nil, false
		}
		return []Frame{
			{Function: Function{Name: "inner", Kind: KindNative}, Line: 3},
			{Function: Function{Name: "outer", Kind: KindNative}, Line: 9},
		}, true
	})
	lines := q.Lines(known)
	if len(lines) != 2 || q.Function(lines[0].Function).Name != "inner" || q.Function(lines[1].Function).Name != "outer" {
		t.Fatalf("frames came back as %v", lines)
	}
	if q.Function(lines[0].Function).Mapping != m {
		t.Error("the function lost the mapping of its location")
	}
	if got := q.Lines(unknown); len(got) != 1 || q.Function(got[0].Function).Name != "" {
		t.Errorf("the unresolved location changed: %v", got)
	}
	if q.Total() != p.Total() || len(q.Stack(0)) != 2 {
		t.Error("symbolising changed samples or stacks")
	}
	if got := p.Lines(known); len(got) != 1 {
		t.Error("symbolising changed the profile it was given")
	}
}

func TestFilesOfModulesArePaths(t *testing.T) {
	b := NewBuilder()
	id := b.Function(Function{Name: "reduce", File: "file:///srv/a%20b/reducer.js", Kind: KindJS})
	if same := b.Function(Function{Name: "reduce", File: "/srv/a b/reducer.js", Kind: KindJS}); same != id {
		t.Error("a URL and its path are two files")
	}
	p := b.Build(Meta{})
	if got := p.Function(id).File; got != "/srv/a b/reducer.js" {
		t.Errorf("the file is %q", got)
	}
}
