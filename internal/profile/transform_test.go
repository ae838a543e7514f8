package profile

import (
	"testing"

	"pgregory.net/rapid"
)

func TestOnlyFramesChargesTheCaller(t *testing.T) {
	b := NewBuilder()
	fn := func(name string) FunctionID { return b.Function(Function{Name: name, Kind: KindNative}) }
	main, work, scan, loop := fn("main"), fn("work"), fn("scan"), fn("loop")
	at := func(addr uint64, lines ...Line) LocationID { return b.Location(0, addr, KindNative, lines...) }
	top, inlined, leaf, alone := at(1, Line{Function: main, Line: 9}), at(2, Line{Function: scan}, Line{Function: work, Line: 5}), at(3, Line{Function: scan}), at(4, Line{Function: loop})
	for _, stack := range [][]LocationID{{inlined, top}, {leaf, inlined, top}, {leaf, top}, {alone}} {
		b.Sample(Sample{Stack: b.Stack(stack), Count: 1, Value: 10})
	}
	own := map[FunctionID]bool{main: true, work: true}
	q := b.Build(Meta{}).OnlyFrames(func(id FunctionID) bool { return own[id] }, Function{Name: "rest"})

	got := map[string]int64{}
	for _, s := range q.Samples() {
		var text string
		for _, loc := range q.Stack(s.Stack) {
			for _, l := range q.Lines(loc) {
				text += q.Function(l.Function).Name + " "
			}
		}
		got[text] += s.Value
	}
	for text, want := range map[string]int64{"work main ": 20, "main ": 10, "rest ": 10} {
		if got[text] != want {
			t.Errorf("%q has %d, want %d (all: %v)", text, got[text], want, got)
		}
	}
	if len(q.Samples()) != 3 {
		t.Errorf("%d rows of samples, want 3: those with one stack are one", len(q.Samples()))
	}
}

func TestOnlyFramesConservesTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, count, value := random(t)
		kept := rapid.SampledFrom([]string{"f", "g", ""}).Draw(t, "kept")
		q := p.OnlyFrames(func(id FunctionID) bool { return p.Function(id).Name == kept }, Function{Name: "rest"})
		if q.Count() != count || q.Total() != value {
			t.Fatalf("in %d events of %d, out %d of %d", count, value, q.Count(), q.Total())
		}
		for i := range q.NumLocations() {
			if len(q.Lines(LocationID(i))) == 0 {
				t.Fatalf("location %d has no line", i)
			}
		}
		for _, s := range q.Samples() {
			for _, loc := range q.Stack(s.Stack) {
				for _, l := range q.Lines(loc) {
					if name := q.Function(l.Function).Name; name != kept && name != "rest" {
						t.Fatalf("a frame of %q is left", name)
					}
				}
			}
		}
	})
}
