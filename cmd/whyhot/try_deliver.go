package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"whyhot/internal/trial/experiment"
)

// delivery sends a trial's result to a server; nil where none was named. What would keep
// it from arriving is told before the trial and not behind it.
func (f *tryFlags) delivery(cmd *cobra.Command) (func(*experiment.Result) error, error) {
	if f.to.url == "" {
		if len(f.to.words()) > 0 {
			return nil, errors.New("--project, --token-file and --ca are for a server: give it with --to URL")
		}
		return nil, nil //nolint:nilnil // nobody is to hear of it
	}
	c, err := f.to.client()
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	if f.finding == "" && len(f.fixes) == 0 && len(f.whatIf.Findings) == 0 {
		return nil, errors.New("--to: which finding is it about? give its ID with --finding")
	}
	if err := c.Reachable(cmd.Context()); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	return func(r *experiment.Result) error {
		id := cmp.Or(r.Finding, f.finding)
		if id == "" || len(r.Outcome.Trials()) == 0 {
			sayLine(cmd.ErrOrStderr(), "nothing was sent, since the trial says nothing of a finding")
			return nil
		}
		text, err := json.Marshal(r.Outcome)
		if err != nil {
			return err
		}
		became, err := c.PostTrial(cmd.Context(), id, text)
		if err != nil {
			return fmt.Errorf("the trial was not sent: %w", err)
		}
		said := "sent to " + f.to.url
		if became != "" {
			said += fmt.Sprintf("; there finding %s is %s", id, became)
		}
		sayLine(cmd.ErrOrStderr(), said)
		return nil
	}, nil
}
