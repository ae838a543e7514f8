package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
	"whyhot/internal/symbol/sourcetext"
)

type sourceIn struct {
	Profile  string `json:"profile" jsonschema:"handle that profile gave"`
	Function string `json:"function,omitempty" jsonschema:"name of a function, or a regular expression"`
	File     string `json:"file,omitempty" jsonschema:"source file, from the root or as the profile names it"`
	N        int    `json:"n,omitempty" jsonschema:"lines at most (default 20)"`
}

// sourceOut is where in a function or file the time goes.
type sourceOut struct {
	Profile  string    `json:"profile,omitempty"`
	What     string    `json:"what,omitempty"`
	Self     float64   `json:"self,omitempty" jsonschema:"share of all samples"`
	Total    float64   `json:"total,omitempty"`
	Lines    []srcLine `json:"lines,omitempty" jsonschema:"hottest first"`
	Findings []string  `json:"findings,omitempty" jsonschema:"ids and titles of findings there"`
	Loop     *loop     `json:"loop,omitempty" jsonschema:"the hottest loop's machine code"`
	Notes    []string  `json:"notes,omitempty"`

	Base
}

type srcLine struct {
	File    string   `json:"file,omitempty"`
	Line    int32    `json:"line"`
	Self    float64  `json:"self"`
	Total   float64  `json:"total"`
	Text    string   `json:"text,omitempty"`
	Remarks []string `json:"remarks,omitempty" jsonschema:"what findings and compilers say of the line"`
}

type loop struct {
	At    string   `json:"at"`
	Share float64  `json:"share"`
	Code  []string `json:"code" jsonschema:"share and instruction; those without samples are left out where they are many"`
}

func (o *sourceOut) shorten() bool {
	return drop(&o.Notes, 0) || (o.Loop != nil && drop(&o.Loop.Code, 6)) || drop(&o.Lines, 1) || drop(&o.Findings, 0)
}

const (
	usualLines = 20
	mostShown  = 200
)

func (s *Server) source(ctx context.Context, _ *call, in sourceIn) (*sourceOut, error) {
	h, err := s.find(in.Profile)
	if err != nil {
		return nil, err
	}
	if in.N == 0 {
		in.N = usualLines
	}
	if in.N < 0 || in.N > mostShown {
		return nil, wrong(fmt.Sprintf("n is %d", in.N), fmt.Sprintf("from 1 to %d lines", mostShown), fmt.Sprintf(`{"profile": %q, "n": %d}`, h.id, usualLines))
	}
	p := h.profile.Profile
	functions, notes, err := s.functions(p, &in)
	if err != nil {
		return nil, err
	}
	table := view.Lines(p, functions)
	total := float64(p.Total())
	out := &sourceOut{Profile: h.id, What: clip(view.Name(p, functions[0]), 200), Notes: notes, Self: rounded(float64(table.Self) / total), Total: rounded(float64(table.Total) / total)}
	if in.File != "" {
		out.What = clip(in.File, 200)
	}
	rows := slices.Clone(table.Rows)
	weight := weightOf(p, in.File != "")
	slices.SortStableFunc(rows, func(a, b view.LineRow) int {
		return cmp.Or(cmp.Compare(min(b.Line, 1), min(a.Line, 1)), cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Self, a.Self))
	})
	text := s.within(p)
	for _, r := range rows {
		if len(out.Lines) == in.N || r.Line == 0 {
			break
		}
		l := srcLine{File: s.shown(r.File), Line: r.Line, Self: rounded(float64(r.Self) / total), Total: rounded(float64(r.Total) / total)}
		if all, ok := text(r.File); ok && int(r.Line) <= len(all) {
			l.Text = clip(all[r.Line-1], 160)
		}
		out.Lines = append(out.Lines, l)
	}
	if len(out.Lines) == 0 {
		out.Notes = append(out.Notes, "the profile has no lines of it: build with -g, or see the machine code")
	}
	s.remark(ctx, h, out, functions)
	out.Notes = append(out.Notes, s.loop(ctx, h, out, functions)...)
	out.Unexplained = h.open()
	return out, nil
}

// weightOf says what counts when the lines of a function or of a file are ranked. In a
// function that is all that a line calls. In a file, whose functions call each other, that
// would put the outermost callers first: there it is what a line pays for.
func weightOf(p *profile.Profile, file bool) func(view.LineRow) int64 {
	if !file {
		return func(r view.LineRow) int64 { return r.Total }
	}
	pays := map[sourceLine]int64{}
	all, _ := payers(p, ownline.Of(p))
	for _, l := range all {
		pays[sourceLine{file: p.Function(l.line.Function).File, line: l.line.Line}] = l.value
	}
	return func(r view.LineRow) int64 { return max(r.Self, pays[sourceLine{file: r.File, line: r.Line}]) }
}

