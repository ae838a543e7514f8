package repetition

import (
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const (
	drawing  = "<module>|app.py draw|app.py layout|page.py glyphs|fonts/font.py outline|fonts/font.py"
	placing  = "<module>|app.py draw|app.py layout|page.py"
	fontFile = "/x/site-packages/fonts/font.py"
)

// sameOf judges 400 samples of glyphs, of which 300 are of outline, and 400 of its caller.
func sameOf(t *testing.T, counts ...profile.FunctionCalls) []judge.Found {
	t.Helper()
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(300, -1, drawing)
	s.add(100, -1, "<module>|app.py draw|app.py layout|page.py glyphs|fonts/font.py")
	s.add(400, -1, placing)
	a, err := Judge(t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: counts})})
	if err != nil {
		t.Fatal(err)
	}
	return a.Found
}

func TestSameResults(t *testing.T) {
	glyphs := profile.FunctionCalls{Name: "glyphs", File: fontFile, Count: 4000, Looked: 4000, Different: 40, Repeated: 3960, Same: 3960, Results: 40}
	with := func(change func(*profile.FunctionCalls)) []profile.FunctionCalls {
		c := glyphs
		change(&c)
		return []profile.FunctionCalls{c}
	}
	draw := profile.FunctionCalls{Name: "draw", File: "/home/me/app.py", Count: 100, Looked: 100, Different: 1, Repeated: 99, Nothing: 100, Cyclic: 98}
	for name, x := range map[string]struct {
		counts []profile.FunctionCalls
		want   string
	}{
		"forty fonts":            {[]profile.FunctionCalls{glyphs}, "glyphs"},
		"nothing was counted":    {nil, ""},
		"only calls":             {with(func(c *profile.FunctionCalls) { *c = profile.FunctionCalls{Name: c.Name, File: c.File, Count: c.Count} }), ""},
		"another each time":      {with(func(c *profile.FunctionCalls) { c.Different, c.Repeated, c.Same = 3000, 1000, 1000 }), ""},
		"it gives something new": {with(func(c *profile.FunctionCalls) { c.Same-- }), ""},
		"it gives nothing":       {with(func(c *profile.FunctionCalls) { c.Nothing, c.Results = 4000, 0 }), ""},
		"it is always true":      {with(func(c *profile.FunctionCalls) { c.Plain, c.Results = 4000, 1 }), ""},
		"true for some":          {with(func(c *profile.FunctionCalls) { c.Plain, c.Results = 4000, 2 }), "glyphs"},
		"always the same list":   {with(func(c *profile.FunctionCalls) { c.Different, c.Results, c.Repeated, c.Same = 1, 1, 3999, 3999 }), "glyphs"},
		"a microsecond each":     {with(func(c *profile.FunctionCalls) { c.Count = 1_000_000 }), ""},
		"a few calls":            {with(func(c *profile.FunctionCalls) { c.Count, c.Looked, c.Repeated, c.Same, c.Different = 40, 40, 39, 39, 1 }), ""},
		"what is within it": {[]profile.FunctionCalls{
			glyphs, {Name: "outline", File: fontFile, Count: 9000, Looked: 9000, Different: 40, Repeated: 8960, Same: 8960, Results: 40},
		}, "glyphs"},
		"what is within it, where less is kept": {[]profile.FunctionCalls{
			{Name: "glyphs", File: fontFile, Count: 4000, Looked: 4000, Different: 790, Repeated: 3210, Same: 3210, Results: 40},
			{Name: "outline", File: fontFile, Count: 9000, Looked: 9000, Different: 9, Repeated: 8991, Same: 8991, Results: 9},
			{Name: "draw", File: "/home/me/app.py", Count: 1},
		}, "glyphs"},
		"the whole is done again":                    {[]profile.FunctionCalls{draw, glyphs}, ""},
		"the whole is done again with something new": {[]profile.FunctionCalls{{Name: "draw", File: draw.File, Count: 100, Looked: 100, Different: 100, Nothing: 100}, glyphs}, "glyphs"},
		"more often within the whole":                {[]profile.FunctionCalls{draw, with(func(c *profile.FunctionCalls) { c.Count, c.Looked, c.Repeated, c.Same = 40_000, 40_000, 39_960, 39_960 })[0]}, "glyphs"},
		"the main loop does it, as words come":       {[]profile.FunctionCalls{{Name: "layout", File: "/home/me/page.py", Count: 1}, glyphs}, "glyphs"},
		"the main loop does it, in rounds": {[]profile.FunctionCalls{
			{Name: "layout", File: "/home/me/page.py", Count: 1}, with(func(c *profile.FunctionCalls) { c.Cyclic = 3920 })[0],
		}, ""},
	} {
		got := sameOf(t, x.counts...)
		if (x.want == "") != (len(got) == 0) || len(got) > 1 {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if x.want != "" && (got[0].Title != x.want+" computes the same results repeatedly; keep them" || got[0].Certainty != finding.Confirmed || !got[0].Removes) {
			t.Errorf("%s: %+v", name, got[0].Finding)
		}
	}
	got := sameOf(t, glyphs)[0]
	if got.Share.Main() != 0.5 || len(got.Samples) != 400 && len(got.Samples) != 2 || got.Place.File != "/home/me/page.py" || got.Place.Line != 7 {
		t.Errorf("%+v", got)
	}
	if e := got.Evidence; len(e) != 2 || e[0].Text != "counted: 4,000 calls with 40 different arguments, and the same ones gave the same result each time; 200µs a call" ||
		e[1].Text != "called in layout (page.py:7) ← draw (app.py:7) ← <module> (app.py:7)" {
		t.Errorf("%+v", e)
	}
}

func TestHotCandidates(t *testing.T) {
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(300, -1, drawing)
	s.add(12, -1, placing+" rare|page.py")
	p := s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	var got []string
	for _, id := range HotCandidates(p, func(fn *profile.Function) bool { return fn.Name != "draw" }) {
		got = append(got, p.Function(id).Name)
	}
	if len(got) != 4 || got[0] != "<module>" || got[3] != "outline" {
		t.Errorf("%v", got)
	}
}
