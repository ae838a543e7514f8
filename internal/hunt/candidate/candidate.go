// Package candidate lists what a hunt can try without a person.
//
// It owns the Candidate: a change that a trial can make by itself, what it is
// expected to bring and to cost, and what a person does once it is proved. It takes
// the findings on a profile, the programs that the command starts and whether they
// can be built, and gives candidates in the order in which they are worth a try,
// each change once, and for the rest the command that a person would run. It
// measures and writes nothing; of trials it knows how variants are named.
package candidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/variant"
)

// Kind is what a candidate changes.
type Kind string

// The kinds.
const (
	Preload     Kind = "preload"
	Environment Kind = "environment"
	Flags       Kind = "flags"
	LTO         Kind = "lto"
	PGO         Kind = "pgo"
	BOLT        Kind = "bolt"
	Patch       Kind = "patch"
	WhatIf      Kind = "what-if" // compiled as if the source had been edited
)

// The groups of which one can be used at a time.
const (
	allocatorGroup = "allocator"
	levelGroup     = "level" // of optimisation
)

// Candidate is one change.
type Candidate struct {
	Name     string   `json:"name"` // also that of the variant in a trial
	Kind     Kind     `json:"kind"`
	Group    string   `json:"group,omitempty"`
	Variant  string   `json:"variant,omitempty"` // as --variant takes it; "" for what-if
	WhatIf   string   `json:"what_if,omitempty"` // the finding that is taken for fixed
	Findings []string `json:"findings,omitempty"`
	// Expected is the share of the time that it is expected to save, Builds what it
	// costs, in builds of the program.
	Expected float64 `json:"expected"`
	Builds   float64 `json:"builds"`
	// How is what a person does to have it, Caveats what to think of.
	How     string   `json:"how"`
	Caveats []string `json:"caveats,omitempty"`
	Diff    string   `json:"diff,omitempty"` // file of the patch
}

// Built says that the program is built for it.
func (c *Candidate) Built() bool { return c.Builds > 0 }

// worth is what a candidate is expected to bring for what it costs: the time of its
// builds, in measurements of the race.
func (c *Candidate) worth(build float64) float64 { return c.Expected / (1 + c.Builds*build) }

// Diff is a patch that was written by machine.
type Diff struct {
	Finding     string
	Path        string // of the file, in absolute form
	What        string // it does, "" where nobody says
	Covers      string // how much of the finding it is about, "" where all
	Assumptions []string
}

// Input is what there is to choose from.
type Input struct {
	Report  finding.Report
	Catalog *catalog.Catalog
	Program Program
	Build   bool // there is a build command
	BOLT    bool // it is installed
	// BuildCost is how long a build takes, in the time in which a candidate is measured
	// in the race: where builds are slow, what needs none comes first.
	BuildCost float64
	// Level is how most of the program is optimised by its build, "" where nobody
	// knows; Assertions says that it has assert() in it.
	Level      string
	Assertions bool
	// Compilers are the families that the build calls, none where nobody knows. NoCounts
	// says that they cannot make programs that count for PGO.
	Compilers []wrapper.Family
	NoCounts  bool
	// Native is the share of the CPU in C and C++ that the build compiles.
	Native float64
	// Feedback is the profile as the Go toolchain reads it, "" for none.
	Feedback string
	// Has are variants of builds that the build as it is has already.
	Has []string
	// BuildDir has the compile_commands.json, "" for none: without it no finding in
	// source is built otherwise.
	BuildDir string
	WhatIf   bool   // the plug-in and its clang are there
	Diffs    []Diff // by finding
	Find     variant.Locator
	// TryAs begins the command by which a person goes on with a finding.
	TryAs string
}

// Untried is what nobody but a person can try.
type Untried struct {
	Name    string `json:"name"`
	Why     string `json:"why"`
	Command string `json:"command,omitempty"`
	Finding string `json:"finding,omitempty"`
	// Needs is how long it would take, where there was no time for it.
	Needs float64 `json:"needs_seconds,omitempty"`
}

