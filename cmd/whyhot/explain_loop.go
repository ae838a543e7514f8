package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/ianlancetaylor/demangle"
	"github.com/spf13/cobra"

	"whyhot/internal/analyzer"
	"whyhot/internal/compdb"
	"whyhot/internal/report/term"
)

// sideBySide is the width from which the worlds stand beside each other.
const sideBySide = 140

type loopFlags struct {
	build      string
	json       bool
	predicates []string
}

func newExplainLoopCmd() *cobra.Command {
	var f loopFlags
	cmd := &cobra.Command{
		Use:   "explain-loop FILE:LINE -p BUILD_DIR | explain-loop FILE:LINE -- COMPILER ARG…",
		Short: "Show a loop in all worlds: source, machine code, loads, cycles and what the compiler said",
		Example: "  whyhot explain-loop src/split.cpp:42 -p build\n" +
			"  whyhot explain-loop x.cpp:7 -- clang++ -O3 -c x.cpp",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplainLoop(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.build, "build", "p", "", "build directory with a compile_commands.json")
	fl.BoolVar(&f.json, "json", false, "write the analyser's facts as JSON (docs/analyzer-protocol.md)")
	fl.StringSliceVar(&f.predicates, "stores", []string{"char"}, "which stores to blame: char, bitfield, pointer, size, volatile")
	return cmd
}

func runExplainLoop(cmd *cobra.Command, args []string, f loopFlags) error {
	at, err := parseAt(args[0])
	if err != nil {
		return err
	}
	units, err := loopUnits(cmd, args[1:], f, at.File)
	if err != nil {
		return err
	}
	binary, err := analyzer.Find()
	if err != nil {
		return err
	}
	opts := analyzer.Options{Binary: binary, Predicates: f.predicates, At: &at, Blame: true, Cycles: true, Assembly: true}
	var loops []analyzer.Candidate
	var failed error
	err = analyzer.Run(cmd.Context(), units, opts, func(o analyzer.Outcome) {
		if o.Err != nil {
			failed = fmt.Errorf("%s: %w", o.Unit.File, o.Err)
		}
		if len(o.Reply.Errors) > 0 {
			failed = fmt.Errorf("%s does not compile: %s", o.Unit.File, o.Reply.Errors[0])
		}
		loops = append(loops, o.Reply.Candidates...)
	})
	switch {
	case err != nil:
		return err
	case len(loops) == 0 && failed != nil:
		return failed
	case len(loops) == 0:
		return fmt.Errorf("no loop at %s: the line is in none, or the compiler removed it before any loop pass", args[0])
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), loops)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	for _, c := range loops {
		printLoop(p, c)
	}
	return p.Err()
}

func parseAt(arg string) (analyzer.At, error) {
	i := strings.LastIndexByte(arg, ':')
	if i <= 0 {
		return analyzer.At{}, fmt.Errorf("%q is not FILE:LINE", arg)
	}
	line, err := strconv.Atoi(arg[i+1:])
	if err != nil || line < 1 {
		return analyzer.At{}, fmt.Errorf("%q is not FILE:LINE: the line is a number from 1", arg)
	}
	return analyzer.At{File: filepath.Clean(arg[:i]), Line: line}, nil
}

// loopUnits gives the command line after --, else the units of the build whose
// main file is meant. A header has no unit of its own: --build and a file of
// the build that includes it are needed then.
func loopUnits(cmd *cobra.Command, rest []string, f loopFlags, file string) ([]compdb.Unit, error) {
	if dash := cmd.ArgsLenAtDash(); dash == 1 {
		if f.build != "" {
			return nil, errors.New("either -p BUILD_DIR or `-- COMPILER ARG…`, not both")
		}
		u, err := unitOf(rest)
		return []compdb.Unit{u}, err
	}
	if f.build == "" {
		return nil, errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")
	}
	units, err := compdb.Load(f.build)
	if err != nil {
		return nil, err
	}
	wanted := append([]string{file}, rest...)
	units = slices.DeleteFunc(units, func(u compdb.Unit) bool {
		return !slices.ContainsFunc(wanted, func(a string) bool { return names(a, u.File) })
	})
	if len(units) == 0 {
		return nil, fmt.Errorf("%s is no unit of %s; for a header also name a unit that includes it: explain-loop FILE:LINE UNIT… -p BUILD_DIR",
			file, filepath.Join(f.build, "compile_commands.json"))
	}
	return units, nil
}

var loopWorlds = []struct{ world, name string }{
	{analyzer.WorldWritten, "as written"},
	{analyzer.WorldRetyped, "written type changed"},
	{analyzer.WorldHoisted, "hoisted into locals"},
	{analyzer.WorldPlacebo, "placebo"},
}

func printLoop(p *term.Printer, c analyzer.Candidate) {
	strong := lipgloss.NewStyle().Bold(true)
	p.Line()
	p.Line(strong.Render(demangle.Filter(c.Function)), fmt.Sprintf(" · loop of depth %d · stores blamed: %s", c.Depth, c.Predicate))
	for _, at := range c.Start {
		p.Line(fmt.Sprintf("  %s:%d:%d", term.Clean(at.File), at.Line, at.Column))
	}
	p.Line("  ", loopVerdict(c))
	p.Line()
	for _, l := range loopSource(c) {
		p.Line("  ", term.Clean(l))
	}
	var columns [][]string
	for _, w := range loopWorlds {
		if s, ok := c.Worlds[w.world]; ok {
			columns = append(columns, append([]string{w.name}, worldLines(s)...))
		}
	}
	p.Line()
	if p.Width < sideBySide || p.Width == term.Unlimited {
		for _, col := range columns {
			p.Line("  ", strong.Render(col[0]))
			for _, l := range col[1:] {
				p.Line("    ", term.Clean(l))
			}
			p.Line()
		}
		return
	}
	printColumns(p, columns, strong)
}

func printColumns(p *term.Printer, columns [][]string, head lipgloss.Style) {
	const gap = 2
	width := (p.Width-gap)/len(columns) - gap
	rows := 0
	wrapped := make([][]string, len(columns))
	for i, col := range columns {
		for _, l := range col {
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
func loopSource(c analyzer.Candidate) []string {
	if len(c.Start) == 0 {
		return nil
	}
	place := c.Start[len(c.Start)-1]
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

func worldLines(s analyzer.LoopState) []string {
	if s.Idiom {
		return []string{"replaced by a library call, or deleted"}
	}
	if !s.Present {
		return []string{"no counterpart was found"}
	}
	shape := "scalar"
	switch {
	case s.FullyUnrolled:
		shape = fmt.Sprintf("unrolled fully, %d iterations", s.Unroll)
	case s.Vectorised:
		shape = fmt.Sprintf("vectorised %d × %d", s.VectorWidth, s.Interleave)
	case s.Unroll > 1:
		shape = fmt.Sprintf("scalar, unrolled %d times", s.Unroll)
	}
	out := []string{shape, fmt.Sprintf("per iteration %.3g loads, %.3g stores", s.LoadsPerIteration, s.StoresPerIteration)}
	if s.Calls > 0 {
		out = append(out, fmt.Sprintf("%d calls", s.Calls))
	}
	for _, cpu := range slices.Sorted(maps.Keys(s.Cycles)) {
		out = append(out, fmt.Sprintf("%.3g cycles on %s (model)", s.Cycles[cpu], cpu))
	}
	out = append(out, remarkLines(s.Remarks)...)
	if s.Assembly != "" {
		out = append(out, "")
		for l := range strings.Lines(s.Assembly) {
			out = append(out, strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", " "))
		}
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
