// Package loopview says what the loop of a finding is in words that the terminal
// and the page share: the fate of its worlds, their numbers, the signs of its
// accesses.
//
// It owns all that is said of a loop: `whyhot explain`, `whyhot explain-loop` and
// the page lay its words out and have none of their own. It takes parts of findings
// and gives text. It must never lay anything out.
package loopview

import (
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/finding"
)

// Roles are the roles of accesses in the order in which they are shown.
func Roles() []string {
	return []string{finding.RoleFirst, finding.RoleWrite, finding.RoleSecond}
}

// Sign marks a role in the margin of the source.
func Sign(role string) string {
	switch role {
	case finding.RoleFirst:
		return "1"
	case finding.RoleWrite:
		return "2"
	}
	return "3"
}

// Says is what an access of a role does.
func Says(role string) string {
	switch role {
	case finding.RoleFirst:
		return "loaded"
	case finding.RoleWrite:
		return "written"
	}
	return "loaded again"
}

// Mark is an access as a legend tells it.
type Mark struct {
	Sign, Says string
	What       string // the source's text, or the type where that is not known
	At         string // "" in the excerpt's own file
}

// Legend says what the signs in the excerpt mean: one access of each role, and
// those in other files.
func Legend(f finding.Finding) []Mark {
	var out []Mark
	for _, role := range Roles() {
		said := false
		for _, a := range f.Accesses {
			elsewhere := f.Source == nil || a.File != f.Source.File
			if a.Role != role || said && !elsewhere {
				continue
			}
			said = true
			m := Mark{Sign: Sign(role), Says: Says(role), What: a.Text}
			if m.What == "" {
				m.What = a.Type
			}
			if elsewhere {
				m.At = fmt.Sprintf("%s:%d", a.File, a.Line)
			}
			out = append(out, m)
		}
	}
	return out
}

// World is a world in words.
type World struct {
	Name, Shape, Loads, Stores, Cycles string

	Reached bool
}

// Worlds puts a finding's worlds into words; hasCycles says whether a machine
// model gave cycles for any.
func Worlds(worlds []finding.World) (out []World, hasCycles bool) {
	for _, w := range worlds {
		hasCycles = hasCycles || len(w.Cycles) > 0
		out = append(out, World{w.Name, Shape(w), optional(w.Loads), optional(w.Stores), cycleRange(w.Cycles), w.Reached})
	}
	return out, hasCycles
}

// Note says what the numbers of the worlds count.
func Note(worlds []finding.World) string {
	if cpus := Processors(worlds); len(cpus) > 0 {
		return "each of one iteration of the source loop; cycles by LLVM's model of " + strings.Join(cpus, ", ")
	}
	return "loads and stores of one iteration of the source loop"
}

// Calls says how many calls are left in the loop, "" for none.
func Calls(w finding.World) string {
	switch w.Calls {
	case 0:
		return ""
	case 1:
		return "1 call"
	}
	return fmt.Sprintf("%d calls", w.Calls)
}

// Rest is the evidence that neither the excerpt nor the table of worlds shows.
func Rest(f finding.Finding) []finding.Evidence {
	return slices.DeleteFunc(slices.Clone(f.Evidence), func(e finding.Evidence) bool {
		switch e.Kind {
		case "world":
			return len(f.Worlds) > 0
		case "first", "write", "load", "access":
			return f.Source != nil && len(f.Accesses) > 0
		}
		return false
	})
}

// Shape says in a few words what became of the loop.
func Shape(w finding.World) string {
	switch w.Fate {
	case finding.FateVectorised:
		if w.Interleave > 1 {
			return fmt.Sprintf("vectorised %d × %d", w.Width, w.Interleave)
		}
		return fmt.Sprintf("vectorised %d", w.Width)
	case finding.FateReplaced:
		return "a library call, or gone"
	case finding.FateUnrolled:
		return fmt.Sprintf("unrolled fully, %d iterations", w.Unroll)
	case finding.FateUnknown:
		return "not found again"
	}
	text := "scalar"
	if w.Unroll > 1 {
		text = fmt.Sprintf("scalar, unrolled %d times", w.Unroll)
	}
	if calls := Calls(w); calls != "" {
		text += ", " + calls
	}
	return text
}

// Effect says what the edited world that the finding advises does to the loop, or the best
// that is reached: "vectorised 16", "loads 6 → 1, stores 2 → 1". "" where no world is
// reached.
func Effect(worlds []finding.World) string {
	written := slices.IndexFunc(worlds, func(w finding.World) bool { return !w.Edit })
	best := slices.IndexFunc(worlds, func(w finding.World) bool { return w.Advised })
	if best < 0 {
		best = bestReached(worlds)
	}
	if written < 0 || best < 0 {
		return ""
	}
	before, after := worlds[written], worlds[best]
	text := change(before, after)
	if text != "" && after.Partial {
		text = "at best " + text
	}
	return text
}

func bestReached(worlds []finding.World) int {
	best := -1
	rank := func(w finding.World) int {
		return slices.Index([]string{finding.FateReplaced, finding.FateVectorised}, w.Fate)
	}
	for i, w := range worlds {
		if w.Edit && w.Reached && (best < 0 || rank(worlds[best]) < 0 && rank(w) >= 0) {
			best = i
		}
	}
	return best
}

func change(before, after finding.World) string {
	if after.Fate == finding.FateReplaced || after.Fate == finding.FateVectorised && (before.Fate != finding.FateVectorised || before.Width != after.Width) {
		return Shape(after)
	}
	var parts []string
	for _, n := range []struct {
		what          string
		before, after *float64
	}{{"loads", before.Loads, after.Loads}, {"stores", before.Stores, after.Stores}} {
		if n.before != nil && n.after != nil && Number(*n.before) != Number(*n.after) {
			parts = append(parts, n.what+" "+Number(*n.before)+" → "+Number(*n.after))
		}
	}
	return strings.Join(parts, ", ")
}

// Number writes loads, stores and cycles of an iteration.
func Number(n float64) string { return fmt.Sprintf("%.3g", n) }

func optional(f *float64) string {
	if f == nil {
		return ""
	}
	return Number(*f)
}

func cycleRange(cycles map[string]float64) string {
	if len(cycles) == 0 {
		return ""
	}
	least, most := -1.0, 0.0
	for _, c := range cycles {
		if least < 0 || c < least {
			least = c
		}
		most = max(most, c)
	}
	a, b := Number(least), Number(most)
	if a == b {
		return a
	}
	return a + "–" + b
}

// Processors are those for which a machine model gave cycles, sorted.
func Processors(worlds []finding.World) []string {
	var names []string
	for _, w := range worlds {
		for cpu := range w.Cycles {
			if !slices.Contains(names, cpu) {
				names = append(names, cpu)
			}
		}
	}
	slices.Sort(names)
	return names
}
