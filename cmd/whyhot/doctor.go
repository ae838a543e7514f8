package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/doctor"
	"whyhot/internal/host/version"
	"whyhot/internal/report/term"
)

func newDoctorCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what works on this machine, and what to type for the rest",
		Long: `Tries on this machine what each feature of whyhot needs: opens the events and the BPF
map of a recording, attaches to a child, starts the parts of whyhot and the tools of
others, looks for libraries and debug files. For each it says what it is for, what to
type where it does not work, and what that costs.

It changes nothing and asks no network. It fails only where nothing can record.`,
		Example: `  whyhot doctor
  sudo whyhot doctor
  whyhot doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done := showBusy(cmd.ErrOrStderr(), "examining this machine")
			r := doctor.Examine(cmd.Context(), doctor.Here(func(program string) (string, error) {
				return findBeside(program, "make "+strings.TrimPrefix(program, programName+"-"))
			}), version.String())
			done()
			if err := cmd.Context().Err(); err != nil {
				return stopped(err)
			}
			if asJSON {
				if err := writeJSON(cmd.OutOrStdout(), r); err != nil {
					return err
				}
			} else if err := printDoctor(term.New(cmd.OutOrStdout(), os.Environ()), r); err != nil {
				return err
			}
			return r.Fit()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON (docs/doctor.schema.json)")
	return cmd
}

func printDoctor(out *term.Printer, r doctor.Report) error {
	out.Line("whyhot " + term.Clean(r.Whyhot) + " · " + term.Clean(r.System) + " · Linux " + term.Clean(r.Kernel))
	for _, c := range r.Checks {
		out.Line()
		out.Line(term.Clean(c.Name) + ": " + string(c.Status))
		for _, row := range [][2]string{{"for", c.For}, {"found", c.Found}, {"do", c.Do}, {"cost", c.Cost}} {
			if row[1] == "" || c.Status == doctor.Works && row[0] == "do" {
				continue
			}
			out.Line("    " + row[0] + strings.Repeat(" ", len("found ")-len(row[0])) + term.Clean(row[1]))
		}
	}
	if working := r.Recording(); len(working) > 0 {
		out.Line()
		out.Line("whyhot record works here, by " + strings.Join(working, ", ") + "; the first sees the most.")
	}
	return out.Err()
}
