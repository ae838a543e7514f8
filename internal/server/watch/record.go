package watch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/finding/ledger"
	"whyhot/internal/server/project"
)

// Kinds of documents.
const (
	kindFinding = "finding"
	kindRun     = "run"
	kindTrial   = "trial"
	kindLook    = "look"
	lookKey     = "last"
)

// Look is the last time that the rules looked at a project.
type Look struct {
	Time time.Time `json:"time"`
	Few  int       `json:"few_samples"` // services with too few samples for any finding
}

// LastLook says what the last look at a project left out.
func LastLook(p *project.Project) (Look, error) {
	all, err := project.Read[Look](p, kindLook)
	return all[lookKey], err
}

// Point is what a finding cost at one time.
type Point struct {
	Time  time.Time `json:"time"` // the end of the time that was looked at
	Share float64   `json:"share"`
	Error float64   `json:"error"` // half of the 95 % interval
	Cores float64   `json:"cores"` // that it kept busy
}

// Record is a finding of a service and its history.
type Record struct {
	Service string    `json:"service"`
	First   time.Time `json:"first_seen"`
	Last    time.Time `json:"last_seen"`
	// Active says that the last look found it.
	Active bool `json:"active"`
	// SilentSince is when the service of a finding that was active sent its last
	// profile, where there is none of it any more. It is active again when profiles
	// come and a look finds it, or the report that it is of still holds.
	SilentSince time.Time `json:"silent_since,omitzero"`
	// Sent says that it is of a report that was sent, and not of the rules' own look.
	Sent    bool            `json:"sent,omitempty"`
	History []Point         `json:"history"`
	Finding finding.Finding `json:"finding"`
}

// Run is the last time that the rules looked at a service.
type Run struct {
	Service string    `json:"service"`
	Time    time.Time `json:"time"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Samples int64     `json:"samples"`
	// Last is when the service sent its last profile, as far as the look knows.
	Last time.Time `json:"last_sample,omitzero"`
	// SilentSince is the same where the time that the rules look at has none.
	SilentSince time.Time `json:"silent_since,omitzero"`
	Looked      string    `json:"looked_at,omitempty"`
	Notes       []string  `json:"notes,omitempty"`
	Failed      bool      `json:"failed,omitempty"`
}

// Trial is the result of `whyhot try` on a finding.
type Trial struct {
	ID      string          `json:"id"`
	Finding string          `json:"finding"`
	Time    time.Time       `json:"time"`
	Who     string          `json:"who"` // ID of the token that sent it
	Trials  []finding.Trial `json:"trials"`
}

// maxHistory bounds the history of a finding: of what is older every second point goes,
// again and again.
const maxHistory = 400

// add appends a point.
func (r *Record) add(p Point) {
	r.History = append(r.History, p)
	if len(r.History) <= maxHistory {
		return
	}
	// The newer half stays whole; the first point is when it all began.
	old := len(r.History) / 2
	kept := r.History[:0]
	for i, p := range r.History {
		if i >= old || i%2 == 0 {
			kept = append(kept, p)
		}
	}
	r.History = kept
}

// key is the document of a finding of a service; neither part has a line break.
func key(service, id string) string { return id + "\n" + service }

// Findings gives what was found in a project, ranked, each as far up the ladder as its
// trials have moved it. service "" is all of them; all also gives those that the last
// look did not find.
func Findings(p *project.Project, service string, all bool) ([]Record, error) {
	records, err := project.Read[Record](p, kindFinding)
	if err != nil {
		return nil, err
	}
	trials, err := project.Read[Trial](p, kindTrial)
	if err != nil {
		return nil, err
	}
	of := map[string][]finding.Trial{}
	for _, t := range inOrder(trials) {
		of[t.Finding] = append(of[t.Finding], t.Trials...)
	}
	var out []Record
	for _, r := range records {
		if service != "" && r.Service != service || !all && !r.Active {
			continue
		}
		r.Finding.Trials = of[r.Finding.ID]
		if c := ledger.Certainty(r.Finding.Trials); c != "" {
			r.Finding.Certainty = c
		}
		out = append(out, r)
	}
	rank(out)
	return out, nil
}

// rank sorts by the cores that each could give back; refuted ones come last.
func rank(list []Record) {
	back := func(r *Record) float64 {
		cores := 0.0
		if n := len(r.History); n > 0 && r.Active {
			cores = r.History[n-1].Cores
		}
		if share := r.Finding.Share.Main(); share > 0 {
			return cores * r.Finding.Worth() / share
		}
		return 0
	}
	sunk := func(r *Record) int {
		switch {
		case r.Finding.Certainty == finding.Refuted:
			return 3
		case !r.Active:
			return 2
		case r.Finding.Aside:
			return 1
		}
		return 0
	}
	slices.SortFunc(list, func(a, b Record) int {
		return cmp.Or(
			cmp.Compare(sunk(&a), sunk(&b)), -cmp.Compare(back(&a), back(&b)), -cmp.Compare(a.Finding.Share.Main(), b.Finding.Share.Main()),
			cmp.Compare(a.Finding.ID, b.Finding.ID), cmp.Compare(a.Service, b.Service),
		)
	})
}

// Runs gives the last look at each service, by name.
func Runs(p *project.Project, service string) ([]Run, error) {
	all, err := project.Read[Run](p, kindRun)
	if err != nil {
		return nil, err
	}
	out := make([]Run, 0, len(all))
	for _, r := range all {
		if service == "" || r.Service == service {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Run) int { return cmp.Compare(a.Service, b.Service) })
	return out, nil
}

// Trials gives the trials of a project, oldest first; id "" is those of all findings.
func Trials(p *project.Project, id string) ([]Trial, error) {
	all, err := project.Read[Trial](p, kindTrial)
	if err != nil {
		return nil, err
	}
	out := inOrder(all)
	return slices.DeleteFunc(out, func(t Trial) bool { return id != "" && t.Finding != id }), nil
}

func inOrder(trials map[string]Trial) []Trial {
	out := make([]Trial, 0, len(trials))
	for _, t := range trials {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Trial) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	return out
}

// maxTrials bounds the trials of a project.
const maxTrials = 10_000

// ErrManyTrials says that no more trials are kept.
var ErrManyTrials = errors.New("the project has too many trials")

// AddTrial keeps a trial. One with the same ID replaces it, so that a client that heard
// no answer may send it again.
func AddTrial(ctx context.Context, p *project.Project, t Trial) error {
	p.Changing.Lock()
	defer p.Changing.Unlock()
	if list := p.Documents(kindTrial); len(list) >= maxTrials && !slices.ContainsFunc(list, func(d storeDocument) bool { return d.Key == t.ID }) {
		return ErrManyTrials
	}
	return p.Put(ctx, kindTrial, t.ID, t)
}
