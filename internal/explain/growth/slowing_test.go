package growth

import (
	"math/rand/v2"
	"slices"
	"testing"

	"whyhot/internal/profile"
)

// searching is what recorded is, with a search of the program's own in place of the copy.
func searching(r recorded, rng *rand.Rand) *profile.Profile {
	r.inner = []frame{own("main", 9), own("render", 41), own("contains", 14)}
	return r.profile(rng)
}

func TestALineThatTakesLongerEachTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 100 {
		got := slowings(newFrames(searching(recorded{samples: 1000, copying: func(x float64) float64 { return 6 * x }}, rng)), nil)
		if len(got) == 1 && got[0].Function == "render" && got[0].Line == 41 && got[0].Cure != "" && len(got[0].Samples) > 0 && slices.IsSorted(got[0].Samples) {
			found++
		}
	}
	if found < 90 {
		t.Errorf("found in %d of 100", found)
	}
}

func TestWhatDoesNotTakeLongerEachTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, r := range map[string]recorded{
		"steady":          {samples: 1000, copying: func(float64) float64 { return 3 }},
		"mostly the line": {samples: 1000, copying: func(float64) float64 { return 30 }},
		"a later phase":   {samples: 1000, copying: func(float64) float64 { return 2 }, before: 0.4},
		"a phase at end":  {samples: 1000, copying: func(x float64) float64 { return map[bool]float64{true: 20}[x > 0.8] }},
		"a phase between": {samples: 1000, copying: func(x float64) float64 { return map[bool]float64{true: 5}[x > 0.4 && x < 0.7] }},
		"a little dearer": {samples: 1000, copying: func(x float64) float64 { return 3 + x }},
		"few samples":     {samples: 60, copying: func(x float64) float64 { return 4 * x }},
	} {
		false := 0
		for range 200 {
			false += len(slowings(newFrames(searching(r, rng)), nil))
		}
		if false > 2 {
			t.Errorf("%s: %d of 200", name, false)
		}
	}
}

// What runs before the loop of a line does not tell how far that loop is: a program that fills
// its tables and asks them then does not slow down.
func TestOnlyTheLoopOfALineTellsItsProgress(t *testing.T) {
	r := recorded{samples: 1000, copying: func(x float64) float64 { return 6 * x }}
	lines := make([]string, 60)
	lines[0] = "def render():"
	for i := 1; i < len(lines); i++ {
		lines[i] = "    step()"
	}
	lines[40] = "    while find(row):" // a loop of its own: line 40 is outside
	source := func(string) ([]string, bool) { return lines, true }
	p := searching(r, rand.New(rand.NewPCG(5, 6)))
	if got := slowings(newFrames(p), nil); len(got) != 1 {
		t.Fatalf("without the text: %d", len(got))
	}
	if got := slowings(newFrames(p), source); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Nor does what runs on some passes only: where those come first, the line takes as long as before.
func TestWhatAPassMayLeaveOutTellsNoProgress(t *testing.T) {
	p := searching(recorded{samples: 1000, copying: func(x float64) float64 { return 6 * x }}, rand.New(rand.NewPCG(5, 6)))
	lines := make([]string, 60)
	for i := range lines {
		lines[i] = "        step(row)"
	}
	lines[0], lines[1] = "def render():", "    for row in rows:"
	source := func(string) ([]string, bool) { return lines, true }
	if got := slowings(newFrames(p), source); len(got) != 1 {
		t.Fatalf("with what runs on each pass: %d", len(got))
	}
	for i := range lines[2:] {
		lines[i+2] = "        if skips(row): continue # at each line, so before and behind it"
	}
	if got := slowings(newFrames(p), source); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// What copies is told by Accumulations.
func TestCopiesAreNoSlowing(t *testing.T) {
	r := recorded{samples: 1000, copying: func(x float64) float64 { return 6 * x }}
	if got := slowings(newFrames(r.profile(rand.New(rand.NewPCG(1, 2)))), nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// Its lines become cheaper one after the other while a virtual machine compiles them.
func TestCodeThatIsCompiledWhileItRunsIsNotJudged(t *testing.T) {
	java := func(name string, line int32) frame {
		return frame{name: name, file: "App.java", line: line, kind: profile.KindJava}
	}
	r := recorded{samples: 1000, copying: func(x float64) float64 { return 6 * x }, inner: []frame{java("void com.acme.App.main(java.lang.String[])", 9), java("void com.acme.App.render()", 41), java("int com.acme.App.find(int)", 14)}, rest: []frame{java("void com.acme.App.main(java.lang.String[])", 9), java("void com.acme.App.render()", 40)}}
	if got := slowings(newFrames(r.profile(rand.New(rand.NewPCG(5, 6)))), nil); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	r.inner, r.rest = []frame{own("main", 9), own("render", 41), own("find", 14)}, []frame{own("main", 9), own("render", 40)}
	if got := slowings(newFrames(r.profile(rand.New(rand.NewPCG(5, 6)))), nil); len(got) != 1 {
		t.Errorf("the same in C++: %+v", got)
	}
}
