package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"whyhot/internal/report/progress"
	"whyhot/internal/report/quantity"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
)

func newVerifyCmd() *cobra.Command {
	var f transferFlags
	cmd := &cobra.Command{
		Use: "verify", Short: "Check that the store of a project is whole",
		Long: `Read all that the store of a project holds, and check that it fits together: journal,
dictionary and rows; each row has its stack, its series and its group; the sums by the hour
agree, and no minute has more than its hour. It changes nothing of the rows. What the journal
has is taken to the engine first, as at a server's start. The exit code is 1 where something
is wrong.

It does not check debug information, findings and settings. Of the replicas of a shard it
reads the one that answers, and does not compare it with the others.`,
		Example: "  whyhot-server store verify --data /var/lib/whyhot-server --project web",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.locked(func(data string) error { return f.verify(cmd, data) })
		},
	}
	f.add(cmd)
	return cmd
}

func (f *transferFlags) verify(cmd *cobra.Command, data string) (err error) {
	dir, err := f.dir(data)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := store.Open(cmd.Context(), dir, func(ctx context.Context, dir string) (engine.Engine, error) {
		return f.engine(ctx, dir, f.of)
	}, store.Options{Names: store.NameOptions{Off: true}, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	line := progress.On(cmd.ErrOrStderr())
	defer line.Clear()
	line.Spin(func() string { return "reading " + filepath.Base(dir) })
	v, err := s.Verify(cmd.Context())
	line.Clear()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for _, p := range v.Problems {
		if _, err := fmt.Fprintln(out, p); err != nil {
			return err
		}
	}
	if n := len(v.Problems); n > 0 {
		return fmt.Errorf("the store of project %s is not whole (%d problems); to recover, bring back a copy of the whole directory, or import a backup", f.of, n)
	}
	_, err = fmt.Fprintf(out, "project %s is whole: %s rows of %d days, %s stacks, %s series\n", f.of, quantity.Count(v.Rows), v.Days, quantity.Count(int64(v.Stacks)), quantity.Count(int64(v.Series)))
	return err
}
