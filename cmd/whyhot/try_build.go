package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/run"
	"whyhot/internal/trial/variant"
)

// buildFlags are the flags of trials that build, as they are typed.
type buildFlags struct {
	command, run string
	tree         string
	boltProfile  string
	choices      variant.Choices
	o            rebuild.Options
}

func (b *buildFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&b.command, "build", "", "build command; the program is built in copies of the tree, as it is and with the flags below")
	flags.StringVar(&b.run, "run", "", "command to measure, in place of the words behind --; run in the copy's own directory")
	flags.StringArrayVar(&b.choices.CFlags, "cflags", nil, "flags added behind the build's own for C and C++ (again: another variant)")
	flags.StringArrayVar(&b.choices.LDFlags, "ldflags", nil, "flags added when linking (again: another variant)")
	flags.StringArrayVar(&b.choices.RustFlags, "rustflags", nil, "flags added for rustc (again: another variant)")
	flags.StringVar(&b.choices.LTO, "lto", "", "link-time optimisation: auto, thin or full")
	flags.Lookup("lto").NoOptDefVal = "auto"
	flags.BoolVar(&b.choices.PGO, "pgo", false, "profile-guided optimisation: instrument, train, build again")
	flags.BoolVar(&b.choices.BOLT, "bolt", false, "lay the linked program out anew with llvm-bolt")
	flags.StringArrayVar(&b.choices.Patches, "patch", nil, "a diff that is applied to the copy (again: another variant)")
	flags.StringArrayVar(&b.choices.Named, "variant", nil, "a variant by its parts, such as pgo+lto or lto+cflags=-O3+preload=mimalloc (several: repeat it)")
	flags.BoolVar(&b.choices.Matrix, "matrix", false, "try every combination of the flags given, not only all of them at once")
	flags.StringArrayVar(&b.o.Train, "train", nil, "command that trains --pgo and --bolt (several: repeat it; default: the measured command)")
	flags.StringVar(&b.tree, "tree", ".", "directory that is copied; the current one has to be in it")
	flags.StringArrayVar(&b.o.Exclude, "exclude", nil, "name or path that is not copied, with * and ? (several: repeat it)")
	flags.BoolVar(&b.o.WithVCS, "with-vcs", false, "copy .git and the like too, for builds that ask for a version")
	flags.StringVar(&b.o.Work, "work", "", "directory for the copies (default: the system's temporary one)")
	flags.BoolVar(&b.o.Keep, "keep", false, "leave the copies and say where they are")
	flags.StringVar(&b.o.Compiler, "compiler", "", "build all sides with this C and C++ compiler, such as clang-19")
	flags.StringVar(&b.o.OnlyDir, "only-dir", "", "add flags only to what is compiled from this directory of the tree, such as third_party/x")
	flags.StringVar(&b.o.BoltBinary, "bolt-binary", "", "program in the tree that --bolt rewrites (default: the one that is run)")
	flags.StringVar(&b.boltProfile, "bolt-profile", string(rebuild.BoltAuto), "where --bolt learns from: instrument, sample, or auto for the first that works")
	flags.DurationVar(&b.o.Timeout, "build-timeout", 0, "end a build or training that takes longer (default: never)")
}

// asked says whether anything is to be built.
func (b *buildFlags) asked() bool { return b.command != "" }

// words is the measured command from --run.
func (b *buildFlags) words(args []string) ([]string, error) {
	switch {
	case b.run == "":
		return args, nil
	case len(args) > 0:
		return nil, errors.New("the command to measure is given twice: with --run and behind --")
	}
	// What only a shell understands goes to one.
	if needsShell(b.run) {
		line := b.run
		if !strings.ContainsAny(line, "|&;()\n") {
			line = "exec " + line // no shell stays in between
		}
		return []string{"/bin/sh", "-c", line}, nil
	}
	words, err := shellwords.Split(b.run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	return words, nil
}

// needsShell says whether a line has a character outside of quotes that a shell
// does something with.
func needsShell(line string) bool {
	quote := rune(0)
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
		case c == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
		case quote == '"':
			if c == '$' || c == '`' {
				return true
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("|&;<>$`*?()~#\n", c):
			return true
		}
	}
	return false
}

// variants joins what is built with what is not.
func (b *buildFlags) variants(preloads, envs []variant.Variant) ([]variant.Variant, error) {
	if !b.asked() {
		if b.choices.Any() || b.choices.Matrix {
			return nil, errors.New("--cflags, --ldflags, --rustflags, --lto, --pgo, --bolt, --patch, --variant and --matrix change how a program is built: say how with --build, for example --build 'make -j2' --run './bench input'")
		}
		return slices.Concat(preloads, envs), nil
	}
	return b.choices.Combine(preloads, envs, allocator.NewFinder())
}

// prepare builds the sides of a plan and moves the plan to them. The caller
// closes what it gives.
func (f *tryFlags) prepare(ctx context.Context, errOut io.Writer) (*rebuild.Workshop, error) {
	b, p := &f.build, &f.plan
	o := b.o
	var err error
	if o.Dir, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("the current directory: %w", err)
	}
	// A runner of its own: outputs of builds are not compared with those of runs.
	runner, err := run.New()
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	progress := newBuildProgress(errOut)
	o.Command, o.Root, o.Run, o.Env, o.Stdin = b.command, b.tree, p.Command, f.whatIf.environ(p.Env), p.Stdin
	o.BoltProfile, o.Runner, o.Sample, o.Progress = rebuild.BoltProfile(b.boltProfile), runner, sampleForBolt, progress.report
	var builds []*variant.Build
	for _, v := range p.Variants {
		if v.Build != nil {
			builds = append(builds, v.Build)
		}
	}
	w, err := rebuild.Prepare(ctx, o, builds)
	progress.line.Clear()
	if err != nil {
		return nil, explainBuildError(err)
	}
	for _, failure := range w.Failures {
		_, _ = fmt.Fprintln(errOut, failure)
	}
	base := w.Baseline()
	p.Command, p.Dir = w.Command(base), base.Dir
	p.Env = variant.Variant{Env: base.Env}.Environ(p.Env)
	for i := range p.Variants {
		v := &p.Variants[i]
		if v.Build == nil {
			continue
		}
		v.Built = w.Built(v.Build)
		if words := w.Command(v.Built); !slices.Equal(words, p.Command) {
			v.Command = words
		}
	}
	return w, nil
}

func explainBuildError(err error) error {
	if errors.Is(err, context.Canceled) {
		return &exitError{code: 128 + int(syscall.SIGINT), err: errors.New("interrupted while building: the copies are removed, nothing was measured")}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w (name a directory with more room with --work)", err)
	}
	return err
}

// closeWorkshop removes the copies, or says where they are.
func closeWorkshop(w *rebuild.Workshop, keep bool, errOut io.Writer) {
	if keep {
		_, _ = fmt.Fprintf(errOut, "the copies are in %s (00 is the baseline)\n", w.Dir)
		return
	}
	begin := time.Now()
	if err := w.Close(); err != nil {
		_, _ = fmt.Fprintf(errOut, "%v (after %s)\n", err, time.Since(begin).Round(time.Second))
	}
}
