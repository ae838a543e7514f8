package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/term"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/suite"
)

// show lets something run that tells how far it is.
func show[R any](cmd *cobra.Command, try func(context.Context, experiment.Listener) (R, error)) (R, error) {
	progress := trials.NewProgress(cmd.ErrOrStderr())
	defer progress.Clear()
	return try(cmd.Context(), progress)
}

func sayLine(w io.Writer, text string) {
	if text != "" {
		_, _ = fmt.Fprintln(w, text)
	}
}

func (f *tryFlags) print(cmd *cobra.Command, o *trial.Outcome) error {
	if f.json {
		return writeJSON(cmd.OutOrStdout(), o)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	trials.Print(p, o)
	trials.PrintBest(p, o)
	return p.Err()
}

// printSuite prints a result and writes the files that were asked for.
func (f *tryFlags) printSuite(cmd *cobra.Command, r *suite.Result) error {
	for _, file := range []struct {
		path string
		draw func(io.Writer, *suite.Result) error
	}{{f.html, trials.Page}, {f.svg, trials.Chart}} {
		if file.path == "" {
			continue
		}
		if err := wholefile.Write(file.path, 0o644, func(w *os.File) error { return file.draw(w, r) }); err != nil {
			return fmt.Errorf("writing %s: %w", file.path, err)
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	trials.PrintSuite(p, r)
	return p.Err()
}
