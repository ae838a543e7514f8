// Command trial checks the statistics of internal/trial: how often it sees a
// difference where there is none, how often it finds one that is there, and how
// often its intervals hold the truth. Simulated trials run the real schedule
// with made-up run times and a made-up clock; -real runs a program against
// itself on this machine, with whatever noise there is.
//
//	go run ./bench/trial -prove                  what has to hold, in minutes; the exit status says whether it does
//	go run ./bench/trial                         simulation, all of it
//	go run ./bench/trial -real 20 -- sort FILE   20 real trials of a program against itself
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

func main() {
	repeats := flag.Int("real", 0, "so many real trials of the command given against itself")
	trials := flag.Int("trials", 2000, "simulated trials of each kind")
	proof := flag.Bool("prove", false, "simulate what has to hold: at most 5 % false, 3 % found")
	only := flag.String("only", "", "simulate only the kinds whose name this regular expression matches")
	budget := flag.Duration("budget", 20*time.Second, "of each real trial")
	variants := flag.Int("variants", 1, "copies of the program in each real trial")
	flag.Parse()
	var err error
	switch {
	case *repeats > 0:
		err = realTrials(*repeats, *variants, *budget, flag.Args())
	case *proof:
		err = prove()
	default:
		err = simulate(*trials, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tally counts what trials said.
type tally struct {
	trials, rounds, wrong int // wrong: any variant called faster or slower
	verdicts              map[trial.Verdict]int
	covered, intervals    int // intervals that hold the true ratio
	joint                 int // trials of which all intervals do
}

func (t *tally) add(o *trial.Outcome, truth float64) {
	if t.verdicts == nil {
		t.verdicts = map[trial.Verdict]int{}
	}
	t.trials++
	t.rounds += o.Rounds
	wrong, all := false, true
	for i := range o.Variants {
		v := &o.Variants[i]
		t.verdicts[v.Verdict]++
		wrong = wrong || v.Verdict == trial.Faster || v.Verdict == trial.Slower
		r, ok := o.SpeedUp(v)
		if !ok {
			continue
		}
		t.intervals++
		if r.Low <= truth && truth <= r.High {
			t.covered++
		} else {
			all = false
		}
	}
	if wrong {
		t.wrong++
	}
	if all {
		t.joint++
	}
}

func (t *tally) print(name string) {
	n := float64(t.trials)
	arms := 0
	for _, c := range t.verdicts {
		arms += c
	}
	share := func(v trial.Verdict) float64 { return 100 * float64(t.verdicts[v]) / float64(max(1, arms)) }
	fmt.Printf("%-58s %5d trials  faster %5.1f%%  slower %5.1f%%  same %5.1f%%  unclear %5.1f%%  any difference %5.2f%%  joint coverage %5.1f%%  rounds %5.1f\n",
		name, t.trials, share(trial.Faster), share(trial.Slower), share(trial.Same), share(trial.Unclear),
		100*float64(t.wrong)/n, 100*float64(t.joint)/n, float64(t.rounds)/n)
}

func realTrials(n, copies int, budget time.Duration, command []string) error {
	runner, err := run.New()
	if err != nil {
		return err
	}
	defer runner.Close()
	var sum tally
	for i := range n {
		watch := noise.Start()
		used := &run.Metered{Runner: runner}
		plan := trial.Plan{
			Command: command, Env: os.Environ(), Metric: trial.Wall, Budget: budget, WarmUps: 1, Seed: uint64(i),
			Variants: copiesOf(copies),
			Busy:     func() float64 { return watch.Busy(used.CPU) },
		}
		o, err := trial.Run(context.Background(), plan, used, trial.SystemClock{}, nil)
		if err != nil {
			return err
		}
		sum.add(o, 1)
		r, _ := o.SpeedUp(&o.Variants[0])
		fmt.Printf("trial %d: %d rounds, %.4f [%.4f, %.4f] %s (%s), others kept %.1f CPUs busy\n", i+1, o.Rounds, r.Estimate, r.Low, r.High, o.Variants[0].Verdict, o.Stopped, watch.Busy(used.CPU))
	}
	sum.print(fmt.Sprintf("real A/A of %v", command))
	return nil
}

// copiesOf are variants that change nothing a program looks at.
func copiesOf(n int) []variant.Variant {
	vs := make([]variant.Variant, n)
	for i := range vs {
		vs[i] = variant.Variant{Name: fmt.Sprintf("copy %d", i+1), Env: []string{fmt.Sprintf("WHYHOT_COPY=%d", i+1)}}
	}
	return vs
}
