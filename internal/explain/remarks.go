package explain

import (
	"context"
	"fmt"
	"slices"

	"whyhot/internal/explain/binfacts"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/remarks"
	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/profile"
)

// Remarks gives what the reports of compilers explain of a profile, and nothing else:
// of the request, Profile, Path, Remarks and DebugDirs count.
func Remarks(ctx context.Context, r Request) (finding.Report, error) {
	path := fileName(r.Path)
	facts := r.facts()
	answer, err := remarks.Find(ctx, remarks.Request{Profile: r.Profile, Remarks: r.Remarks, Source: facts.Source})
	if err != nil {
		return finding.Report{}, err
	}
	found := make([]finding.Finding, 0, len(answer.Found))
	for _, f := range answer.Found {
		nameTrial(&f.Finding, path)
		found = append(found, f.Finding)
	}
	trials, err := r.trials(path)
	if err != nil {
		return finding.Report{}, err
	}
	attach(found, trials)
	finding.Rank(found)
	return finding.Report{
		Version: finding.SchemaVersion, Profile: describe(r.Profile, path),
		Findings: found, Notes: answer.Notes, Looked: answer.Looked + ".",
	}, nil
}

// GoPackages are the import paths of Go that a profile has a hundredth of its CPU in.
func GoPackages(p *profile.Profile) []string { return remarks.GoPackages(p) }

// nameTrial says how a change by hand is proved.
func nameTrial(f *finding.Finding, path string) {
	if path != "" {
		f.Next = "whyhot try --profile " + shellwords.Quote(path) + " --finding " + f.ID + " --versus 'changed=<the changed program>' -- <your command>"
	}
}

// judgeRemarks joins what compilers said with what is known of the same places from the
// source: one finding, with both as evidence.
func (r Request) judgeRemarks(ctx context.Context, facts *binfacts.Facts, found []finding.Finding, samplesOf map[string][]int32) (joined []finding.Finding, notes []string, looked string, err error) {
	answer, err := remarks.Find(ctx, remarks.Request{Profile: r.Profile, Remarks: r.Remarks, Source: facts.Source})
	if err != nil {
		return nil, nil, "", err
	}
	for _, m := range answer.Found {
		if at := samePlace(found, m.Finding); at >= 0 {
			f := &found[at]
			f.SameAs = append(slices.Clip(f.SameAs), m.ID)
			f.Evidence = append(slices.Clip(f.Evidence), m.Evidence...)
			if f.Certainty == finding.Suspected {
				f.Certainty = finding.Confirmed // the compiler of the program says so as well
			}
			continue
		}
		samplesOf[m.ID] = m.Samples
		nameTrial(&m.Finding, fileName(r.Path))
		found = append(found, m.Finding)
	}
	return found, answer.Notes, fmt.Sprintf(" In reports: %s.", answer.Looked), nil
}

// samePlace is the finding in source or machine code that a remark is about too, -1 for
// none.
func samePlace(found []finding.Finding, m finding.Finding) int {
	for i, f := range found {
		if f.Place.Line == 0 || m.Place.Line == 0 || !sameFile(f.Place.File, m.Place.File) {
			continue
		}
		about := f.Rule == m.Rule || remarks.Meets(m.Rule, f.Rule) || machine.Meets(f, m.Rule)
		if about && f.Place.Line <= max(m.Place.EndLine, m.Place.Line) && max(f.Place.EndLine, f.Place.Line) >= m.Place.Line {
			return i
		}
	}
	return -1
}
