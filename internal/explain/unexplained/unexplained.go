// Package unexplained says what is hot although no finding is about it: the lines
// of a function, and what the machine does there.
//
// It owns the question which samples the findings account for, and the choice of
// functions, lines and instructions that are worth showing of the rest. It takes a
// profile, findings with what is known of their samples, and, through functions of
// the caller, source text and machine code; it gives finding.Unexplained. It does no
// I/O and must never import a rule, an analyser or a report.
package unexplained

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// Input is what is asked.
type Input struct {
	Profile *profile.Profile
	// Findings are what is shown; Samples gives, by id, the samples of those that
	// match frames. A finding without samples accounts for its lines.
	Findings []finding.Finding
	Samples  map[string][]int32
	// Text gives a source file, Machine an instruction and its kind; nil for none.
	Text    func(path string) (lines []string, ok bool)
	Machine func(m *profile.Mapping, address uint64) (text, kind string, ok bool)
	// Looked says what was looked at; of source whether the function's own was.
	Looked string
}

// Reader looks at one profile. Which samples findings account for, and whose each function is, is
// found out once.
type Reader struct {
	Input

	explained []bool // by row
	whose     owners
}

// New is for what is asked.
func New(in Input) *Reader { return &Reader{in, explainedSamples(in), newOwners(in.Profile)} }

// large is the share of all samples, in no finding, from which a function is shown,
// and fewest the samples below which a share is chance; most is how many are shown.
const (
	large  = 0.10
	fewest = 10
	most   = 3
)

const (
	mostLines        = 5
	leastLine        = 0.05 // of the function
	mostInstructions = 2
	leastActivity    = 0.1 // of the function
)

// Functions lists the functions that hold a large share and that findings leave
// unexplained by more than half, hottest first. A function is one of the machine
// code, with what was inlined into it; kernel code, code without a name and what recorders
// put in the place of a function are left out, since nobody can look at them.
//
// What ran in a library is of the library's function where that alone is large, with the lines
// of the program that lead there: nobody edits strlen. Otherwise, and in the interpreter of a
// script, it is of the program's function that called it, at the line of the call.
//
// Example. Line 23 of a script takes 46% of the CPU, in thirty functions of the interpreter with
// 11% and less each: it is the script's function that is shown, with that line.
func (r *Reader) Functions() []finding.Unexplained {
	p, explained, whose := r.Profile, r.explained, r.whose
	if p.Total() <= 0 {
		return nil
	}
	byKey := map[profile.FunctionID]*function{}
	ids := make([]profile.FunctionID, len(p.Samples())) // by row
	open := map[profile.FunctionID]int64{}              // by the innermost function
	for s := range p.Innermosts() {
		if !explained[s.Row] {
			open[s.Lines[len(s.Lines)-1].Function] += s.Sample.Value
		}
	}
	for s := range p.Innermosts() {
		leaf := s.Lines[len(s.Lines)-1].Function
		id := leaf
		var from call
		led := false
		if !whose.isOwn(leaf) {
			if from, led = whose.leading(p.Stack(s.Sample.Stack)); led && (p.Function(from.function).Kind.IsScript() || !canBeLookedAt(p.Function(leaf)) || !isLarge(p, open[leaf])) {
				id = from.caller
			}
		}
		ids[s.Row] = id
		f := byKey[id]
		if f == nil {
			f = &function{id: id, at: map[profile.LocationID]int64{}, from: map[place]*leadsTo{}, statements: map[string]int64{}, own: whose.isOwn(id)}
			byKey[id] = f
		}
		f.all += s.Sample.Value
		if explained[s.Row] {
			continue
		}
		f.open += s.Sample.Value
		f.count += s.Sample.Count
		if text, _ := p.Label(s.Sample.Labels, profile.LabelStatement); text.Str != "" {
			f.statements[text.Str] += s.Sample.Value
		}
		if id == leaf {
			f.at[p.Stack(s.Sample.Stack)[0]] += s.Sample.Value
		}
		if led {
			f.lead(from, s.Sample.Value)
		}
	}
	var out []*function
	for _, f := range byKey {
		if f.count >= fewest && isLarge(p, f.open) && 2*f.open >= f.all && canBeLookedAt(p.Function(f.id)) && !r.isNamed(f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *function) int { return cmp.Or(-cmp.Compare(a.open, b.open), cmp.Compare(a.id, b.id)) })
	out = out[:min(most, len(out))]
	callers, through := make([][]ownline.Path, len(out)), make([][]ownline.Path, len(out))
	for s := range p.Innermosts() {
		id := ids[s.Row]
		if i := slices.IndexFunc(out, func(f *function) bool { return f.id == id }); i >= 0 && !explained[s.Row] {
			stack := p.Stack(s.Sample.Stack)
			callers[i] = append(callers[i], ownline.Path{Lines: whose.above(stack, id), Value: s.Sample.Value})
			if !out[i].own {
				through[i] = append(through[i], ownline.Path{Lines: whose.between(stack, id), Value: s.Sample.Value})
			}
		}
	}
	shown := make([]finding.Unexplained, 0, len(out))
	for i, f := range out {
		u := r.describe(f)
		calls := ownline.Common(callers[i], f.open, mostCallers)
		if u.Into != nil {
			for _, c := range ownline.Common(through[i], f.open, mostThrough) {
				u.Through = append(u.Through, p.Function(c.Function).Name)
			}
		}
		if u.Into != nil && len(calls) > 0 {
			calls = calls[1:] // its lines are those
		}
		for _, c := range calls {
			at := place{file: p.Function(c.Function).File, line: c.Line.Line, function: c.Function}
			u.Callers = append(u.Callers, r.line(f.id, &hot{place: at, value: c.Value}))
		}
		shown = append(shown, u)
	}
	return shown
}

