package hunt

import (
	"context"
	"fmt"

	"whyhot/internal/fetch"
	"whyhot/internal/profile"
)

// look learns what there is to try: it runs the command, builds it, records it, has it
// explained, and lists the candidates.
func (h *hunt) look(ctx context.Context) error {
	lines, err := h.lines()
	if err != nil {
		return err
	}
	cpu, err := h.first(ctx, lines)
	if err != nil {
		return err
	}
	if h.request.Build.Command != "" {
		if err := h.buildPlain(ctx, lines); err != nil {
			return err
		}
	}
	p, err := h.profile(ctx, lines, h.times(cpu))
	if err != nil {
		return err
	}
	report, err := h.explain(ctx, p)
	if err != nil {
		return err
	}
	h.list(ctx, p, report)
	h.listener.Remark(fmt.Sprintf("%s on the profile; %s to try", plural(len(report.Findings), "finding"), plural(len(h.state.Race.Standings), "candidate")))
	return ctx.Err()
}

// profile records the command and reads the profile, nil where the recording failed:
// there is still something to try.
func (h *hunt) profile(ctx context.Context, lines []line, times int) (*profile.Profile, error) {
	if err := h.record(ctx, lines, times); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		h.state.notef("no findings, since the recording failed: %v", err)
		return nil, nil //nolint:nilnil // no profile is no failure of the hunt
	}
	p, err := fetch.Profile(ctx, h.dir.Path(profileName), fetch.Options{})
	if err != nil {
		return nil, err
	}
	return p.Profile, nil
}
