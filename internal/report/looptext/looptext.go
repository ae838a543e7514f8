// Package looptext prints what became of a loop in each world that the analyser
// compiled it in, side by side where the terminal is wide.
//
// It takes the analyser's candidates and gives text in a terminal. It must never
// decide which loops are worth a change.
package looptext

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

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/report/loopview"
	"whyhot/internal/report/term"
)

// besidePath is the room for what stands beside a path: line, column, words.
const besidePath = 24

// mostLoops are shown whole; a line of a header may be inlined into hundreds.
const mostLoops = 4

// Print shows the loops of the asked line first, and those that gain.
func Print(p *term.Printer, loops []analyzer.Candidate, at analyzer.At) {
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
		return profile.SameFile(x.File, at.File)
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
	if p.Width < sideBySide || p.Width == term.Unlimited || len(columns) == 0 {
		for _, col := range columns {
			p.Line("  ", strong.Render(col.name()))
			for _, l := range worldLines(col.Compiled) {
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

// loopSource is the source around the loop's accesses, marked as in the excerpts
// of findings.
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
	said := map[string]bool{}
	for _, role := range loopview.Roles() {
		for _, a := range slices.Concat(c.Loads, c.Writes) {
			if source.Role(a) != role {
				continue
			}
			for _, at := range a.Where {
				if at.File != place.File || at.Line <= 0 {
					continue
				}
				said[role] = true
				if sign := loopview.Sign(role); !strings.Contains(marks[at.Line], sign) {
					marks[at.Line] += sign
				}
				first, last = min(first, at.Line), max(last, at.Line)
			}
		}
	}
	lines := strings.Split(string(data), "\n")
	const context, most = 2, 40
	var legend []string
	for _, role := range loopview.Roles() {
		if said[role] {
			legend = append(legend, loopview.Sign(role)+" "+loopview.Says(role))
		}
	}
	out := []string{strings.Join(legend, " · ")}
	for n := max(1, first-context); n <= min(len(lines), last+context, first+most); n++ {
		out = append(out, fmt.Sprintf("%5d %-3s %s", n, marks[n], strings.ReplaceAll(lines[n-1], "\t", "    ")))
	}
	return out
}
