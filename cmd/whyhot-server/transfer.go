package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/progress"
	"whyhot/internal/report/quantity"
	"whyhot/internal/server/access"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
)

// transferFlags are those of export and import.
type transferFlags struct {
	serveFlags

	of string
}

func (f *transferFlags) add(cmd *cobra.Command) {
	dataFlag(cmd, &f.data)
	cmd.Flags().StringVar(&f.of, "project", access.DefaultProject, "the project `NAME`")
	cmd.Flags().StringVar(&f.store, "store", "", "`URL` of ClickHouse, as for serve (default $WHYHOT_STORE)")
	f.memory = 1024
}

// locked keeps servers out of the data directory while something is done with it.
func (f *transferFlags) locked(do func(data string) error) (err error) {
	if err := access.CheckProject(f.of); err != nil {
		return err
	}
	unlock, err := lock(dataDir(f.data))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return do(dataDir(f.data))
}

// dir is the directory of the project, which a mistyped name must not make.
func (f *transferFlags) dir(data string) (string, error) {
	dir := project.Dir(data, f.of)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("there is no project %s in %s", f.of, data)
	}
	return dir, nil
}

func newExportCmd() *cobra.Command {
	var f transferFlags
	cmd := &cobra.Command{
		Use: "export FILE", Short: "Export the store of a project into a file",
		Long: `Write all that the store of a project holds into a file, "-" being the standard
output. "store import" reads it into a new store, also one on another engine. It is the
copy to keep: names that were found are in it, debug information is not.`,
		Example: `  whyhot-server store export --data /var/lib/whyhot-server profiles.whyhot
  whyhot-server store export --project web - | ssh backup 'cat > web.whyhot'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.locked(func(data string) error { return f.export(cmd, data, args[0]) })
		},
	}
	f.add(cmd)
	return cmd
}

func (f *transferFlags) export(cmd *cobra.Command, data, file string) (err error) {
	dir, err := f.dir(data)
	if err != nil {
		return err
	}
	s, err := store.Open(cmd.Context(), dir, func(ctx context.Context, dir string) (engine.Engine, error) {
		return f.engine(ctx, dir, f.of)
	}, store.Options{Names: store.NameOptions{Off: true}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	line := progress.On(cmd.ErrOrStderr())
	defer line.Clear()
	var rows atomic.Int64
	line.Spin(func() string { return "exporting: " + quantity.Count(rows.Load()) + " rows" })
	write := func(to io.Writer) error { return s.Export(cmd.Context(), to, rows.Store) }
	if file == "-" {
		return write(cmd.OutOrStdout())
	}
	if err := wholefile.Write(file, 0o600, func(w *os.File) error { return write(w) }); err != nil {
		return err
	}
	line.Clear()
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s rows of project %s in %s\n", quantity.Count(rows.Load()), f.of, file)
	return err
}

func newImportCmd() *cobra.Command {
	var f transferFlags
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import an export as a new project",
		Long: `Make the store of a new project of what "store export" wrote, "-" being the standard
input. A project that has profiles already is left as it is.`,
		Example: `  whyhot-server store import --data /var/lib/whyhot-server --project web web.whyhot`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(dataDir(f.data), 0o700); err != nil {
				return fmt.Errorf("data directory: %w", err)
			}
			return f.locked(func(data string) error { return f.imports(cmd, data, args[0]) })
		},
	}
	f.add(cmd)
	return cmd
}

// imports fills an engine in a directory of another name, which becomes the project's
// when all is there.
func (f *transferFlags) imports(cmd *cobra.Command, data, file string) (err error) {
	from := cmd.InOrStdin()
	if file != "-" {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // only read from
		from = in
	}
	dir := project.Dir(data, f.of)
	if _, err := os.Stat(filepath.Join(dir, "db")); err == nil {
		return fmt.Errorf("project %s is there already; import into a new one with --project", f.of)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(dir) // where nothing is in it
		}
	}()
	line := progress.On(cmd.ErrOrStderr())
	var rows atomic.Int64
	line.Spin(func() string { return "importing: " + quantity.Count(rows.Load()) + " rows" })
	err = store.Fill(cmd.Context(), dir, func(ctx context.Context, dir string) (engine.Engine, error) { return f.engine(ctx, dir, f.of) }, from, rows.Store)
	line.Clear()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s rows are in project %s now\n", quantity.Count(rows.Load()), f.of)
	return err
}
