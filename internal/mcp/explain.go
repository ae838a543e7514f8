package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

type explainIn struct {
	Profile string `json:"profile" jsonschema:"handle that profile gave"`
	Finding string `json:"finding,omitempty" jsonschema:"one finding in depth, by its id"`
	Path    string `json:"path,omitempty" jsonschema:"build directory with compile_commands.json, from the root"`
	N       int    `json:"n,omitempty" jsonschema:"findings at most (default 8)"`
}

// explainOut are the findings.
type explainOut struct {
	Profile    string        `json:"profile,omitempty"`
	Findings   []found       `json:"findings,omitempty" jsonschema:"what could save most first"`
	Depth      *depth        `json:"finding,omitempty"`
	NoHelp     []found       `json:"does_not_help,omitempty" jsonschema:"tried here and refuted"`
	Hot        []unexplained `json:"hot_without_a_finding,omitempty"`
	Notes      []string      `json:"notes,omitempty"`
	Looked     string        `json:"looked_at,omitempty"`
	MoreToHave int           `json:"more_findings,omitempty"`

	Base
}

type found struct {
	ID        string   `json:"id"`
	Where     string   `json:"where" jsonschema:"file:line function, in the user's code where it is known"`
	Pays      float64  `json:"pays,omitempty" jsonschema:"share of all samples that this line pays for, where the hot code is elsewhere"`
	Title     string   `json:"title"`
	Hot       string   `json:"hot,omitempty" jsonschema:"the hot code, where it is not the user's"`
	Share     float64  `json:"share" jsonschema:"of all samples"`
	Error     float64  `json:"error,omitempty" jsonschema:"half of the 95% interval of share"`
	May       *span    `json:"may_save,omitempty" jsonschema:"share of the CPU, an estimate"`
	AtMost    string   `json:"at_most,omitempty" jsonschema:"the whole program's speedup if all of it went away (Amdahl)"`
	Certainty string   `json:"certainty"`
	Measured  string   `json:"measured,omitempty"`
	Do        []string `json:"do,omitempty"`
}

type span struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// depth is one finding.
type depth struct {
	found

	Also     []string `json:"also_paid_by,omitempty" jsonschema:"other lines of the user's that pay"`
	Evidence []string `json:"evidence,omitempty"`
	Source   []string `json:"source,omitempty"`
	Caveats  []string `json:"caveats,omitempty"`
	Diff     string   `json:"diff,omitempty" jsonschema:"the machine-written fix"`
	Preload  []string `json:"preload,omitempty" jsonschema:"for try"`
	Env      []string `json:"env,omitempty" jsonschema:"for try"`
	Next     string   `json:"next" jsonschema:"the call that measures the change"`
	Links    []string `json:"links,omitempty"`
}

type unexplained struct {
	Where string   `json:"where"`
	Share float64  `json:"share"`
	Lines []string `json:"lines,omitempty"`
}

func (o *explainOut) shorten() bool {
	if d := o.Depth; d != nil {
		if drop(&d.Links, 0) || drop(&d.Source, 8) || drop(&d.Evidence, 3) || drop(&d.Caveats, 1) {
			return true
		}
		if len(d.Diff) > 0 {
			d.Diff = ""
			return true
		}
	}
	return drop(&o.Hot, 1) || drop(&o.Notes, 0) || o.oneLess() || drop(&o.NoHelp, 0) || drop(&o.Hot, 0)
}

func (o *explainOut) oneLess() bool {
	if !drop(&o.Findings, 1) {
		return false
	}
	o.MoreToHave++
	return true
}

const (
	usualFindings = 8
	mostFindings  = 50
)

