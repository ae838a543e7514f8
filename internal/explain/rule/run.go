package rule

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// Options of a run. The zero value is what `whyhot explain` uses.
type Options struct {
	// ProfilePath is how the user calls the profile; it goes into the next
	// command of a finding. "" prints FILE.
	ProfilePath string
	// Rules are the directories with entries of the user's own, for that command.
	Rules []string
	// NoiseFloor is the smallest best-case gain worth a finding, a fraction of
	// all CPU; 0 takes 0.01.
	NoiseFloor float64
	// Lines says, by the source rule that an entry names, at which leaf locations
	// the source has what the entry is about: such samples count for the entry
	// whatever the names of their frames are.
	Lines map[string]judge.Lines
}

func (o Options) noiseFloor() float64 {
	if o.NoiseFloor > 0 {
		return o.NoiseFloor
	}
	return 0.01
}

// fewSamples is the number below which shares are too uncertain to rank.
const fewSamples = 200

// Judge is the judge that holds a profile against a catalogue. rules are the directories
// with entries of the user's own, for the commands that it proposes.
func Judge(cat *catalog.Catalog, rules []string) judge.Judge {
	return func(ctx context.Context, s judge.Subject) (judge.Answer, error) {
		found, notes, err := find(ctx, s.Profile, cat, s.Facts, Options{ProfilePath: s.Path, Rules: rules, Lines: s.Lines})
		looked := fmt.Sprintf("%d catalogue entries were checked on %s.", len(cat.Entries), samplesText(s.Profile.Count()))
		return judge.Answer{Found: found, Notes: notes, Looked: looked}, err
	}
}

func samplesText(samples int64) string {
	if samples == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", samples)
}

// Run judges a profile. facts may be nil. The findings come ranked, and are not
// nil without an error; the notes say what the reader should know about how far
// the profile carries. Advice that holds for nearly every program (PGO, LTO) is
// among them and marked as general: it changes nothing about the others, so that
// a caller may show it or not.
func Run(ctx context.Context, p *profile.Profile, cat *catalog.Catalog, facts Facts, opts Options) ([]finding.Finding, []string, error) {
	found, notes, err := find(ctx, p, cat, facts, opts)
	if err != nil {
		return nil, nil, err
	}
	out := make([]finding.Finding, len(found))
	for i := range found {
		out[i] = found[i].Finding
	}
	return out, notes, nil
}

func find(ctx context.Context, p *profile.Profile, cat *catalog.Catalog, facts Facts, opts Options) ([]judge.Found, []string, error) {
	if p.Total() <= 0 || p.Count() <= 0 {
		return nil, []string{"The profile has no samples."}, nil
	}
	if note, ok := countsCPU(p); !ok {
		return nil, []string{note}, nil
	}
	if facts == nil {
		facts = noFacts{}
	}
	e := newEngine(p, cat, facts, opts)
	e.programs = splitPrograms(p)
	e.groups, e.follows = groups(p, e.programs.sample)
	if err := e.measure(ctx); err != nil {
		return nil, nil, err
	}
	verdicts := e.judge()
	if err := e.collect(ctx, verdicts); err != nil {
		return nil, nil, err
	}
	verdicts = slices.DeleteFunc(verdicts, func(v *verdict) bool {
		v.hidden = e.unreliable(v) || e.beyondReach(v) || e.isOnce(v) || e.isOfOne(v) || e.isAnotherOfThatName(v) || !e.confirm(v)
		v.developed = e.isDeveloped(v)
		return v.hidden
	})
	findings := []finding.Finding{}
	written := map[string]*verdict{}
	kept := dedupe(verdicts)
	markAgain(kept)
	for _, v := range kept {
		f := e.write(v)
		findings = append(findings, f)
		written[f.ID] = v
	}
	finding.Rank(findings)
	findings = e.foldAway(findings, written)
	found := make([]judge.Found, len(findings))
	for i, f := range findings {
		v := written[f.ID]
		found[i] = judge.Found{
			Finding: f, Samples: v.trace.samples, Depths: v.trace.depths, Cause: v.entry.SourceRule,
			Removes: v.entry.Reduction.Change == catalog.ChangeRemoved, Basic: isBasic(v.entry.Entry), Symptom: v.entry.Entry.Symptom,
			Functions: e.namesOf(v), Directories: e.ownDirectories(v),
		}
		if replaces(v.entry.Entry) {
			found[i].Replaced = e.beneath(v)
		}
		if e.isService(v) {
			found[i].Service, found[i].Removes = true, false
			found[i].Collects = v.entry.Entry.Family == "garbage collection"
			found[i].Demand, found[i].Roughly = e.demand(v)
		}
	}
	return found, e.notes(), nil
}

