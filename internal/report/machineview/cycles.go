package machineview

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile/symname"
	"whyhot/internal/report/answerjson"
	"whyhot/internal/report/term"
)

// Cycles prints a row for each loop: what an iteration takes on each processor.
func Cycles(p *term.Printer, in Input) {
	loops := in.Answer.Loops
	if in.Rows > 0 && len(loops) > in.Rows {
		loops = loops[:in.Rows]
	}
	processors := machine.Processors(loops)
	t := table("self", processors)
	for i := range loops {
		l := &loops[i]
		name := symname.Shorten(l.Function, nameWidth)
		if name == "" {
			name = fmt.Sprintf("0x%x", l.Start)
		}
		t.Add(row(percent.Column(in.share(l.Self)), name+" "+where(l), l, processors)...)
	}
	t.Print(p)
}

func table(first string, processors []string) *term.Table {
	t := &term.Table{Columns: []term.Column{{Title: first, Right: first != ""}}}
	for _, c := range processors {
		t.Columns = append(t.Columns, term.Column{Title: c, Right: true})
	}
	t.Columns = append(t.Columns, term.Column{Title: "instructions", Right: true}, term.Column{Title: "loop", Flex: true, Min: 20}, term.Column{Title: "limit"}, term.Column{Title: "", Optional: 1})
	return t
}

func row(first, name string, l *machine.Loop, processors []string) []term.Cell {
	out := make([]term.Cell, 0, len(processors)+5)
	out = append(out, term.Cell{Text: first})
	for _, c := range processors {
		text := "-"
		if n, ok := l.Cycles[c]; ok {
			text = cyclesText(l, n)
		}
		out = append(out, term.Cell{Text: text})
	}
	return append(out, term.Cell{Text: strconv.Itoa(len(l.Instructions))}, term.Cell{Text: name}, term.Cell{Text: limits(l)}, term.Cell{Text: note(l)})
}

func where(l *machine.Loop) string {
	if l.File != "" {
		return finding.Line{File: filepath.Base(l.File), Line: l.Line}.String()
	}
	return filepath.Base(l.Mapping.Path) + fmt.Sprintf(" 0x%x", l.Header)
}

// cyclesText is a number, or two where there are several ways through the loop.
func cyclesText(l *machine.Loop, c analyzer.MachineCycles) string {
	out := fmt.Sprintf("%.1f", c.Least)
	if most := fmt.Sprintf("%.1f", c.Most); most != out {
		out += "–" + most
	}
	if isBound(l) {
		out = "≥ " + out
	}
	return out
}

func isBound(l *machine.Loop) bool { return l.Calls+l.Atomic+l.Strings > 0 }

// limits says what keeps an iteration from taking less; processors may differ.
func limits(l *machine.Loop) string {
	var out []string
	for _, c := range l.Cycles {
		limit := c.Limit
		if len(l.Cycles) > 1 && !slices.Contains(common, limit) {
			limit = "a unit" // each processor has its own; --cpu or --json names it
		}
		if !slices.Contains(out, limit) {
			out = append(out, limit)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " or ")
}

// common are the limits that are not the name of a unit.
var common = []string{"dependencies", "dispatch", "taken branch"}

func note(l *machine.Loop) string {
	if len(l.Cycles) == 0 {
		return "not in the models"
	}
	var out []string
	for _, n := range []struct {
		of   int
		what string
	}{{l.Calls, "calls"}, {l.Atomic, "atomic updates"}, {l.Strings, "rep instructions"}} {
		if n.of > 0 {
			out = append(out, n.what)
		}
	}
	if len(out) > 0 {
		return "without its " + strings.Join(out, " and ")
	}
	return ""
}

// Compared is what Model found for one function, or for two: before and after a change.
type Compared struct {
	Code  []machine.Code
	Loops [][]machine.Loop
}

// Compare prints the loops of each function, and how their cycles differ where it is
// clear which loop became which: one in each.
func Compare(p *term.Printer, in Compared) {
	var all []machine.Loop
	for _, loops := range in.Loops {
		all = append(all, loops...)
	}
	processors := machine.Processors(all)
	t := table("", processors)
	for i, loops := range in.Loops {
		which := ""
		if len(in.Code) > 1 {
			which = []string{"before", "after"}[i]
		}
		for k := range loops {
			t.Add(row(which, in.Code[i].Function+" "+where(&loops[k]), &loops[k], processors)...)
			which = ""
		}
	}
	if per, ratios := in.ratios(processors); len(ratios) > 0 {
		cells := make([]term.Cell, 0, len(processors)+3)
		cells = append(cells, term.Cell{Text: "ratio"})
		for _, c := range processors {
			text := "-"
			if r, ok := ratios[c]; ok {
				text = fmt.Sprintf("%.2f×", r)
			}
			cells = append(cells, term.Cell{Text: text})
		}
		t.Add(append(cells, term.Cell{}, term.Cell{Text: "before / after, " + per})...)
	}
	t.Print(p)
	for i, loops := range in.Loops {
		if len(loops) == 0 {
			p.Notef("%s of %s has no loop", in.Code[i].Function, in.Code[i].File)
		}
	}
}

// ratios compare one loop with one. An iteration of a vector loop does the work of many,
// so where both are known to move through memory it is cycles for a byte; where a number
// is not exact, or there are several ways through, there is no ratio.
func (in *Compared) ratios(processors []string) (per string, of map[string]float64) {
	if len(in.Loops) != 2 || len(in.Loops[0]) != 1 || len(in.Loops[1]) != 1 {
		return "", nil
	}
	before, after := &in.Loops[0][0], &in.Loops[1][0]
	if isBound(before) || isBound(after) || (before.Step == 0) != (after.Step == 0) {
		return "", nil
	}
	per, scale := "for an iteration", 1.0
	if before.Step != after.Step {
		per, scale = "for a byte", float64(after.Step)/float64(before.Step)
	}
	of = map[string]float64{}
	for _, c := range processors {
		b, a := before.Cycles[c], after.Cycles[c]
		if b.Most > 0 && a.Most > 0 && b.Least == b.Most && a.Least == a.Most {
			of[c] = b.Most / a.Most * scale
		}
	}
	return per, of
}

// CompareJSON writes {"functions": [{file, function, loops: […]}], "ratio": {…}}.
func CompareJSON(w io.Writer, in Compared) error {
	type function struct {
		File     string `json:"file"`
		Function string `json:"function"`
		Loops    []loop `json:"loops"`
	}
	var out struct {
		Functions []function         `json:"functions"`
		Ratio     map[string]float64 `json:"ratio,omitempty"`
		Per       string             `json:"ratio_of,omitempty"`
	}
	var all []machine.Loop
	for i, c := range in.Code {
		f := function{File: c.File, Function: c.Function, Loops: []loop{}}
		for k := range in.Loops[i] {
			f.Loops = append(f.Loops, jsonOf(&in.Loops[i][k]))
		}
		all = append(all, in.Loops[i]...)
		out.Functions = append(out.Functions, f)
	}
	out.Per, out.Ratio = in.ratios(machine.Processors(all))
	return answerjson.Write(w, out)
}
