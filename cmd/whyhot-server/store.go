package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"whyhot/internal/report/quantity"
	"whyhot/internal/server/access"
	"whyhot/internal/server/client"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

func newStoreCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "store", Short: "Look after the store of a project while no server runs"}
	cmd.AddCommand(
		storeCmd("stats", "Say what the store of a project holds", func(context.Context, project.Store) error { return nil }),
		storeCmd("compact", "Put the store of a project in order, and say what it holds then", func(ctx context.Context, s project.Store) error { return s.Compact(ctx) }),
		newExportCmd(), newImportCmd(),
	)
	return cmd
}

// storeCmd opens the store of a project, does something with it, and prints what it
// holds.
func storeCmd(name, short string, do func(context.Context, project.Store) error) *cobra.Command {
	var (
		data, of string
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Long: short + ".\n\nA running server is asked with \"whyhot store " + name + " --from URL\".",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := access.CheckProject(of); err != nil {
				return err
			}
			unlock, err := lock(dataDir(data))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, unlock()) }()
			f := serveFlags{memory: 1024}
			open, err := f.opener(dataDir(data), slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil {
				return err
			}
			dir := project.Dir(dataDir(data), of)
			s, err := open(cmd.Context(), dir, dir+"/debuginfo")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			if err := do(cmd.Context(), s); err != nil {
				return err
			}
			stats, err := s.Stats(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(formOf(&stats))
			}
			return printStats(cmd.OutOrStdout(), &stats)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&of, "project", access.DefaultProject, "the project `NAME`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printStats(to io.Writer, s *store.Stats) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TABLE\tROWS\tBYTES")
	for _, t := range s.Tables {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, quantity.Count(t.Rows), quantity.Bytes(float64(t.Bytes)))
	}
	_, _ = fmt.Fprintf(w, "all\t\t%s\n", quantity.Bytes(float64(s.Bytes)))
	_, _ = fmt.Fprintf(w, "\n%s stacks, %s functions, %s series; %s addresses without a name\n",
		quantity.Count(int64(s.Stacks)), quantity.Count(int64(s.Functions)), quantity.Count(int64(s.Series)), quantity.Count(int64(s.Unresolved)))
	return w.Flush()
}

// formOf is what a running server answers, as far as the command line shows it.
func formOf(s *store.Stats) client.Stats {
	out := client.Stats{
		Bytes: s.Bytes, Memory: s.Memory, Stacks: int64(s.Stacks), Functions: int64(s.Functions), Series: int64(s.Series), Unresolved: int64(s.Unresolved),
	}
	for _, t := range s.Tables {
		out.Tables = append(out.Tables, client.Table{Name: t.Name, Rows: t.Rows, Bytes: t.Bytes})
	}
	return out
}