func (s *Server) explain(ctx context.Context, _ *call, in explainIn) (*explainOut, error) {
	h, err := s.find(in.Profile)
	if err != nil {
		return nil, err
	}
	n := in.N
	if n == 0 {
		n = usualFindings
	}
	if n < 0 || n > mostFindings {
		return nil, wrong(fmt.Sprintf("n is %d", in.N), fmt.Sprintf("from 1 to %d findings; the whole answer is a resource", mostFindings), fmt.Sprintf(`{"profile": %q, "n": %d}`, h.id, mostFindings))
	}
	dir, err := s.buildDir(in.Path)
	if err != nil {
		return nil, err
	}
	r, err := s.report(ctx, h, dir)
	if err != nil {
		return nil, err
	}
	out := &explainOut{Profile: h.id, Looked: clip(r.Looked, 300)}
	out.Unexplained = h.open()
	for _, note := range slices.Concat(r.Waits.Sentences(), r.Notes) {
		out.Notes = append(out.Notes, clip(note, 450))
	}
	if in.Finding != "" {
		f, err := explain.Pick(r.Findings, h.id, in.Finding)
		if err != nil {
			return nil, wrong(clip(err.Error(), 500), "call explain without finding for the list", fmt.Sprintf(`{"profile": %q}`, h.id))
		}
		out.Depth, out.Looked = s.depth(h.profile.Profile, &f), ""
		out.Depth.Next = next(h.id, &f)
		return out, nil
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Certainty == finding.Refuted:
			out.NoHelp = append(out.NoHelp, s.found(h.profile.Profile, f))
		case len(out.Findings) < n:
			out.Findings = append(out.Findings, s.found(h.profile.Profile, f))
		default:
			out.MoreToHave++
		}
	}
	for i := range r.Unexplained {
		u := &r.Unexplained[i]
		lines := make([]string, 0, len(u.Lines))
		if u.Spread > 0 {
			lines = append(lines, fmt.Sprintf("spread over %d functions that it calls; what follows are the lines that call it", u.Spread))
		}
		if u.Calls != "" {
			lines = append(lines, "called "+u.Calls)
		}
		for _, l := range u.Lines {
			lines = append(lines, clip(fmt.Sprintf("%s:%d %.1f%% %s", s.shown(l.File), l.Line, 100*l.Share, s.mayShow(l.File, l.Text)), 200))
		}
		if len(u.Through) > 0 {
			lines = append(lines, clip("through "+strings.Join(u.Through, " ← "), 200))
		}
		for _, l := range u.Callers {
			lines = append(lines, clip(fmt.Sprintf("called at %s:%d in %s, %.1f%%", s.shown(l.File), l.Line, l.Function, 100*l.Share), 200))
		}
		for _, one := range u.Statements {
			lines = append(lines, clip(fmt.Sprintf("%.1f%% %s", 100*one.Share, one.Text), 200))
		}
		out.Hot = append(out.Hot, unexplained{s.place(u.Place), rounded(u.Share.Main()), lines})
	}
	return out, nil
}

// buildDir is the directory of a build, that of the configuration where none is named.
func (s *Server) buildDir(path string) (string, error) {
	if path == "" {
		path = s.o.Rules.Try.BuildDir
	}
	if path == "" {
		return "", nil
	}
	return s.o.Rules.Path(path)
}

// where names the line of the user's code to look at; hot is the code that is hot, where
// that is another, and pays the share that the line pays for it.
func (s *Server) where(f *finding.Finding) (where, hot string, pays float64) {
	place := s.place(f.Place)
	if len(f.PaidBy) > 0 {
		l := f.PaidBy[0]
		at := s.place(finding.Place{File: l.File, Line: l.Line, Function: l.Function})
		if f.Place.File != "" && isMatched(f, l.Function) {
			// A library whose files do not say so: the rule knows it, and its place is the caller.
			return place, at, 0
		}
		return at, place, rounded(l.Share)
	}
	// Without lines, the function of the user's that leads there says more than a library.
	name, _, _ := strings.Cut(f.Place.Function, "<") // evidence shortens what is in the brackets
	for _, e := range f.Evidence {
		if e.Kind == callerKind && (name == "" || !strings.Contains(e.Text, name)) {
			return clip(place+"; "+e.Text, 300), "", 0
		}
	}
	return place, "", 0
}

