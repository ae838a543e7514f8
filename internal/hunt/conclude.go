package hunt

import (
	"cmp"
	"runtime"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/race"
	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
)

// result is what the state comes to.
func (h *hunt) result() *Result {
	s := &h.state
	r := &Result{
		Version: ResultVersion, Command: h.request.name(), Suite: h.request.Suite != "", Started: s.Started,
		Budget: h.request.Budget.Seconds(), Spent: h.spent().Seconds(), Finished: s.Phase >= phaseKeep, Level: Level,
		Metric: string(h.subject.Metric), Run: s.Run.Seconds(), Build: s.Build.Seconds(),
		Proved: []Verdict{}, Refuted: []Verdict{}, Open: []Verdict{}, Untried: slices.Clone(s.Untried),
		Combined: s.Combined, Profile: h.dir.Path(profileName), State: h.dir.Path(""), Notes: s.Notes, Findings: s.Findings,
		Machine: trial.Machine{CPUs: runtime.NumCPU(), Pinned: h.request.Pin},
	}
	r.Machine.Model, r.Machine.Kernel = noise.Machine()
	if !r.Finished {
		r.Stage = s.Doing
	}
	for i := range s.Candidates {
		h.place(r, i)
	}
	byRatio := func(a, b Verdict) int { return -cmp.Compare(estimate(&a), estimate(&b)) }
	slices.SortStableFunc(r.Proved, byRatio)
	slices.SortStableFunc(r.Refuted, byRatio)
	slices.SortStableFunc(r.Open, byRatio)
	if r.Untried == nil {
		r.Untried = []Untried{}
	}
	r.Enough = h.enough(r).Seconds()
	return r
}

func estimate(v *Verdict) float64 {
	if v.Ratio == nil {
		return 0
	}
	return v.Ratio.Estimate
}

// place puts a candidate where it belongs.
func (h *hunt) place(r *Result, i int) {
	s, c := &h.state, &h.state.Candidates[i]
	command := h.request.tryCommand(h.askOf([]string{c.Name}))
	if v, ok := s.Known[c.Name]; ok {
		r.Refuted = append(r.Refuted, v)
		return
	}
	if v, ok := s.Judged[c.Name]; ok {
		switch {
		case v.Verdict == finding.Faster:
			r.Proved = append(r.Proved, v)
		case settledAgainst(v.Verdict):
			r.Refuted = append(r.Refuted, v)
		default:
			v.Command = command
			r.Open = append(r.Open, v)
		}
		return
	}
	st := s.Race.Of(c.Name)
	if st == nil {
		return // the hunt has not come so far
	}
	v := raced(c, st)
	switch st.State {
	case race.Broken:
		v.Ratio, v.Verdict = nil, st.Verdict
		r.Refuted = append(r.Refuted, v)
	case race.Left:
		if st.Beaten != "" || st.Estimate() >= 1+race.Worth/2 {
			v.Verdict, v.Command = finding.Unclear, command
			r.Open = append(r.Open, v)
			return
		}
		r.Refuted = append(r.Refuted, v)
	case race.Unmade:
		u := Untried{Name: c.Name, Why: st.Why, Command: command}
		if st.Late {
			u.Needs = h.takes([]string{c.Name}).Seconds()
		}
		r.Untried = append(r.Untried, u)
	case race.Waiting, race.Running, race.Finalist:
		v.Verdict, v.Command = finding.Unclear, command
		switch {
		case s.Phase <= phaseRace:
			v.Why = "not decided"
		case st.Clear():
			v.Promising, v.Why = true, "promising in the race; no time was left for a proof"
		default:
			v.Why = "no clear difference in the race; no time was left for a proof"
		}
		if st.State == race.Waiting {
			r.Untried = append(r.Untried, Untried{Name: c.Name, Why: "not yet", Command: command})
			return
		}
		r.Open = append(r.Open, v)
	}
}
