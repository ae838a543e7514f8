package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
)

// ofSuite tries every benchmark of a file.
func (f *tryFlags) ofSuite(cmd *cobra.Command, path string, args []string) error {
	return f.gated(func(gate *trial.FailIf) error { return f.suiteOf(cmd, path, args, gate) })
}

func (f *tryFlags) suiteOf(cmd *cobra.Command, path string, args []string, gate *trial.FailIf) error {
	switch {
	case len(args) > 0:
		return errors.New("the suite names the commands: give none after --")
	case f.profile != "" || f.finding != "":
		return errors.New("--profile and --finding are about one command, not about a suite")
	case len(f.fixes) > 0 || f.whatIf.Asked():
		return errors.New("--fix and --what-if measure one command: give it with --run, without a suite")
	}
	stop := endWithTerminal(cmd)
	defer stop()
	request := experiment.SuiteRequest{
		Terms: f.common(cmd), Path: path, Input: cmd.InOrStdin(), Only: f.only, Repeats: f.family.kept.repeats,
		Continue: f.family.kept.more > 0,
	}
	tried, err := show(cmd, func(ctx context.Context, l experiment.Listener) (*experiment.SuiteResult, error) {
		return experiment.Suite(ctx, request, l)
	})
	if err != nil {
		return exitOf(err)
	}
	if gate != nil {
		tried.Result.FailIf(gate)
	}
	if err := f.printSuite(cmd, tried.Result); err != nil {
		return err
	}
	if tried.Record != nil {
		f.keep(tried.Record, cmd.ErrOrStderr())
	}
	return exitOf(experiment.SuiteEnding(tried.Result))
}
