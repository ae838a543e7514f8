package hunt

import (
	"context"
	"fmt"
	"slices"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/hunt/candidate"
	"whyhot/internal/hunt/race"
	"whyhot/internal/trial/rebuild/wrapper"
)

// phase is how far a hunt is.
type phase int

const (
	phaseLook    phase = iota // record, explain, list the candidates
	phaseRace                 // find out what is worth a proof
	phaseProof                // prove it
	phaseCombine              // use what is proved together
	phaseKeep                 // tell the archive
	phaseDone
)

const stateVersion = 1

// state is all that a hunt knows, as it is kept on disk.
type state struct {
	Version int           `json:"version"`
	Phase   phase         `json:"phase"`
	Doing   string        `json:"doing,omitempty"`
	Started time.Time     `json:"started"`
	Spent   time.Duration `json:"spent"`
	Budget  time.Duration `json:"budget"`
	Subject subject       `json:"subject"`

	Candidates []candidate.Candidate `json:"candidates,omitempty"`
	Untried    []Untried             `json:"untried,omitempty"`
	Findings   []Finding             `json:"findings,omitempty"`
	Known      map[string]Verdict    `json:"known,omitempty"` // from earlier hunts, by name
	Race       race.Race             `json:"race"`

	// Products are the files of the tree that the command writes; Metric decides where
	// nobody has said what does and the machine is busy.
	Products []string `json:"products,omitempty"`
	Metric   string   `json:"metric,omitempty"`

	Run   time.Duration `json:"run"`             // of the command as it is
	Build time.Duration `json:"build"`           // of the program, 0 where there is none
	Level string        `json:"level,omitempty"` // of optimisation of the build as it is
	Has   []string      `json:"has,omitempty"`   // variants that the build as it is has already
	// Took is how long candidates took to build, Raced what was spent when the race was over.
	Took  map[string]time.Duration `json:"took,omitempty"`
	Raced time.Duration            `json:"raced,omitempty"`
	// Compilers are the families that the build calls; NoCounts says that they cannot make
	// programs that count.
	Compilers []wrapper.Family `json:"compilers,omitempty"`
	NoCounts  bool             `json:"no_counts,omitempty"`

	AtOnce    bool               `json:"at_once,omitempty"` // what was won was tried together first
	Finalists []string           `json:"finalists,omitempty"`
	Judged    map[string]Verdict `json:"judged,omitempty"` // the proofs, by name

	Together *together `json:"together,omitempty"`
	Combined *Combined `json:"combined,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
}

// together is a combination that is being put together.
type together struct {
	In    []string   `json:"in"`
	Next  []string   `json:"next"`
	Left  []Leftover `json:"left,omitempty"`
	Tried int        `json:"tried"`
}

// open reads what an interrupted hunt has left. One that is finished, or that was of
// another program, gives way to a new one.
func (h *hunt) open(ctx context.Context) error {
	var was state
	found, err := h.dir.Load(&was)
	if err != nil {
		return err
	}
	typed := h.request.Metric
	if found && was.Metric != "" && !typed.Given() {
		h.request.Metric.Name = was.Metric
	}
	if h.subject, err = h.request.subjectOf(ctx, was.Products); err != nil {
		return err
	}
	switch {
	case !found:
	case was.Version != stateVersion || h.request.Again || was.Phase >= phaseDone:
	case !was.Subject.same(&h.subject):
		h.listener.Remark("the program or its input has changed since the hunt was interrupted: it starts again")
	default:
		h.state = was
		h.request.Build.Products = was.Products
		h.listener.Remark(fmt.Sprintf("going on with the hunt of %s, after %s", was.Started.Format("2006-01-02 15:04"), was.Spent.Round(time.Second)))
		return nil
	}
	if err := h.dir.Empty(); err != nil {
		return err
	}
	h.request.Metric = typed
	if h.subject, err = h.request.subject(ctx); err != nil {
		return err
	}
	h.state = state{Version: stateVersion, Started: h.now(), Subject: h.subject, Budget: h.request.Budget}
	return nil
}

func (s *state) candidate(name string) *candidate.Candidate {
	for i := range s.Candidates {
		if s.Candidates[i].Name == name {
			return &s.Candidates[i]
		}
	}
	return nil
}

// judge keeps what a proof said.
func (s *state) judge(v Verdict) {
	if s.Judged == nil {
		s.Judged = map[string]Verdict{}
	}
	s.Judged[v.Name] = v
}

func (s *state) notef(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.Notes, text) {
		s.Notes = append(s.Notes, text)
	}
}

// verdict begins what is said of a candidate.
func verdict(c *candidate.Candidate) Verdict {
	return Verdict{Name: c.Name, Kind: c.Kind, How: c.How, Caveats: c.Caveats, Patch: c.Diff, Findings: c.Findings}
}

// raced is what the race says of a candidate; its interval holds for it alone.
func raced(c *candidate.Candidate, s *race.Standing) Verdict {
	v := verdict(c)
	v.Runs, v.Why = len(s.Logs), s.Why
	const fewest = 2
	if len(s.Logs) >= fewest {
		i := s.Interval(Level)
		v.Ratio = &i
		v.Verdict = finding.Same
		if i.High < 1 {
			v.Verdict = finding.Slower
		}
	}
	return v
}
