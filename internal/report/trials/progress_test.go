package trials

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/rebuild"
)

// Where nobody is looking, a line is written for what takes long, none for each
// run.
func TestProgressWithoutATerminal(t *testing.T) {
	var b bytes.Buffer
	p := NewProgress(&b)
	p.Building(rebuild.Step{Name: "baseline", What: "copy", N: 1, Of: 2})
	p.Building(rebuild.Step{Name: "baseline", What: "build", N: 1, Of: 2})
	p.Remark("skipping a variant: why")
	p.Benchmark("sort", 1, 3)
	for range 5 {
		p.Measuring(trial.Progress{Phase: trial.PhaseWarmUp, Running: "baseline"})
	}
	p.Measuring(trial.Progress{Phase: trial.PhaseAnnounce, PerRound: 3, RoundTime: 2 * time.Second, Expected: time.Minute})
	p.Measuring(trial.Progress{Phase: trial.PhaseRound, Round: 1})
	p.spoke = p.spoke.Add(-2 * pause)
	p.Measuring(trial.Progress{Phase: trial.PhaseRound, Round: 2, Standings: []trial.Standing{{Name: "a", Ratio: 1.25}}})
	p.Clear()
	want := "1/2 baseline: building\nskipping a variant: why\nsort (2 of 3)\none round of 3 runs takes 2.00 s; at most 60.0 s in all\nround 2  a 1.25×\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// best prints what a person is told to do.
func best(o *trial.Outcome) string {
	var b bytes.Buffer
	p := term.New(&b, nil)
	p.TTY = true
	PrintBest(p, o)
	return b.String()
}

func TestBest(t *testing.T) {
	if got := best(sample()); !strings.Contains(got, "run it so: jq 'map(.id)|add' big.json") {
		t.Errorf("%q", got)
	}
	o := sample()
	v := &o.Variants[0]
	v.Changes = []string{"LD_PRELOAD=/lib/m.so"}
	if got := best(o); !strings.Contains(got, "run it so: env LD_PRELOAD=/lib/m.so jq 'map(.id)|add' big.json") {
		t.Errorf("%q", got)
	}
	// Another command line is the one to run, not the baseline's.
	v.Changes, v.Command = nil, []string{"gojq", "."}
	if got := best(o); !strings.Contains(got, "run it so: gojq .") || strings.Contains(got, "big.json") {
		t.Errorf("%q", got)
	}
	v.Build = &trial.Build{Steps: []string{"build (gcc): compile with -O3"}}
	if got := best(o); !strings.Contains(got, "how mimalloc was built:\n  build (gcc): compile with -O3") {
		t.Errorf("%q", got)
	}
	v.Build.Label = "what-if" // stands for an edit of the source
	if got := best(o); got != "" {
		t.Errorf("%q", got)
	}
	v.Verdict = trial.Slower
	if got := best(o); got != "" {
		t.Errorf("%q", got)
	}
}

func TestRepetition(t *testing.T) {
	ratio := &finding.Interval{Estimate: 1.5, Low: 1.4, High: 1.6}
	was := &archive.Record{Whyhot: "1", Results: []archive.Result{{Variant: "a", Ratio: ratio, Verdict: trial.Faster}, {Variant: "gone", Verdict: trial.Failed}}}
	now := &archive.Record{Whyhot: "2", Results: []archive.Result{{Variant: "a", Ratio: ratio, Verdict: trial.Faster}}}
	got := strings.Join(Repetition(was, now), "\n")
	for _, want := range []string{"changed since: whyhot is 2, was 1", "holds: faster (1.500×, 1.400 to 1.600) then, faster (1.500×, 1.400 to 1.600) now", "cannot be told: failed then, not tried now"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A build that takes long says how long the last ones took.
func TestBuildsSayHowLongTheyTake(t *testing.T) {
	var s steps
	at := time.Unix(1000, 0)
	after := func(d time.Duration) time.Time { return at.Add(d) }
	s.next(1, "baseline: building", true, at)
	if got := s.said(after(130 * time.Second)); got != "baseline: building  2m10s" {
		t.Errorf("%q", got)
	}
	s.next(2, "lto: copying", false, after(200*time.Second))
	s.next(1, "baseline: training", false, after(180*time.Second))
	s.next(2, "lto: building", true, after(210*time.Second))
	if got := s.said(after(250 * time.Second)); got != "lto: building  40s of about 3m0s" {
		t.Errorf("%q", got)
	}
	s.over(after(300 * time.Second))
	if got := s.said(after(301 * time.Second)); got != "" {
		t.Errorf("%q", got)
	}
}
