package repetition

import (
	"slices"
	"strings"
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
		"one of two numbers":     {with(func(c *profile.FunctionCalls) { c.Plain, c.Results = 4000, 2 }), ""},
		"a number for each":      {with(func(c *profile.FunctionCalls) { c.Plain, c.Results = 4000, 30 }), "glyphs"},
		"always the same list":   {with(func(c *profile.FunctionCalls) { c.Different, c.Results, c.Repeated, c.Same = 1, 1, 3999, 3999 }), "glyphs"},
		"it keeps its results":   {with(func(c *profile.FunctionCalls) { c.FirstTime, c.AgainTime = 790_000_000, 10_000_000 }), ""},
		"it keeps some of them":  {with(func(c *profile.FunctionCalls) { c.FirstTime, c.AgainTime = 400_000_000, 400_000_000 }), "glyphs"},
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
	half := glyphs
	half.FirstTime, half.AgainTime = 400_000_000, 400_000_000
	if all, part := sameOf(t, glyphs)[0].Gain.Likely, sameOf(t, half)[0].Gain.Likely; part < 0.4*all || part > 0.6*all {
		t.Errorf("%.2f of %.2f", part, all)
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

// nativeOf judges 300 samples of a function of machine code that main calls, depth times within itself.
func nativeOf(t *testing.T, name string, depth int, c profile.FunctionCalls) []judge.Found {
	t.Helper()
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/home/me/app", Start: 1 << 20, Limit: 1 << 30})
	function := func(name string) profile.LocationID {
		id := b.Function(profile.Function{Name: name, File: "/home/me/app.c", Kind: profile.KindNative, Mapping: app})
		return b.Location(app, 0, profile.KindNative, profile.Line{Function: id, Line: 7})
	}
	stack := slices.Repeat([]profile.LocationID{function(name)}, depth)
	start := b.Function(profile.Function{Name: "std::rt::lang_start", File: "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/rt.rs", Kind: profile.KindNative, Mapping: app})
	begin := b.Location(app, 1, profile.KindNative, profile.Line{Function: start, Line: 206})
	b.Sample(profile.Sample{Stack: b.Stack(append(stack, function("run"), function("main"), begin)), Count: 300, Value: 300 * tick})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{function("run"), function("main")}), Count: 100, Value: 100 * tick})
	c.Name = name
	a, err := Judge(t.Context(), judge.Subject{Profile: b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{c}})})
	if err != nil {
		t.Fatal(err)
	}
	return a.Found
}

func TestSameResultsOfMachineCode(t *testing.T) {
	const again, sub = " computes the same results repeatedly; keep them", " solves the same subproblems repeatedly; keep their results"
	text := profile.FunctionCalls{Count: 50_000, Looked: 50_000, Different: 40, Repeated: 49_960, Same: 49_960, Results: 40, Contents: true, Stopped: true, Times: []uint64{500_000_000}}
	unseen := text
	unseen.Same, unseen.Results = 0, 0
	number := text
	quick := number
	number.Plain, number.Results, number.Times, number.FirstTime, number.AgainTime = 50_000, 12, nil, 990_000, 10_000
	quick = number
	quick.Count = 100_000_000
	for _, x := range []struct {
		name    string
		depth   int
		counted profile.FunctionCalls
		want    string
		sure    finding.Certainty
	}{
		{"parse", 1, text, again, finding.Confirmed},
		{"parse", 1, unseen, again, finding.Suspected},
		{"random_of", 1, unseen, "", ""},
		{"hash_text", 1, text, "", ""},
		{"ways", 1, number, "", ""}, // a status, for all that is known
		{"ways", 3, number, sub, finding.Confirmed},
		{"ways", 3, quick, sub, finding.Confirmed}, // what is kept spares all that is below it
		{"way", 1, quick, "", ""},
	} {
		found := nativeOf(t, x.name, x.depth, x.counted)
		switch {
		case x.want == "" && len(found) == 0:
		case len(found) != 1 || found[0].Title != x.name+x.want || found[0].Certainty != x.sure:
			t.Errorf("%s: %+v", x.name, found)
		}
	}
	here := unseen
	here.Contents = false // an object is known by where it is
	if found := nativeOf(t, "parse", 1, here); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	e := nativeOf(t, "parse", 1, unseen)[0].Evidence
	if len(e) != 2 || e[0].Text != "counted: 50,000 or more calls with 40 different arguments, all of them known by what is in them; what it gave was not looked at; 10µs a call" || e[1].Text != "called in run (app.c:7) ← main (app.c:7)" {
		t.Errorf("%+v", e)
	}
}

