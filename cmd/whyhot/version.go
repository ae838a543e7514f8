package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"whyhot/internal/elfinfo"
	"whyhot/internal/elfinfo/mark"
	"whyhot/internal/report/term"
)

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version [PROGRAM…]",
		Short: "Print the version, or the build ID of a program and whether it is a what-if build",
		Long: `Prints whyhot's version. For each program or library given, it prints the build ID
and whether it is a what-if build: a program that ` + "`whyhot try --what-if`" + ` built to
measure a fix that the source does not have. Never ship such a program; the note
that marks it is in every translation unit of it and survives strip.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "whyhot", version())
				return err
			}
			for _, path := range args {
				if err := printProgram(cmd.OutOrStdout(), path); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printProgram says what a program is.
func printProgram(w io.Writer, path string) error {
	info, err := elfinfo.NewReader("").Read(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	note, marked, err := mark.Read(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	id := "no build ID"
	if info.BuildID != "" {
		id = "build ID " + info.BuildID
	}
	text := fmt.Sprintf("%s: %s", term.Clean(path), id)
	if marked {
		text += "; " + term.Clean(note.String())
	}
	_, err = fmt.Fprintln(w, text)
	return err
}

// version is the VCS revision that the Go tool stamped into the binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+dirty"
			}
		}
	}
	if rev == "" {
		return info.Main.Version
	}
	return rev + dirty
}
