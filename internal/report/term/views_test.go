package term

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// sampleProfile is a small C program: main calls parse, parse calls itself and
// malloc; some code has no name.
func sampleProfile(scale int64) *profile.Profile {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/app"})
	libc := b.Mapping(profile.Mapping{Path: "/lib/libc.so.6", Start: 0x1000, Limit: 0x9000})
	at := func(name, file string, line int32, m profile.MappingID) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: file, StartLine: line - line%10, Mapping: m, Kind: profile.KindNative})
		return b.Location(m, 0x1000+uint64(line), profile.KindNative, profile.Line{Function: f, Line: line})
	}
	run, parse, again := at("main", "app.c", 31, app), at("parse", "app.c", 12, app), at("parse", "app.c", 19, app)
	alloc := at("malloc", "", 0, libc)
	add := func(n int64, leafFirst ...profile.LocationID) {
		b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Count: n * scale, Value: n * scale * 10_000_000})
	}
	add(10, run)
	add(40, parse, run)
	add(20, again, parse, run)
	add(25, alloc, again, run)
	add(5, b.Location(libc, 0x5000, profile.KindNative), run)
	return b.Build(profile.Meta{
		ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Duration:  2 * time.Second, Lost: 4, Command: []string{"app", "--in", "x.json"},
	})
}

func compare(t *testing.T, got []string, want string) {
	t.Helper()
	if wanted := strings.Split(strings.Trim(want, "\n"), "\n"); !slices.Equal(got, wanted) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
	}
}

func TestHeader(t *testing.T) {
	p := sampleProfile(1)
	compare(t, printed(50, func(out *Printer) { out.Header("/data/app.pb.gz", p) }), `
app.pb.gz  app --in x.json
100 samples · 1.00 s of cpu · recorded for 2.00 s
4 lost (3.8%) · 5.0% in code without a name`)
}

func TestTop(t *testing.T) {
	p := sampleProfile(1)
	input := func(o view.TopOptions, rows int) TopInput {
		return TopInput{Profile: p, Table: view.Top(p, o), Whole: WholeOf(p), Rows: rows, Sort: o.Sort}
	}
	compare(t, printed(100, func(out *Printer) { out.Top(input(view.TopOptions{}, 3)) }), `
 self    ±   total                time  function  library    source
60.0%  9.4   85.0%  ██████████  600 ms  parse     app        app.c:10
25.0%  8.4   25.0%  ████▏       250 ms  malloc    libc.so.6
10.0%  6.0  100.0%  █▋          100 ms  main      app        app.c:30
1 more with 5.0% self together (-n 0 shows all)`)
	compare(t, printed(100, func(out *Printer) { out.Top(input(view.TopOptions{Sort: view.SortTotal}, 2)) }), `
 self    ±   total                time  function  library  source
10.0%  1.8  100.0%  ██████████  1.00 s  main      app      app.c:30
60.0%  7.0   85.0%  ████████▌   850 ms  parse     app      app.c:10
2 more with 30.0% self together (-n 0 shows all)`)
	compare(t, printed(100, func(out *Printer) { out.Top(input(view.TopOptions{By: view.ByLibrary}, 0)) }), `
 self    ±   total                time  library
70.0%  8.8  100.0%  ██████████  700 ms  /usr/bin/app
30.0%  8.8   30.0%  ████▎       300 ms  /lib/libc.so.6`)
}

func TestGraph(t *testing.T) {
	p := sampleProfile(1)
	fn := view.Find(p, func(s string) bool { return s == "parse" })
	in := GraphInput{Profile: p, Name: "parse", Sandwich: view.Callgraph(p, fn, view.CallgraphOptions{}), Whole: WholeOf(p)}
	compare(t, printed(80, func(out *Printer) { out.Graph(in) }), `
parse  app
85.0% total · 60.0% self · 23.5% of it in recursive calls, which are folded

of all   of it              called by  where
 85.0%  100.0%  ██████████  main       app

of all  of it           calls           where
 60.0%  70.6%  ███████  (its own code)
 25.0%  29.4%  ███      malloc          libc.so.6`)
}

