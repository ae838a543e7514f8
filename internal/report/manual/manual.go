// Package manual writes the man pages of a program from its commands.
//
// It takes a tree of commands and a directory, and owns the hidden command `man` that a
// release calls on each program. It must not import anything of this module but the
// version: what a command says of itself is the command's.
package manual

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"whyhot/internal/host/version"
)

// Command is the hidden command that writes the pages of root and of all below it.
func Command(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the man pages of all commands",
		Long:   "Writes a man page for each command into DIR, which is made if it is missing.\nPages that DIR has are replaced; other files stay.",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return Write(root, version.Read(), args[0])
		},
	}
}

// Write writes the pages into a directory. Their date is that of the build's commit, so
// that one commit gives the same bytes on every day.
func Write(root *cobra.Command, build version.Build, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // pages for everybody
		return fmt.Errorf("man pages: %w", err)
	}
	date := build.Time
	if date.IsZero() {
		date = time.Unix(0, 0).UTC()
	}
	root.DisableAutoGenTag = true // it would say the day on which the page was made
	header := doc.GenManHeader{Section: "1", Source: root.Name() + " " + build.Version, Manual: "whyhot", Date: &date}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return fmt.Errorf("man pages: %w", err)
	}
	return nil
}
