package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/server/message"
)

func newMessagesCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "messages", Short: "Check who receives alerts"}
	cmd.AddCommand(newMessagesCheckCmd())
	return cmd
}

// tried is a receiver of a file and what became of the test message.
type tried struct {
	Receiver string `json:"receiver"`
	Sent     bool   `json:"sent"`
	Error    string `json:"error,omitempty"`
}

// testTime is how long a receiver may take for a test message.
const testTime = 15 * time.Second

func newMessagesCheckCmd() *cobra.Command {
	var (
		send, asJSON bool
		only         []string
	)
	cmd := &cobra.Command{
		Use: "check FILE", Short: "Check a --messages file and send test messages",
		Long: `Reads FILE and the secrets that it names, and says what is wrong. With --send each
receiver gets a message that says it is a test. docs/guide/messages.md explains the
file.`,
		Example: `  whyhot-server messages check messages.yaml
  whyhot-server messages check messages.yaml --send --receiver ops`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := message.Load(args[0])
			if err != nil {
				return err
			}
			if len(only) > 0 && !send {
				return errors.New("--receiver goes with --send")
			}
			var list []tried
			if send {
				answers := message.Test(cmd.Context(), c, only, time.Now(), testTime)
				for _, name := range slices.Sorted(maps.Keys(answers)) {
					t := tried{Receiver: name, Sent: answers[name] == nil}
					if err := answers[name]; err != nil {
						t.Error = err.Error()
					}
					list = append(list, t)
				}
			} else {
				for _, r := range c.Receivers {
					list = append(list, tried{Receiver: r.Name})
				}
			}
			return printTried(cmd, list, send, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&send, "send", false, "send each receiver a test message")
	flags.StringArrayVar(&only, "receiver", nil, "with --send: only to the receiver `NAME` (repeatable)")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printTried is an error where a receiver was not reached.
func printTried(cmd *cobra.Command, list []tried, send, asJSON bool) error {
	out := cmd.OutOrStdout()
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]any{"receivers": list}); err != nil {
			return err
		}
	}
	failed := 0
	for _, t := range list {
		text := "is in order"
		switch {
		case t.Error != "":
			failed++
			text = t.Error
		case send:
			text = "took the test message"
		}
		if asJSON {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s: %s\n", t.Receiver, text); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d receivers were not reached", failed, len(list))
	}
	return nil
}
