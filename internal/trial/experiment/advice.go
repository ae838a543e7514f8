package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
)

// InterruptedError says that somebody ended the trial.
type InterruptedError struct{ text string }

func (e *InterruptedError) Error() string { return e.text }

// explain adds to an error what its reader can do.
func explain(err error, command []string) error {
	if err == nil {
		return nil
	}
	if code, ok := trial.IsBaselineFailure(err); ok && code == 1 {
		return fmt.Errorf("%w\n(--ignore-failure measures commands for which a status other than 0 is normal)", err)
	}
	if start, ok := errors.AsType[*run.StartError](err); ok && len(command) == 1 && strings.ContainsAny(command[0], " |>;") {
		return fmt.Errorf("%w\n(give each argument separately, or a shell: -- sh -c %s)", start, shellwords.Quote(command[0]))
	}
	if _, ok := errors.AsType[*InterruptedError](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return &InterruptedError{"interrupted before anything was measured"}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w (name a directory with more room with --work)", err)
	}
	return err
}

// interrupted is the error of a trial that was ended and has numbers.
func interrupted(s trial.Stop) error {
	if s != trial.StopInterrupted {
		return nil
	}
	return &InterruptedError{"interrupted: the numbers above are what was measured until then"}
}

// Ending is the error that a trial ends in although it has an outcome, nil where
// something was compared.
func Ending(o *trial.Outcome) error {
	if err := interrupted(o.Stopped); err != nil {
		return err
	}
	if o.Rounds == 0 && o.Stopped == trial.StopBudget {
		return fmt.Errorf("nothing was measured: %s", o.Variants[0].Explanation)
	}
	if o.Rounds == 0 {
		return errors.New("nothing was measured: no variant could be compared with the baseline")
	}
	return nil
}
