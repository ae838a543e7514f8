package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/profile"
	"whyhot/internal/profile/merge"
	"whyhot/internal/trial"
)

// job is a command to record.
type job struct {
	args  []string
	dir   string
	env   []string // NAME=VALUE beside this process's
	stdin string
	runs  int
}

// recorder records a command several times into one profile.
type recorder func(ctx context.Context, j job) (*profile.Profile, error)

// frequency of samples: ten times the usual, since small differences are looked for and
// both sides pay for it alike.
const frequency = 1999

func record(ctx context.Context, j job) (*profile.Profile, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	var taken *profile.Profile
	// One recording of all runs: to begin one takes longer than a short run.
	const loop = `in=$1; n=$2; shift 2; while [ "$n" -gt 0 ]; do "$@" <"$in" || :; n=$((n-1)); done`
	words := slices.Concat([]string{"env"}, j.env, []string{"/bin/sh", "-c", loop, "sh", cmp.Or(j.stdin, os.DevNull), strconv.Itoa(j.runs)}, j.args)
	_, err = session.Record(ctx, session.Options{
		Target:   collect.Target{Command: words},
		Settings: collect.Settings{Frequency: frequency},
		Dir:      j.dir,
		Streams:  command.Streams{In: null, Out: null, Err: null},
		Deliver: func(_ context.Context, p *profile.Profile) error {
			taken = p
			return nil
		},
	})
	return taken, err
}

// samplesFor is how many samples of each side show which function grew: one that has half
// of the time and takes all of the growth stands six standard deviations out. The
// correction for some hundred functions asks for four, and runs differ by more than chance.
func samplesFor(growth float64) float64 {
	const fewest, most, deviations = 5000, 40_000, 6
	return min(most, max(fewest, math.Pow(deviations/max(growth, 0.001), 2))) //nolint:mnd // a square
}

// longBudget has room for three recordings of each side instead of two: to begin one takes
// some seconds.
const longBudget = 2 * time.Minute

// recordBoth records both sides of the command that is slower, in the order before, after,
// after, before …, as often each.
func (c *checking) recordBoth(ctx context.Context, k *task, r *Command) (err error) {
	const seconds = 1.0
	blocks := 2
	if c.request.Budget >= longBudget {
		blocks = 3
	}
	each := seconds // of CPU, where it is not known
	if c.request.Metric == trial.CPU || c.request.Metric == trial.Wall {
		each = max(0.001, r.Before) //nolint:mnd // a millisecond
	}
	// A quarter of the budget at most, beyond it.
	const part = 4
	room := c.request.Budget.Seconds() / part / float64(2*blocks) //nolint:mnd // of both sides
	runs := max(1, int(math.Ceil(min(room, samplesFor(r.Ratio-1)/frequency/float64(blocks))/each)))
	var taken [2][]*profile.Profile
	c.recordings = [2]map[int64]int{{}, {}}
	order := []int{baseSide, headSide, headSide, baseSide, baseSide, headSide}[:2*blocks]
	for n, side := range order {
		c.listener.Step(fmt.Sprintf("recording where the time goes (%d of %d, %d runs)", n+1, len(order), runs))
		if err := c.stage.put(side); err != nil {
			return err
		}
		p, err := c.machine.record(ctx, job{args: c.words(k), dir: c.stage.path(side, k.Dir), env: append(k.Env[:len(k.Env):len(k.Env)], "PWD="+c.stage.path(side, k.Dir)), stdin: c.stdin(k), runs: runs})
		if err != nil {
			return err
		}
		if p.Meta.ValueType.Unit == "nanoseconds" {
			c.recorded += p.Total()
		}
		for _, of := range p.Samples() {
			pid, _ := p.Label(of.Labels, profile.LabelPID)
			c.recordings[side][pid.Num] = len(taken[side])
		}
		taken[side] = append(taken[side], p)
	}
	c.before, c.after = merge.All(taken[baseSide]), merge.All(taken[headSide])
	return nil
}
