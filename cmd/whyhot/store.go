package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"whyhot/internal/report/quantity"
)

func newStoreCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "store", Short: "Look after the store of a server",
		Long: `Asks a running server. While none runs, "whyhot-server store" does the same on its
data directory.`,
	}
	cmd.AddCommand(
		storeCmd("stats", "Say what the store of a project holds", false),
		storeCmd("compact", "Put the store of a project in order now, and say what it holds then", true),
	)
	return cmd
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
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(w, "TABLE\tROWS\tBYTES")
			for _, t := range s.Tables {
				_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, quantity.Count(t.Rows), quantity.Bytes(float64(t.Bytes)))
			}
			_, _ = fmt.Fprintf(w, "all\t\t%s\n\n%s stacks, %s functions, %s series; %s addresses without a name\n", quantity.Bytes(float64(s.Bytes)),
				quantity.Count(s.Stacks), quantity.Count(s.Functions), quantity.Count(s.Series), quantity.Count(s.Unresolved))
			return w.Flush()
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
