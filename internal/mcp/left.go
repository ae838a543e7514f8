package mcp

import (
	"context"
	"fmt"

	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

type leftIn struct {
	Profile string `json:"profile" jsonschema:"handle that profile gave; of the changed program, to see what is left after a change"`
}

// leftOut is what is still to be had.
type leftOut struct {
	Profile   string  `json:"profile,omitempty"`
	Explained float64 `json:"explained,omitempty" jsonschema:"share of the CPU that findings are about"`
	Refuted   float64 `json:"refuted,omitempty" jsonschema:"share of findings that a trial refuted"`
	Proved    float64 `json:"proved,omitempty" jsonschema:"share of findings whose change a trial proved"`
	Hardware  float64 `json:"bounded_by_hardware,omitempty" jsonschema:"share in loops that wait for memory or are limited by the processor"`
	Kernel    float64 `json:"kernel,omitempty" jsonschema:"share in the kernel"`
	Open      []item  `json:"open,omitempty" jsonschema:"what is left, largest first"`
	Largest   float64 `json:"largest,omitempty" jsonschema:"the largest may_save"`
	Stop      bool    `json:"stop"`
	Because   string  `json:"because,omitempty"`

	Base
}

type item struct {
	What   string  `json:"what"`
	Where  string  `json:"where" jsonschema:"file:line function, in the user's code where it is known"`
	Share  float64 `json:"share"`
	Save   float64 `json:"may_save" jsonschema:"share of the CPU at most, by the estimate where there is one"`
	AtMost string  `json:"at_most" jsonschema:"the whole program's speedup if all of it went away (Amdahl)"`
}

func (o *leftOut) shorten() bool { return drop(&o.Open, 1) }

func (s *Server) left(ctx context.Context, _ *call, in leftIn) (*leftOut, error) {
	h, err := s.find(in.Profile)
	if err != nil {
		return nil, err
	}
	r, err := s.report(ctx, h, "")
	if err != nil {
		return nil, err
	}
	out := &leftOut{Profile: h.id}
	out.Unexplained = h.open()
	if out.Unexplained == nil {
		return nil, wrong("the profile does not count CPU time", "record the program with profile", `{"command": ["./program"]}`)
	}
	out.Explained = rounded(1 - *out.Unexplained)
	for i := range r.Findings {
		out.count(s, h.profile.Profile, &r.Findings[i])
	}
	for i := range r.Unexplained {
		u := &r.Unexplained[i]
		if u.Spread > 0 { // a part of it may be one of the others
			continue
		}
		share := u.Share.Main()
		out.add(item{What: "hot, and no finding is about it", Where: s.place(u.Place), Share: rounded(share), AtMost: atMost(beyond(share, view.Events(h.profile.Profile)))}, share)
	}
	p := h.profile.Profile
	for _, row := range view.Top(p, view.TopOptions{By: view.ByKind}).Rows {
		if row.Label == profile.KindKernel.String() {
			out.Kernel = rounded(float64(row.Self) / float64(p.Total()))
		}
	}
	out.judge()
	return out, nil
}

// count puts a finding where it belongs.
func (o *leftOut) count(s *Server, p *profile.Profile, f *finding.Finding) {
	share := f.Share.Main()
	switch {
	case f.General || f.Aside:
		return
	case f.Certainty == finding.Refuted:
		o.Refuted = min(1, rounded(o.Refuted+share))
		return
	case f.Certainty == finding.Proved:
		o.Proved = min(1, rounded(o.Proved+share))
	case isHardware(f.Rule):
		o.Hardware = min(1, rounded(o.Hardware+share))
	}
	high := share
	if g := f.Estimate(); g != nil {
		high = g.High
	}
	if f.Minor == "" {
		where, _, _ := s.where(f)
		o.add(item{What: clip(f.ID+": "+f.Title, 200), Where: where, Share: rounded(share), AtMost: atMost(most(f, view.Events(p)))}, high)
	}
}

// isHardware says whether a rule is about what the processor waits for.
func isHardware(rule string) bool {
	const search = "machine-search" // mispredicted branches
	return rule == machine.StallRule || rule == search
}

// add lists an item that may save a share of the CPU.
func (o *leftOut) add(i item, high float64) {
	high = min(1, max(high, 0))
	i.Save = rounded(high)
	o.Largest = max(o.Largest, i.Save)
	const most = 12
	if len(o.Open) < most {
		o.Open = append(o.Open, i)
	}
}

func (o *leftOut) judge() {
	o.Stop = o.Largest < worthIt
	switch {
	case !o.Stop:
		o.Because = fmt.Sprintf("the largest open item may save up to %.1f%% of the CPU", 100*o.Largest)
	case len(o.Open) == 0:
		o.Because = "nothing more than 3% is to be had here: no finding is open, and no function without one holds 10%. What is left is spread over many functions; another algorithm or less work may still help, and no rule sees those"
	default:
		o.Because = fmt.Sprintf("nothing more than 3%% is to be had here: the largest open item may save %.1f%% at most", 100*o.Largest)
	}
}
