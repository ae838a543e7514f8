package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"whyhot/internal/report/storetable"
)

func newStoreCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "store", Short: "Maintain the store of a server",
		Long: `stats and compact ask a running server; while none runs, "whyhot-server store" does the
same on its data directory. export and import work on that directory.`,
	}
	cmd.AddCommand(
		storeCmd("stats", "Say what the store of a project holds", false),
		storeCmd("compact", "Put the store of a project in order now, and say what it holds then", true),
		transferCmd("export", "Export the store of a project into a file"),
		transferCmd("import", "Import an export as a new project"),
	)
	return cmd
}

// transferCmd is a command of whyhot-server.
func transferCmd(name, short string) *cobra.Command {
	return &cobra.Command{
		Use: name + " FILE --data DIR", Short: short,
		Long:    short + ",\nwhile no server runs. \"whyhot-server store " + name + " --help\" lists the flags.",
		Example: "  whyhot store " + name + " --data /var/lib/whyhot-server profiles.whyhot",
		// All that follows is the server's.
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return runServer("store", append([]string{name}, args...)...)
		},
	}
}

func storeCmd(name, short string, compact bool) *cobra.Command {
	var (
		server serverFlags
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: name + " --from URL", Short: short, Args: cobra.NoArgs,
		Example: "  whyhot store " + name + " --from http://localhost:7878",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := server.client()
			if err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			s, err := c.Stats(cmd.Context(), compact)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), s)
			}
			var rows []storetable.Row
			for _, t := range s.Tables {
				rows = append(rows, storetable.Row(t))
			}
			totals := storetable.Totals{Bytes: s.Bytes, Stacks: s.Stacks, Functions: s.Functions, Series: s.Series, Unresolved: s.Unresolved, Warnings: s.Warnings()}
			for _, f := range s.Files {
				totals.Files = append(totals.Files, storetable.File(f))
			}
			return storetable.Print(cmd.OutOrStdout(), rows, totals)
		},
	}
	cmd.Flags().StringVar(&server.url, "from", "", "the server's `URL` (required)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	server.add(cmd.Flags())
	if err := cmd.MarkFlagRequired("from"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}
