package loopfinding

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// What a finding says is what its patch was found to give, where that was compiled.
func TestPatches(t *testing.T) {
	c := candidate(10, true)
	written := analyzer.LoopState{Present: true, LoadsPerIteration: 5, StoresPerIteration: 1, UsualLoads: 5, UsualNestLoads: 5}
	c.Worlds = map[string]analyzer.LoopState{
		analyzer.WorldWritten: written,
		analyzer.WorldHoisted: {Present: true, Vectorised: true, VectorWidth: 16},
	}
	c.Reach, c.Effect = []string{analyzer.WorldHoisted}, "vectorised"
	c.Effects = map[string]string{analyzer.WorldHoisted: "vectorised"}
	outcomes := []analyzer.Outcome{outcome(true, c)}
	subject := Subjects(outcomes, Options{})[0]
	patched := func(p Patch) finding.Finding {
		return Findings(outcomes, Options{Patches: map[string]Patch{subject.Key: p}})[0]
	}
	advised := func(f finding.Finding) finding.World {
		i := slices.IndexFunc(f.Worlds, func(w finding.World) bool { return w.Advised })
		if i < 0 {
			t.Fatalf("no world is advised: %+v", f.Worlds)
		}
		return f.Worlds[i]
	}

	untried := Findings(outcomes, Options{})[0]
	if !strings.HasSuffix(untried.Title, "keep this loop from being vectorised") || advised(untried).Patched {
		t.Errorf("untried: %q, %+v", untried.Title, advised(untried))
	}
	less := PatchState{c.Function, written, analyzer.LoopState{Present: true, LoadsPerIteration: 3, StoresPerIteration: 1, UsualLoads: 3}}
	f := patched(Patch{What: "reads n once", World: analyzer.WorldHoisted, Loops: []PatchState{less}})
	if !strings.HasSuffix(f.Title, "force 2 needless loads per iteration") || !advised(f).Patched || *advised(f).Loads != 3 || advised(f).Partial {
		t.Errorf("the patch takes two loads away: %q, %+v", f.Title, advised(f))
	}
	if f.ID != untried.ID || c.Worlds[worldPatched].Present {
		t.Error("the id, or the analyser's own answer, was changed")
	}

	f = patched(Patch{Useless: true, Refusal: "the compiler gains nothing from it"})
	if f.Minor != "its patch, compiled, gains nothing" || !advised(f).Partial {
		t.Errorf("gains nothing: %q, %+v", f.Minor, advised(f))
	}
	f = patched(Patch{Refusal: "n may change in f()"})
	if !advised(f).Partial || f.Minor != "" || !slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return strings.Contains(e.Text, "n may change in f()") }) {
		t.Errorf("refused: %+v, %q, %v", advised(f), f.Minor, f.Evidence)
	}

	// Tried on another copy: the numbers of this one are not known.
	other := less
	other.Function = "elsewhere"
	if f = patched(Patch{World: analyzer.WorldHoisted, Loops: []PatchState{other}}); advised(f).Patched || !advised(f).Partial {
		t.Errorf("another copy: %+v", advised(f))
	}
}
