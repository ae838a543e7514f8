package mcp

import (
	"context"
	"fmt"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
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
	Profile string   `json:"profile,omitempty"`
	What    string   `json:"what,omitempty"`
	Where   string   `json:"where,omitempty" jsonschema:"of a finding: file:line function, in the user's code where it is known"`
	AtMost  string   `json:"at_most,omitempty" jsonschema:"the whole program's speedup if all of it went away (Amdahl): of reach, where that is given"`
	Share   *float64 `json:"share,omitempty" jsonschema:"of all samples that it takes"`
	Sample  *float64 `json:"share_error,omitempty"`
	Reach   float64  `json:"reach,omitempty" jsonschema:"share that the change can affect at most, where that is more than share: basis says what else becomes cheaper"`
	Likely  string   `json:"likely,omitempty" jsonschema:"the estimate for the finding's fix"`
	Basis   string   `json:"basis,omitempty"`
	Worth   string   `json:"worth_it,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Task    *tryOut  `json:"task,omitempty" jsonschema:"what was started; poll it with try"`

	Base
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
	share, reach, err := s.shareOf(ctx, h, &in, out)
	if err != nil {
		return nil, err
	}
	events := view.Events(h.profile.Profile)
	e, high := rounded(finding.ShareError(share, events)), beyond(reach, events)
	if reach > share {
		out.Reach = rounded(reach)
	}
	share = rounded(share)
	out.Share, out.Sample = &share, &e
	out.AtMost = atMost(high)
	out.Worth = "yes, if the change can take away most of it"
	if high < worthIt {
		out.Worth = "hardly: all of it is less than 3% of the CPU"
	}
	out.Unexplained = s.unexplained(ctx, h)
	return out, nil
}

// beyond is a share with its sampling error.
func beyond(share float64, events int64) float64 {
	return min(1, share+finding.ShareError(share, events))
}

// reachOf is the share that a finding's change can affect: what it is about, or more where
// what it estimates goes beyond, such as collecting the garbage that it makes.
func reachOf(f *finding.Finding) float64 {
	reach := f.Share.Main()
	if f.Gain != nil {
		reach = max(reach, f.Gain.Reach)
	}
	if g := f.Estimate(); g != nil {
		reach = max(reach, g.High)
	}
	return min(1, reach)
}

// most is the share that can go away if a finding is mended.
func most(f *finding.Finding, events int64) float64 { return beyond(reachOf(f), events) }

// atMost is how much faster a program can become that is spared a share of its CPU time.
func atMost(share float64) string {
	const noBound = 0.95 // beyond it, a sampling error changes the ratio by more than the ratio says
	if share >= noBound {
		return "not bounded by the rest of the program, which is less than 5% of the CPU"
	}
	return fmt.Sprintf("%.2f×", finding.SpeedUp(share))
}

// shareOf is what would go away, and what can go away with it.
func (s *Server) shareOf(ctx context.Context, h *handle, in *whatIfIn, out *whatIfOut) (share, reach float64, err error) {
	given := 0
	for _, g := range []bool{in.Finding != "", in.Function != "", in.Share != 0} {
		if g {
			given++
		}
	}
	p := h.profile.Profile
	switch {
	case given != 1:
		return 0, 0, wrong("give one of finding, function, share, preload, env", "a finding's id is in explain", fmt.Sprintf(`{"profile": %q, "share": 0.1}`, h.id))
	case in.Share != 0:
		if in.Share < 0 || in.Share > 1 {
			return 0, 0, wrong(fmt.Sprintf("share is %v", in.Share), "a fraction above 0 and up to 1", fmt.Sprintf(`{"profile": %q, "share": 0.1}`, h.id))
		}
		out.What = "a share of the CPU"
		return in.Share, in.Share, nil
	case in.Function != "":
		found, others, err := pick(p, in.Function)
		if err != nil {
			return 0, 0, wrong(clip(err.Error(), 400), "profile and explain name functions", "")
		}
		out.What = clip(view.Name(p, found[0]), 200) + " with all that it calls"
		out.Notes = s.alsoMeant(p, others)
		share = float64(view.Lines(p, found).Total) / float64(p.Total())
		return share, share, nil
	}
	r, err := s.report(ctx, h, "")
	if err != nil {
		return 0, 0, err
	}
	f, err := explain.Pick(r.Findings, h.id, in.Finding)
	if err != nil {
		return 0, 0, wrong(clip(err.Error(), 500), "call explain for the list", fmt.Sprintf(`{"profile": %q}`, h.id))
	}
	out.What = clip(f.ID+": "+f.Title, 200)
	out.Where, _, _ = s.where(&f)
	if f.Gain != nil {
		out.Basis = clip(f.Gain.Basis, 400)
	}
	if g := f.Estimate(); g != nil {
		out.Likely = finding.SpeedUps(max(0, g.Low), min(1, g.High))
	}
	return f.Share.Main(), reachOf(&f), nil
}