// What an expression or a block calls, its function calls: a job in a comprehension is one, too.
func TestJobsInExpressions(t *testing.T) {
	for name, want := range map[string]int{"<listcomp>": 0, "block_in_main": 0, "each": 1} {
		s := &stacks{b: profile.NewBuilder(), t: t}
		frames := func(rest string) string { return "main|app.py " + name + "|app.py draw|app.py layout|page.py" + rest }
		s.add(400, -1, frames(" glyphs|fonts/font.py"))
		s.add(400, -1, frames(""))
		a, err := Judge(t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{
			{Name: "glyphs", File: fontFile, Count: 4000, Looked: 4000, Different: 40, Repeated: 3960, Same: 3960, Results: 40},
			{Name: "draw", File: "/home/me/app.py", Count: 100, Looked: 100, Different: 1, Repeated: 99, Nothing: 100, Cyclic: 98},
		}})})
		if err != nil || len(a.Found) != want {
			t.Errorf("%s: %+v %v", name, a.Found, err)
		}
	}
}

// A function that is called for what it does is told where it gives something for what it is given.
func TestVerbs(t *testing.T) {
	for name, x := range map[string]struct {
		results uint64
		want    int
	}{"glyphs": {1, 1}, "addStyle": {30, 1}, "addRow": {1, 0}, "writeText": {30, 0}} {
		s := &stacks{b: profile.NewBuilder(), t: t}
		s.add(400, -1, "main|app.py each|page.py "+name+"|fonts/font.py")
		s.add(400, -1, "main|app.py each|page.py")
		c := profile.FunctionCalls{Name: name, File: fontFile, Count: 4000, Looked: 4000, Different: 40, Repeated: 3960, Same: 3960, Results: x.results}
		a, err := Judge(t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{c}})})
		if err != nil || len(a.Found) != x.want {
			t.Errorf("%s: %+v %v", name, a.Found, err)
		}
	}
}

// A constructor that is given the same each time, whatever it is the name of.
func TestRemade(t *testing.T) {
	of := func(c profile.FunctionCalls) []judge.Found {
		s := &stacks{b: profile.NewBuilder(), t: t}
		s.add(400, -1, "main|app.py to_rows|rows.py Row.__init__|rows.py options|rows.py")
		s.add(400, -1, "main|app.py to_rows|rows.py")
		c.Name, c.File = "Row.__init__", "/home/me/rows.py"
		a, err := Judge(t.Context(), judge.Subject{Profile: s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Functions: []profile.FunctionCalls{c}})})
		if err != nil {
			t.Fatal(err)
		}
		return a.Found
	}
	same := profile.FunctionCalls{Count: 4000, Looked: 4000, Different: 2, Repeated: 3998, Same: 3998, Nothing: 4000}
	half := same
	half.FirstTime, half.AgainTime = 200_000_000, 200_000_000
	if all, part := of(same)[0].Gain.Likely, of(half)[0].Gain.Likely; part < 0.4*all || part > 0.6*all {
		t.Errorf("%.2f of %.2f", part, all)
	}
	if got := of(same); len(got) != 1 || got[0].Rule != RulePerCall || got[0].Title != "new Row on each call in to_rows (rows.py:7); keep what it makes" || got[0].Certainty != finding.Suspected {
		t.Errorf("%+v", got)
	}
	for name, change := range map[string]func(*profile.FunctionCalls){
		"each another":           func(c *profile.FunctionCalls) { c.Different, c.Repeated, c.Same = 4000, 0, 0 },
		"two microseconds":       func(c *profile.FunctionCalls) { c.Count, c.Looked = 400_000, 400_000 },
		"it takes what is ready": func(c *profile.FunctionCalls) { c.FirstTime, c.AgainTime = 390_000_000, 10_000_000 },
		"nothing was asked":      func(c *profile.FunctionCalls) { *c = profile.FunctionCalls{Count: 4000} },
	} {
		c := same
		change(&c)
		if got := of(c); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHotCandidates(t *testing.T) {
	s := &stacks{b: profile.NewBuilder(), t: t}
	s.add(300, -1, strings.Replace(drawing, "draw|", "<lambda>|", 1)) // which cannot be asked for by its name
	s.add(12, -1, strings.Replace(placing, "draw|", "<lambda>|", 1)+" rare|page.py")
	p := s.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	var got []string
	for _, id := range HotCandidates(p) {
		got = append(got, p.Function(id).Name)
	}
	if len(got) != 4 || got[0] != "<module>" || got[3] != "outline" {
		t.Errorf("%v", got)
	}
}