func isLarge(p *profile.Profile, value int64) bool {
	return float64(value) >= large*float64(p.Total())
}

// Share is the share of all samples that no finding is about.
func (r *Reader) Share() float64 {
	explained := r.explained
	open := int64(0)
	samples := r.Profile.Samples()
	for i := range samples {
		if !explained[i] {
			open += samples[i].Value
		}
	}
	if r.Profile.Total() <= 0 {
		return 0
	}
	return float64(open) / float64(r.Profile.Total())
}

// function is one of the machine code: all that ran in it itself, what of that no
// finding is about, and where. For one of the program, what it called counts as well.
type function struct {
	id        profile.FunctionID
	all, open int64
	count     int64 // events behind open
	at        map[profile.LocationID]int64
	own       bool               // its source is the program's
	from      map[place]*leadsTo // the lines of the program that called what was executing
	// statements are those of SQL that ran in it.
	statements map[string]int64
}

// leadsTo is what a line of the program called: how much ran there, and in whose calls.
type leadsTo struct {
	value  int64
	called map[profile.FunctionID]int64
}

func (f *function) lead(from call, value int64) {
	l := f.from[from.place]
	if l == nil {
		l = &leadsTo{called: map[profile.FunctionID]int64{}}
		f.from[from.place] = l
	}
	l.value += value
	if from.called != 0 {
		l.called[from.called] += value
	}
}

func canBeLookedAt(f *profile.Function) bool {
	return f.Name != "" && f.Kind != profile.KindKernel && f.Kind != profile.KindVDSO && !isPseudo(f)
}

// isPseudo says whether a name stands for what has none: "[truncated stack]", "(program)",
// "V8::UnknownFrame".
func isPseudo(f *profile.Function) bool {
	return f.File == "" && (strings.HasPrefix(f.Name, "[") || strings.HasPrefix(f.Name, "(")) || strings.HasSuffix(f.Name, "UnknownFrame")
}

// isNamed says whether a finding of at least half of a function's open share is about the
// function by name.
func (in *Input) isNamed(f *function) bool {
	fn := in.Profile.Function(f.id)
	return fn.Name != "" && slices.ContainsFunc(in.Findings, func(o finding.Finding) bool {
		return explains(&o) && o.Place.Function == fn.Name && 2*o.Share.Main() >= in.share(f.open)
	})
}

// explains says whether a finding explains what it is about: general advice, what a trial refuted
// and what can give little back explain nothing.
func explains(f *finding.Finding) bool {
	return !f.General && !f.Aside && f.Certainty != finding.Refuted && (f.Minor == "" || f.After != "")
}

// explainedSamples marks the samples that some finding explains.
func explainedSamples(in Input) []bool {
	p := in.Profile
	samples := p.Samples()
	out := make([]bool, len(samples))
	var ranges []finding.Place
	for i := range in.Findings {
		f := &in.Findings[i]
		if !explains(f) {
			continue
		}
		of, known := in.Samples[f.ID]
		for _, s := range of {
			out[s] = true
		}
		if !known && f.Place.File != "" && f.Place.Line > 0 {
			ranges = append(ranges, f.Place)
		}
	}
	within := make([]uint8, p.NumLocations()) // 0 not asked, 1 no, 2 yes
	for i := range samples {
		stack := p.Stack(samples[i].Stack)
		if out[i] || len(stack) == 0 {
			continue
		}
		loc := stack[0]
		if within[loc] == 0 {
			within[loc] = 1
			if inRanges(p, loc, ranges) {
				within[loc] = 2
			}
		}
		out[i] = within[loc] == 2
	}
	return out
}

// inRanges compares files by name and directory alone: a profile names them as they
// were built, a finding as they are here.
func inRanges(p *profile.Profile, loc profile.LocationID, ranges []finding.Place) bool {
	for _, l := range p.Lines(loc) {
		file := p.Function(l.Function).File
		for _, r := range ranges {
			if int(l.Line) >= r.Line && int(l.Line) <= max(r.Line, r.EndLine) && sameTail(file, r.File) {
				return true
			}
		}
	}
	return false
}

func sameTail(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	da, db := filepath.Base(filepath.Dir(a)), filepath.Base(filepath.Dir(b))
	return da == db || da == "." || db == "."
}
