package loopfinding

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

const (
	idiom      = "idiom"
	vectorised = "vectorised"
	// widerVectors is the effect of a loop that was vectorised already.
	widerVectors = "wider vectors"
	// fewerLoads is that of one that only loads less, fewerStores of one that stores less.
	fewerLoads  = "fewer loads"
	fewerStores = "fewer stores"
	// leastLoads is what counts as a load less: below it, the load has moved to a branch.
	leastLoads = 0.2
)

// edit is one way to free the loop.
type edit struct {
	world  string // that shows what it gives
	step   string // what to do
	effect string // as the analyser names it
}

// edits are the ways to free the loop, the one to make first coming first: what the
// finding says of the loop is what that one gives. Locals come before a new type, since
// package fix writes them and nothing outside the loop sees them; a bit-field is made a
// plain member first. An edit that fix's analysis has refused is none, unless it is all
// there is.
func (l *loop) edits() []edit {
	reach := l.best.Reach
	if !l.best.Confirmed {
		reach = []string{analyzer.WorldHoisted}
	}
	var out []edit
	refused := false
	if slices.Contains(reach, analyzer.WorldHoisted) {
		var step string
		step, refused = l.hoist()
		out = append(out, edit{analyzer.WorldHoisted, step, l.effect(analyzer.WorldHoisted)})
	}
	if step := l.retype(); step != "" && slices.Contains(reach, analyzer.WorldRetyped) {
		if groups := l.together(); len(groups) > 0 {
			step += "; what must change together: the writes of " + strings.Join(groups, ", and those of ")
		}
		if refused {
			out = nil
		}
		out = append(out, edit{analyzer.WorldRetyped, step, l.effect(analyzer.WorldRetyped)})
		if l.rule.plainMember {
			slices.Reverse(out)
		}
	}
	return l.patchedFirst(out)
}

// locals are what package fix would copy, nil where it was not asked.
func (l *loop) locals() *analyzer.Hoist {
	return l.from.Hoist(l.place.File, l.place.Line, l.place.Column)
}

// hoist is the step that copies into locals: by the names of what package fix would
// copy, where it was asked. What the loop changes itself is not among them, and what
// would be too little is not named as if it were all.
func (l *loop) hoist() (step string, refused bool) {
	h := l.locals()
	switch {
	case h == nil:
		return hoistStep + l.behindCalls(), false
	case len(h.Values)+len(h.Kept) == 0 && l.readsTwice() != "":
		return "read what is loaded twice in one iteration (" + l.readsTwice() + ") once, into a local variable, before the store between", false
	case len(h.Values)+len(h.Kept) == 0:
		return "copy what is loaded again into a local variable only where the loop does not change it: " + h.Refusal, true
	}
	var parts []string
	if len(h.Values) > 0 {
		parts = append(parts, "copy "+strings.Join(h.Values, ", ")+" into local variables before the loop, and use the locals in it")
	}
	if len(h.Kept) > 0 {
		parts = append(parts, "keep "+strings.Join(h.Kept, ", ")+", which the loop changes, in local variables, written back wherever it ends")
	}
	step = strings.Join(parts, "; ")
	if inner := l.inlined(h); len(inner) > 0 {
		step += "; what is read again in " + strings.Join(inner, ", ") + " stays"
	}
	if back := l.updates(h); len(back) > 0 {
		step += "; keep " + strings.Join(back, ", ") + ", which the loop changes, in locals as well and write them back wherever it ends (whyhot fix leaves that out)"
	}
	return step + l.behindCalls(), false
}

