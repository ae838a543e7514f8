package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/mark"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/build"
	"whyhot/internal/explain/collision"
	"whyhot/internal/explain/growth"
	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/merge"
	"whyhot/internal/explain/passes"
	"whyhot/internal/explain/remarks"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/source"
	"whyhot/internal/explain/statement"
	"whyhot/internal/explain/syscalls"
	"whyhot/internal/explain/waits"
	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// Request is what Explain is asked.
type Request struct {
	Profile *profile.Profile
	// Path is how the user calls the profile: the next commands name it, and its
	// trials lie beside it. "" or "-" where it has no name.
	Path  string
	Rules Rules
	// DebugDirs are searched for debug files of binaries.
	DebugDirs []string
	// All also gives advice that holds for nearly every program, and what is cold in
	// the source.
	All bool
	// Source is the build whose source is judged, nil for none.
	Source *SourceRequest
	// Loops is given the hot loops of the machine code, hottest first; it may be nil.
	Loops func([]machine.Loop)
	// ByBuildID is for profiles that others sent: no file of this machine is evidence
	// for its path alone, and no source is read.
	ByBuildID bool
	// Machine has the machine code of hot loops judged too, where the binaries are here.
	Machine bool
	// Remarks are what compilers reported of the program.
	Remarks []remark.Remark
	// Trials are those made of the profile's findings, by ID, beside what lies with
	// Path.
	Trials map[string][]finding.Trial
}

// SourceRequest says how source is judged.
type SourceRequest struct {
	Build    *source.Build
	Coverage float64 // of the CPU spent in the build's source, up to 1; 0: source.DefaultCoverage
	Options  source.Options
}

// Explain gives the findings on a profile, ranked by the CPU that they could give
// back, with the trials that were made of them.
func Explain(ctx context.Context, r Request) (_ finding.Report, err error) {
	facts := r.facts()
	defer func() { err = errors.Join(err, facts.Close()) }()
	heard, err := r.hear(ctx, facts, r.judges)
	if err != nil {
		return finding.Report{}, err
	}
	heard.notes = append(whatIfBuilds(r.Profile, facts), heard.notes...)
	heard.setGeneralAside(r.All)
	heard.setSmallMinor()
	heard.setWaitingMinor()
	heard.setAfterOptimising()
	heard.setGeneratorMinor(r.Profile.Meta.Command)
	if rule.Judges(r.Profile) {
		setPaidBy(r.Profile, heard.found, facts.Source)
		heard.setTwiceMinor()
	}
	out, err := r.report(heard)
	if err == nil && rule.Judges(r.Profile) {
		shown, open := r.unexplained(facts, heard, out.Findings)
		out.Unexplained, out.Open = shown, &open
	}
	return out, err
}

// Remarks gives what the reports of compilers explain of a profile, and nothing else:
// of the request, Profile, Path, Remarks and DebugDirs count.
func Remarks(ctx context.Context, r Request) (_ finding.Report, err error) {
	facts := r.facts()
	defer func() { err = errors.Join(err, facts.Close()) }()
	heard, err := r.hear(ctx, facts, func(context.Context, *judge.Subject) ([]judge.Judge, error) { return []judge.Judge{remarks.Judge}, nil })
	if err != nil {
		return finding.Report{}, err
	}
	return r.report(heard)
}

// GoPackages are the import paths of Go that a profile has a hundredth of its CPU in.
func GoPackages(p *profile.Profile) []string { return remarks.GoPackages(p) }

// judges are those that the request asks, in the order in which their findings meet: what
// comes later supports what is there. The source has answered before the catalogue is
// asked, since entries count the lines that it names. A profile of something else than
// time on a CPU has the catalogue alone, which says so.
func (r Request) judges(ctx context.Context, s *judge.Subject) ([]judge.Judge, error) {
	inCatalogue := rule.Judge(r.Rules.Catalog, r.Rules.dirs)
	if !rule.Judges(r.Profile) {
		return []judge.Judge{inCatalogue}, nil
	}
	// System calls and statements come before what a library is known for.
	asked := []judge.Judge{waits.Judge, syscalls.Judge, statement.Judge, inCatalogue}
	if r.Source != nil {
		o := r.Source.Options
		o.Rules = r.Rules.Source
		inSource, err := source.Judge(r.Source.Build, r.Source.Coverage, o)(ctx, *s)
		if err != nil {
			return nil, err
		}
		s.Lines = inSource.Lines
		asked = append(asked, judge.Said(inSource))
	}
	asked = append(asked, growth.Judge, collision.Judge, repetition.Judge, passes.Judge)
	if r.Machine {
		asked = append(asked, machine.Judge(r.Loops), build.Judge)
	}
	if len(r.Remarks) > 0 {
		asked = append(asked, remarks.Judge)
	}
	return asked, nil
}

