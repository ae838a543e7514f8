package loopfinding

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/identity"
	"whyhot/internal/finding"
)

// Options says what to report.
type Options struct {
	Suspected bool // also the candidates that no world confirmed
	// Patches are what patches that were tried do, by Subject.Key.
	Patches map[string]Patch
}

// loop is one source loop: all its copies by inlining and instantiation.
type loop struct {
	from   analyzer.Outcome // the first that has it
	unit   string           // its file
	rule   rule
	place  analyzer.Point
	copies []analyzer.Candidate
	silent []analyzer.Candidate // further copies, which nothing confirms
	best   analyzer.Candidate   // the copy whose effect is largest
	nest   []*loop              // loops around or inside it that one edit frees with it

	patch   *Patch // nil: none was tried
	patched bool   // best has the patch's world
}

// Findings makes one finding for every source loop, the weightiest first (see
// weight). Copies of a loop in several functions or units are one finding.
func Findings(outcomes []analyzer.Outcome, opts Options) []finding.Finding {
	return findingsOf(loopsOf(outcomes, opts))
}

func findingsOf(loops []*loop) []finding.Finding {
	out := make([]finding.Finding, 0, len(loops))
	for _, l := range loops {
		out = append(out, l.finding())
	}
	finding.Separate(out)
	return out
}

// loopsOf groups the candidates by source loop, the weightiest first. A candidate
// is no longer confirmed if the user's code holds nothing to edit; without
// Options.Suspected, copies that nothing confirms make no loop, and are kept as
// the silent copies of one that another copy makes.
func loopsOf(outcomes []analyzer.Outcome, opts Options) []*loop {
	loops := map[string]*loop{}
	silent := map[string][]analyzer.Candidate{} // by loop: copies that are not reported
	for _, o := range outcomes {
		for _, c := range o.Reply.Candidates {
			c = Judged(c, o.Unit.File)
			place, ok := ownPoint(c.Start, o.Unit.File)
			r, known := rules[c.Predicate]
			if !ok || !known {
				continue
			}
			key := loopKey(r, place)
			if !c.Confirmed && !opts.Suspected {
				silent[key] = append(silent[key], c)
				continue
			}
			l := loops[key]
			if l == nil {
				l = &loop{from: o, unit: o.Unit.File, rule: r, place: place, best: c}
				loops[key] = l
			}
			l.copies = append(l.copies, c)
			if weight(c) > weight(l.best) {
				l.best = c
			}
		}
	}
	for key, l := range loops {
		l.silent = silent[key]
	}
	mergeNests(loops)
	sorted := make([]*loop, 0, len(loops))
	for _, l := range loops {
		sorted = append(sorted, l)
	}
	slices.SortFunc(sorted, func(a, b *loop) int {
		return cmp.Or(-cmp.Compare(weight(a.best), weight(b.best)),
			cmp.Compare(a.place.File, b.place.File), cmp.Compare(a.place.Line, b.place.Line), cmp.Compare(a.rule.id, b.rule.id))
	})
	for _, l := range sorted {
		if p, tried := opts.Patches[loopKey(l.rule, l.place)]; tried {
			l.take(p)
		}
	}
	return sorted
}

// fewIterations is how short an inner loop is that the compiler unrolls fully,
// so that the loop around it is the one to look at.
const fewIterations = 8

// weight orders loops where no profile does, and copies of one loop. The criteria
// are, most important first: confirmed by a world; vectorised or replaced by a
// library call, rather than a load less; free of calls, whose cost would hide the
// gain; innermost; deep in a nest; loads taken away. Each number is larger than
// the sum of those after it. A loop of few iterations loses more than it can have
// by being the inner one, so that the loop around it is the one to look at.
//
// Example. An outer loop without calls, confirmed, that loses two loads has 1000
// + 200 + 10 + 2; its inner loop of three iterations, which loses two as well,
// has 1000 + 200 + 100 − 150 + 20 + 2: the outer one is first.
func weight(c analyzer.Candidate) float64 {
	w := 0.0
	if c.Confirmed {
		w += 1000
	}
	switch c.Effect {
	case vectorised, widerVectors, idiom:
		w += 500
	}
	written := c.Worlds[analyzer.WorldWritten]
	if written.Calls == 0 {
		w += 200
	}
	if c.Innermost {
		w += 100
	}
	if c.MostIterations > 0 && c.MostIterations <= fewIterations {
		w -= 150
	}
	w += 10 * float64(min(c.Depth, 5))
	return w + min(9, removedLoads(c))
}