// inlined are the functions of the program that are inlined into the loop and load again
// there: no local of the loop reaches them. A library's function counts as the line that
// calls it, since data() and size() can be read before the loop.
// What is copied by calling the function is in reach.
func (l *loop) inlined(h *analyzer.Hoist) []string {
	copied := ""
	if h != nil {
		copied = strings.Join(h.Values, " ")
	}
	var out []string
	for _, a := range l.best.Loads {
		p, ok := ownPoint(a.Where, l.unit)
		name := demangled(p.Function)
		if called, _, _ := strings.Cut(name, "("); strings.Contains(copied, called[strings.LastIndex(called, ":")+1:]+"(") {
			continue
		}
		if ok && Role(a) == finding.RoleSecond && p.Function != "" && p.Function != l.place.Function && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// readsTwice are the lines of what an iteration loads again after a store of its own.
func (l *loop) readsTwice() string {
	if !slices.ContainsFunc(l.best.Loads, func(a analyzer.Access) bool { return a.Kind == comesFirst }) {
		return ""
	}
	return l.lines(l.best.Loads)
}

// givesUpTo says whether the first edit may give less than its world: the locals that
// package fix writes leave something to be loaded again.
func (l *loop) givesUpTo() bool {
	if l.patch != nil && !l.patched {
		return true
	}
	if l.first().world != analyzer.WorldHoisted {
		return false
	}
	h := l.locals()
	if len(l.inlined(h)) > 0 {
		return true
	}
	return h != nil && len(h.Values)+len(h.Kept) > 0 && slices.ContainsFunc(l.best.Loads, func(a analyzer.Access) bool {
		line, ok := l.lineHere(a.Where)
		return ok && a.Kind == loadedAgain && slices.ContainsFunc(h.Stays, func(s analyzer.Stay) bool {
			return s.Line == line && (s.Bytes == 0 || s.Bytes == bytesOf(a.Type))
		})
	})
}

// bytesOf is the width of a type by LLVM's name, on a machine of 64 bits; -1 for a type
// that one expression of the source does not have.
func bytesOf(name string) int {
	switch name {
	case "ptr", "double":
		return 8
	case "float":
		return 4
	}
	if bits, ok := strings.CutPrefix(name, "i"); ok {
		if n, err := strconv.Atoi(bits); err == nil {
			return (n + 7) / 8
		}
	}
	return -1
}

// updates are what the loop changes itself and loads again: the world keeps that in a
// register, too.
func (l *loop) updates(h *analyzer.Hoist) []string {
	var out []string
	for _, u := range h.Updates {
		if slices.ContainsFunc(l.best.Loads, func(a analyzer.Access) bool {
			p, ok := ownPoint(a.Where, l.unit)
			return ok && p.Line == u.Line
		}) {
			out = append(out, u.Text)
		}
	}
	return out
}

// retype says how what is written is given another type, "" where that is no fix.
func (l *loop) retype() string {
	if l.rule.inC != "" && l.from.Unit.IsC() {
		return l.rule.inC
	}
	return l.rule.retype
}

// effect is what a world's edit gives.
func (l *loop) effect(world string) string { return cmp.Or(l.best.Effects[world], l.best.Effect) }

// first is the edit that the finding speaks of; without one, what the analyser saw.
func (l *loop) first() edit {
	if es := l.edits(); len(es) > 0 {
		return es[0]
	}
	e := edit{effect: l.best.Effect}
	if len(l.best.Reach) > 0 {
		e.world = l.best.Reach[0]
	}
	return e
}

func (l *loop) title() string {
	c, e := l.best, l.first()
	blamed := l.what()
	if at := l.lines(c.Writes); at != "" {
		blamed += " (" + at + ")"
	}
	written, edited := c.Worlds[analyzer.WorldWritten], c.Worlds[e.world]
	switch {
	case !c.Confirmed:
		return blamed + " may force reloads in this loop"
	case e.effect == vectorised:
		return blamed + " keep this loop from being vectorised"
	case e.effect == widerVectors && edited.VectorWidth > written.VectorWidth:
		return fmt.Sprintf("%s keep this loop at vectors of %d elements instead of %d", blamed, written.VectorWidth, edited.VectorWidth)
	case e.effect == widerVectors:
		return blamed + " keep this loop from being vectorised well"
	case e.effect == fewerStores:
		return blamed + " force needless stores in every iteration"
	case e.effect == idiom:
		return blamed + " keep this loop from becoming a library call"
	}
	removed := written.LoadsPerIteration - edited.LoadsPerIteration
	if removed < leastLoads {
		return blamed + " force needless loads in most iterations"
	}
	plural := "s"
	if number(removed) == "1" {
		plural = ""
	}
	upTo := ""
	if l.givesUpTo() {
		upTo = "up to "
	}
	return fmt.Sprintf("%s force %s%s needless load%s per iteration", blamed, upTo, number(removed), plural)
}

func (l *loop) fix() finding.Fix {
	fix := finding.Fix{Kind: "code"}
	es := l.edits()
	differ := len(es) > 1 && l.best.Confirmed && es[0].effect != es[1].effect
	for i, e := range es {
		step := e.step
		if i > 0 {
			step = "or " + step
		}
		if differ {
			step += " (with it: " + describe(l.best.Worlds[e.world]) + ")"
		}
		fix.Steps = append(fix.Steps, step)
	}
	if slices.ContainsFunc(es, func(e edit) bool { return e.world == analyzer.WorldRetyped }) {
		fix.Caveats = append(fix.Caveats, "a new element type changes the interface of everything that holds the data")
	}
	if !l.from.Reply.StrictAliasing {
		fix.Caveats = append(fix.Caveats, "the unit is compiled with -fno-strict-aliasing: a change of type does nothing there, only the locals help")
	}
	fix.Caveats = append(fix.Caveats,
		"the locals are right only if nothing in the loop changes the originals on purpose (another thread, an alias you know of)",
		"seen with clang 19 and the unit's own flags; another compiler may gain more or nothing: measure")
	return fix
}
