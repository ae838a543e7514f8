package analyzer

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

const fixtures = "../../../analyzer/test/ir"

// want is one expected confirmation, written beside a loop.
type want struct {
	predicate, effect, reach string
	together                 string  // "11+12|20", "" when not said
	before, after            float64 // loads per iteration, negative when not said
	short                    string  // "carries", "pads" or "digits": why it hardly runs
	counts                   bool
	capacity                 int
}

// readWants reads the flags and the expectations of a fixture, by line.
func readWants(t *testing.T, file string) ([]string, map[int]want) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var flags []string
	wants := map[int]want{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if rest, ok := strings.CutPrefix(lines.Text(), "// flags: "); ok {
			flags = strings.Fields(rest)
		}
		_, rest, ok := strings.Cut(lines.Text(), "// want: ")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		w := want{predicate: fields[0], effect: strings.ReplaceAll(fields[1], "-", " "), reach: fields[2], before: -1, after: -1}
		for _, f := range fields[3:] {
			if v, ok := strings.CutPrefix(f, "together="); ok {
				w.together = v
			} else if f == "carries" || f == "pads" || f == "digits" {
				w.short = f
			} else if v, ok := strings.CutPrefix(f, "capacity="); ok {
				if w.capacity, err = strconv.Atoi(v); err != nil {
					t.Fatalf("%s:%d: %v", file, n, err)
				}
			} else if f == "counts" {
				w.counts = true
			} else if v, ok := strings.CutPrefix(f, "loads="); ok {
				if _, err := fmt.Sscanf(v, "%g>%g", &w.before, &w.after); err != nil {
					t.Fatalf("%s:%d: %v", file, n, err)
				}
			} else {
				t.Fatalf("%s:%d: unknown expectation %q", file, n, f)
			}
		}
		wants[n] = w
	}
	return flags, wants
}

// lineIn is the line of a chain in the fixture itself, where its outermost call
// stands.
func lineIn(file string, chain []Point) int {
	for _, p := range slices.Backward(chain) {
		if filepath.Base(p.File) == filepath.Base(file) {
			return p.Line
		}
	}
	return 0
}

func groupLines(file string, c Candidate) string {
	groups := make([]string, 0, len(c.Groups))
	for _, g := range c.Groups {
		var lines []int
		for _, i := range g {
			lines = append(lines, lineIn(file, c.Writes[i].Where))
		}
		slices.Sort(lines)
		text := []string{}
		for _, l := range slices.Compact(lines) {
			text = append(text, strconv.Itoa(l))
		}
		groups = append(groups, strings.Join(text, "+"))
	}
	slices.Sort(groups)
	return strings.Join(groups, "|")
}

// fewestLoads is what the best world that confirms leaves.
func fewestLoads(c Candidate) float64 {
	least := c.Worlds[WorldWritten].LoadsPerIteration
	for _, w := range c.Reach {
		if s := c.Worlds[w]; s.Present {
			least = min(least, s.LoadsPerIteration)
		}
	}
	return least
}

func ask(t *testing.T, opts Options, u compdb.Unit) Reply {
	t.Helper()
	opts.Binary = analyzertest.Path(t)
	opts.Workers = 1
	var got Outcome
	if err := Run(context.Background(), []compdb.Unit{u}, opts, func(o Outcome) { got = o }); err != nil {
		t.Fatal(err)
	}
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	if len(got.Reply.Errors) > 0 {
		t.Fatalf("%s does not compile: %v", u.File, got.Reply.Errors)
	}
	return got.Reply
}

func fixtureUnit(t *testing.T, file string, flags []string) compdb.Unit {
	t.Helper()
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"clang++", "--target=x86_64-linux-gnu"}, flags, []string{"-c", filepath.Base(file)})
	return compdb.Unit{Directory: dir, File: file, Arguments: args}
}

func TestWorlds(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(fixtures + "/*.cpp")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			flags, wants := readWants(t, file)
			opts := Options{Predicates: []string{"char", "bitfield", "pointer", "size", "volatile"}, Blame: true}
			r := ask(t, opts, fixtureUnit(t, file, flags))
			for _, c := range r.Candidates {
				if !c.Confirmed {
					continue
				}
				line := lineIn(file, c.Start)
				w, ok := wants[line]
				if !ok || w.predicate != c.Predicate {
					t.Errorf("line %d: confirmed for %s (%s), which nobody expects", line, c.Predicate, c.Effect)
					continue
				}
				delete(wants, line)
				checkWant(t, file, line, w, c)
			}
			for line, w := range wants {
				t.Errorf("line %d: not confirmed for %s", line, w.predicate)
			}
		})
	}
}

