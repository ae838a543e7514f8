package hunt

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/race"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
)

// recall takes over what earlier hunts of the same program, on the same machine,
// have refuted. What they have proved is proved again: a proof that was looked at is
// no fresh one.
func (h *hunt) recall() {
	h.state.Known = map[string]Verdict{}
	if h.request.Again {
		return
	}
	a, err := archive.Open(os.Getenv)
	if err != nil {
		return
	}
	records, _, err := a.List() // what is damaged is not known
	if err != nil {
		return
	}
	for _, r := range slices.Backward(records) { // the latest has the last word
		if of := subjectOf(r); !h.subject.same(&of) {
			continue
		}
		for i := range r.Results {
			h.recallOne(&r.Results[i], r.Time)
		}
	}
	if n := len(h.state.Known); n > 0 {
		h.state.notef("%s an earlier hunt of this program has refuted: not measured again (--again does)", plural(n, "candidate"))
	}
}

func (h *hunt) recallOne(r *archive.Result, when time.Time) {
	c := h.state.candidate(r.Variant)
	if c == nil {
		return
	}
	delete(h.state.Known, c.Name)
	if !settledAgainst(r.Verdict) {
		return
	}
	v := verdict(c)
	v.Ratio, v.Verdict, v.Known = r.Ratio, r.Verdict, &when
	h.state.Known[c.Name] = v
}

// settledAgainst says that a verdict leaves nothing to hope for.
func settledAgainst(v finding.Verdict) bool {
	return slices.Contains([]finding.Verdict{finding.Slower, finding.Same, finding.Different, finding.Failed, finding.NoEffect}, v)
}

// subjectOf is what a record is about, as far as hunts keep it.
func subjectOf(r *archive.Record) subject {
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f archive.File) bool { return f.Role == archive.RecordedRole })
	return subject{Command: r.Command, Metric: r.Metric, Files: files, Tree: r.Tree, Model: r.Machine.Model, Kernel: r.Machine.Kernel}
}

// archive keeps a trial, as `whyhot try` would have.
func (h *hunt) archive(r *archive.Record, a ask) {
	r.Arguments, r.Profile, r.Tree = h.request.arguments(a), h.dir.Path(profileName), h.subject.Tree
	h.nameFindings(r)
	h.add(r)
}

// nameFindings says which finding a result is about.
func (h *hunt) nameFindings(r *archive.Record) {
	for i := range r.Results {
		name := r.Results[i].Variant
		if c := h.state.candidate(name); c != nil && len(c.Findings) > 0 {
			r.Results[i].Finding = c.Findings[0]
		}
	}
}

func (h *hunt) add(r *archive.Record) {
	r.Whyhot = h.request.Version
	a, err := archive.Open(os.Getenv)
	if err == nil {
		err = a.Add(r)
	}
	if err != nil {
		h.state.notef("not kept for later hunts: %v", err)
	}
}

// keep tells the archive what was proved and refuted, and what lies beside the
// profile what became of its findings.
func (h *hunt) keep(context.Context) error {
	r := &archive.Record{
		Time: time.Now(), Directory: h.request.Directory, Command: h.request.name(), Environment: archive.Environment(h.request.Env),
		Files: h.subject.Files, Tree: h.subject.Tree, Metric: h.subject.Metric, Stopped: trial.StopSettled, Profile: h.dir.Path(profileName),
		Machine: trial.Machine{Model: h.subject.Model, Kernel: h.subject.Kernel},
	}
	if h.subject.Tree != "" {
		// What was measured is built from the tree; the findings are on this.
		for _, f := range archive.Command(baselineRole, h.request.Command, h.request.Env, h.request.Directory) {
			if strings.HasPrefix(f.Role, "program of ") {
				f.Role = archive.RecordedRole
				r.Files = append(slices.Clip(r.Files), f)
			}
		}
	}
	var a ask
	result := h.result()
	for _, v := range slices.Concat(result.Proved, result.Refuted) {
		c := h.state.candidate(v.Name)
		if c == nil || v.Known != nil {
			continue
		}
		r.Results = append(r.Results, archive.Result{Variant: v.Name, Ratio: v.Ratio, Verdict: v.Verdict, Runs: v.Runs, Caveat: v.Compared.Mark()})
		if c.WhatIf == "" {
			a.arms = append(a.arms, arm{c.Name, c.Variant})
		}
		h.tellFindings(c, &v)
	}
	if len(r.Results) == 0 {
		return nil
	}
	r.Arguments = h.request.arguments(a)
	h.nameFindings(r)
	h.add(r)
	return nil
}

// tellFindings writes a proof beside the profile.
func (h *hunt) tellFindings(c *candidate.Candidate, v *Verdict) {
	if s := h.state.Race.Of(c.Name); v.Ratio == nil || s != nil && s.State == race.Broken {
		return
	}
	for _, id := range c.Findings {
		t := finding.Trial{Variant: c.Name, Command: h.request.name(), Runs: v.Runs, SpeedUp: *v.Ratio, Verdict: v.Verdict}
		if err := ledger.Append(h.dir.Path(profileName), id, []finding.Trial{t}); err != nil {
			h.state.notef("%s", fmt.Sprint(err))
		}
	}
}
