package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/fix"
	"whyhot/internal/finding"
)

const fixLong = `Write the patch of a finding and show it as a unified diff. The fixed source is
compiled in memory first, and its loops are held against those of the source as
it is.

--apply changes the files. It refuses what cannot be shown to keep the meaning,
and says why. What is usual but not visible in the source (that two pointers do
not overlap, say) is listed by number: --assume 1,2 vouches for it.`

const fixExample = `  whyhot fix alias-char-write-1a2b3c4d -p build
  whyhot fix src/split.cpp:42 --kind hoist -p build --apply
  whyhot fix x.cpp:7 -- clang++ -O3 -c x.cpp
  whyhot fix glibc-malloc-1a2b3c4d --profile cpu.pb.gz`

type fixFlags struct {
	analyse  analyseFlags
	profile  string
	findings string
	kind     string
	library  string
	program  string
	dir      string
	apply    bool
	assume   []int
	json     bool
}

func newFixCmd() *cobra.Command {
	var f fixFlags
	cmd := &cobra.Command{
		Use:     "fix FINDING|FILE:LINE [-p BUILD_DIR | -- COMPILER ARG…]",
		Short:   "Write the patch of a finding, show it, apply it",
		Long:    fixLong,
		Example: fixExample,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runFix(cmd, args, f) },
	}
	fl := cmd.Flags()
	f.analyse.add(cmd, "build `DIR` with a compile_commands.json")
	fl.StringVar(&f.profile, "profile", "", "profile that the finding is about")
	fl.StringVar(&f.findings, "findings", "", "JSON of scan or explain that has the finding (default: the build is scanned)")
	fl.StringVar(&f.kind, "kind", "", "kind of fix: "+strings.Join(fix.Kinds(), ", ")+" (default: by the finding's rule)")
	fl.StringVar(&f.library, "library", "", "allocator to link, such as jemalloc or mimalloc (default: the first that the finding names)")
	fl.StringVar(&f.program, "target", "", "target of the build file that is linked (default: by the profiled program's name)")
	fl.StringVar(&f.dir, "source", ".", "directory of the build files, for findings that are fixed by the link")
	fl.BoolVar(&f.apply, "apply", false, "change the files")
	fl.IntSliceVar(&f.assume, "assume", nil, "numbers of the assumptions that you vouch for")
	fl.BoolVar(&f.json, "json", false, "write the fix as JSON")
	return cmd
}

func runFix(cmd *cobra.Command, args []string, f fixFlags) error {
	if f.kind != "" && !slices.Contains(fix.Kinds(), f.kind) {
		return fmt.Errorf("--kind %s: there are %s", f.kind, strings.Join(fix.Kinds(), ", "))
	}
	p, err := f.propose(cmd, args)
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if f.json {
		err = writeJSON(cmd.OutOrStdout(), fixJSON(p, root))
	} else {
		err = printFix(cmd, p, root)
	}
	if err != nil {
		return err
	}
	if !p.Sound() {
		return fmt.Errorf("no fix is applied: %s", counted(len(p.Refusals), "reason is above", "reasons are above"))
	}
	if !f.apply {
		return nil
	}
	for i := range p.Assumptions {
		if !slices.Contains(f.assume, i+1) {
			return fmt.Errorf("not applied: assumption %d is not shown by the source; --assume %s vouches for it", i+1, numbersTo(len(p.Assumptions)))
		}
	}
	if err := fix.Write(p.Changes); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s changed\n", counted(len(p.Changes), "file is", "files are"))
	return err
}

func numbersTo(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return strings.Join(out, ",")
}

