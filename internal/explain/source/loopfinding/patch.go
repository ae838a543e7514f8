package loopfinding

import (
	"maps"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/finding"
)

// worldPatched is the loop as the machine-written patch leaves it. The analyser has no
// such world: package fix compiles it.
const worldPatched = "patched"

// Patch is what the machine-written patch of a loop was found to do when it was compiled.
type Patch struct {
	What    string       // it does, "" where none was written
	World   string       // of the analyser that foretells it, "" for none
	Loops   []PatchState // that it makes better, most first
	Useless bool         // compiled, it gains nothing
	Refusal string       // why it cannot be applied, "" where it can
}

// PatchState is a loop of one function before and after the patch.
type PatchState struct {
	Function string
	Was, Is  analyzer.LoopState
}

// Subject is a loop of which a patch may be tried.
type Subject struct {
	Finding finding.Finding
	Unit    compdb.Unit // the first that has the loop
	Key     string      // of Options.Patches
	Reach   []string    // the worlds whose edit has an effect
	Stores  int         // that are blamed
}

// Subjects gives the loops behind Findings, in the same order.
func Subjects(outcomes []analyzer.Outcome, opts Options) []Subject {
	loops := loopsOf(outcomes, opts)
	found := findingsOf(loops)
	out := make([]Subject, len(loops))
	for i, l := range loops {
		out[i] = Subject{found[i], l.from.Unit, loopKey(l.rule, l.place), l.best.Reach, len(l.best.Writes)}
	}
	return out
}

// take makes the patch's world one of the loop's, if the patch was tried on the copy that
// the finding is told by: what it gives in another one is not held against this one.
func (l *loop) take(p Patch) {
	l.patch = &p
	written := l.best.Worlds[analyzer.WorldWritten]
	i := slices.IndexFunc(p.Loops, func(s PatchState) bool {
		return s.Function == l.best.Function && fate(s.Was) == fate(written) && s.Was.VectorWidth == written.VectorWidth &&
			number(s.Was.LoadsPerIteration) == number(written.LoadsPerIteration) && number(s.Was.StoresPerIteration) == number(written.StoresPerIteration)
	})
	if i < 0 || p.Refusal != "" {
		return
	}
	is := p.Loops[i].Is
	e := effectOf(written, is)
	if e == "" {
		return
	}
	l.patched = true
	c := &l.best // its maps and lists are those of the analyser's answer
	c.Worlds = maps.Clone(c.Worlds)
	c.Worlds[worldPatched] = is
	c.Effects = maps.Clone(c.Effects)
	if c.Effects == nil {
		c.Effects = map[string]string{}
	}
	c.Effects[worldPatched] = e
	c.Reach = append(slices.Clone(c.Reach), worldPatched)
}

// effectOf names what became of a loop as the analyser does, "" where the numbers tell
// nothing.
func effectOf(was, is analyzer.LoopState) string {
	switch {
	case is.Idiom && !was.Idiom:
		return idiom
	case is.Vectorised && !was.Vectorised:
		return vectorised
	case is.Vectorised && is.VectorWidth > was.VectorWidth:
		return widerVectors
	case was.LoadsPerIteration-is.LoadsPerIteration >= leastLoads:
		return fewerLoads
	case was.StoresPerIteration-is.StoresPerIteration >= leastLoads:
		return fewerStores
	}
	return ""
}

// patchedFirst puts the edit that the patch makes first, with what it was found to give.
func (l *loop) patchedFirst(es []edit) []edit {
	if !l.patched {
		return es
	}
	first := edit{world: worldPatched, step: l.patch.What, effect: l.best.Effects[worldPatched]}
	if i := slices.IndexFunc(es, func(e edit) bool { return e.world == l.patch.World }); i >= 0 {
		first.step = es[i].step
		es = slices.Delete(slices.Clone(es), i, i+1)
	}
	return append([]edit{first}, es...)
}

// decisive are the worlds by which the loop is judged: the patch where it was compiled.
func (l *loop) decisive() []string {
	if l.patched {
		return []string{worldPatched}
	}
	return l.best.Reach
}

// mainEffect is the effect by which the loop is judged.
func (l *loop) mainEffect() string {
	if l.patched {
		return l.best.Effects[worldPatched]
	}
	return l.best.Effect
}
