package mcp

import (
	"context"
	"fmt"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/profile/lookup"
	"whyhot/internal/profile/view"
)

type whatIfIn struct {
	Profile  string   `json:"profile" jsonschema:"handle that profile gave"`
	Finding  string   `json:"finding,omitempty" jsonschema:"as if this finding were fixed"`
	Function string   `json:"function,omitempty" jsonschema:"as if this function, with all that it calls, took no time"`
	Share    float64  `json:"share,omitempty" jsonschema:"as if this share of the CPU (0 to 1) took no time"`
	Preload  []string `json:"preload,omitempty" jsonschema:"measure with this library preloaded: starts a task"`
	Env      []string `json:"env,omitempty" jsonschema:"measure with this NAME=VALUE: starts a task"`
	Build    bool     `json:"build,omitempty" jsonschema:"with finding: measure a build in which the compiler is told what it does not know (clang 19): starts a task"`
}

// whatIfOut is a bound.
type whatIfOut struct {
	Base

	Profile string   `json:"profile,omitempty"`
	What    string   `json:"what,omitempty"`
	Share   *float64 `json:"share,omitempty" jsonschema:"of all samples that it takes"`
	Sample  *float64 `json:"share_error,omitempty"`
	AtMost  string   `json:"at_most,omitempty" jsonschema:"the whole program's speedup if all of it went away (Amdahl)"`
	Likely  string   `json:"likely,omitempty" jsonschema:"the estimate for the finding's fix"`
	Basis   string   `json:"basis,omitempty"`
	Worth   string   `json:"worth_it,omitempty"`
	Task    *tryOut  `json:"task,omitempty" jsonschema:"what was started; poll it with try"`
}

func (o *whatIfOut) shorten() bool { return o.Task != nil && o.Task.shorten() }

// worthIt is the share below which a change is rarely worth it.
const worthIt = 0.03

func (s *Server) whatIf(ctx context.Context, c *call, in whatIfIn) (*whatIfOut, error) {
	h, err := s.find(in.Profile)
	if err != nil {
		return nil, err
	}
	if len(in.Preload)+len(in.Env) > 0 || in.Build {
		o, err := s.try(ctx, c, tryIn{Profile: h.id, Preload: in.Preload, Env: in.Env, Finding: in.Finding, whatIf: in.Build})
		if err != nil {
			return nil, err
		}
		return &whatIfOut{Base: Base{Unexplained: h.open()}, Profile: h.id, What: "measured: poll task with try", Task: o}, nil
	}
	out := &whatIfOut{Profile: h.id}
	share, err := s.shareOf(ctx, h, &in, out)
	if err != nil {
		return nil, err
	}
	e := finding.ShareError(share, view.Events(h.profile.Profile))
	high := min(1, share+e)
	share, e = rounded(share), rounded(e)
	out.Share, out.Sample = &share, &e
	out.AtMost = atMost(high)
	out.Worth = "yes, if the change can take away most of it"
	if high < worthIt {
		out.Worth = "hardly: all of it is less than 3% of the CPU"
	}
	out.Unexplained = s.unexplained(ctx, h)
	return out, nil
}

// atMost is how much faster a program can become that is spared a share of its CPU time.
func atMost(share float64) string {
	const noBound = 0.95 // beyond it, a sampling error changes the ratio by more than the ratio says
	if share >= noBound {
		return "not bounded by the rest of the program, which is less than 5% of the CPU"
	}
	return fmt.Sprintf("%.2f×", finding.SpeedUp(share))
}

// shareOf is what would go away.
func (s *Server) shareOf(ctx context.Context, h *handle, in *whatIfIn, out *whatIfOut) (float64, error) {
	given := 0
	for _, g := range []bool{in.Finding != "", in.Function != "", in.Share != 0} {
		if g {
			given++
		}
	}
	p := h.profile.Profile
	switch {
	case given != 1:
		return 0, wrong("give one of finding, function, share, preload, env", "a finding's id is in explain", fmt.Sprintf(`{"profile": %q, "share": 0.1}`, h.id))
	case in.Share != 0:
		if in.Share < 0 || in.Share > 1 {
			return 0, wrong(fmt.Sprintf("share is %v", in.Share), "a fraction above 0 and up to 1", fmt.Sprintf(`{"profile": %q, "share": 0.1}`, h.id))
		}
		out.What = "a share of the CPU"
		return in.Share, nil
	case in.Function != "":
		found, err := lookup.Functions(p, in.Function, false)
		if err != nil {
			return 0, wrong(clip(err.Error(), 400), "profile and explain name functions", "")
		}
		out.What = clip(view.Name(p, found[0]), 200) + " with all that it calls"
		return float64(view.Lines(p, found).Total) / float64(p.Total()), nil
	}
	r, err := s.report(ctx, h, "")
	if err != nil {
		return 0, err
	}
	f, err := explain.Pick(r.Findings, h.id, in.Finding)
	if err != nil {
		return 0, wrong(clip(err.Error(), 500), "call explain for the list", fmt.Sprintf(`{"profile": %q}`, h.id))
	}
	out.What = clip(f.ID+": "+f.Title, 200)
	share := f.Share.Main()
	if f.Gain != nil {
		share = max(share, f.Gain.Reach)
		out.Basis = clip(f.Gain.Basis, 400)
	}
	if g := f.Estimate(); g != nil {
		out.Likely = finding.SpeedUps(max(0, g.Low), min(1, g.High))
		share = max(share, g.High)
	}
	return min(1, share), nil
}