// namesOf are those of the functions that a verdict is told by.
func (e *engine) namesOf(v *verdict) []string {
	var out []string
	for id := range v.trace.functions {
		if name := e.p.Function(id).Name; name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// ownDirectories are those of the files of the functions that a verdict is told by, where these are the
// program's own.
func (e *engine) ownDirectories(v *verdict) []string {
	var out []string
	for id := range v.trace.functions {
		if fn := e.p.Function(id); fn.File != "" && e.lines.IsOwn(id) {
			out = append(out, filepath.Dir(fn.File))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isDeveloped says whether the library that a verdict is about is the program's own code: those
// who develop it do not ask for another one. One or two functions of machine code may be an
// algorithm that a program has a copy of.
//
// Example. go-git's benchmark is profiled, in go-git's own tree: the git program is no advice for
// its developers.
func (e *engine) isDeveloped(v *verdict) bool {
	if v.entry.Own {
		return false
	}
	const leastNative, most = 5, 0.8
	own, native, others := map[string]bool{}, 0, map[string]bool{}
	for id := range v.trace.functions {
		fn := e.p.Function(id)
		switch {
		case fn.File == "":
		case filepath.IsAbs(fn.File) && e.lines.IsOwn(id): // of a JVM's classes nobody knows where they lie
			own[fn.Name] = true
			if fn.Kind <= profile.KindNative {
				native++
			}
		default:
			others[fn.Name] = true
		}
	}
	for name := range own {
		delete(others, name) // lines of a header within it
	}
	return len(own) > 0 && (native == 0 || native >= leastNative) && float64(len(own)) >= most*float64(len(own)+len(others))
}

// mostOfOne is the part of an interpreter's share that one other function has itself: then that is
// hot, whoever interprets.
const mostOfOne = 0.6

// isOfOne says whether the work of an interpreter is that of one function of the program which
// is none of those that interpret: a search, a hash table.
//
// Example. A script fills maps: 86% of the CPU are the loop that probes for a free slot.
func (e *engine) isOfOne(v *verdict) bool {
	if v.entry.Family != "interpreter" || v.entry.Match.Measure != "inclusive" {
		return false
	}
	of := map[profile.FunctionID]int64{}
	var all int64
	for _, row := range v.trace.samples {
		s := &e.p.Samples()[row]
		all += s.Value
		if stack := e.p.Stack(s.Stack); len(stack) > 0 {
			if lines := e.p.Lines(stack[0]); len(lines) > 0 {
				of[lines[len(lines)-1].Function] += s.Value // what is inlined is a part of it
			}
		}
	}
	for id, value := range of {
		if _, interprets := v.trace.functions[id]; !interprets && e.p.Function(id).Kind == profile.KindNative && e.lines.IsOwn(id) && float64(value) >= mostOfOne*float64(all) {
			return true
		}
	}
	return false
}

// isBasic says whether an entry tells by the functions that copy and fill memory alone.
func isBasic(e *catalog.Entry) bool {
	return e.Family == "copies and fills" && e.Match.Measure == "exclusive"
}

// cpuTypes are the value and period types that stand for time on a CPU.
var cpuTypes = []string{"cpu", "samples", "sample", "cpu-clock", "task-clock", "cycles", "cpu_cycles", "instructions", "wall", "time", "itimer", "events", "weight", "ref-cycles", "cpu-cycles", "count", ""}

// countsCPU says whether the profile's values stand for CPU time. Rules about
// CPU share mean nothing on a heap or lock profile.
func countsCPU(p *profile.Profile) (string, bool) {
	t, _, _ := strings.Cut(strings.ToLower(p.Meta.ValueType.Type), ":")
	if slices.Contains(cpuTypes, t) || strings.HasPrefix(t, "cpu") {
		return "", true
	}
	return fmt.Sprintf("The profile counts %s: rules need CPU time, so none was applied.", p.Meta.ValueType.Type), false
}

// Judges says whether Run has rules for what the profile counts.
func Judges(p *profile.Profile) bool {
	_, ok := countsCPU(p)
	return ok
}

func (e *engine) notes() []string {
	var out []string
	if n := e.p.Count(); n < fewSamples {
		out = append(out, fmt.Sprintf("Only %s: a share of 10%% is known to ± %.0f points. Record longer or at a higher sample rate before trusting the order.",
			samplesText(n), 100*finding.ShareError(0.1, n)))
	}
	if c := e.p.Meta.Coverage; c.Low() {
		out = append(out, strings.ToUpper(c.Text()[:1])+c.Text()[1:]+".")
	}
	unnamed, broken := int64(0), view.CutStacks(e.p).Value
	for _, sm := range e.p.Samples() {
		stack := e.p.Stack(sm.Stack)
		if len(stack) == 0 || e.p.Function(e.p.Lines(stack[0])[0].Function).Name == "" {
			unnamed += sm.Value
		}
	}
	if share := float64(broken) / float64(e.p.Total()); share > 0.2 {
		out = append(out, percent.Text(share)+" of the stacks are truncated"+e.whyBroken()+": callers are missing and inclusive shares are lower bounds.")
	}
	if share := float64(unnamed) / float64(e.p.Total()); share > 0.3 {
		out = append(out, percent.Text(share)+" of the samples end in code without a name: rules that match function names could not match them.")
	}
	return out
}

// whyBroken is why stacks were cut: what the recorder said of it, else what is usual.
func (e *engine) whyBroken() string {
	for _, w := range e.p.Meta.Warnings {
		if _, why, ok := strings.Cut(w, " stacks are truncated: "); ok {
			return " (" + why + ")"
		}
	}
	return " in unknown code, as happens without frame pointers"
}