// removedLoads is how many loads per iteration the better edit takes away.
func removedLoads(c analyzer.Candidate) float64 {
	return takenAway(c, c.Reach, func(s analyzer.LoopState) float64 { return s.LoadsPerIteration })
}

// takenAway is by how much the best of some worlds lowers a count.
func takenAway(c analyzer.Candidate, worlds []string, count func(analyzer.LoopState) float64) float64 {
	most := 0.0
	for _, w := range worlds {
		if s := c.Worlds[w]; s.Present {
			most = max(most, count(c.Worlds[analyzer.WorldWritten])-count(s))
		}
	}
	return most
}

// ownPoint is the innermost point of a chain that stands in the user's code:
// where the call of a library's inline function is written. unit is the file that
// was compiled.
func ownPoint(chain []analyzer.Point, unit string) (analyzer.Point, bool) {
	for _, p := range chain {
		if isOwn(p, unit) {
			p.File = filepath.Clean(p.File)
			return p, true
		}
	}
	return analyzer.Point{}, false
}

func isOwn(p analyzer.Point, unit string) bool {
	return p.Line > 0 && p.File != "" && !strings.HasPrefix(p.File, "<") && !finding.IsInstalled(filepath.Clean(p.File), unit)
}

func (l *loop) finding() finding.Finding {
	c := l.best
	place := finding.Place{File: l.place.File, Line: l.place.Line, Function: demangled(l.place.Function, c.Function)}
	place.EndLine = l.loopEnd()
	f := finding.Finding{
		ID:        identity.Of(l.from, l.rule.id, place, l.place.Column),
		Rule:      l.rule.id,
		Title:     l.title(),
		Certainty: finding.Suspected,
		Place:     place,
		Accesses:  accesses(c, l.unit),
		Worlds:    l.worlds(),
		Evidence:  l.evidence(),
		Fix:       l.fix(),
		Copies:    l.states(),
		Minor:     l.minor(),
	}
	if c.Confirmed {
		f.Certainty = finding.Confirmed
	}
	return f
}

func demangled(names ...string) string {
	for _, n := range names {
		if n != "" {
			return demangle.Filter(n)
		}
	}
	return ""
}

// what names the blamed stores.
func (l *loop) what() string {
	wide := func(a analyzer.Access) bool { return a.Type != "i8" && !strings.HasSuffix(a.Type, " x i8>") }
	if l.rule.mixed != "" && slices.ContainsFunc(l.best.Writes, wide) {
		return capital(l.rule.mixed)
	}
	return capital(l.rule.what)
}

// lines lists where accesses stand: "line 11" or "lines 11, 12" of the loop's own file,
// where the call of what was inlined from another one is, and "a.h:148" of others.
func (l *loop) lines(as []analyzer.Access) string {
	var own []int
	var others []string
	for _, a := range as {
		if n, ok := l.lineHere(a.Where); ok {
			if !slices.Contains(own, n) {
				own = append(own, n)
			}
		} else if p, ok := ownPoint(a.Where, l.unit); ok {
			if at := fmt.Sprintf("%s:%d", filepath.Base(p.File), p.Line); !slices.Contains(others, at) {
				others = append(others, at)
			}
		}
	}
	slices.Sort(own)
	text := make([]string, 0, len(own)+len(others))
	for i, n := range own {
		word := ""
		if i == 0 {
			word = []string{"line ", "lines "}[min(1, len(own)-1)]
		}
		text = append(text, word+strconv.Itoa(n))
	}
	slices.Sort(others)
	text = append(text, others...)
	const most = 6
	s := strings.Join(text[:min(most, len(text))], ", ")
	if len(text) > most {
		s += fmt.Sprintf(" and %d more", len(text)-most)
	}
	return s
}

// lineHere is the innermost line of a chain that is in the loop's own file.
func (l *loop) lineHere(chain []analyzer.Point) (int, bool) {
	for _, p := range chain {
		if p.Line > 0 && filepath.Clean(p.File) == l.place.File {
			return p.Line, true
		}
	}
	return 0, false
}

