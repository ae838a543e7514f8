// Package machineview shows hot loops of machine code, in a terminal and as JSON.
//
// It owns the layout and the field names. It takes the loops that package
// explain/machine found and gives text or one JSON object. It must never decide
// which loops are hot.
package machineview

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/symname"
	"whyhot/internal/report/answerjson"
	"whyhot/internal/report/term"
)

// Input is what is shown.
type Input struct {
	Profile *profile.Profile
	Answer  machine.Answer
	Builds  []build.Quality
	Rows    int  // loops to show; 0: all
	Long    bool // every instruction, not the hot ones alone
}

const (
	nameWidth = 60
	textWidth = 44
)

var (
	strong = lipgloss.NewStyle().Bold(true)
	dim    = lipgloss.NewStyle().Faint(true)
)

// Print shows each loop with its share, its place and its hot instructions.
func Print(p *term.Printer, in Input) {
	loops := in.Answer.Loops
	if in.Rows > 0 && len(loops) > in.Rows {
		loops = loops[:in.Rows]
	}
	for i := range loops {
		p.Line()
		in.loop(p, &loops[i])
	}
	if rest := len(in.Answer.Loops) - len(loops); rest > 0 {
		var value int64
		for _, l := range in.Answer.Loops[len(loops):] {
			value += l.Self
		}
		p.Line()
		p.Notef("and %d more, %s together (-n 0 shows all)", rest, percent.Column(in.share(value)))
	}
}

// Builds prints a line for each hot binary: how it was built, as far as it tells.
func Builds(p *term.Printer, in Input) {
	if len(in.Builds) == 0 {
		return
	}
	p.Line()
	p.Line(term.Heading("how the hot binaries were built"))
	for _, q := range in.Builds {
		p.Line(fmt.Sprintf("%6s  ", percent.Column(q.Share)), term.Clean(filepath.Base(q.Binary)), "  ", dim.Render(term.Clean(strings.Join(buildFacts(q), " · "))))
	}
}

func buildFacts(q build.Quality) []string {
	if q.Problem != "" {
		return []string{q.Problem}
	}
	var out []string
	add := func(on bool, text string) {
		if on && text != "" {
			out = append(out, text)
		}
	}
	add(len(q.Compilers) > 0, strings.Join(q.Compilers[:min(2, len(q.Compilers))], ", "))
	add(true, q.Level)
	add(len(q.Mixed) > 0, "also "+strings.Join(q.Mixed, " "))
	add(q.March != "", "-march="+q.March)
	add(q.LTO, "LTO")
	add(q.PGO, "PGO")
	add(q.FramePointers, "frame pointers")
	add(q.Interposition != "", "interposition "+q.Interposition)
	for _, list := range [][]string{q.Sanitizers, q.Instrumented} {
		add(len(list) > 0, strings.Join(list, ", "))
	}
	add(len(q.Assertions) > 0, "assertions: "+strings.Join(q.Assertions, ", "))
	add(q.Level == "", "flags not told")
	add(q.Static, "static")
	add(q.Stripped && !q.DebugInfo, "stripped")
	return out
}

func (in *Input) share(value int64) float64 {
	if in.Profile.Total() == 0 {
		return 0
	}
	return float64(value) / float64(in.Profile.Total())
}

func (in *Input) loop(p *term.Printer, l *machine.Loop) {
	head := fmt.Sprintf("%6s  ", percent.Column(in.share(l.Self)))
	where := symname.Shorten(l.Function, nameWidth)
	if where == "" {
		where = fmt.Sprintf("0x%x", l.Start)
	}
	p.Line(strong.Render(head+term.Clean(where)), dim.Render("  "+term.Clean(filepath.Base(l.Mapping.Path))))
	var facts []string
	if l.File != "" {
		at := finding.Line{File: l.File, Line: l.Line}.String()
		if l.EndLine > l.Line {
			at += fmt.Sprintf("-%d", l.EndLine)
		}
		if l.Inlined != "" {
			at += " in " + symname.Shorten(l.Inlined, nameWidth)
		}
		facts = append(facts, at)
	}
	facts = append(facts, fmt.Sprintf("0x%x-0x%x", l.Start, l.End), fmt.Sprintf("%d instructions", len(l.Instructions)))
	if !l.Innermost {
		facts = append(facts, percent.Column(in.share(l.Total))+" with the loops in it")
	}
	if l.Depth > 1 {
		facts = append(facts, fmt.Sprintf("depth %d", l.Depth))
	}
	if l.Unresolved > 0 {
		facts = append(facts, "not all jumps of the function could be followed")
	}
	p.Line("        ", dim.Render(term.Clean(strings.Join(facts, " · "))))
	in.instructions(p, l)
}

