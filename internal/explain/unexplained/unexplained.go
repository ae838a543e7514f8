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
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
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
// put in the place of a function are left out, since nobody can look at them. Of a library's
// function the lines of the program that lead there are given: nobody edits strlen.
func Functions(in Input) []finding.Unexplained {
	p := in.Profile
	if p.Total() <= 0 {
		return nil
	}
	byKey := map[profile.FunctionID]*function{}
	explained := explainedSamples(in)
	samples := p.Samples()
	for i := range samples {
		stack := p.Stack(samples[i].Stack)
		if len(stack) == 0 {
			continue
		}
		id := own(p, stack[0])
		f := byKey[id]
		if f == nil {
			f = &function{id: id, at: map[profile.LocationID]int64{}, from: map[place]int64{}, statements: map[string]int64{}, own: isOwn(p, id)}
			byKey[id] = f
		}
		f.all += samples[i].Value
		if !explained[i] {
			f.open += samples[i].Value
			f.count += samples[i].Count
			f.at[stack[0]] += samples[i].Value
			if text, _ := p.Label(samples[i].Labels, profile.LabelStatement); text.Str != "" {
				f.statements[text.Str] += samples[i].Value
			}
			if !f.own {
				if at, ok := leading(p, stack); ok {
					f.from[at] += samples[i].Value
				}
			}
		}
	}
	var out []*function
	for _, f := range byKey {
		if f.count >= fewest && float64(f.open) >= large*float64(p.Total()) && 2*f.open >= f.all && (canBeLookedAt(p.Function(f.id)) || f.isLedTo(p)) && !in.isNamed(f) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *function) int { return cmp.Or(-cmp.Compare(a.open, b.open), cmp.Compare(a.id, b.id)) })
	shown := make([]finding.Unexplained, 0, min(most, len(out)))
	for _, f := range out[:min(most, len(out))] {
		shown = append(shown, in.describe(f))
	}
	return shown
}

// Share is the share of all samples that no finding is about.
func Share(in Input) float64 {
	explained := explainedSamples(in)
	open := int64(0)
	samples := in.Profile.Samples()
	for i := range samples {
		if !explained[i] {
			open += samples[i].Value
		}
	}
	if in.Profile.Total() <= 0 {
		return 0
	}
	return float64(open) / float64(in.Profile.Total())
}

// function is one of the machine code: all that ran in it itself, what of that no
// finding is about, and where.
type function struct {
	id        profile.FunctionID
	all, open int64
	count     int64 // events behind open
	at        map[profile.LocationID]int64
	own       bool            // its source is the program's
	from      map[place]int64 // where it is not: the lines of the program that lead there
	// statements are those of SQL that ran in it.
	statements map[string]int64
}

// own is the function of the machine code at a location.
func own(p *profile.Profile, loc profile.LocationID) profile.FunctionID {
	lines := p.Lines(loc)
	return lines[len(lines)-1].Function
}

// isLedTo says whether code without a name is below lines of the program: an interpreter's
// below its script.
func (f *function) isLedTo(p *profile.Profile) bool {
	var led int64
	for _, v := range f.from {
		led += v
	}
	return p.Function(f.id).Name == "" && 2*led >= f.open
}

func canBeLookedAt(f *profile.Function) bool {
	return f.Name != "" && f.Kind != profile.KindKernel && f.Kind != profile.KindVDSO && !isPseudo(f)
}

// isPseudo says whether a name stands for what has none: "[truncated stack]", "(program)",
// "V8::UnknownFrame".
func isPseudo(f *profile.Function) bool {
	return f.File == "" && (strings.HasPrefix(f.Name, "[") || strings.HasPrefix(f.Name, "(")) || strings.HasSuffix(f.Name, "UnknownFrame")
}

// systemBinary is where a distribution puts libraries.
var systemBinary = regexp.MustCompile(`^/(usr/)?lib(32|64|x32|exec)?/|^/snap/|^/opt/`)

// isOwn says whether a function is of the program and not of a library or a runtime.
func isOwn(p *profile.Profile, id profile.FunctionID) bool {
	f := p.Function(id)
	switch origin.Of(p, id) {
	case origin.Own:
		return true
	case origin.Unknown: // folded stacks name no binary
		return !isPseudo(f)
	case origin.Library: // one of its own, built beside it
		return f.Kind == profile.KindNative && f.File != "" && !finding.IsInstalled(f.File, "") && !systemBinary.MatchString(p.Mapping(f.Mapping).Path)
	case origin.Runtime, origin.Kernel, origin.Group:
	}
	return false
}

// leading is the line of the program nearest to what ran.
func leading(p *profile.Profile, stack []profile.LocationID) (place, bool) {
	for _, loc := range stack {
		for _, l := range p.Lines(loc) {
			if file := p.Function(l.Function).File; file != "" && l.Line > 0 && !finding.IsInstalled(file, "") && isOwn(p, l.Function) {
				return place{file, l.Line, l.Function}, true
			}
		}
	}
	return place{}, false
}

// isNamed says whether a finding of at least half of a function's open share is about the
// function by name.
func (in *Input) isNamed(f *function) bool {
	fn := in.Profile.Function(f.id)
	return fn.Name != "" && slices.ContainsFunc(in.Findings, func(o finding.Finding) bool {
		return !o.General && !o.Aside && o.Certainty != finding.Refuted && o.Place.Function == fn.Name && 2*o.Share.Main() >= in.share(f.open)
	})
}

// explainedSamples marks the samples that some finding is about. General advice, what a
// trial refuted and what can give little back explain nothing.
func explainedSamples(in Input) []bool {
	p := in.Profile
	samples := p.Samples()
	out := make([]bool, len(samples))
	var ranges []finding.Place
	for i := range in.Findings {
		f := &in.Findings[i]
		if f.General || f.Aside || f.Certainty == finding.Refuted || f.Minor != "" && f.After == "" {
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
