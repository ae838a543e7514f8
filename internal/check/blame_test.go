package check

import (
	"strings"
	"testing"

	"whyhot/internal/check/origin"
	"whyhot/internal/check/revision"
	"whyhot/internal/profile"
)

// folded is a profile of stacks "main;f;g count": functions of lower case are of the tree,
// those of upper case a library's. A function is in file NAME.c, and its line is its
// number in the text.
func folded(text string) *profile.Profile {
	b := profile.NewBuilder()
	for line := range strings.Lines(text) {
		stack, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		count := int64(0)
		for _, d := range number {
			count = 10*count + int64(d-'0')
		}
		var locs []profile.LocationID
		for name := range strings.SplitSeq(stack, ";") {
			file := "/tree/" + name + ".c"
			if name == strings.ToUpper(name) {
				file = "/usr/lib/" + name + ".c"
			}
			f := b.Function(profile.Function{Name: name, File: file})
			locs = append([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: f, Line: 7})}, locs...)
		}
		b.Sample(profile.Sample{Stack: b.Stack(locs), Count: count, Value: count * 1000})
	}
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func grownBetween(before, after string) (list, moved []Function) {
	diff := &revision.Diff{Files: []revision.File{{Path: "hot.c", Was: "hot.c", Lines: []revision.Span{{First: 7, Last: 7}}}}}
	b, a := accountOf(folded(before), origin.New("/tree"), nil), accountOf(folded(after), origin.New("/tree"), diff)
	return grown(b, a, recordedWork(b, a), diff)
}

func nameList(list []Function) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

// callers are ten functions that call one, with so many samples each.
func callers(of string, samples int) string {
	var out strings.Builder
	for i := range 10 {
		out.WriteString("\nmain;caller" + digits(i) + ";" + of + " " + digits(samples))
	}
	return out.String()
}

func TestGrown(t *testing.T) {
	for _, c := range []struct{ name, before, after, grown, moved string }{
		{"cut stacks", "main;hot 1000\n[truncated] 300", "main;hot 1000\n[truncated] 900", "", ""},
		{"one grew", "main;cold 1000\nmain;hot 1000", "main;cold 1010\nmain;hot 1300", "hot", ""},
		{"chance", "main;cold 1000\nmain;hot 1000", "main;cold 1040\nmain;hot 1050", "", ""},
		{"what a library does is its caller's", "main;cold;SORT 1000\nmain;hot;SORT 1000", "main;cold;SORT 1010\nmain;hot;SORT 1500", "hot", ""},
		{"new", "main;cold 1000", "main;cold 1000\nmain;hot 300", "hot", ""},
		{"moved to what it calls", "main;hot 2000", "main;hot 1000\nmain;hot;part 1010", "", "part"},
		{"one caller of many", "main;x;part 30\nmain;x 200\nmain;cold 2000" + callers("part", 2), "main;x;part 60\nmain;x 170\nmain;cold 2000" + callers("part", 40), "part", ""},
		{"inlined", "main;hot;part 1000\nmain;hot 1000", "main;hot 2000", "", "hot"},
		{"moved and grew", "main;hot 2000", "main;hot 1000\nmain;hot;part 1900", "part", ""},
		{"faster", "main;hot 2000\nmain;cold 1000", "main;hot 1000\nmain;cold 1000", "", ""},
	} {
		list, moved := grownBetween(c.before, c.after)
		if nameList(list) != c.grown || nameList(moved) != c.moved {
			t.Errorf("%s: grown %q, moved %q", c.name, nameList(list), nameList(moved))
		}
	}
}

func TestGrownSaysWhereAndHow(t *testing.T) {
	list, _ := grownBetween("main;run;hot;SORT 1000\nmain;cold 1000", "main;run;hot;SORT 1500\nmain;cold 1000")
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	f := list[0]
	if f.File != "hot.c" || f.Line != 7 || !f.Edited || f.Before != 0.5 || f.After != 0.75 || f.Delta != 0.25 || f.P > 1e-6 {
		t.Errorf("%+v", f)
	}
	if len(f.Callers) != 2 || f.Callers[0].Function != "main" || f.Callers[1].Function != "run" {
		t.Errorf("%+v", f.Callers)
	}
}

// Of programs that differ by chance alone, a function is named in few.
func TestGrownByChance(t *testing.T) {
	const trials, functions, events = 400, 30, 300
	rng, wrong := seeded(8), 0
	for range trials {
		text := [2]strings.Builder{}
		for side := range text {
			for f := range functions {
				// A Poisson count, near enough by the normal distribution.
				n := max(0, int(events+17.3*rng.NormFloat64()))
				text[side].WriteString("main;" + strings.Repeat("f", f+1) + " " + digits(n) + "\n")
			}
		}
		if list, _ := grownBetween(text[0].String(), text[1].String()); len(list) > 0 {
			wrong++
		}
	}
	if share := float64(wrong) / trials; share > falseFunctions+0.03 {
		t.Errorf("a function is named in %.3f of pairs that differ by chance", share)
	}
}