// functions are those that a call means; notes name what it may mean too.
func (s *Server) functions(p *profile.Profile, in *sourceIn) (_ []profile.FunctionID, notes []string, _ error) {
	retry := ""
	if hottest, ok := hottestFunction(p); ok {
		retry = fmt.Sprintf(`{"profile": %q, "function": %q}`, in.Profile, clip(lookup.Handle(p, hottest), 120))
	}
	switch {
	case (in.Function == "") == (in.File == ""):
		return nil, nil, wrong("give one of function and file", "the names are those that profile and explain give", retry)
	case in.Function != "":
		found, others, err := pick(p, in.Function)
		if err != nil {
			return nil, nil, wrong(clip(err.Error(), 400), "it has no samples, is part of its caller, or has another name; retry_with names the function that pays most", retry)
		}
		return found, s.alsoMeant(p, others), nil
	}
	wanted := strings.TrimPrefix(filepath.Clean("/"+in.File), "/")
	var out []profile.FunctionID
	for i := range p.NumFunctions() {
		file := p.Function(profile.FunctionID(i)).File
		if file == in.File || strings.HasSuffix(file, "/"+wanted) || file == wanted {
			out = append(out, profile.FunctionID(i))
		}
	}
	if len(out) == 0 {
		return nil, nil, wrong("no sample is in "+clip(in.File, 200), "the file is cold, or the profile names it otherwise: see the files that profile gives", retry)
	}
	return out, nil, nil
}

// remark adds what findings say of the lines and the functions.
func (s *Server) remark(ctx context.Context, h *handle, out *sourceOut, functions []profile.FunctionID) {
	report, err := s.report(ctx, h, "")
	if err != nil {
		out.Notes = append(out.Notes, clip(err.Error(), 200))
		return
	}
	p := h.profile.Profile
	names := map[string]bool{}
	for _, id := range functions {
		names[p.Function(id).Name] = true
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		said := clip(f.ID+": "+f.Title, 160)
		onLine := false
		for k := range out.Lines {
			l := &out.Lines[k]
			if f.Place.File != "" && s.shown(f.Place.File) == l.File && f.Place.Line <= int(l.Line) && int(l.Line) <= max(f.Place.Line, f.Place.EndLine) {
				l.Remarks, onLine = append(l.Remarks, said), true
			}
		}
		if !onLine && names[f.Place.Function] {
			out.Findings = append(out.Findings, said)
		}
	}
}

// loop adds the hottest loop of the functions.
func (s *Server) loop(ctx context.Context, h *handle, out *sourceOut, functions []profile.FunctionID) (notes []string) {
	if !s.running.TryRLock() {
		return []string{"a trial is running: the machine code is read when it is over"}
	}
	defer s.running.RUnlock()
	p := h.profile.Profile
	wanted := map[string]bool{}
	for _, id := range functions {
		wanted[p.Function(id).Name] = true
	}
	facts := binfacts.New()
	defer facts.Close() //nolint:errcheck // only read from
	answer, err := machine.Find(ctx, machine.Request{Profile: p, Functions: 1, Only: func(f *profile.Function) bool { return wanted[f.Name] }}, facts)
	if err != nil {
		return []string{"no machine code: " + clip(err.Error(), 200)}
	}
	if len(answer.Loops) == 0 {
		return nil
	}
	l := &answer.Loops[0]
	total := float64(p.Total())
	out.Loop = &loop{At: clip(fmt.Sprintf("%s:%d %s", s.shown(l.File), l.Line, l.Function), 200), Share: rounded(float64(l.Self) / total)}
	if l.File == "" {
		out.Loop.At = clip(fmt.Sprintf("%#x %s", l.Start, l.Function), 200)
	}
	const whole = 24
	for _, in := range l.Rows(len(l.Instructions) <= whole) {
		out.Loop.Code = append(out.Loop.Code, clip(fmt.Sprintf("%5.1f%% %s", 100*float64(in.Self)/total, in.Text), 100))
	}
	return nil
}

// sourceFinder reads source below a root.
func sourceFinder(root string, recorded time.Time) func(path string) ([]string, bool) {
	f := sourcetext.Finder{Dirs: []string{root}, RecordedAt: recorded}
	return f.Lines
}
