package explain

import (
	"context"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// ScanRequest is what Scan is asked.
type ScanRequest struct {
	Build     *source.Build
	Suspected bool // also what no counterfactual confirmed
	Rules     Rules
	Options   source.Options
	// Profile ranks the findings, nil for none; Path is how the user calls it.
	Profile *profile.Profile
	Path    string
}

// Scan gives the findings in all source of a build, with or without a profile.
func Scan(ctx context.Context, r ScanRequest) (finding.Report, error) {
	r.Options.Rules = r.Rules.Source
	a, err := r.Build.Scan(ctx, r.Profile, r.Suspected, r.Options)
	if err != nil {
		return finding.Report{}, err
	}
	path := fileName(r.Path)
	source.NameCommands(a.Findings, r.Build.Dir(), path)
	report := finding.Report{Version: finding.SchemaVersion, Findings: a.Findings, Notes: a.Notes, Looked: a.Looked}
	if report.Findings == nil {
		report.Findings = []finding.Finding{} // the schema's list is never null
	}
	if r.Profile != nil {
		report.Profile = describe(r.Profile, path)
	}
	return report, nil
}
