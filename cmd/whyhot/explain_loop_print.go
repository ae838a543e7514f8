package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/ianlancetaylor/demangle"

	"whyhot/internal/analyzer"
	"whyhot/internal/report/term"
	"whyhot/internal/symname"
)

// sideBySide is the width from which the worlds stand beside each other.
const sideBySide = 140

// besidePath is the room for what stands beside a path: line, column, words.
const besidePath = 24

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

// mostLoops are shown whole; a line of a header may be inlined into hundreds.
const mostLoops = 4

// printLoops shows the loops of the asked line first, and those that gain.
func printLoops(p *term.Printer, loops []analyzer.Candidate, at analyzer.At) {
	rank := func(c analyzer.Candidate) int {
		n := 0
		if i := askedPoint(c, at); i >= 0 && c.Start[i].Line <= at.Line {
			n = 2
		}
		if c.Confirmed {
			n++
		}
		return n
	}
	slices.SortStableFunc(loops, func(a, b analyzer.Candidate) int { return rank(b) - rank(a) })
	for _, c := range loops[:min(mostLoops, len(loops))] {
		printLoop(p, c, at)
	}
	if len(loops) <= mostLoops {
		return
	}
	p.Line(fmt.Sprintf("%d more loops at this line (--json has them whole):", len(loops)-mostLoops))
	for _, c := range loops[mostLoops:] {
		p.Line("  ", symname.Shorten(demangle.Filter(c.Function), longName), ": ", loopVerdict(c))
	}
	p.Line()
}

// longName is what a name in a list gets.
const longName = 60

// askedPoint is the place in the loop's inlining chain that is in the file the
// user named; -1 when none is.
func askedPoint(c analyzer.Candidate, at analyzer.At) int {
	return slices.IndexFunc(c.Start, func(x analyzer.Point) bool {
		file := filepath.Clean(x.File)
		return file == at.File || strings.HasSuffix(file, string(filepath.Separator)+at.File) || filepath.Base(file) == filepath.Base(at.File)
	})
}

func printLoop(p *term.Printer, c analyzer.Candidate, at analyzer.At) {
	strong := lipgloss.NewStyle().Bold(true)
	width := p.Width
	if width == term.Unlimited {
		width = math.MaxInt32
	}
	p.Line()
	p.Line(strong.Render(symname.Shorten(demangle.Filter(c.Function), width)))
	p.Line(fmt.Sprintf("  loop of depth %d · stores blamed: %s", c.Depth, c.Predicate))
	for i, point := range c.Start {
		file := term.Clean(filepath.Clean(point.File))
		if len(file) > width-besidePath {
			file = term.ShortenPath(file, width-besidePath)
		}
		where := fmt.Sprintf("  %s:%d:%d", file, point.Line, point.Column)
		if i > 0 {
			where = "  inlined at" + where[1:]
		}
		p.Line(where)
	}
	p.Line("  ", loopVerdict(c))
	p.Line()
	for _, l := range loopSource(c, at) {
		p.Line("  ", ansi.Truncate(term.Clean(l), width-2, "…"))
	}
	columns := columnsOf(c)
	p.Line()
	printSummary(p, columns, strong)
	if p.Width < sideBySide || p.Width == term.Unlimited {
		for _, col := range columns {
			p.Line("  ", strong.Render(col.name()))
			for _, l := range worldLines(col.state) {
				for part := range strings.SplitSeq(ansi.Wrap(term.Clean(l), max(20, width-4), ""), "\n") {
					p.Line("    ", part)
				}
			}
			p.Line()
		}
		return
	}
	printColumns(p, columns, strong)
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
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
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

func loopVerdict(c analyzer.Candidate) string {
	if !c.Confirmed {
		return "no world changes this loop for the better"
	}
	by := map[string]string{analyzer.WorldRetyped: "another written type", analyzer.WorldHoisted: "locals"}
	ways := make([]string, 0, len(c.Reach))
	for _, r := range c.Reach {
		ways = append(ways, by[r])
	}
	var text strings.Builder
	fmt.Fprintf(&text, "confirmed: %s, reached by %s", c.Effect, strings.Join(ways, " or by "))
	for _, g := range c.Groups {
		var lines []string
		for _, i := range g {
			if w := c.Writes[i].Where; len(w) > 0 {
				lines = append(lines, strconv.Itoa(w[len(w)-1].Line))
			}
		}
		if lines = slices.Compact(lines); len(lines) > 1 {
			text.WriteString("; the writes of lines " + strings.Join(lines, ", ") + " must change type together")
		}
	}
	return text.String()
}

// loopSource is the source around the loop's accesses, marked: 1 first or
// repeated load, 2 write.
func loopSource(c analyzer.Candidate, asked analyzer.At) []string {
	if len(c.Start) == 0 {
		return nil
	}
	place := c.Start[max(0, askedPoint(c, asked))]
	data, err := os.ReadFile(place.File)
	if err != nil {
		return nil // the facts stand without it
	}
	marks := map[int]string{}
	first, last := place.Line, place.Line
	mark := func(list []analyzer.Access, sign string) {
		for _, a := range list {
			for _, at := range a.Where {
				if at.File == place.File && at.Line > 0 {
					if !strings.Contains(marks[at.Line], sign) {
						marks[at.Line] += sign
					}
					first, last = min(first, at.Line), max(last, at.Line)
				}
			}
		}
	}
	mark(c.Loads, "1")
	mark(c.Writes, "2")
	lines := strings.Split(string(data), "\n")
	const context, most = 2, 40
	out := []string{"1 loads again · 2 writes"}
	for n := max(1, first-context); n <= min(len(lines), last+context, first+most); n++ {
		out = append(out, fmt.Sprintf("%5d %-2s %s", n, marks[n], strings.ReplaceAll(lines[n-1], "\t", "    ")))
	}
	return out
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
	at := map[string][]string{}
	for _, r := range remarks {
		text := fmt.Sprintf("%s: %s", r.Pass, strings.TrimSpace(r.Message))
		if _, ok := at[text]; !ok {
			texts = append(texts, text)
			at[text] = nil
		}
		if n := len(r.Where); n > 0 {
			if line := strconv.Itoa(r.Where[n-1].Line); !slices.Contains(at[text], line) {
				at[text] = append(at[text], line)
			}
		}
	}
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		if lines := at[t]; len(lines) > 0 {
			slices.Sort(lines)
			t += " (line " + strings.Join(lines, ", ") + ")"
		}
		out = append(out, t)
	}
	return out
}
