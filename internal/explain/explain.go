package explain

import (
	"context"
	"fmt"
	"slices"

	"whyhot/internal/elfinfo/mark"
	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/rule"
	"whyhot/internal/explain/source"
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
	Coverage float64 // of the CPU spent in the build's source, up to 1; 0: DefaultCoverage
	Options  source.Options
}

// DefaultCoverage is the fraction of the CPU spent in a build's source that is
// analysed where nobody asks for another.
const DefaultCoverage = 0.9

// Explain gives the findings on a profile, ranked by the CPU that they could give
// back, with the trials that were made of them.
func Explain(ctx context.Context, r Request) (finding.Report, error) {
	path := fileName(r.Path)
	facts := r.facts()
	samplesOf := map[string][]int32{}
	judged := rule.Judges(r.Profile)
	var inSource source.Answer
	if r.Source != nil && judged {
		var err error
		if inSource, err = r.judgeSource(ctx); err != nil {
			return finding.Report{}, err
		}
		nameCommands(inSource.Findings, r.Source.Build.Dir(), path)
	}
	found, notes, err := rule.Run(ctx, r.Profile, r.Rules.Catalog, facts, rule.Options{
		ProfilePath: path, Rules: r.Rules.dirs, Lines: lines(inSource),
		Samples: func(f finding.Finding, of []int32) { samplesOf[f.ID] = of },
	})
	if err != nil {
		return finding.Report{}, err
	}
	notes = append(notes, whatIfBuilds(r.Profile, facts)...)
	looked := fmt.Sprintf("%d catalogue entries were checked on %s.", len(r.Rules.Catalog.Entries), samples(r.Profile))
	general := general(found)
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.General })
	found = r.Rules.meet(found, inSource.Findings)
	notes = append(notes, inSource.Notes...)
	if inSource.Looked != "" {
		looked += " In the source: " + inSource.Looked + "."
	}
	if r.Machine && judged {
		var inCode []string
		var text string
		if found, inCode, text, err = r.judgeMachine(ctx, facts, found, samplesOf); err != nil {
			return finding.Report{}, err
		}
		found = r.judgeBuild(facts, found)
		notes = append(notes, inCode...)
		looked += text
	}
	if len(r.Remarks) > 0 && judged {
		var said []string
		var text string
		if found, said, text, err = r.judgeRemarks(ctx, facts, found, samplesOf); err != nil {
			return finding.Report{}, err
		}
		notes = append(notes, said...)
		looked += text
	}
	switch {
	case r.All:
		found = append(found, general...)
	case !slices.ContainsFunc(found, worthwhile):
		for _, g := range general {
			shown := "--all shows it"
			if e := g.Estimate(); e != nil {
				shown = finding.SpeedUps(e.Low, e.High) + " as fast; " + shown
			}
			notes = append(notes, fmt.Sprintf("Not shown, because it holds for nearly every program: %s (%s)", g.Title, shown))
		}
	}
	trials, err := r.trials(path)
	if err != nil {
		return finding.Report{}, err
	}
	attach(found, trials)
	markForemost(found)
	finding.Rank(found)
	var unexplained []finding.Unexplained
	if judged {
		if unexplained, err = r.unexplained(facts, found, samplesOf, looked); err != nil {
			return finding.Report{}, err
		}
	}
	return finding.Report{
		Version:  finding.SchemaVersion,
		Profile:  describe(r.Profile, path),
		Findings: found,
		Notes:    notes,
		Looked:   looked,

		Unexplained: unexplained,
		Unjudged:    !judged,
	}, nil
}

func (r Request) facts() *binfacts.Facts {
	if r.ByBuildID {
		return binfacts.ByBuildID(r.DebugDirs...)
	}
	return binfacts.New(r.DebugDirs...)
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

func (r Request) judgeSource(ctx context.Context) (source.Answer, error) {
	s := *r.Source
	s.Options.Rules = r.Rules.Source
	coverage := s.Coverage
	if coverage == 0 {
		coverage = DefaultCoverage
	}
	if coverage < 0 || coverage > 1 {
		return source.Answer{}, fmt.Errorf("coverage %v: a fraction above 0 and up to 1", coverage)
	}
	return s.Build.Hot(ctx, r.Profile, coverage, r.All, s.Options)
}

// worthwhileGain is what a finding must be able to save for general advice,
// such as PGO, not to be mentioned beside it.
const worthwhileGain = 0.05

func worthwhile(f finding.Finding) bool {
	if e := f.Estimate(); e != nil {
		return e.High >= worthwhileGain
	}
	return f.Gain != nil && !f.Aside && f.Share.Main() >= worthwhileGain
}

func general(found []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f finding.Finding) bool { return !f.General })
}

// attach lifts findings to proved or refuted where a trial says so.
func attach(findings []finding.Finding, trials map[string][]finding.Trial) {
	for i := range findings {
		f := &findings[i]
		f.Trials = trials[f.ID]
		for _, id := range f.SameAs {
			f.Trials = append(slices.Clip(f.Trials), trials[id]...)
		}
		if c := ledger.Certainty(f.Trials); c != "" {
			f.Certainty = c
		}
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

func samples(p *profile.Profile) string {
	if p.Count() == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", p.Count())
}

// whatIfBuilds names the what-if builds that a profile was taken of: what is hot in
// them is not what is hot in the product.
func whatIfBuilds(p *profile.Profile, facts *binfacts.Facts) []string {
	var notes []string
	seen := map[string]bool{}
	for id := range p.NumMappings() {
		m := p.Mapping(profile.MappingID(id))
		if seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		if _, trust := facts.Binary(m); trust == rule.NoTrust {
			continue
		}
		if note, ok, err := mark.Read(m.Path); err == nil && ok {
			notes = append(notes, fmt.Sprintf("%s is %s", m.Path, note))
		}
	}
	return notes
}