// propose finds out what is meant and asks for its fix.
func (f *fixFlags) propose(cmd *cobra.Command, args []string) (fix.Proposal, error) {
	subject := args[0]
	if file, line, ok := placeOf(subject); ok {
		return f.source(cmd, args, fix.Place{File: filepath.Clean(file), Line: line}, f.kindsOr(fix.Kinds()))
	}
	found, err := f.find(cmd, subject)
	if err != nil {
		return fix.Proposal{}, err
	}
	if found.Fix.Kind == "preload" {
		return f.link(found)
	}
	kinds := f.kindsOr(fix.KindsFor(found.Rule))
	if len(kinds) == 0 || found.Place.File == "" {
		return fix.Proposal{}, fmt.Errorf("no fix of %s is written by machine: %s", subject, strings.Join(found.Fix.Steps, "; "))
	}
	return f.source(cmd, args, fix.Place{File: found.Place.File, Line: found.Place.Line}, kinds)
}

func (f *fixFlags) kindsOr(kinds []string) []string {
	if f.kind != "" {
		return []string{f.kind}
	}
	return kinds
}

func (f *fixFlags) source(cmd *cobra.Command, args []string, at fix.Place, kinds []string) (fix.Proposal, error) {
	units, err := f.units(cmd, args)
	if err != nil {
		return fix.Proposal{}, err
	}
	opts, err := f.analyse.options(nil)
	if err != nil {
		return fix.Proposal{}, err
	}
	p, err := fix.Propose(cmd.Context(), fix.Options{Binary: opts.Binary, Units: units, Workers: opts.Workers}, at, kinds)
	if errors.Is(err, fix.ErrNothingThere) {
		return p, fmt.Errorf("%w; a loop that begins on the line is meant, else the innermost around it", err)
	}
	return p, err
}

func (f *fixFlags) units(cmd *cobra.Command, args []string) ([]compdb.Unit, error) {
	if dash := cmd.ArgsLenAtDash(); dash == 1 {
		u, err := unitOf(args[1:])
		return []compdb.Unit{u}, err
	}
	if len(args) > 1 {
		return nil, fmt.Errorf("%q is one argument too many: a finding or FILE:LINE is wanted", args[1])
	}
	if f.analyse.build == "" {
		return nil, errors.New("say where the build is: -p BUILD_DIR (with its compile_commands.json), or give one command line after --")
	}
	return compdb.Load(f.analyse.build)
}

// find gives the finding of an id: from a file, a profile or a scan.
func (f *fixFlags) find(cmd *cobra.Command, id string) (finding.Finding, error) {
	switch {
	case f.findings != "":
		return findingIn(f.findings, id)
	case f.profile != "":
		t, err := findingOf(cmd.Context(), f.profile, id)
		if err == nil || f.analyse.build == "" {
			return t, err
		}
	case f.analyse.build == "":
		return finding.Finding{}, fmt.Errorf("%s is no FILE:LINE, so it is taken for a finding: say where it is from, with --findings FILE.json, --profile FILE or -p BUILD_DIR", id)
	}
	units, err := compdb.Load(f.analyse.build)
	if err != nil {
		return finding.Finding{}, err
	}
	if !cmd.Flags().Changed("stores") {
		f.analyse.predicates = predicatesOf(id)
	}
	opts, err := f.analyse.options(nil)
	if err != nil {
		return finding.Finding{}, err
	}
	outcomes, err := analyse(cmd, units, opts)
	if err != nil {
		return finding.Finding{}, stopped(err, len(outcomes), len(units))
	}
	return pickFinding(sourceFindings(outcomes, true, nil), f.analyse.build, id)
}

// predicatesOf are the stores that a rule blames, by the name in the id.
func predicatesOf(id string) []string {
	for prefix, predicate := range map[string]string{"bitfield-store": "bitfield", "alias-pointer-store": "pointer", "alias-size-store": "size"} {
		if strings.HasPrefix(id, prefix) {
			return []string{predicate}
		}
	}
	return []string{"char"}
}

func findingIn(path, id string) (finding.Finding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return finding.Finding{}, err
	}
	var r finding.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return finding.Finding{}, fmt.Errorf("%s is not what scan --json or explain --json write: %w", path, err)
	}
	return pickFinding(r.Findings, path, id)
}
