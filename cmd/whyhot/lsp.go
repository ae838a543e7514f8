package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/lsp"
)

const lspLong = `Serves an editor by the Language Server Protocol, over standard input and output:
shares of the CPU and findings on the lines of the open files, as diagnostics, on
hover and as code actions (docs/guide/editors.md).

The profile is that of --profile or --from, else the one that .whyhot.yaml names,
else the newest whyhot-*.pb.gz in the editor's root. A number is shown only where it
is certain which line it is of now.`

type lspFlags struct {
	load     loadFlags
	profile  string
	buildDir string
	lens     bool
}

func newLSPCmd() *cobra.Command {
	var f lspFlags
	cmd := &cobra.Command{
		Use: "lsp [flags]", Short: "Serve an editor: shares, findings and fixes beside the lines", Long: lspLong,
		Example: "  whyhot lsp\n  whyhot lsp --profile cpu.pb.gz -p build\n  whyhot lsp --from http://localhost:7878 --service parser --last 7d",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "show the profile in `FILE`")
	flags.StringVarP(&f.buildDir, "build-dir", "p", "", "analyse saved files of the build in `DIR` with a compile_commands.json")
	flags.BoolVar(&f.lens, "lens", false, "show shares as code lenses, too")
	flags.Bool("stdio", true, "use standard input and output, which is the only way")
	f.load.add(cmd)
	f.load.addRemote(cmd)
	return cmd
}

func (f *lspFlags) run(cmd *cobra.Command) error {
	if err := f.load.remote.check(cmd); err != nil {
		return err
	}
	if f.profile != "" && f.load.remote.on() {
		return errors.New("--profile and --from contradict each other")
	}
	o := lsp.Options{Lens: f.lens, Load: func(ctx context.Context, root, named string) (lsp.Profile, error) {
		return f.open(cmd, root, named)
	}}
	for _, path := range []*string{&f.profile, &f.buildDir} {
		if *path == "" {
			continue
		}
		full, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		if _, err := os.Stat(full); err != nil {
			return err
		}
		*path = full
	}
	o.BuildDir = f.buildDir
	return lsp.New(o).Serve(cmd.Context(), cmd.InOrStdin(), os.Stdout)
}

// open reads the profile to show.
func (f *lspFlags) open(cmd *cobra.Command, root, named string) (lsp.Profile, error) {
	path, err := f.profile, error(nil)
	switch {
	case f.load.remote.on():
		path = f.load.remote.name()
	case path == "" && named != "":
		path = named
	case path == "":
		if path, err = newestRecording(root); err != nil {
			return lsp.Profile{}, err
		}
	}
	p, err := readProfile(cmd, path, f.load)
	if err != nil {
		return lsp.Profile{}, err
	}
	out := lsp.Profile{Fetched: p, Path: path, Trials: learnt(p.Profile)}
	if f.load.remote.on() {
		out.Path = ""
	}
	return out, nil
}

// newestRecording is the file that whyhot record wrote last in a directory.
func newestRecording(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(globSafe(dir), "whyhot-*.pb.gz"))
	if err != nil {
		return "", err
	}
	newest, at := "", time.Time{}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("%s has no recording: record one there (whyhot record -- COMMAND), or name one with --profile, --from or .whyhot.yaml", dir)
	}
	return newest, nil
}

// globSafe is a path whose characters mean themselves in a pattern.
func globSafe(path string) string {
	out := make([]byte, 0, len(path))
	for i := range len(path) {
		switch path[i] {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
