package machine

import (
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// sourceOf answers for one source file.
type sourceOf struct {
	judge.Facts

	lines []string
}

func (s sourceOf) Source(path string) ([]string, bool) { return s.lines, path == "/me/a.c" }

func TestShortTrips(t *testing.T) {
	const counted = `
double distance(const double *a, const double *b, int dims) {
  double s = 0;
  for (int d = 0; d < dims; d++)
    s += a[d] * b[d];
  return s;
}`
	for name, c := range map[string]struct {
		source     string
		seen, left uint64
		leaves     string
		want       string // what it is called by, "" for silence
	}{
		"three":                      {counted, 3000, 1000, profile.Behind, "Loop up to dims runs 3 times; make that number a constant"},
		"two and a half":             {counted, 2500, 1000, profile.Taken, "Loop up to dims runs 2.5 times; make that number a constant"},
		"many":                       {counted, 3000, 30, profile.Behind, ""},
		"seldom seen":                {counted, 300, 100, profile.Behind, ""},
		"a way out in the middle":    {counted, 3000, 0, profile.Behind, ""},
		"the compiler knows it":      {strings.ReplaceAll(counted, "d < dims", "d < 3"), 3000, 1000, profile.Behind, ""},
		"a constant":                 {strings.ReplaceAll(counted, "d < dims", "d < DIMS"), 3000, 1000, profile.Behind, ""},
		"a walk":                     {strings.ReplaceAll(counted, "for (int d = 0; d < dims; d++)", "for (; w; w = w->next)"), 3000, 1000, profile.Behind, ""},
		"a loop that is not counted": {strings.ReplaceAll(counted, "for (int d = 0; d < dims; d++)", "while (a[d])"), 3000, 1000, profile.Behind, ""},
	} {
		b := profile.NewBuilder()
		loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: b.Function(profile.Function{Name: "distance"})})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1000, Value: 1000})
		taken := c.left
		if c.leaves == profile.Behind {
			taken = c.seen - c.left
		}
		latch := profile.Branch{Path: "/app", Address: 104, Seen: c.seen, Taken: taken, Leaves: c.leaves}
		at := []profile.Frame{{Function: profile.Function{Name: "distance", File: "/me/a.c"}, Line: 4}}
		l := Loop{
			Function: "distance", Mapping: &profile.Mapping{Path: "/app"}, Self: 300, Count: 300, Start: 100, End: 106, Innermost: true,
			Instructions: []Instruction{{Address: 100, Self: 300, Count: 300, Lines: at}, {Address: 104, Lines: at}},
			function:     &function{name: "distance"}, binary: &binary{outcomes: map[uint64]profile.Branch{104: latch}},
		}
		p := b.Build(profile.Meta{Branches: []profile.Branch{latch}})
		found := ShortTrips(p, Answer{Loops: []Loop{l}}, sourceOf{lines: strings.Split(strings.TrimPrefix(c.source, "\n"), "\n")})
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: %s", name, found[0].Title)
		case c.want == "":
		case len(found) != 1:
			t.Errorf("%s: nothing is said", name)
		default:
			f := found[0]
			if f.Title != c.want || f.Place.Line != 3 || *f.Share.Exclusive != 0.3 || !strings.Contains(f.Evidence[0].Text, "executions of its last jump that were followed") {
				t.Errorf("%s: %s at line %d: %+v", name, f.Title, f.Place.Line, f.Evidence)
			}
		}
		if got := Guesses(p, Answer{Loops: []Loop{l}}); len(got) > 0 {
			t.Errorf("%s: a jump that closes a loop is one that is guessed: %+v", name, got)
		}
	}
}

// Vectors are not advised for a loop that goes through three elements.
func TestNoVectorsForAFewElements(t *testing.T) {
	for trips, want := range map[uint64]bool{3: false, 50: true} {
		latch := profile.Branch{Path: "/p/app", Address: 104, Seen: 1000 * trips, Taken: 1000 * (trips - 1), Leaves: profile.Behind}
		l := Loop{
			Function: "add", Mapping: &profile.Mapping{Path: "/p/app"}, Self: 100, Count: 100, Innermost: true, function: &function{name: "add"},
			Instructions: []Instruction{{Address: 104, Self: 100, Count: 100}}, binary: &binary{outcomes: map[uint64]profile.Branch{104: latch}},
			Matches: []analyzer.MachineMatch{{Rule: "machine-float-sum", At: []uint64{0x200}}},
		}
		if found := Findings(samplesOf(100, 1), []Loop{l}); (ruleIn(found, "machine-float-sum") != nil) != want {
			t.Errorf("%d iterations: %+v", trips, found)
		}
	}
}

// A row counts where the recording has counted that it is short.
func TestShortRuns(t *testing.T) {
	for name, x := range map[string]struct {
		seen, taken uint64 // of the jump that closes the loop
		element     int64
		want        bool
	}{
		"some hundred bytes":    {10_000, 9900, 8, true},
		"more than a page":      {10_000, 9990, 8, false},
		"wide elements":         {10_000, 9900, 48, false},
		"hardly followed":       {400, 396, 8, false},
		"the end was not seen":  {10_000, 10_000, 8, false},
		"the jump that was not": {0, 0, 8, false},
	} {
		m := &profile.Mapping{Path: "/me/app"}
		l := Loop{Mapping: m, Innermost: true, Ranges: [][2]uint64{{0x100, 0x110}}, Instructions: []Instruction{{Address: 0x100}, {Address: 0x10c}},
			binary: &binary{outcomes: map[uint64]profile.Branch{0x10c: {Seen: x.seen, Taken: x.taken, Leaves: profile.Behind}}}}
		s := &Stall{Kind: kindRun, Element: x.element, Mapping: m, Load: Instruction{Address: 0x100}}
		if got := s.isShortRun(Answer{Loops: []Loop{l}}); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
		if s.isShortRun(Answer{}) {
			t.Errorf("%s: without a loop", name)
		}
	}
}