// isMatched says whether a function is among those that a finding's rule is about.
func isMatched(f *finding.Finding, function string) bool {
	return slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool {
		rest, is := strings.CutPrefix(e.Text, function)
		return e.Kind == "symbol" && is && (rest == "" || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, " in "))
	})
}

// callerKind is the evidence that names who calls what is hot.
const callerKind = "caller"

func (s *Server) found(p *profile.Profile, f *finding.Finding) found {
	out := found{
		ID: f.ID, Title: clip(f.Title, 100), Certainty: string(f.Certainty), Share: rounded(f.Share.Main()),
	}
	out.Where, out.Hot, out.Pays = s.where(f)
	if !f.General && !f.Aside {
		out.AtMost = atMost(most(f, view.Events(p)))
	}
	if f.Share.Error != nil {
		out.Error = rounded(*f.Share.Error)
	}
	if g := f.Estimate(); g != nil {
		out.May = &span{rounded(g.Low), rounded(g.High)}
	}
	if n := len(f.Trials); n > 0 {
		t := f.Trials[n-1]
		out.Measured = fmt.Sprintf("%s: %.2f× (%.2f to %.2f), %s", clip(t.Variant, 60), t.SpeedUp.Estimate, t.SpeedUp.Low, t.SpeedUp.High, t.Verdict)
	}
	if len(f.Fix.Steps) > 0 {
		out.Do = []string{clip(f.Fix.Steps[0], 200)}
	}
	return out
}

func (s *Server) depth(p *profile.Profile, f *finding.Finding) *depth {
	d := &depth{found: s.found(p, f), Preload: f.Fix.Preload, Env: f.Fix.Env, Diff: clipLines(f.Fix.Diff, 2500)}
	d.Do = clipAll(f.Fix.Steps, 8, 300)
	d.Caveats, d.Links = clipAll(f.Fix.Caveats, 4, 200), clipAll(f.Links, 4, 200)
	for _, l := range f.PaidBy[min(1, len(f.PaidBy)):] {
		d.Also = append(d.Also, fmt.Sprintf("%s %.1f%%", s.place(finding.Place{File: l.File, Line: l.Line, Function: l.Function}), 100*l.Share))
	}
	for _, e := range f.Evidence {
		text := clip(e.Kind+": "+e.Text, 300)
		if len(d.Evidence) < 10 && !slices.Contains(d.Evidence, text) { // two copies of a function have one name
			d.Evidence = append(d.Evidence, text)
		}
	}
	if f.Source != nil {
		for _, l := range f.Source.Lines {
			d.Source = append(d.Source, clip(fmt.Sprintf("%d %s", l.Number, s.mayShow(f.Source.File, l.Text)), 160))
		}
	}
	return d
}

// next is the call that measures a finding's change: a setting at once, an edit after it
// was made.
func next(handle string, f *finding.Finding) string {
	args, before := map[string]any{"profile": handle, "finding": f.ID}, "edit, then "
	if len(f.Fix.Preload) > 0 {
		args["preload"], before = f.Fix.Preload[:1], "" // one setting a trial
	} else if len(f.Fix.Env) > 0 {
		args["env"], before = f.Fix.Env[:1], ""
	}
	data, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	return before + toolTry + " " + string(data)
}

// mayShow is a line of a file, where the file may be read: a profile may name any.
func (s *Server) mayShow(file, text string) string {
	if _, err := s.o.Rules.Path(file); err != nil {
		return ""
	}
	return text
}

func clipAll(texts []string, most, size int) []string {
	var out []string
	for _, t := range texts {
		if len(out) < most {
			out = append(out, clip(t, size))
		}
	}
	return out
}

// place is where something is, file first.
func (s *Server) place(p finding.Place) string {
	at := ""
	if p.File != "" {
		at = finding.Line{File: s.shown(p.File), Line: p.Line}.String()
	}
	if p.Function != "" {
		at += " " + clip(p.Function, 120)
	}
	if p.File == "" && p.Binary != "" {
		at += " in " + clip(p.Binary, 120)
	}
	return clip(at, 300)
}
