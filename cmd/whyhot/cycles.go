package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/machine"
	"whyhot/internal/explain/object"
	"whyhot/internal/report/machineview"
	"whyhot/internal/report/term"
)

type cyclesFlags struct {
	machineFlags

	cpus     []string
	buildDir string
}

func newCyclesCmd() *cobra.Command {
	var f cyclesFlags
	cmd := &cobra.Command{
		Use:   "cycles PROFILE | cycles FILE:FUNCTION [FILE:FUNCTION]",
		Short: "Predict cycles of hot loops with LLVM's processor models",
		Long: `Says how many cycles an iteration of an innermost loop takes in LLVM's models of
processors (llvm-mca), and what keeps it from taking fewer: of the hot loops of a
profile, or of the loops of a function before and after a change. FILE is an object
file, a library or a program; a source file is compiled as the build of -p does, or
as the command after -- does.

A model knows no caches, no branch that is predicted wrong and no store that a load
waits for. Where a loop has branches there are two numbers: of the way through it
with the fewest instructions, and of the one with the most. Calls are left out, and
of atomic updates and rep instructions what makes them slow: the number is a lower
bound then, "≥".`,
		Example: `  whyhot cycles cpu.pb.gz
  whyhot cycles cpu.pb.gz --match parse_number --cpu znver4
  whyhot cycles old.o:sum new.o:sum --cpu skylake,znver4
  whyhot cycles src/sum.c:sum new_sum.c:sum -p build
  whyhot cycles sum.c:sum new_sum.c:sum -- gcc -O3`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCycles(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.cpus, "cpu", nil, "these processors, by LLVM's names (default: four of Intel and AMD, or three of Arm)")
	flags.StringVarP(&f.buildDir, "build-dir", "p", "", "build `DIR` with a compile_commands.json, for source files")
	flags.BoolVar(&f.json, "json", false, "print JSON, as whyhot loops does")
	f.add(cmd, 10, "")
	return cmd
}

func runCycles(cmd *cobra.Command, args []string, f cyclesFlags) error {
	named, command := args, []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		named, command = args[:dash], args[dash:]
	}
	if len(named) > 2 {
		return fmt.Errorf("%d arguments: a profile, or one or two of FILE:FUNCTION", len(named))
	}
	var codes []machine.Code
	for _, a := range named {
		if c, ok := parseCode(a); ok {
			codes = append(codes, c)
		}
	}
	switch {
	case len(codes) > 0 && len(codes) == len(named):
		return f.compare(cmd, codes, command)
	case len(named) != 1:
		return fmt.Errorf("%s: FILE:FUNCTION is wanted, of a file that is there", named[min(len(codes), len(named)-1)])
	case len(command) > 0 || f.buildDir != "":
		return errors.New("-p and a command after -- apply to source files: FILE:FUNCTION")
	}
	return f.ofProfile(cmd, named[0])
}

// parseCode reads FILE:FUNCTION; a function of C++ has colons too. A file that is there
// by the whole name is a profile.
func parseCode(arg string) (machine.Code, bool) {
	if _, err := os.Stat(arg); err == nil {
		return machine.Code{}, false
	}
	for at, r := range arg {
		if r != ':' || at == 0 || at+1 == len(arg) {
			continue
		}
		if info, err := os.Stat(arg[:at]); err == nil && info.Mode().IsRegular() {
			return machine.Code{File: arg[:at], Function: arg[at+1:]}, true
		}
	}
	return machine.Code{}, false
}

func (f *cyclesFlags) ofProfile(cmd *cobra.Command, path string) error {
	found, err := f.find(cmd, path, "modelling", machine.Request{Cycles: true, Processors: f.cpus})
	if err != nil {
		return err
	}
	defer func() { _ = found.facts.Close() }() // only read from
	answer := found.answer
	answer.Loops = slices.DeleteFunc(answer.Loops, func(l machine.Loop) bool { return !l.Innermost })
	if len(answer.Loops) == 0 {
		printOnce(cmd.ErrOrStderr(), answer.Notes)
		return fmt.Errorf("%s: no innermost loop with samples, in binaries that are here as they were when the profile was taken", path)
	}
	in := machineview.Input{Profile: found.all, Answer: answer, Rows: f.rows}
	if f.json {
		return machineview.JSON(cmd.OutOrStdout(), in)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	printHeader(out, path, found.all, found.part, &f.filter, false)
	out.Line()
	machineview.Cycles(out, in)
	printOnce(cmd.ErrOrStderr(), answer.Notes)
	return out.Err()
}

// compare models the loops of one function, or of two: before and after.
func (f *cyclesFlags) compare(cmd *cobra.Command, codes []machine.Code, command []string) error {
	dir, err := os.MkdirTemp("", "whyhot-cycles-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left there is nobody's
	files, err := f.compiled(cmd, codes, command, dir)
	if err != nil {
		return err
	}
	done := showBusy(cmd.ErrOrStderr(), "modelling")
	loops, err := machine.Model(cmd.Context(), files, f.cpus)
	done()
	if err != nil {
		return err
	}
	in := machineview.Compared{Code: codes, Loops: loops}
	if f.json {
		return machineview.CompareJSON(cmd.OutOrStdout(), in)
	}
	out := term.New(cmd.OutOrStdout(), os.Environ())
	machineview.Compare(out, in)
	return out.Err()
}

// sources are files that are compiled first.
var sources = []string{".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".ii"}

// compiled has source files compiled into dir.
func (f *cyclesFlags) compiled(cmd *cobra.Command, codes []machine.Code, command []string, dir string) ([]machine.Code, error) {
	out := slices.Clone(codes)
	if !slices.ContainsFunc(codes, func(c machine.Code) bool { return slices.Contains(sources, filepath.Ext(c.File)) }) {
		if f.buildDir != "" || len(command) > 0 {
			return nil, errors.New("-p and a command after -- apply to source files")
		}
		return out, nil
	}
	if (f.buildDir == "") == (len(command) == 0) {
		return nil, errors.New("a source file wants a build (-p DIR), or the command that compiles it after --")
	}
	var units []compdb.Unit
	if f.buildDir != "" {
		var err error
		if units, err = compdb.Load(f.buildDir); err != nil {
			return nil, err
		}
	}
	for i, c := range codes {
		if !slices.Contains(sources, filepath.Ext(c.File)) {
			continue
		}
		unit, err := f.unit(units, command, c.File, codes[0].File)
		if err != nil {
			return nil, err
		}
		in := filepath.Join(dir, strconv.Itoa(i)) // both files may have one name
		if err := os.Mkdir(in, 0o700); err != nil {
			return nil, err
		}
		out[i].File = filepath.Join(in, strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))+".o")
		if err := object.Compile(cmd.Context(), unit, c.File, out[i].File); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *cyclesFlags) unit(units []compdb.Unit, command []string, file, model string) (compdb.Unit, error) {
	if len(command) == 0 {
		unit, err := object.UnitOf(units, file, model)
		if err != nil {
			return unit, fmt.Errorf("%w (%s)", err, filepath.Join(f.buildDir, "compile_commands.json"))
		}
		return unit, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return compdb.Unit{}, err
	}
	unit := compdb.Unit{Directory: here, Written: command}
	for _, w := range command[1:] { // the file may be named there, or not
		for _, f := range []string{file, model} {
			if abs, err := filepath.Abs(f); err == nil && (w == f || w == abs) {
				unit.File = abs
			}
		}
	}
	return unit, nil
}
