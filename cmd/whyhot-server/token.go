package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
)

func newTokenCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Create, list and revoke tokens",
		Long: `A token grants permission to send to a project, read it or administer the server. They take
effect in a running server at once, and can be made while none runs. The first one
closes a server that was open; nothing opens it again.`,
	}
	cmd.AddCommand(newTokenCreateCmd(), newTokenListCmd(), newTokenRevokeCmd())
	return cmd
}

func newTokenCreateCmd() *cobra.Command {
	var (
		data, scopes string
		wish         access.Wish
		expires      time.Duration
		asJSON       bool
		file         string
		ifNone       bool
	)
	cmd := &cobra.Command{
		Use: "create --scope SCOPES [flags]", Short: "Create a token and print it once",
		Long: `Scopes: send (profiles, debug information, trials: agents and CI), read (all queries:
people), metrics (a Prometheus scraper), administer (compaction, prices, tokens). The
project is made if it does not exist, the data directory only where --data names it.
The token goes to standard output, so that it can be redirected to a file. With --file
it is written to a file that its owner alone can read, and to no output, which a
cluster would keep as a log.`,
		Example: `  whyhot-server token create --scope send --name agents > agent.token
  whyhot-server token create --scope read,send --project web --expires 720h
  whyhot-server token create --if-none --scope administer --file first.token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if wish.Scopes, err = access.ParseScopes(scopes); err != nil {
				return fmt.Errorf("--scope: %w", err)
			}
			now := time.Now()
			if expires < 0 {
				return fmt.Errorf("--expires %s: must not be negative", expires)
			}
			if expires > 0 {
				wish.Expires = now.Add(expires)
			}
			dir := dataDir(data)
			if err := dataDirOf(cmd, dir); err != nil {
				return err
			}
			if ifNone {
				there, err := access.List(dir)
				if err != nil {
					return err
				}
				if len(there) > 0 {
					_, err = fmt.Fprintf(cmd.ErrOrStderr(), "nothing to do: there are %d tokens\n", len(there))
					return err
				}
			}
			if file != "" {
				// A token that cannot be handed over must not be made.
				if _, err := os.Lstat(file); err == nil {
					return fmt.Errorf("--file %s: is there already; remove it or name another", file)
				} else if !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("--file: %w", err)
				}
			}
			if err := project.Make(dir, wish.Project); err != nil {
				return err
			}
			before, err := access.List(dir)
			if err != nil {
				return err
			}
			secret, token, err := access.Create(dir, wish, now)
			if err != nil {
				return err
			}
			if len(before) == 0 {
				if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "this is the first token: from now on the server answers nobody without one, in no project; give agents, CI and people theirs (--scope send, read)\n"); err != nil {
					return err
				}
			}
			if file != "" {
				if err := wholefile.Write(file, 0o600, wholefile.Bytes([]byte(secret+"\n"))); err != nil {
					return fmt.Errorf("token %s was made, but not written; revoke it: %w", token.ID, err)
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "token %s of project %s is in %s\n", token.ID, token.Project, file)
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
					Token string `json:"token"`
					tokenRow
				}{secret, rowOf(&token, now)})
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), secret); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "token %s of project %s; keep it: it is not shown again\n", token.ID, token.Project)
			return err
		},
	}
	dataFlag(cmd, &data)
	flags := cmd.Flags()
	flags.StringVar(&wish.Project, "project", access.DefaultProject, "the project `NAME` that it is for")
	flags.StringVar(&scopes, "scope", "", "`SCOPES`: send, read, metrics, administer, separated by commas (required)")
	flags.StringVar(&wish.Name, "name", "", "what you call it, for the list")
	flags.DurationVar(&expires, "expires", 0, "it ends after this `TIME`, such as 720h (default: never)")
	flags.StringVar(&file, "file", "", "write the token to `FILE`, which must not exist, and not to standard output")
	flags.BoolVar(&ifNone, "if-none", false, "only where there is no token at all; else do nothing")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("file", "json")
	if err := cmd.MarkFlagRequired("scope"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// dataDirOf makes the data directory where the user named it. The default one is the
// server's to make: a token in a directory that no server reads opens nothing.
func dataDirOf(cmd *cobra.Command, dir string) error {
	if cmd.Flags().Changed("data") {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("create the data directory: %w", err)
		}
		return nil
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("data directory %s not found: give the one of your server with --data DIR", dir)
	} else if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}

// tokenRow is a token in lists, without anything that would help to use it.
type tokenRow struct {
	ID      string         `json:"id"`
	Project string         `json:"project"`
	Scopes  []access.Scope `json:"scopes"`
	Name    string         `json:"name,omitempty"`
	State   string         `json:"state"`
	Created time.Time      `json:"created"`
	Expires time.Time      `json:"expires,omitzero"`
	Revoked time.Time      `json:"revoked,omitzero"`
	MadeBy  string         `json:"made_by,omitempty"` // who signed in and made it
}

func rowOf(t *access.Token, now time.Time) tokenRow {
	return tokenRow{t.ID, t.Project, t.Scopes, t.Name, t.State(now), t.Created, t.Expires, t.Revoked, t.Person}
}

func newTokenListCmd() *cobra.Command {
	var (
		data   string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "list", Short: "List tokens, without their secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := access.List(dataDir(data))
			if err != nil {
				return err
			}
			now := time.Now()
			rows := make([]tokenRow, 0, len(list))
			for i := range list {
				rows = append(rows, rowOf(&list[i], now))
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(rows)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "ID\tPROJECT\tSCOPES\tSTATE\tEXPIRES\tMADE BY\tNAME")
			for _, r := range rows {
				ends := "never"
				if !r.Expires.IsZero() {
					ends = r.Expires.Format(time.RFC3339)
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Project, scopesText(r.Scopes), r.State, ends, cmp.Or(r.MadeBy, "-"), r.Name)
			}
			return w.Flush()
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func scopesText(scopes []access.Scope) string {
	words := make([]string, 0, len(scopes))
	for _, s := range scopes {
		words = append(words, string(s))
	}
	return strings.Join(words, ",")
}

func newTokenRevokeCmd() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use: "revoke ID", Short: "Revoke a token", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return access.Revoke(dataDir(data), args[0], time.Now())
		},
	}
	dataFlag(cmd, &data)
	return cmd
}