// The stores of a switch's branches become one store without a line. Where the loop is
// inlined, too, each of them is named in the function that has them: what has no line in
// the user's code is nothing that the user could edit.
func TestMergedWritesOfAnInlinedLoopAreNamed(t *testing.T) {
	t.Parallel()
	file := fixtures + "/article.cpp"
	flags, _ := readWants(t, file)
	r := ask(t, Options{Predicates: []string{"char"}}, fixtureUnit(t, file, flags))
	inlined := 0
	for _, c := range r.Candidates {
		if len(c.Start) < 2 || !strings.Contains(c.Start[0].Function, "exchanged") || filepath.Base(c.Start[0].File) != "article.cpp" {
			continue
		}
		inlined++
		var lines []int
		for _, w := range c.Writes {
			if w.Where[0].Line <= c.Start[0].Line || w.Where[0].Line >= c.EndLine || len(w.Where) != len(c.Start) {
				t.Errorf("a write at %+v, of the loop of lines %d to %d", w.Where, c.Start[0].Line, c.EndLine)
			}
			lines = append(lines, w.Where[0].Line)
		}
		if len(lines) != 5 {
			t.Errorf("writes of lines %v, want five", lines)
		}
	}
	if inlined == 0 {
		t.Error("no loop is inlined: the test cannot tell anything")
	}
}

func checkWant(t *testing.T, file string, line int, w want, c Candidate) {
	t.Helper()
	if c.Effect != w.effect || strings.Join(c.Reach, ",") != w.reach {
		t.Errorf("line %d: %s by %v, want %s by %s", line, c.Effect, c.Reach, w.effect, w.reach)
	}
	if got := groupLines(file, c); w.together != "" && got != w.together {
		t.Errorf("line %d: writes change together as %q, want %q", line, got, w.together)
	}
	if c.Carries != (w.short == "carries") || c.Pads != (w.short == "pads") || c.Digits != (w.short == "digits") {
		t.Errorf("line %d: carries %v, pads %v, digits %v, want %q", line, c.Carries, c.Pads, c.Digits, w.short)
	}
	if c.Capacity != w.capacity {
		t.Errorf("line %d: capacity %d, want %d", line, c.Capacity, w.capacity)
	}
	if c.Counts != w.counts {
		t.Errorf("line %d: counts %v, want %v", line, c.Counts, w.counts)
	}
	if w.before < 0 {
		return
	}
	if before, after := c.Worlds[WorldWritten].LoadsPerIteration, fewestLoads(c); before != w.before || after != w.after {
		t.Errorf("line %d: loads per iteration %g > %g, want %g > %g", line, before, after, w.before, w.after)
	}
}

// Restricting the work to one function finds what the whole unit finds there.
func TestFunctionsRestrict(t *testing.T) {
	t.Parallel()
	unit := fixtureUnit(t, fixtures+"/char.cpp", []string{"-O3"})
	whole := ask(t, Options{Predicates: []string{"char"}}, unit)
	const name = "_Z5clearR6Buffer"
	part := ask(t, Options{Predicates: []string{"char"}, Functions: []string{name}}, unit)
	wanted := slices.DeleteFunc(whole.Candidates, func(c Candidate) bool { return c.Function != name })
	if len(part.Candidates) != 1 || len(wanted) != 1 {
		t.Fatalf("%d candidates alone, %d in the unit, want one each", len(part.Candidates), len(wanted))
	}
	if part.Loops >= whole.Loops {
		t.Errorf("%d loops looked at, the whole unit has %d", part.Loops, whole.Loops)
	}
	if got, want := fmt.Sprint(part.Candidates[0]), fmt.Sprint(wanted[0]); got != want {
		t.Errorf("alone %s\nin the unit %s", got, want)
	}
}

// Any loop can be asked about by its line, with its machine code and what the
// model of each processor makes of it.
func TestLoopAtLine(t *testing.T) {
	t.Parallel()
	r := ask(t, Options{
		Predicates: []string{"char"}, Cycles: true, Assembly: true,
		At: &At{File: "ir/stay.cpp", Line: 7},
	}, fixtureUnit(t, fixtures+"/stay.cpp", []string{"-O3"}))
	if len(r.Candidates) != 1 {
		t.Fatalf("%d loops at the line, want 1", len(r.Candidates))
	}
	c := r.Candidates[0]
	s := c.Worlds[WorldWritten]
	if c.Confirmed || !s.Present || !s.Vectorised {
		t.Errorf("confirmed %t, present %t, vectorised %t; want a vectorised loop with nothing to confirm", c.Confirmed, s.Present, s.Vectorised)
	}
	if !strings.Contains(s.Assembly, "movups") && !strings.Contains(s.Assembly, "movdqu") {
		t.Errorf("no vector instruction in\n%s", s.Assembly)
	}
	for _, cpu := range []string{"skylake", "icelake-server", "sapphirerapids", "znver4"} {
		// Two vector loads and stores of four integers an iteration of eight.
		if got := s.Cycles[cpu]; got < 0.1 || got > 1 {
			t.Errorf("%s: %g cycles a source iteration", cpu, got)
		}
	}
	if len(s.Remarks) == 0 {
		t.Error("the vectoriser said nothing")
	}
}