func TestLines(t *testing.T) {
	p := sampleProfile(1)
	fn := view.Find(p, func(s string) bool { return s == "parse" })
	text := make([]string, 40)
	for i := range text {
		text[i] = "\tline" + strings.Repeat("!", i%3)
	}
	in := LinesInput{
		Profile: p, Name: "parse", Table: view.Lines(p, fn), Whole: WholeOf(p), Context: 1,
		Source: func(string) ([]string, bool) { return text, true },
	}
	compare(t, printed(80, func(out *Printer) { out.Lines(in) }), `
parse
60.0% self · 85.0% total · bars: self

app.c
 self  total              line
                            11      line!
40.0%  60.0%  ██████████    12      line!!
                            13      line
                             ⋮
                            18      line!!
20.0%  45.0%  █████         19      line
                            20      line!`)
	in.Source = func(string) ([]string, bool) { return nil, false }
	compare(t, printed(80, func(out *Printer) { out.Lines(in) }), `
parse
60.0% self · 85.0% total · bars: self

app.c  (source not found)
 self  total              line
40.0%  60.0%  ██████████    12
20.0%  45.0%  █████         19`)
	in.Script, in.Rows = true, 1
	compare(t, printed(80, func(out *Printer) { out.Lines(in) }), `
parse
60.0% self · 85.0% total · bars: total, with what a line calls

app.c  (source not found)
 self  total              line
40.0%  60.0%  ██████████    12
1 more with samples (-n 0 shows all)`)
	in.Rows = 0
	compare(t, printed(80, func(out *Printer) { out.Lines(in) }), `
parse
60.0% self · 85.0% total · bars: total, with what a line calls

app.c  (source not found)
 self  total              line
40.0%  60.0%  ██████████    12
20.0%  45.0%  ███████▌      19`)
}

func TestEscapeCodes(t *testing.T) {
	text := func(env ...string) string {
		var b strings.Builder
		out := New(&b, append(env, "CLICOLOR_FORCE=1", "TERM=xterm", "COLUMNS=30"))
		out.Line(Heading("surprising"))
		out.Notef("a remark that is longer than the terminal is wide")
		return b.String()
	}
	if got := text(); !strings.Contains(got, "surprising") || !strings.Contains(got, "\x1b[") || strings.Count(got, "\n") != 3 {
		t.Errorf("%q", got)
	}
	if got := text("NO_COLOR=1"); strings.Contains(got, "\x1b") {
		t.Errorf("NO_COLOR: %q", got)
	}
}

func TestDiff(t *testing.T) {
	a := sampleProfile(10)
	b := a.Filtered(func(s *profile.Sample) bool { return len(a.Stack(s.Stack)) < 3 })
	in := DiffInput{A: a, B: b, Table: view.Diff(a, b, view.DiffOptions{}), Sort: view.SortSelf}
	compare(t, printed(80, func(out *Printer) { out.Diff(in) }), `
before  after  change              function, self  where
 25.0%      –   -25.0  ██████████  malloc          libc.so.6
 60.0%  72.7%   +12.7  █████▏      parse           app
 10.0%  18.2%    +8.2  ███▎        main            app
  5.0%   9.1%    +4.1  █▋          [libc.so.6]
4 of 4 functions differ significantly (false discovery rate 5%).`)
	in = DiffInput{A: a, B: a, Table: view.Diff(a, a, view.DiffOptions{}), Sort: view.SortSelf, All: true, Rows: 1}
	compare(t, printed(80, func(out *Printer) { out.Diff(in) }), `
before  after  change     function, self  where
 10.0%  10.0%    +0.0  ?  main            app
3 more (-n 0 shows all)
No function of 4 differs significantly.`)
}

// What stacks say nothing of is not called outermost.
func TestGraphOfCutStacks(t *testing.T) {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/app"})
	work := b.Location(app, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "work", Mapping: app, Kind: profile.KindNative})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{work}), Count: 10, Value: 10})
	p := b.Build(profile.Meta{Source: "perf.data"})
	fn := view.Find(p, func(s string) bool { return s == "work" })
	in := GraphInput{Profile: p, Name: "work", Sandwich: view.Callgraph(p, fn, view.CallgraphOptions{}), Whole: WholeOf(p)}
	got := strings.Join(printed(80, func(out *Printer) { out.Graph(in) }), "\n")
	if strings.Contains(got, "outermost") || !strings.Contains(got, "(not recorded: the stack is cut)") {
		t.Error(got)
	}
	want := "100.0% of the stacks are cut, most after one frame, as happens without frame pointers: callers are missing, and totals are lower bounds; " +
		"record with perf record --call-graph dwarf, or whyhot record"
	if got := CutText(p); got != want {
		t.Error(got)
	}
}