// List gives the candidates, what pays most for its cost first, and what cannot be
// tried.
func List(in Input) ([]Candidate, []Untried) {
	l := &list{in: in}
	worked := finding.Worked(in.Report.Findings)
	for i := range worked {
		l.finding(&worked[i])
	}
	l.settings()
	if in.Build {
		l.builds()
	}
	slices.SortStableFunc(l.out, func(a, b Candidate) int { return -cmp.Compare(a.worth(in.BuildCost), b.worth(in.BuildCost)) })
	return l.out, l.untried
}

type list struct {
	in      Input
	out     []Candidate
	untried []Untried
}

// add names a candidate as its trial will, and joins it with one that makes the
// same change.
func (l *list) add(c Candidate) error {
	if l.has(c.Variant) {
		return nil
	}
	if c.WhatIf == "" {
		v, err := variant.Parse(c.Variant, l.in.Find)
		if err != nil {
			return err
		}
		if v.Preload != nil {
			c.How = strings.ReplaceAll(c.How, libraryMark, v.Preload.Path)
		}
		c.Name = v.Name
	}
	if i := slices.IndexFunc(l.out, func(o Candidate) bool { return o.Name == c.Name }); i >= 0 {
		o := &l.out[i]
		o.Expected, o.Builds = max(o.Expected, c.Expected), max(o.Builds, c.Builds)
		for _, f := range c.Findings {
			if !slices.Contains(o.Findings, f) {
				o.Findings = append(o.Findings, f)
			}
		}
		return nil
	}
	l.out = append(l.out, c)
	return nil
}

// has says that the program is built so as it is.
func (l *list) has(text string) bool {
	return text != "" && (slices.Contains(l.in.Has, text) || l.in.Level != "" && text == "cflags="+l.in.Level)
}

// libraryMark stands in texts for the library that is found.
const libraryMark = "{library}"

// gain is what a finding likely saves, a little where nobody knows.
func gain(f *finding.Finding) float64 {
	const unknown = 0.02
	if f.Gain == nil {
		return min(unknown, f.Share.Main())
	}
	return max(0, min(f.Share.Main(), f.Worth()))
}

// finding takes what a finding proposes. What cannot be tried is told with the
// command that a person would run.
func (l *list) finding(f *finding.Finding) {
	before := len(l.out)
	var failed error
	try := func(c Candidate) {
		c.Findings, c.Expected, c.Caveats = []string{f.ID}, gain(f), append(c.Caveats, f.Fix.Caveats...)
		if err := l.add(c); err != nil {
			failed = err
		}
	}
	joined := false
	if entry, ok := l.in.Catalog.Entry(f.Rule); ok {
		joined = l.fromEntry(f, entry, try)
	}
	joined = l.fromBuild(f, try) || joined
	l.fromSource(f, try)
	if len(l.out) > before || joined || f.General {
		return
	}
	why := "no program can make this change by itself"
	if failed != nil {
		why = failed.Error()
	}
	if needsBuild(f, l.in.Catalog) && !l.in.Build {
		why = "it changes how the program is built: give --build"
	}
	l.untried = append(l.untried, Untried{Name: f.Title, Why: why, Command: l.next(f), Finding: f.ID})
}

func needsBuild(f *finding.Finding, c *catalog.Catalog) bool {
	entry, ok := c.Entry(f.Rule)
	return ok && entry.Swap.Try != "" || len(f.Worlds) > 0 || flagsFor[f.Rule] != "" || f.Rule == goPGO
}

// next is the command by which a person goes on.
func (l *list) next(f *finding.Finding) string {
	if !f.Next.IsZero() {
		return f.Next.String()
	}
	if len(f.See) > 0 {
		return f.See[0].String()
	}
	return l.in.TryAs + " --finding " + f.ID
}

