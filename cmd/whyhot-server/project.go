package main

import (
	"errors"
	"fmt"
	"os"

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
		data string
		sure bool
	)
	cmd := &cobra.Command{
		Use: "delete NAME --yes", Short: "Delete a project with its profiles and findings",
		Long: `Removes the directory of a project while no server uses the data directory. Its tokens
stay; revoke them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) (err error) {
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
			return os.RemoveAll(dir)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().BoolVar(&sure, "yes", false, "yes, remove it")
	return cmd
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
