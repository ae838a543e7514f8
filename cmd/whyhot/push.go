package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/fetch"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

type pushFlags struct {
	load                              loadFlags
	server                            serverFlags
	service, version, host, container string
	labels                            []string
	period                            time.Duration
	json                              bool
}

func newPushCmd() *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
		Use: "push FILE --to URL --service NAME", Short: "Send a profile to a whyhot server",
		Long: `Reads a profile of any form ("-" is standard input), looks up the names that this
machine knows, and sends it to the store of a server. The same profile sent twice
counts once. The server keeps CPU profiles.`,
		Example: `  whyhot push cpu.pb.gz --to http://localhost:7878 --service web --version 1.4
  perf script | whyhot push - --to https://profiles.example.org --service web --token-file token`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.server.url, "to", "", "the server's `URL` (required)")
	flags.StringVar(&f.service, keyService, "", "the service `NAME` that it is of (required)")
	flags.StringVar(&f.version, keyVersion, "", "the service's `VERSION`")
	flags.StringVar(&f.host, keyHost, "", "the host `NAME` that it was recorded on")
	flags.StringVar(&f.container, keyContainer, "", "the container `ID`")
	flags.StringArrayVar(&f.labels, "label", nil, "a label of all samples, `KEY=VALUE`, such as pod=web-1 (repeatable)")
	flags.DurationVar(&f.period, "period", 0, "the CPU time that a sample stands for, where the profile only counts, such as 10ms")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.server.add(flags)
	f.load.add(cmd)
	for _, name := range []string{"to", keyService} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

func (f *pushFlags) run(cmd *cobra.Command, path string) error {
	if f.period < 0 {
		return fmt.Errorf("--period %s: must not be negative", f.period)
	}
	c, err := f.server.client()
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	p, err := fetch.Profile(cmd.Context(), path, fetch.Options{
		SampleType: f.load.sampleType, DebugDirs: f.load.debugDirs, NoSymbols: f.load.noSymbols, Stdin: cmd.InOrStdin(),
		Doing: func(what string) func() { return showBusy(cmd.ErrOrStderr(), what) },
	})
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := pprof.Write(&body, p.Profile); err != nil {
		return err
	}
	query := url.Values{}
	identity := sha256.New()
	_, _ = identity.Write(body.Bytes()) // never fails
	for name, value := range map[string]string{keyService: f.service, keyVersion: f.version, keyHost: f.host, keyContainer: f.container} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for _, l := range f.labels {
		query.Add("label", l)
	}
	if f.period > 0 {
		query.Set("period", f.period.String())
	}
	_, _ = identity.Write([]byte(query.Encode()))
	query.Set("id", hex.EncodeToString(identity.Sum(nil)[:16]))
	done := showBusy(cmd.ErrOrStderr(), "sending to "+f.server.url)
	receipt, err := c.Push(cmd.Context(), query, &body)
	done()
	if err != nil {
		return err
	}
	printOnce(cmd.ErrOrStderr(), receipt.Warnings)
	if f.json {
		return writeJSON(cmd.OutOrStdout(), receipt)
	}
	out := cmd.OutOrStdout()
	switch {
	case receipt.Duplicate:
		_, err = fmt.Fprintln(out, "it was there already, and counts once")
	case receipt.Samples == 0:
		return errors.New("the server took no sample of it")
	default:
		see, as := "see them with: ", f.server
		if !receipt.Readable { // the server would reject the command with the token that only sends
			see, as.tokenFile = "see them with a token of scope read, here in the file read.token: ", "read.token"
		}
		_, err = fmt.Fprintf(out, "%s samples sent; %s%s\n", quantity.Count(receipt.Samples), see,
			term.CommandLine(whyhot("top", []string{"--from", f.server.url, "--service", f.service, "--last", lastOf(p.Meta.Start, time.Now())}, as.words())))
	}
	return err
}

// lastOf is the --last that a profile of a start is in, with time to copy the command.
func lastOf(start, now time.Time) string {
	const hour, day = time.Hour, 24 * time.Hour
	age := max(0, now.Sub(start)+5*time.Minute)
	switch {
	case start.IsZero():
		return "1h"
	case age < 2*day:
		return fmt.Sprintf("%dh", age/hour+1)
	}
	return fmt.Sprintf("%dd", age/day+1)
}