func (l *loop) evidence() []finding.Evidence {
	c := l.best
	var out []finding.Evidence
	add := func(kind, format string, args ...any) {
		out = append(out, finding.Evidence{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	for _, w := range worldNames {
		if s, ok := c.Worlds[w.world]; ok {
			add("world", "%s: %s", w.name, describe(s))
		}
	}
	if p := l.patch; p != nil && !l.patched {
		switch {
		case p.Useless:
			add("patch", "the patch that whyhot fix writes was compiled, and gains nothing")
		case p.Refusal != "":
			add("patch", "no patch is written by machine: %s", p.Refusal)
		case len(p.Loops) > 0:
			add("patch", "the patch that whyhot fix writes was compiled: %s before, %s after, in %s", describe(p.Loops[0].Was), describe(p.Loops[0].Is), demangled(p.Loops[0].Function))
		}
	}
	for _, t := range l.places(slices.Concat(c.Writes, c.Loads)) {
		add(t.kind, "%s", t.text)
	}
	for _, o := range l.nest {
		relation := "the loop around it"
		if o.best.Depth > c.Depth {
			relation = "the loop in it"
		}
		add("nest", "%s, line %d, has the same cause: %s; with the edit %s", relation, o.place.Line,
			describe(o.best.Worlds[analyzer.WorldWritten]), describe(bestWorld(o.best)))
	}
	if n := len(l.copies); n > 1 {
		confirmed := 0
		for _, k := range l.copies {
			if k.Confirmed {
				confirmed++
			}
		}
		add("copies", "%d copies of the loop by inlining or instantiation, %d of them confirmed", n, confirmed)
	}
	return out
}

type accessText struct{ kind, text string }

// places tells the accesses by the user's own lines, each once: the inline
// functions of a library make several of one.
func (l *loop) places(as []analyzer.Access) []accessText {
	var out []accessText
	var count []int
	for _, a := range as {
		p, ok := ownPoint(a.Where, l.unit)
		if !ok {
			continue
		}
		what := map[string]string{comesFirst: "first load or store of", loadedAgain: "repeated load of", "write": "store of"}[a.Kind]
		t := accessText{a.Kind, fmt.Sprintf("%s %s at %s:%d:%d", what, typeName(a.Type), filepath.Base(p.File), p.Line, p.Column)}
		if i := slices.Index(out, t); i >= 0 {
			count[i]++
			continue
		}
		out, count = append(out, t), append(count, 1)
	}
	for i, n := range count {
		if n > 1 {
			out[i].text += fmt.Sprintf(" (%d of them)", n)
		}
	}
	return out
}

// bestWorld is, among the worlds that confirm, the one in which the loop becomes a
// library call, else the one with the fewest loads.
func bestWorld(c analyzer.Candidate) analyzer.LoopState {
	best := c.Worlds[analyzer.WorldWritten]
	for _, w := range c.Reach {
		if s := c.Worlds[w]; s.Idiom || s.LoadsPerIteration < best.LoadsPerIteration {
			best = s
		}
	}
	return best
}

func describe(s analyzer.LoopState) string {
	switch {
	case s.Idiom:
		return "the loop is replaced by a library call or deleted"
	case s.FullyUnrolled:
		return fmt.Sprintf("fully unrolled, %s loads and %s stores per source iteration", number(s.LoadsPerIteration), number(s.StoresPerIteration))
	case !s.Present:
		return "the loop has no counterpart"
	case s.Vectorised:
		return fmt.Sprintf("vectorised, %d wide, interleaved %d times, %s loads per source iteration", s.VectorWidth, s.Interleave, number(s.LoadsPerIteration))
	}
	return fmt.Sprintf("scalar, %s loads and %s stores per source iteration", number(s.LoadsPerIteration), number(s.StoresPerIteration))
}

// behindCalls adds what locals need where calls on slow paths may change the
// originals.
func (l *loop) behindCalls() string {
	where := l.lines(l.best.SlowCalls)
	if len(l.best.SlowCalls) == 0 || where == "" {
		return ""
	}
	return fmt.Sprintf("; calls may change the originals (%s): write back before them what the loop itself changes, and load the locals again after them", where)
}

// together lists the writes that have an effect only when all of them change.
func (l *loop) together() []string {
	var out []string
	for _, g := range l.best.Groups {
		writes := make([]analyzer.Access, 0, len(g))
		for _, i := range g {
			if i < len(l.best.Writes) {
				writes = append(writes, l.best.Writes[i])
			}
		}
		if text := l.lines(writes); strings.Contains(text, ", ") {
			out = append(out, text)
		}
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func number(f float64) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", f), "0"), ".0")
}

// typeName turns LLVM's name of a type into one that a C programmer knows.
func typeName(llvm string) string {
	switch llvm {
	case "ptr":
		return "a pointer"
	case "i8":
		return "a byte"
	case "i16", "i32", "i64":
		return "a " + llvm[1:] + "-bit integer"
	case "memcpy", "memmove", "memset":
		return "bytes by " + llvm
	}
	return llvm
}
