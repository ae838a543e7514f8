package looptext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/report/term"
)

// sideBySide is the width from which the worlds stand beside each other.
const sideBySide = 140

var loopWorlds = []struct{ world, name string }{
	{analyzer.WorldWritten, "as written"},
	{analyzer.WorldRetyped, "written type changed"},
	{analyzer.WorldHoisted, "hoisted into locals"},
	{analyzer.WorldPlacebo, "placebo"},
}

// column is a world, or several whose code is the same.
type column struct {
	names []string
	state analyzer.LoopState
}

func (c column) name() string { return strings.Join(c.names, " = ") }

// columnsOf gives the worlds of a loop; one that came out like an earlier one is
// a further name of it.
func columnsOf(c analyzer.Candidate) []column {
	var out []column
	for _, w := range loopWorlds {
		s, ok := c.Worlds[w.world]
		if !ok {
			continue
		}
		same := func(x column) bool {
			return s.Assembly != "" && x.state.Assembly == s.Assembly && shapeOf(x.state) == shapeOf(s)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].names = append(out[i].names, w.name)
			continue
		}
		out = append(out, column{[]string{w.name}, s})
	}
	return out
}

// printSummary is a line for each world: what the loop became and what an
// iteration of the source costs.
func printSummary(p *term.Printer, columns []column, head lipgloss.Style) {
	var processors []string
	rows := [][]string{{"an iteration of the source", "", "loads", "stores"}}
	for _, col := range columns {
		for cpu := range col.state.Cycles {
			if !slices.Contains(processors, cpu) {
				processors = append(processors, cpu)
			}
		}
	}
	slices.Sort(processors)
	for _, col := range columns {
		row := []string{col.name(), shapeOf(col.state), "–", "–"}
		if col.state.Present && !col.state.Idiom {
			row[2], row[3] = fmt.Sprintf("%.3g", col.state.LoadsPerIteration), fmt.Sprintf("%.3g", col.state.StoresPerIteration)
		}
		rows = append(rows, row)
	}
	printTable(p, rows, head)
	if len(processors) == 0 {
		return
	}
	rows = append(make([][]string, 0, 1+len(columns)), append([]string{"cycles by LLVM's model"}, processors...))
	for _, col := range columns {
		row := []string{col.name()}
		for _, cpu := range processors {
			text := "–"
			if n, ok := col.state.Cycles[cpu]; ok {
				text = fmt.Sprintf("%.3g", n)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	printTable(p, rows, head)
}

func printTable(p *term.Printer, rows [][]string, head lipgloss.Style) {
	widths := term.ColumnWidths(rows)
	for r, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		text := strings.TrimRight(line.String(), " ")
		if r == 0 {
			text = head.Render(text)
		}
		p.Line("  ", text)
	}
	p.Line()
}

func printColumns(p *term.Printer, columns []column, head lipgloss.Style) {
	const gap = 2
	width := (p.Width-gap)/len(columns) - gap
	rows := 0
	wrapped := make([][]string, len(columns))
	for i, col := range columns {
		for _, l := range append([]string{col.name()}, worldLines(col.state)...) {
			wrapped[i] = append(wrapped[i], strings.Split(ansi.Wrap(term.Clean(l), width, ""), "\n")...)
		}
		rows = max(rows, len(wrapped[i]))
	}
	for r := range rows {
		var line strings.Builder
		for _, col := range wrapped {
			text := ""
			if r < len(col) {
				text = col[r]
			}
			text += strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
			if r == 0 {
				text = head.Render(text)
			}
			line.WriteString(strings.Repeat(" ", gap) + text)
		}
		p.Line(strings.TrimRight(line.String(), " "))
	}
	p.Line()
}

// shapeOf says in two words what became of the loop.
func shapeOf(s analyzer.LoopState) string {
	switch {
	case s.Idiom:
		return "a library call, or gone"
	case !s.Present:
		return "no counterpart was found"
	case s.FullyUnrolled:
		return fmt.Sprintf("unrolled fully, %d iterations", s.Unroll)
	case s.Vectorised:
		return fmt.Sprintf("vectorised %d × %d", s.VectorWidth, s.Interleave)
	case s.Unroll > 1:
		return fmt.Sprintf("scalar, unrolled %d times", s.Unroll)
	}
	return "scalar"
}

// worldLines are what the summary has no room for: calls, remarks, machine code.
func worldLines(s analyzer.LoopState) []string {
	var out []string
	switch {
	case s.Calls == 1:
		out = append(out, "1 call")
	case s.Calls > 1:
		out = append(out, fmt.Sprintf("%d calls", s.Calls))
	}
	out = append(out, remarkLines(s.Remarks)...)
	if s.Assembly == "" {
		return append(out, shapeOf(s))
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	for l := range strings.Lines(s.Assembly) {
		out = append(out, strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", " "))
	}
	return out
}

// remarkLines says every remark once, with the lines it was made for.
func remarkLines(remarks []analyzer.Remark) []string {
	var texts []string
	at := map[string][]int{}
	for _, r := range remarks {
		text := fmt.Sprintf("%s: %s", r.Pass, strings.TrimSpace(r.Message))
		if _, ok := at[text]; !ok {
			texts = append(texts, text)
			at[text] = nil
		}
		if n := len(r.Where); n > 0 {
			if line := r.Where[n-1].Line; !slices.Contains(at[text], line) {
				at[text] = append(at[text], line)
			}
		}
	}
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		if lines := at[t]; len(lines) > 0 {
			slices.Sort(lines)
			text := make([]string, len(lines))
			for i, n := range lines {
				text[i] = strconv.Itoa(n)
			}
			t += " (line " + strings.Join(text, ", ") + ")"
		}
		out = append(out, t)
	}
	return out
}
