package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/dirlock"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
)

func newProjectCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "project", Short: "Remove projects"}
	cmd.AddCommand(newProjectDeleteCmd())
	return cmd
}

func newProjectDeleteCmd() *cobra.Command {
	var (
		f    serveFlags
		sure bool
	)
	cmd := &cobra.Command{
		Use: "delete NAME --yes", Short: "Delete a project with its profiles and findings",
		Long: `Removes the directory of a project while no server uses the data directory, and with
--debuginfo-store its debug information in the object store. Its tokens are revoked.
With ClickHouse its database stays, too; drop it there, and give --store with
--debuginfo-store.`,
		Example: `  whyhot-server project delete web --data /var/lib/whyhot-server --yes
  whyhot-server project delete web --data DIR --debuginfo-store 's3://BUCKET/PREFIX?region=eu-central-1' --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			data := f.data
			if err := access.CheckProject(args[0]); err != nil {
				return err
			}
			dir := project.Dir(dataDir(data), args[0])
			if _, err := os.Stat(dir); err != nil {
				return fmt.Errorf("there is no project %s: %w", args[0], err)
			}
			if !sure {
				return fmt.Errorf("this removes %s for good; add --yes", dir)
			}
			unlock, err := lock(dataDir(data))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, unlock()) }()
			if err := f.clearBucket(cmd.Context(), args[0]); err != nil {
				return err
			}
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			// Whoever sends with one of them would make it again.
			ended, err := access.RevokeOf(dataDir(data), args[0], time.Now())
			if err != nil {
				return fmt.Errorf("the project is removed, but its tokens are in force: %w", err)
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "project %s is removed; tokens of it that were revoked: %d\n", args[0], ended)
			return err
		},
	}
	dataFlag(cmd, &f.data)
	cmd.Flags().StringVar(&f.debugInfoStore, "debuginfo-store", "", "also remove its debug information from the object store at `URL`, as for serve")
	cmd.Flags().StringVar(&f.store, "store", "", "`URL` of ClickHouse, as for serve (default $WHYHOT_STORE)")
	cmd.Flags().BoolVar(&sure, "yes", false, "yes, remove it")
	return cmd
}

// clearBucket removes what the object store has of a project, where one is named.
func (f *serveFlags) clearBucket(ctx context.Context, name string) error {
	if f.debugInfoStore == "" {
		return nil
	}
	b, err := f.bucket(f.where() != "")
	if err != nil {
		return err
	}
	if _, err := b.In(name).Clear(ctx); err != nil {
		return fmt.Errorf("--debuginfo-store: %w", err)
	}
	return nil
}

// lock keeps servers away from a data directory.
func lock(dir string) (unlock func() error, err error) {
	f, err := project.Lock(dir)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("data directory: a server uses %s; stop it first", dir)
	case err != nil:
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return f.Close, nil
}
