package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"whyhot/internal/report/storetable"
	"whyhot/internal/server/client"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
)

func newStoreCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "store", Short: "Maintain the store of a project while no server runs"}
	cmd.AddCommand(
		storeCmd("stats", "Say what the store of a project holds", func(context.Context, project.Store) error { return nil }),
		storeCmd("compact", "Put the store of a project in order, and say what it holds then", func(ctx context.Context, s project.Store) error { return s.Compact(ctx) }),
		newVerifyCmd(), newExportCmd(), newImportCmd(),
	)
	return cmd
}

// storeCmd is a command on the store of a project.
func storeCmd(name, short string, do func(context.Context, project.Store) error) *cobra.Command {
	var (
		f      transferFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		Long: short + ".\n\nA running server is asked with \"whyhot store " + name + " --from URL\".",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.locked(func(data string) error { return f.look(cmd, data, asJSON, do) })
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// look opens the store, does something with it, and prints what it holds.
func (f *transferFlags) look(cmd *cobra.Command, data string, asJSON bool, do func(context.Context, project.Store) error) (err error) {
	open, err := f.opener(data, slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})), nil)
	if err != nil {
		return err
	}
	dir, err := f.dir(data)
	if err != nil {
		return err
	}
	s, err := open(cmd.Context(), dir, filepath.Join(dir, "debuginfo"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, answering := s.Ready(); answering != nil {
		return answering
	}
	if err := do(cmd.Context(), s); err != nil {
		return err
	}
	stats, err := s.Stats(cmd.Context())
	if err != nil {
		return err
	}
	form := formOf(&stats)
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(form)
	}
	var rows []storetable.Row
	for _, t := range form.Tables {
		rows = append(rows, storetable.Row(t))
	}
	totals := storetable.Totals{Bytes: form.Bytes, Stacks: form.Stacks, Functions: form.Functions, Series: form.Series, Unresolved: form.Unresolved, Warnings: form.Warnings()}
	for _, f := range form.Files {
		totals.Files = append(totals.Files, storetable.File(f))
	}
	return storetable.Print(cmd.OutOrStdout(), rows, totals)
}

// formOf is what a running server answers, as far as the command line shows it.
func formOf(s *store.Stats) client.Stats {
	out := client.Stats{
		Bytes: s.Bytes, Memory: s.Memory, Stacks: int64(s.Stacks), Functions: int64(s.Functions), Series: int64(s.Series), Unresolved: int64(s.Unresolved),
	}
	for _, t := range s.Tables {
		out.Tables = append(out.Tables, client.Table{Name: t.Name, Rows: t.Rows, Bytes: t.Bytes})
	}
	for _, f := range s.Files {
		out.Files = append(out.Files, client.File(f))
	}
	for _, b := range s.Bounds {
		out.Bounds = append(out.Bounds, client.Bound(b))
	}
	return out
}
