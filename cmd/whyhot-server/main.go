// Command whyhot-server keeps the profiles of a fleet and answers questions about them.
// It is a program of its own since its store needs cgo, which whyhot does without;
// `whyhot serve` starts it. One file per subcommand: flags in, calls out, nothing else.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"whyhot/internal/host/version"
	"whyhot/internal/report/errorjson"
	"whyhot/internal/report/helptext"
	"whyhot/internal/report/manual"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := errorjson.Execute(ctx, newRoot(), nil); err != nil {
		fmt.Fprintf(os.Stderr, "whyhot-server: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called by hand on the line above
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "whyhot-server",
		Short:         "Store the profiles of a fleet and answer queries",
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(newServeCmd(), newTokenCmd(), newProjectCmd(), newStoreCmd(), newMessagesCmd(), manual.Command(root))
	helptext.Set(root)
	return root
}

// dataFlag is where everything is kept.
func dataFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "data", "", "`DIR` that everything is kept in (default $STATE_DIRECTORY under systemd, else /var/lib/whyhot-server)")
}

func dataDir(flag string) string {
	if flag != "" {
		return flag
	}
	if state := os.Getenv("STATE_DIRECTORY"); state != "" {
		return state
	}
	return "/var/lib/whyhot-server"
}
