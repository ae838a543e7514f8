package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/report/term"
	"whyhot/internal/trial/feedback"
)

func newProfileCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "profile", Short: "Make something else of a profile", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileExportCmd())
	return cmd
}

const exportLong = `Writes a profile as the next build reads it.

  go-pgo       default.pgo for the Go toolchain: put it beside package main
  llvm-sample  a sample profile for clang -fprofile-sample-use=FILE; the program that
               was profiled wants -g -fdebug-info-for-profiling
  bolt         samples for llvm-bolt -data=FILE; link with -Wl,--emit-relocs

One binary's samples are written: the program that most of the profile is of, or that
of --binary. llvm-sample and bolt read the binary that was profiled.`

type exportFlags struct {
	load   loadFlags
	format string
	output string
	binary string
	file   string
}

func newProfileExportCmd() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export --format FORMAT FILE|--from URL -o OUT",
		Short: "Write a profile for the next build: Go PGO, LLVM's sample profile, BOLT",
		Long:  exportLong,
		Example: "  whyhot profile export --format go-pgo cpu.pb.gz -o default.pgo\n" +
			"  whyhot profile export --format llvm-sample cpu.pb.gz -o cpu.prof\n" +
			"  whyhot profile export --format go-pgo --from http://localhost:7878 --service parser --last 7d -o default.pgo",
		Args: f.load.args(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, _ := f.load.source(args)
			return f.run(cmd, path)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "`FORMAT` to write: "+strings.Join(feedback.Formats(), ", "))
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE` (- for standard output)")
	flags.StringVar(&f.binary, "binary", "", "samples of the binary `PATH` of the profile, or the end of it")
	flags.StringVar(&f.file, "file", "", "the binary that was profiled is `FILE` on this machine (default: where it was)")
	f.load.add(cmd)
	f.load.addRemote(cmd)
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command, path string) error {
	switch {
	case f.format == "":
		return fmt.Errorf("--format is missing: must be one of %s", strings.Join(feedback.Formats(), ", "))
	case f.output == "":
		return errors.New("-o is missing: name the file to write, or - for the standard output")
	}
	p, err := readProfile(cmd, path, f.load)
	if err != nil {
		return err
	}
	request := feedback.Request{
		Profile: p.Profile, Format: feedback.Format(f.format), Binary: f.binary, File: f.file, DebugDirs: f.load.debugDirs,
	}
	var said feedback.Summary
	write := func(w io.Writer) (err error) {
		said, err = feedback.Write(w, request)
		return err
	}
	if f.output == "-" {
		err = write(cmd.OutOrStdout())
	} else {
		err = wholefile.Write(f.output, 0o644, func(file *os.File) error { return write(file) })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	printOnce(cmd.ErrOrStderr(), said.Notes)
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d of %d samples (%.1f%%) in %s of %s\n", term.Clean(f.output),
		said.Used, said.Samples, 100*said.Share, counted(said.Functions, "function", "functions"), term.Clean(said.Binary))
	return err
}