// fromEntry takes what a catalogue entry says can be swapped by machine; joined says
// that something was taken, even where another finding had it already.
func (l *list) fromEntry(f *finding.Finding, entry *catalog.Entry, try func(Candidate)) (taken bool) {
	for i := range entry.Candidates {
		if name := entry.Candidates[i].Preload; name != "" {
			c := l.preload(name)
			c.Caveats = slices.Clone(entry.Candidates[i].Caveats)
			try(c)
			taken = true
		}
	}
	for _, kv := range entry.Swap.Env {
		try(environment(kv))
		taken = true
	}
	if entry.Swap.Try == "" || !l.in.Build || f.General {
		return taken
	}
	if text, ok := buildOf(entry.Swap.Try); ok {
		group := ""
		if strings.HasPrefix(text, "cflags=-O") {
			group = levelGroup
		}
		try(Candidate{Kind: Flags, Group: group, Variant: text, Builds: 1, How: "build with " + strings.TrimPrefix(text, "cflags=")})
		taken = true
	}
	return taken
}

// buildOf turns flags of `whyhot try build` into a variant.
func buildOf(flags string) (text string, ok bool) {
	words, err := shellwords.Split(flags)
	if err != nil || len(words) < 2 || words[0] != "--cflags" {
		return "", false
	}
	return "cflags=" + strings.Join(words[1:], " "), true
}

// preload puts an allocator in front. Python has one of its own for small objects,
// which has to be told to let another one work.
func (l *list) preload(name string) Candidate {
	c := Candidate{Kind: Preload, Group: allocatorGroup, Variant: "preload=" + name, How: "LD_PRELOAD=" + libraryMark}
	if l.in.Program.Runtime == Python {
		c.Variant += "+env=PYTHONMALLOC=malloc"
		c.How += " PYTHONMALLOC=malloc"
	}
	return c
}

func environment(assignment string) Candidate {
	return Candidate{Kind: Environment, Group: variableOf(assignment), Variant: "env=" + assignment, How: shellwords.Quote(assignment)}
}

// variableOf groups settings of one variable, of which one value can hold.
func variableOf(assignment string) string {
	name, _, _ := strings.Cut(assignment, "=")
	return name
}

// fromSource takes the patch of a finding in source, or has it compiled as if it
// were edited.
func (l *list) fromSource(f *finding.Finding, try func(Candidate)) {
	if !l.in.Build || f.Place.File == "" {
		return
	}
	var diffs []Diff
	for _, d := range l.in.Diffs {
		if d.Finding == f.ID {
			diffs = append(diffs, d)
		}
	}
	for _, d := range diffs {
		c := Candidate{Kind: Patch, Variant: "patch=" + d.Path, Builds: 1, Diff: d.Path, How: "apply " + shellwords.Quote(d.Path)}
		if len(diffs) > 1 { // they change the same loops in different ways
			c.Group = "patch of " + f.ID
			if d.What != "" {
				c.How += ", which " + d.What
			}
		}
		if d.Covers != "" {
			c.How += " (covers " + d.Covers + ")"
		}
		for _, a := range d.Assumptions {
			c.Caveats = append(c.Caveats, "right if "+a)
		}
		try(c)
	}
	if len(diffs) > 0 {
		return
	}
	if l.in.WhatIf && l.in.BuildDir != "" && f.Certainty != finding.Suspected && explain.CanBuildWhatIf(f.ID) {
		try(Candidate{Name: WhatIfName(f.ID), Kind: WhatIf, WhatIf: f.ID, Builds: 3, How: edit(f)})
	}
}

// WhatIfName is the name of a candidate that stands for an edit.
func WhatIfName(id string) string { return "what-if " + id }

// edit is what a person changes.
func edit(f *finding.Finding) string {
	text := strings.Join(f.Fix.Steps, "; ")
	if f.Place.File != "" {
		text = fmt.Sprintf("edit %s:%d: %s", f.Place.File, f.Place.Line, text)
	}
	return text
}

// Unpatched are the findings in source of which a patch may be written.
func Unpatched(r finding.Report) []string {
	var out []string
	for _, f := range finding.Worked(r.Findings) {
		if f.Place.File != "" && f.Minor == "" && explain.CanPatch(f.Rule) {
			out = append(out, f.ID)
		}
	}
	return out
}
