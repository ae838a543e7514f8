// Command whyhot says why a program is hot, what to change, and proves that the
// change pays. One file per subcommand: flags in, calls out, nothing else.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/host/heap"
	"whyhot/internal/host/userdir"
	"whyhot/internal/host/version"
	"whyhot/internal/report/errorjson"
	"whyhot/internal/report/helptext"
	"whyhot/internal/report/manual"
)

// exitError carries the exit code of a child that whyhot ran for the user.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errorjson.Execute(ctx, newRoot(), nil)
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "whyhot: %v\n", err)
	code := 1
	if ee, ok := errors.AsType[*exitError](err); ok {
		code = ee.code
	}
	stop()
	os.Exit(code) //nolint:gocritic // stop was called by hand on the line above
}

// endless are the commands that run until they are stopped: how much memory they
// hold matters more than the time that collecting it takes.
var endless = []string{"agent", "receive", "mcp", "open"}

// programName is what people type.
const programName = "whyhot"

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           programName,
		Short:         "Why is it hot, what to change, and is the change worth it?",
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,

		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if !slices.Contains(endless, cmd.Name()) {
				heap.CollectLazily()
			}
			if dir, err := userdir.Cache(os.Getenv, "catalog"); err == nil {
				catalog.KeepIn(dir, func() string { return elffile.BuildIDOf("/proc/self/exe") })
			}
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(commands()...)
	root.AddCommand(manual.Command(root))
	helptext.Set(root)
	return root
}