func (r Request) facts() *binfacts.Facts {
	if r.ByBuildID {
		return binfacts.ByBuildID(r.DebugDirs...)
	}
	meta := &r.Profile.Meta
	return binfacts.New(r.DebugDirs...).RecordedIn(meta.Directory, meta.Command)
}

// report ranks what was heard, with the trials that were made of it.
func (r Request) report(h heard) (finding.Report, error) {
	path := fileName(r.Path)
	trials, err := r.trials(path)
	if err != nil {
		return finding.Report{}, err
	}
	attach(h.found, trials)
	markForemost(h.found)
	merge.Settle(h.found, r.Profile.Samples())
	widen(h.found)
	leaveOthers(r.Profile, h.found)
	found := h.findings()
	finding.Rank(found)
	return finding.Report{
		Version:  finding.SchemaVersion,
		Profile:  describe(r.Profile, path),
		Findings: found,
		Notes:    h.notes,
		Waits:    h.waits,
		Looked:   strings.Join(h.looked, " "),
		Unjudged: !rule.Judges(r.Profile),
	}, nil
}

// trials are all that were made of the profile's findings.
func (r Request) trials(path string) (map[string][]finding.Trial, error) {
	all := map[string][]finding.Trial{}
	if path != "" {
		var err error
		if all, err = ledger.Load(path); err != nil {
			return nil, err
		}
	}
	for id, more := range r.Trials {
		// What lies beside the profile is about it: it comes last, which counts.
		for _, t := range slices.Backward(more) {
			same := func(o finding.Trial) bool {
				return o.Variant == t.Variant && o.SpeedUp == t.SpeedUp && slices.Equal(o.Command, t.Command)
			}
			if !slices.ContainsFunc(all[id], same) {
				all[id] = slices.Insert(all[id], 0, t)
			}
		}
	}
	return all, nil
}

// attach lifts findings to proved or refuted where a trial says so.
func attach(found []judge.Found, trials map[string][]finding.Trial) {
	for i := range found {
		f := &found[i]
		f.Trials = trials[f.ID]
		for _, id := range f.SameAs {
			f.Trials = append(slices.Clip(f.Trials), trials[id]...)
		}
		if c := ledger.Certainty(f.Trials); c != "" {
			f.Certainty = c
		}
	}
}

// unoptimised is the catalogue's entry about code without optimisation.
const unoptimised = "debug-build"

// markForemost marks the findings after whose fix one has to look again.
func markForemost(found []judge.Found) {
	for i := range found {
		f := &found[i]
		f.Foremost = build.IsMoot(f.Rule) || f.Rule == unoptimised && f.Certainty != finding.Suspected
	}
}

// fileName is the name by which others can read the profile again, "" for the
// standard input.
func fileName(path string) string {
	if path == "-" {
		return ""
	}
	return path
}

func describe(p *profile.Profile, path string) *finding.Source {
	return &finding.Source{
		Path: path, Format: p.Meta.Source,
		Type: p.Meta.ValueType.Type, Unit: p.Meta.ValueType.Unit,
		Total: p.Total(), Samples: p.Count(), Lost: p.Meta.Lost,
		Duration: p.Meta.Duration.Seconds(),
	}
}

// whatIfBuilds names the what-if builds that a profile was taken of: what is hot in
// them is not what is hot in the product.
func whatIfBuilds(p *profile.Profile, facts judge.Facts) []string {
	var notes []string
	seen := map[string]bool{}
	for id := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(id))
		if seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		if _, trust := facts.Binary(m); trust == judge.NoTrust {
			continue
		}
		if note, ok, err := mark.Read(m.Path); err == nil && ok {
			notes = append(notes, fmt.Sprintf("%s is %s", m.Path, note))
		}
	}
	return notes
}
