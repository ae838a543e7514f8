package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"whyhot/internal/elfinfo"
	"whyhot/internal/elfinfo/mark"
	"whyhot/internal/host/version"
	"whyhot/internal/report/term"
)

func newVersionCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version [PROGRAM…]",
		Short: "Print the version, or a program's build ID",
		Long: `Prints whyhot's version. For each program or library given, it prints the build ID
and whether it is a what-if build: a program that ` + "`whyhot try build --what-if`" + ` built to
measure a fix that the source does not have. Never ship such a program; the note
that marks it is in every translation unit of it and survives strip.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if asJSON {
					return writeJSON(cmd.OutOrStdout(), version.Read())
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "whyhot", version.String())
				return err
			}
			programs := make([]program, 0, len(args))
			for _, path := range args {
				p, err := describe(path)
				if err != nil {
					return err
				}
				programs = append(programs, p)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), programs)
			}
			for _, p := range programs {
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), term.Clean(p.String())); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// program is what is said of a program.
type program struct {
	Path    string `json:"path"`
	BuildID string `json:"build_id,omitempty"`
	WhatIf  string `json:"what_if,omitempty"` // the note of a what-if build
}

func describe(path string) (program, error) {
	info, err := elfinfo.NewReader("").Read(path)
	if err != nil {
		return program{}, fmt.Errorf("%s: %w", path, err)
	}
	p := program{Path: path, BuildID: info.BuildID}
	note, marked, err := mark.Read(path)
	if err != nil {
		return program{}, fmt.Errorf("%s: %w", path, err)
	}
	if marked {
		p.WhatIf = note.String()
	}
	return p, nil
}

func (p program) String() string {
	text := p.Path + ": no build ID"
	if p.BuildID != "" {
		text = p.Path + ": build ID " + p.BuildID
	}
	if p.WhatIf != "" {
		text += "; " + p.WhatIf
	}
	return text
}
