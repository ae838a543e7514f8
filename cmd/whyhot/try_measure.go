package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"syscall"
	"time"

	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
)

func measureTry(ctx context.Context, f *tryFlags, runner run.Runner, errOut io.Writer) (*trial.Outcome, error) {
	disturbed := noise.Start()
	used := &run.Metered{Runner: runner}
	f.plan.Busy = func() float64 { return disturbed.Busy(used.CPU + ownCPU()) }
	progress := newTryProgress(errOut, len(f.plan.Variants)+1)
	outcome, err := trial.Run(ctx, f.plan, used, trial.SystemClock{}, progress.report)
	progress.line.Clear()
	if outcome != nil {
		outcome.Notes = append(outcome.Notes, f.built...)
		outcome.Machine.CPUs = runtime.NumCPU()
		outcome.Machine.Model, outcome.Machine.Kernel = noise.Machine()
		advice := ""
		if outcome.Metric == trial.Wall {
			advice = "--metric cpu is less disturbed by that than wall time"
		}
		if outcome.Metric != trial.Instructions { // nothing disturbs a count
			outcome.Notes = append(outcome.Notes, disturbed.Notes(used.CPU+ownCPU(), advice)...)
		}
	}
	return outcome, err
}

func ownCPU() time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// explainTryError adds what the user can do.
func explainTryError(err error, command []string) error {
	if code, ok := trial.IsBaselineFailure(err); ok {
		hint := ""
		if code == 1 {
			hint = "\n(--ignore-failure measures commands for which a status other than 0 is normal)"
		}
		return fmt.Errorf("%w%s", err, hint)
	}
	if start, ok := errors.AsType[*run.StartError](err); ok && len(command) == 1 && strings.ContainsAny(command[0], " |>;") {
		return fmt.Errorf("%w\n(give the arguments one by one, or a shell: -- sh -c %s)", start, term.Quote(command[0]))
	}
	if errors.Is(err, context.Canceled) {
		return &exitError{code: 128 + int(syscall.SIGINT), err: errors.New("interrupted before anything was measured")}
	}
	return err
}
