package grow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/session"
	"whyhot/internal/explain/growth"
	"whyhot/internal/profile"
	"whyhot/internal/profile/merge"
)

// Options are the user's wishes.
type Options struct {
	Command   []string // with NumberMark or InputMark
	Sizes     []float64
	Inputs    []string
	Rounds    int // 0: as many as the run time allows
	Frequency int // 0: DefaultFrequency
	Sampler   string
	DebugDirs []string
	Stderr    *os.File // of the shell that runs the command
	// Progress may be nil. It is told before each run.
	Progress func(round, rounds int, n float64)
}

// DefaultFrequency is the rate of samples, per second of CPU time.
const DefaultFrequency = 997

const samplerWithTimes = ebpf.Name

// How many rounds there are where nobody says so: at least enough to tell the noise, more
// for short runs, until the runs at the largest size took enough together.
const (
	usualRounds = 5
	mostRounds  = 30
	fewRounds   = 3
	enoughTime  = 4 * time.Second
	longest     = 2 * time.Minute // of all rounds, from which fewer are made
)

// experiment is one experiment under way.
type experiment struct {
	o      *Options
	dir    string
	all    []testCase
	unit   string
	runs   []ran
	random *rand.Rand
}

// ran is one run.
type ran struct {
	n          float64
	round      int
	begin, end time.Time
	status     int
}

// Run makes the recordings, and gives them as one profile with the labels of growth.
func Run(ctx context.Context, o Options) (*profile.Profile, error) {
	dir, err := os.MkdirTemp("", "whyhot-grow-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the runs: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing better can be done
	if o.Frequency == 0 {
		o.Frequency = DefaultFrequency
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	e := &experiment{o: &o, dir: dir, random: rand.New(rand.NewPCG(1, 1))} //nolint:gosec // an order, no secret
	if e.all, e.unit, err = o.cases(dir); err != nil {
		return nil, err
	}
	if _, err := command.Find(nil, e.all[0].args[0]); err != nil {
		return nil, err
	}
	driven, err := timed(ctx, &o)
	if err != nil {
		return nil, err
	}
	record := e.recordEach
	if driven {
		record = e.recordDriven
	}
	p, err := record(ctx)
	if err != nil {
		return nil, err
	}
	p.Meta.Command = o.Command
	return p, nil
}

// session is a recording of a command.
func (o *Options) session(dir string, args []string) session.Options {
	return session.Options{
		Target: collect.Target{Command: args}, Sampler: o.Sampler, Output: filepath.Join(dir, "recorded.pb.gz"),
		Settings: collect.Settings{Frequency: o.Frequency}, DebugDirs: o.DebugDirs,
	}
}

// rounds runs every case once a round, in random order.
func (e *experiment) rounds(ctx context.Context, run func(*testCase) (ran, error)) error {
	rounds := e.o.Rounds
	for round := 0; rounds == 0 || round < rounds; round++ {
		for _, i := range e.random.Perm(len(e.all)) {
			c := &e.all[i]
			if e.o.Progress != nil {
				e.o.Progress(round+1, rounds, c.n)
			}
			r, err := run(c)
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("interrupted: %w", err)
			}
			if r.status != 0 {
				return e.failed(c, r.status)
			}
			r.n, r.round = c.n, round
			e.runs = append(e.runs, r)
		}
		if rounds == 0 {
			rounds = e.roundsFor()
		}
	}
	return nil
}

// roundsFor decides by what the first round took.
func (e *experiment) roundsFor() int {
	var whole, last time.Duration
	for i := range e.runs {
		took := e.runs[i].end.Sub(e.runs[i].begin)
		whole += took
		if e.runs[i].n == e.all[len(e.all)-1].n {
			last = took
		}
	}
	rounds := min(max(usualRounds, int(enoughTime/max(last, time.Millisecond))), mostRounds)
	return max(fewRounds, min(rounds, int(longest/max(whole, time.Millisecond))))
}

// failed is the error of a run that did not succeed.
func (e *experiment) failed(c *testCase, status int) error {
	const most = 400
	text, _ := os.ReadFile(filepath.Join(e.dir, "stderr")) // what it said, if it said something
	said := strings.TrimSpace(string(text))
	if len(said) > most {
		said = "…" + said[len(said)-most:]
	}
	if said != "" {
		said = ":\n  " + strings.ReplaceAll(said, "\n", "\n  ")
	}
	return fmt.Errorf("the command failed with exit status %d at size %.15g%s", status, c.n, said)
}

func (e *experiment) labels(r *ran) []profile.Label {
	return []profile.Label{
		{Key: growth.LabelSize, Num: int64(r.n), Unit: e.unit},
		{Key: growth.LabelRound, Num: int64(r.round)},
	}
}

// recordEach makes one recording for each run, for samplers that keep no times.
func (e *experiment) recordEach(ctx context.Context) (*profile.Profile, error) {
	var taken []*profile.Profile
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	defer null.Close()
	err = e.rounds(ctx, func(c *testCase) (ran, error) {
		p, r, err := e.recordOne(ctx, c, null, len(e.runs))
		if p != nil {
			taken = append(taken, p)
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	if len(taken) == 0 {
		return nil, collect.ErrNoSamples
	}
	return merge.All(taken), nil
}

func (e *experiment) recordOne(ctx context.Context, c *testCase, null *os.File, number int) (*profile.Profile, ran, error) {
	stdin := null
	if c.stdin != "" {
		f, err := os.Open(c.stdin)
		if err != nil {
			return nil, ran{}, fmt.Errorf("cannot read the input: %w", err)
		}
		defer f.Close()
		stdin = f
	}
	stderr, err := os.Create(filepath.Join(e.dir, "stderr"))
	if err != nil {
		return nil, ran{}, fmt.Errorf("keeping what the command says: %w", err)
	}
	defer stderr.Close()
	record := e.o.session(e.dir, c.args)
	record.Streams = command.Streams{In: stdin, Out: null, Err: stderr}
	r := ran{begin: time.Now(), n: c.n, round: number / len(e.all)}
	result, err := session.Record(ctx, record)
	r.end = time.Now()
	if result != nil && result.Exit != nil {
		r.status = result.Exit.Status()
	}
	if err != nil {
		if result != nil && result.Exit != nil && (r.status != 0 || result.Profile == nil) && ctx.Err() == nil {
			err = nil // it ended before a sample was taken, or the failure is told
		}
		return nil, r, err
	}
	labels := e.labels(&r)
	return result.Profile.Retold(func(*profile.Sample) ([]profile.Label, int64, bool) { return labels, 0, true }), r, nil
}
