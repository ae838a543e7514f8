package hunt

import (
	"context"

	"whyhot/internal/explain"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// explain says what is hot and why; without a profile it says nothing.
func (h *hunt) explain(ctx context.Context, p *profile.Profile) (finding.Report, error) {
	if p == nil {
		return finding.Report{}, nil
	}
	h.stagef("explaining")
	r := &h.request
	ask := explain.Request{Profile: p, Path: h.dir.Path(profileName), Rules: r.Rules, Machine: true}
	if r.BuildDir != "" {
		units, err := source.Open(r.path(r.BuildDir))
		if err != nil {
			return finding.Report{}, err
		}
		ask.Source = &explain.SourceRequest{Build: units}
	}
	report, err := explain.Explain(ctx, ask)
	if err != nil && ask.Source != nil && ctx.Err() == nil {
		// Without its analyser the hunt still has everything else.
		h.state.notef("the source was not analysed: %v", err)
		ask.Source = nil
		report, err = explain.Explain(ctx, ask)
	}
	return report, err
}