// Recordings that a busy machine made longer or shorter as a whole show the function that
// grew, since the trial knows by how much the whole did.
func TestGrownOnABusyMachine(t *testing.T) {
	diff := &revision.Diff{}
	b := accountOf(folded("main;cold 4000\nmain;hot 4000"), origin.New("/tree"), nil)
	for _, machine := range []int{90, 100, 110} { // the time that the change's recording took, of what it should
		a := accountOf(folded("main;cold "+digits(40*machine)+"\nmain;hot "+digits(44*machine)), origin.New("/tree"), nil)
		list, _ := grown(b, a, work{1.05, 0.005}, diff)
		if nameList(list) != "hot" {
			t.Errorf("at %d%%: %q", machine, nameList(list))
		}
		if list, _ := grown(b, a, work{1.05, 0.1}, diff); len(list) != 0 {
			t.Errorf("at %d%%, with a ratio that nobody knows: %q", machine, nameList(list))
		}
	}
}

// What Go's runtime does for a function of the tree is the function's, also where a build
// with -trimpath gives both of them relative paths.
func TestGrownWithoutPaths(t *testing.T) {
	tree := origin.New("/tree")
	tree.Add("hot.go")
	tree.AddModule("example.org/m", ".")
	side := func(hot, cold int64) *account {
		b := profile.NewBuilder()
		program := b.Mapping(profile.Mapping{Path: "/tree/prog"})
		frame := func(name, file string) profile.LocationID {
			f := b.Function(profile.Function{Name: name, File: file, Mapping: program})
			return b.Location(program, 0, profile.KindNative, profile.Line{Function: f, Line: 7})
		}
		malloc := frame("runtime.mallocgc", "runtime/malloc.go")
		for name, n := range map[string]int64{"m.hot": hot, "m.cold": cold} {
			b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{malloc, frame(name, "example.org/m/hot.go")}), Count: n, Value: n})
		}
		return accountOf(b.Build(profile.Meta{}), tree, nil)
	}
	before, after := side(1000, 1000), side(1500, 1000)
	list, _ := grown(before, after, recordedWork(before, after), nil)
	if nameList(list) != "m.hot" || list[0].File != "hot.go" {
		t.Errorf("%+v", list)
	}
}

// What differs from run to run of one side as much as between the sides is not named: a
// start, a collector, a compiler that works in some runs and not in others.
func TestGrownBetweenRuns(t *testing.T) {
	side := func(burst func(run int) int64) *account {
		b := profile.NewBuilder()
		at := func(name string) profile.StackID {
			f := b.Function(profile.Function{Name: name, File: "/tree/" + name + ".c"})
			return b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: f, Line: 7})})
		}
		steady, bursts := at("steady"), at("bursts")
		for run := range 12 {
			labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: int64(run + 1)}})
			b.Sample(profile.Sample{Stack: steady, Labels: labels, Count: 500, Value: 500})
			b.Sample(profile.Sample{Stack: bursts, Labels: labels, Count: burst(run), Value: burst(run)})
		}
		return accountOf(b.Build(profile.Meta{}), origin.New("/tree"), nil)
	}
	before := side(func(run int) int64 { return int64(run / 11 * 100) }) // one run of twelve
	for _, c := range []struct {
		name  string
		after *account
		want  string
	}{
		{"in three runs", side(func(run int) int64 { return int64(run / 9 * 100) }), ""},
		{"in all", side(func(int) int64 { return 100 }), "bursts"},
	} {
		if list, _ := grown(before, c.after, recordedWork(before, c.after), nil); nameList(list) != c.want {
			t.Errorf("%s: %q", c.name, nameList(list))
		}
	}
}

// Where recordings of one side differ by more than their samples explain, a difference of
// that size between the sides is named in few pairs; one beyond it is named.
func TestGrownBetweenRecordings(t *testing.T) {
	const trials, functions = 200, 30
	rng := seeded(5)
	side := func(spread float64, more int64) *account {
		b := profile.NewBuilder()
		recording := map[int64]int{}
		for r := range 2 {
			labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: int64(r + 1)}})
			recording[int64(r+1)] = r
			for f := range functions {
				name := strings.Repeat("f", f+1)
				id := b.Function(profile.Function{Name: name, File: "/tree/" + name + ".c"})
				// A Poisson count, near enough by the normal distribution.
				n := max(0, int64(1000+31.6*rng.NormFloat64()+1000*spread*rng.NormFloat64()))
				if f == 0 {
					n += more
				}
				b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{b.Location(0, 0, profile.KindNative, profile.Line{Function: id, Line: 7})}), Labels: labels, Count: n, Value: n})
			}
		}
		a := accountOf(b.Build(profile.Meta{}), origin.New("/tree"), nil)
		a.recording = recording
		return a
	}
	for _, spread := range []float64{0, 0.05, 0.15} {
		wrong := 0
		for range trials {
			before, after := side(spread, 0), side(spread, 0)
			if list, _ := grown(before, after, work{ratio: 1}, nil); len(list) > 0 {
				wrong++
			}
		}
		if share := float64(wrong) / trials; share > falseFunctions+0.03 {
			t.Errorf("recordings that differ by %g: a function is named in %.3f of pairs", spread, share)
		}
		before, after := side(spread, 0), side(spread, int64(400+10_000*spread))
		if list, _ := grown(before, after, recordedWork(before, after), nil); nameList(list) != "f" {
			t.Errorf("recordings that differ by %g: %q", spread, nameList(list))
		}
	}
}

func digits(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return digits(n/10) + string(rune('0'+n%10))
}
