// Package loopview says what the loop of a finding is in words that the terminal
// and the page share: the fate of its worlds, their numbers, the signs of its
// accesses.
//
// It takes parts of findings and gives text. It must never lay anything out.
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

// Mark is an access as a legend tells it.
type Mark struct {
	Sign, Says string
	What       string // the source's text, or the type where that is not known
	At         string // "" in the excerpt's own file
}

// Legend says what the signs in the excerpt mean: one access of each role, and
// those in other files.
func Legend(f finding.Finding) []Mark {
	says := map[string]string{finding.RoleFirst: "loaded", finding.RoleWrite: "written", finding.RoleSecond: "loaded again"}
	var out []Mark
	for _, role := range Roles() {
		said := false
		for _, a := range f.Accesses {
			elsewhere := f.Source == nil || a.File != f.Source.File
			if a.Role != role || said && !elsewhere {
				continue
			}
			said = true
			m := Mark{Sign: Sign(role), Says: says[role], What: a.Text}
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
		out = append(out, World{w.Name, shape(w), optional(w.Loads), optional(w.Stores), cycleRange(w.Cycles), w.Reached})
	}
	return out, hasCycles
}

// Note says what the numbers of the worlds count.
func Note(worlds []finding.World) string {
	if cpus := processors(worlds); len(cpus) > 0 {
		return "each of one iteration of the source loop; cycles by LLVM's model of " + strings.Join(cpus, ", ")
	}
	return "loads and stores of one iteration of the source loop"
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

// shape says in a few words what became of the loop.
func shape(w finding.World) string {
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
	if w.Calls > 0 {
		text += fmt.Sprintf(", calls %d", w.Calls)
	}
	return text
}

func optional(f *float64) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%.3g", *f)
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
	a, b := fmt.Sprintf("%.2g", least), fmt.Sprintf("%.2g", most)
	if a == b {
		return a
	}
	return a + "–" + b
}

func processors(worlds []finding.World) []string {
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
