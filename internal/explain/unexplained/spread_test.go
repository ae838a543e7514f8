package unexplained

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// run adds a stack of the program: "main@9 parse@4 leaf@1", outermost first, each function at a line.
func (b *builder) run(count int64, stack string) {
	var frames []framed
	for frame := range strings.FieldsSeq(stack) {
		name, line, _ := strings.Cut(frame, "@")
		var n int32
		_, _ = fmt.Sscan(line, &n)
		frames = append(frames, framed{app, name, "/home/me/src/app.c", n})
	}
	slices.Reverse(frames)
	b.stack(count, frames...)
}

// A parser asks at two lines which features are in force, for which many functions work a little.
func parser() *builder {
	b := newBuilder()
	for i := range 6 {
		b.run(60, fmt.Sprintf("main@9 parse@4 features@30 walk%d@%d", i, i+1))
		b.run(30, fmt.Sprintf("main@9 parse@7 features@30 walk%d@%d", i, i+1))
	}
	b.run(200, "main@9 parse@5 lex@2")
	b.run(200, "main@9 parse@6 build@3")
	return b
}

func lines(all []finding.HotLine) string {
	var out []string
	for _, l := range all {
		out = append(out, fmt.Sprintf("%s:%d %.0f", l.Function, l.Line, 100*l.Share))
	}
	return strings.Join(out, ", ")
}

func TestWorkThatIsSpread(t *testing.T) {
	p := parser().Build(profile.Meta{})
	us := New(Input{Profile: p}).Spread()
	if got := names(us); !slices.Equal(got, []string{"parse", "features"}) {
		t.Fatalf("%v, want what asks for it, and what goes through", got)
	}
	u := us[1]
	if u.Spread != 6 || *u.Share.Inclusive < 0.55 || *u.Share.Inclusive > 0.6 || lines(u.Lines) != "parse:4 38, parse:7 19" {
		t.Errorf("%+v, %s", u, lines(u.Lines))
	}
	rows := make([]int32, 0, len(p.Samples()))
	for i := range p.Samples() {
		rows = append(rows, int32(i))
	}
	all := Input{Profile: p, Findings: []finding.Finding{{ID: "f", Certainty: finding.Suspected}}, Samples: map[string][]int32{"f": rows}}
	if us := New(all).Spread(); len(us) > 0 {
		t.Errorf("%v, which a finding is about", names(us))
	}
}

func TestWorkThatIsNotSpread(t *testing.T) {
	for name, stacks := range map[string]map[string]int64{
		"one below has it":    {"main@9 parse@4 leaf@1": 800, "main@9 parse@4 other@2": 200},
		"its own lines":       {"main@9 parse@4": 800, "main@9 parse@4 other@2": 200},
		"little":              {"main@9 parse@4 a@1": 100, "main@9 parse@4 b@1": 100, "main@9 rest@3": 800},
		"what a program does": {"main@9 a@1": 300, "main@9 b@1": 300, "main@9 c@1": 400},
		"through two others":  {"main@9 all@4 a@5 x@1": 150, "main@9 all@4 a@5 y@1": 150, "main@9 all@4 a@5 z@1": 150, "main@9 all@4 b@6 x@1": 150, "main@9 all@4 b@6 y@1": 150, "main@9 all@4 b@6 z@1": 150},
	} {
		b := newBuilder()
		for stack, n := range stacks {
			b.run(n, stack)
		}
		for _, u := range New(Input{Profile: b.Build(profile.Meta{})}).Spread() {
			if u.Place.Function != "a" && u.Place.Function != "b" {
				t.Errorf("%s: %s", name, u.Place.Function)
			}
		}
	}
}

// The calls of hot code are followed outwards as long as half of it comes by one line.
func TestCallersOfHotCode(t *testing.T) {
	b := newBuilder()
	b.run(300, "main@9 merge@96 path@77 round@258")
	b.run(150, "main@9 merge@96 path@78 round@258")
	b.run(50, "main@9 other@3 path@77 round@259")
	b.run(100, "main@9 merge@96 merge@96 path@77 path@77 round@258")
	us := New(Input{Profile: b.Build(profile.Meta{})}).Functions()
	if len(us) != 1 || lines(us[0].Callers) != "path:77 75, merge:96 67, main:9 67" {
		t.Errorf("%v: %s", names(us), lines(us[0].Callers))
	}
}

// What a library has is called at the lines that are listed; further out is said.
func TestCallersOfALibrary(t *testing.T) {
	b := newBuilder()
	b.stack(300, strlen, framed{app, "append", "/home/me/src/app.c", 12}, framed{app, "render", "/home/me/src/app.c", 40})
	us := only(t, b, Input{})
	if len(us) != 1 || us[0].Into == nil || lines(us[0].Lines) != "append:12 100" || lines(us[0].Callers) != "render:40 100" {
		t.Errorf("%+v", us)
	}
}
