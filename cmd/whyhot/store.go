package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/progress"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/storetable"
)

func newStoreCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "store", Short: "Maintain the store of a server",
		Long: `stats and compact ask a running server; while none runs, "whyhot-server store" does the
same on its data directory. backup and restore ask a running server, too; verify, export
and import work on that directory.`,
	}
	cmd.AddCommand(
		storeCmd("stats", "Say what the store of a project holds", false),
		storeCmd("compact", "Put the store of a project in order now, and say what it holds then", true),
		newBackupCmd(),
		newRestoreCmd(),
		serverCmd("verify", "verify", "Check that the store of a project is whole"),
		transferCmd("export", "Export the store of a project into a file"),
		transferCmd("import", "Import an export as a new project"),
	)
	return cmd
}

// newBackupCmd saves what a running server holds.
func newBackupCmd() *cobra.Command {
	var server serverFlags
	cmd := &cobra.Command{
		Use: "backup FILE --from URL", Short: "Save all that a project of a running server holds",
		Long: `Write all that a project holds into a file, "-" being the standard output, while its
server runs: what was acknowledged before is in it. Queries go on; what is sent meanwhile
waits in the server's journal. "whyhot store restore" makes a new project of the file on a
running server, "whyhot store import" on a stopped one, on either engine. The token needs
the scope administer. Debug information is not in it.`,
		Example: "  whyhot store backup --from http://localhost:7878 web.whyhot",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := server.client()
			if err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			body, err := c.Backup(cmd.Context())
			if err != nil {
				return err
			}
			defer body.Close() //nolint:errcheck // only read from
			if args[0] == "-" {
				_, err = io.Copy(cmd.OutOrStdout(), body)
				return err
			}
			return wholefile.Write(args[0], 0o600, func(w *os.File) error {
				_, err := io.Copy(w, body)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&server.url, "from", "", "the server's `URL` (required)")
	server.add(cmd.Flags())
	if err := cmd.MarkFlagRequired("from"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// newRestoreCmd makes a new project of a running server of what newBackupCmd saved.
func newRestoreCmd() *cobra.Command {
	var server serverFlags
	cmd := &cobra.Command{
		Use: "restore FILE --to URL --project NAME", Short: "Make a new project of a running server of a backup",
		Long: `Send a file that "store backup" or "store export" wrote, "-" being the standard input, to
a running server, which makes a new project of it: all of it or nothing. Other projects
go on meanwhile. A project of that name must not be there, or be empty. The token needs the
scope administer. Debug information is not in the file. Projects in ClickHouse are restored
with "whyhot store import" while the server is stopped.`,
		Example: "  whyhot store restore web.whyhot --to http://localhost:7878 --project web",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := server.client()
			if err != nil {
				return fmt.Errorf("--to: %w", err)
			}
			from, size := cmd.InOrStdin(), int64(0)
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer f.Close() //nolint:errcheck // only read from
				info, err := f.Stat()
				if err != nil {
					return err
				}
				if info.IsDir() {
					return fmt.Errorf("%s is a directory; a file that \"whyhot store backup\" wrote is needed", args[0])
				}
				from, size = f, info.Size()
			}
			line := progress.On(cmd.ErrOrStderr())
			sent := &counter{from: from}
			line.Spin(func() string {
				text := "sending: " + quantity.Bytes(float64(sent.n.Load()))
				if size > 0 {
					text += " of " + quantity.Bytes(float64(size))
				}
				return text
			})
			rows, err := c.Restore(cmd.Context(), sent)
			line.Clear()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s rows are in project %s now\n", quantity.Count(rows), server.project)
			return err
		},
	}
	cmd.Flags().StringVar(&server.url, "to", "", "the server's `URL` (required)")
	server.add(cmd.Flags())
	for _, name := range []string{"to", "project"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flags are defined above
		}
	}
	return cmd
}

// counter counts what is read from it.
type counter struct {
	from io.Reader
	n    atomic.Int64
}

func (c *counter) Read(to []byte) (int, error) {
	n, err := c.from.Read(to)
	c.n.Add(int64(n))
	return n, err
}

// transferCmd is a command of whyhot-server about a file.
func transferCmd(name, short string) *cobra.Command { return serverCmd(name, name+" FILE", short) }

// serverCmd is a command of whyhot-server.
func serverCmd(name, use, short string) *cobra.Command {
	return &cobra.Command{
		Use: use + " --data DIR", Short: short,
		Long:    short + ",\nwhile no server runs. \"whyhot-server store " + name + " --help\" lists the flags.",
		Example: "  whyhot store " + use + " --data /var/lib/whyhot-server",
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
