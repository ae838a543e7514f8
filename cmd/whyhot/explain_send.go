package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
)

// checkSend refuses --send where nobody could say whose findings they are.
func (f *explainFlags) checkSend() error {
	if f.send && (!f.load.remote.on() || len(f.load.remote.service) != 1) {
		return errors.New("--send: name the server and the one service that the findings are of, with --from URL --service NAME")
	}
	return nil
}

// sendFindings sends a report to the server that its profile is from.
func sendFindings(cmd *cobra.Command, remote *remoteFlags, r finding.Report) error {
	c, err := remote.client()
	if err != nil {
		return fmt.Errorf("--send: %w", err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	kept, err := c.PostFindings(cmd.Context(), remote.service[0], text)
	if err != nil {
		return fmt.Errorf("the findings were not sent: %w", err)
	}
	sayLine(cmd.ErrOrStderr(), fmt.Sprintf("%d findings of %s sent to %s", kept, remote.service[0], remote.url))
	return nil
}