// instructions prints those that are hot with what is around them, a bracket along
// the loop, and behind a sampled one which other the samples are meant for.
func (in *Input) instructions(p *term.Printer, l *machine.Loop) {
	for _, row := range l.Rows(in.Long) {
		if row.Left > 0 {
			p.Line(fmt.Sprintf("%6s  ", ""), dim.Render(fmt.Sprintf("│  … %d more", row.Left)))
		}
		bracket := "│"
		switch {
		case row.Last:
			bracket = "└"
		case row.First:
			bracket = "┌"
		}
		self := ""
		if row.Self > 0 {
			self = percent.Column(in.share(row.Self))
		}
		text, note := term.Clean(row.Text), ""
		switch {
		case row.For != 0:
			note = fmt.Sprintf("↑ for %x", row.For)
		case row.Meant != 0:
			note = "← " + percent.Column(in.share(row.Meant))
		}
		if row.At != "" && row.Self > 0 {
			note = strings.TrimSpace(fmt.Sprintf("%-14s %s", note, row.At))
		}
		if p.Width < term.Unlimited {
			text = ansi.Truncate(text, textWidth, "…")
		}
		line := fmt.Sprintf("%6s  %s %x  %-*s  ", self, bracket, row.Address, textWidth, text)
		p.Line(line, dim.Render(term.Clean(note)))
	}
}

type instruction struct {
	Address uint64 `json:"address"`
	Text    string `json:"text"`
	Self    int64  `json:"self"`
	For     uint64 `json:"for,omitempty"` // the instruction that the samples are meant for
	File    string `json:"file,omitempty"`
	Line    int32  `json:"line,omitempty"`
}

type loop struct {
	Function     string            `json:"function"`
	Binary       string            `json:"binary"`
	BuildID      string            `json:"build_id,omitempty"`
	File         string            `json:"file,omitempty"`
	Line         int               `json:"line,omitempty"`
	EndLine      int               `json:"end_line,omitempty"`
	Inlined      string            `json:"inlined,omitempty"`
	Start        uint64            `json:"start"` // virtual addresses of the binary
	End          uint64            `json:"end"`
	Ranges       [][2]uint64       `json:"ranges"`
	Header       uint64            `json:"header"`
	Depth        int               `json:"depth"`
	Innermost    bool              `json:"innermost"`
	Self         int64             `json:"self"`
	Total        int64             `json:"total"`
	Unresolved   int               `json:"unresolved_jumps,omitempty"`
	Cycles       map[string]cycles `json:"cycles,omitempty"`
	Calls        int               `json:"calls,omitempty"` // with these three the cycles are lower bounds
	Atomic       int               `json:"atomic,omitempty"`
	Strings      int               `json:"strings,omitempty"`
	Step         int64             `json:"step,omitempty"` // bytes by which its addresses move in an iteration
	Instructions []instruction     `json:"instructions"`
}

// cycles of an iteration on a processor.
type cycles struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Limit string  `json:"limit"`
}

func jsonOf(l *machine.Loop) loop {
	x := loop{
		Function: l.Function, Binary: l.Mapping.Path, BuildID: l.Mapping.BuildID, File: l.File, Line: l.Line, EndLine: l.EndLine,
		Inlined: l.Inlined, Start: l.Start, End: l.End, Ranges: l.Ranges, Header: l.Header, Depth: l.Depth, Innermost: l.Innermost,
		Self: l.Self, Total: l.Total, Unresolved: l.Unresolved, Calls: l.Calls, Atomic: l.Atomic, Strings: l.Strings, Step: l.Step,
		Instructions: []instruction{},
	}
	if len(l.Cycles) > 0 {
		x.Cycles = map[string]cycles{}
	}
	for cpu, c := range l.Cycles {
		x.Cycles[cpu] = cycles(c)
	}
	for _, in := range l.Instructions {
		y := instruction{Address: in.Address, Text: in.Text, Self: in.Self, For: in.For}
		if f, ok := machine.Edited(in.Lines); ok {
			y.File, y.Line = f.Function.File, f.Line
		}
		x.Instructions = append(x.Instructions, y)
	}
	return x
}

// JSON writes {"total", "unit", "loops": […]}, hottest first.
func JSON(w io.Writer, in Input) error {
	out := struct {
		Total int64  `json:"total"`
		Unit  string `json:"unit"`
		Loops []loop `json:"loops"`
		// Builds are the hot binaries, and how each was built.
		Builds []build.Quality `json:"builds"`
		Notes  []string        `json:"notes,omitempty"`
	}{Total: in.Profile.Total(), Unit: in.Profile.Meta.ValueType.Unit, Loops: []loop{}, Builds: in.Builds, Notes: in.Answer.Notes}
	if out.Builds == nil {
		out.Builds = []build.Quality{}
	}
	for i := range in.Answer.Loops {
		if in.Rows > 0 && i == in.Rows {
			break
		}
		x := jsonOf(&in.Answer.Loops[i])
		out.Loops = append(out.Loops, x)
	}
	return answerjson.Write(w, out)
}
