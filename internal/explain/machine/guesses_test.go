package machine

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// Where jumps were followed, their outcomes decide, whatever the samples say.
func TestGuesses(t *testing.T) {
	b := profile.NewBuilder()
	fn := b.Function(profile.Function{Name: "main"})
	loc := b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1000, Value: 1000})
	app := &profile.Mapping{Path: "/app"}
	loop := func(start uint64) Loop {
		l := Loop{Function: "main", Mapping: app, Self: 300, Count: 300, Start: start, End: start + 20, Ranges: [][2]uint64{{start, start + 20}}, function: &function{name: "main"}}
		for a := start; a < start+20; a++ {
			l.Instructions = append(l.Instructions, Instruction{Address: a, Self: 15, Count: 15})
		}
		return l
	}
	// A loop around the first, with an instruction of its own.
	around := loop(90)
	around.Self, around.Ranges, around.Instructions = 1, [][2]uint64{{90, 130}}, around.Instructions[:1]
	jump := func(address, seen, missed uint64, both int) profile.Branch {
		return profile.Branch{Path: "/app", Address: address, Seen: 2 * seen, Taken: seen, Judged: seen, Missed: missed, Both: both}
	}
	answer := Answer{
		Loops: []Loop{around, loop(100), loop(200), loop(300), loop(400)},
		Functions: []Function{
			{Name: "pick(float)", Mapping: app, Start: 500, End: 540, Self: 200, Outside: []Instruction{{Address: 500, Self: 100, Count: 100}, {Address: 510, Self: 100, Count: 100}}},
			{Name: "main", Mapping: app, Start: 90, End: 450},
		},
	}
	p := b.Build(profile.Meta{Branches: []profile.Branch{
		jump(104, 4000, 1900, 8), jump(106, 2000, 190, 8), jump(108, 4000, 2000, 0), // of the last, what it skips is long
		jump(204, 4000, 10, 8),   // foreseen
		jump(304, 20, 10, 8),     // hardly executed
		jump(404, 4000, 2000, 0), // long
		jump(510, 3000, 900, 12),
		{Path: "/lib", Address: 204, Seen: 8000, Taken: 4000, Judged: 4000, Missed: 1900, Both: 8},
	}})
	found := Guesses(p, answer)
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	f := found[0]
	if f.Title != "Loop's branch is mispredicted; compute both ways" || f.Loop.Start != 100 || *f.Share.Exclusive != 0.3 || f.whole != "" {
		t.Errorf("%+v", f)
	}
	// 0.475 and 0.095 of half the passes; 20 instructions: 6.3 cycles of 19.6 to 15.7 of 18.2.
	if likely := f.Gain.Low + (f.Gain.High-f.Gain.Low)/4; f.Gain.Likely < likely-1e-9 || f.Gain.Likely > likely+1e-9 {
		t.Errorf("likely %v of %v", f.Gain.Likely, f.Gain)
	}
	if low, high := f.Gain.Low/0.3, f.Gain.High/0.3; low < 0.30 || low > 0.34 || high < 0.84 || high > 0.88 {
		t.Errorf("%.3f to %.3f", low, high)
	}
	if text := f.Evidence[0].Text; len(f.Evidence) != 3 || !strings.Contains(text, "jump at 68: taken in 50.0% of 8000 executions that were followed; a predictor with a long history misses 47.5%") {
		t.Errorf("%+v", f.Evidence)
	}
	if f := found[1]; f.Title != "Branch of pick(float) is mispredicted; compute both ways" || *f.Share.Exclusive != 0.2 || f.whole == "" {
		t.Errorf("%+v", f)
	}
	for i := range answer.Loops[1:] {
		if !answer.Loops[i].isFollowed(p) {
			t.Errorf("loop %d is not followed", i)
		}
	}
}

// Two binaries, and a loop and the function that begins with it, may have one address.
func TestGuessesAtOneAddress(t *testing.T) {
	code := func(path string) Answer {
		m := &profile.Mapping{Path: path}
		return Answer{
			Loops:     []Loop{{Function: "f", Mapping: m, Start: 100, End: 120, Ranges: [][2]uint64{{100, 120}}, Instructions: []Instruction{{Address: 104}}}},
			Functions: []Function{{Name: "f", Mapping: m, Start: 100, End: 140, Outside: []Instruction{{Address: 130}}}},
		}
	}
	a, b := code("/a"), code("/b")
	answer := Answer{Loops: append(a.Loops, b.Loops...), Functions: append(a.Functions, b.Functions...)}
	var branches []profile.Branch
	for _, path := range []string{"/a", "/b"} {
		for _, address := range []uint64{104, 130} {
			branches = append(branches, profile.Branch{Path: path, Address: address, Seen: 200, Judged: 100, Missed: 50, Both: 4})
		}
	}
	found := guessing(profile.NewBuilder().Build(profile.Meta{Branches: branches}), answer)
	if len(found) != 4 {
		t.Errorf("%d are told apart, not 4", len(found))
	}
}
