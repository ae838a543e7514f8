package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/report/progress"
)

const fixLong = `Write the patch of a finding and show it as a unified diff. The fixed source is
compiled in memory first, and its loops are compared with those of the source as
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
	rules    []string
	kind     string
	library  string
	program  string
	dir      string
	apply    bool
	assume   []int
	json     bool
	load     loadFlags
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
	fl.StringVar(&f.profile, "profile", "", "profile that the finding is about (- for standard input)")
	fl.StringVar(&f.findings, "findings", "", "JSON of scan or explain that has the finding, - for standard input (default: the build is scanned)")
	fl.StringArrayVar(&f.rules, "rules", nil, "look for the finding among those of the rules in `DIR`, too (repeatable)")
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
	if cmd.ArgsLenAtDash() < 0 && len(args) > 1 {
		return fmt.Errorf("%q is one argument too many: a finding or FILE:LINE is wanted", args[1])
	}
	var build func() (*source.Build, error)
	if f.analyse.buildDir != "" || cmd.ArgsLenAtDash() >= 0 {
		build = func() (*source.Build, error) { return f.analyse.open(cmd, args, 1) }
	}
	p, err := f.propose(cmd, args[0], build)
	if err != nil {
		return f.without(cmd, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	buildDir := ""
	if f.analyse.buildDir != "" {
		if buildDir, err = filepath.Abs(f.analyse.buildDir); err != nil {
			return err
		}
	}
	root := fix.Root(p.Changes, cwd, buildDir)
	if f.json {
		err = writeJSON(cmd.OutOrStdout(), p.JSON(root))
	} else {
		err = printFix(cmd, p, root, cwd)
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

// without says in JSON, too, why there is no patch.
func (f *fixFlags) without(cmd *cobra.Command, err error) error {
	if !f.json || cmd.Context().Err() != nil {
		return err
	}
	reason, byHand := err.Error(), []string(nil)
	if none := (*explain.NoPatchError)(nil); errors.As(err, &none) {
		reason, byHand = none.Reason, none.ByHand
	}
	return errors.Join(writeJSON(cmd.OutOrStdout(), fix.NoPatch(reason, byHand)), err)
}

func numbersTo(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return strings.Join(out, ",")
}

// propose asks for the fix of a finding or a line. build may be nil.
func (f *fixFlags) propose(cmd *cobra.Command, subject string, build func() (*source.Build, error)) (fix.Proposal, error) {
	r := explain.PatchRequest{
		Subject: subject, Kind: f.kind, FindingsFile: f.findings, ProfilePath: f.profile,
		Build: build, Dir: f.dir, Library: f.library, Program: f.program,
	}
	var err error
	if r.Rules, err = explain.LoadRules(f.rules...); err != nil {
		return fix.Proposal{}, err
	}
	if f.findings != "" {
		if r.Findings, err = findingsIn(cmd.InOrStdin(), f.findings); err != nil {
			return fix.Proposal{}, err
		}
	} else if f.profile != "" {
		p, err := readProfile(cmd, f.profile, f.load)
		if err != nil {
			return fix.Proposal{}, err
		}
		r.Profile = p.Profile
	}
	options, done := f.analyse.shown(cmd.ErrOrStderr())
	defer done()
	r.Options = options
	if progress.On(cmd.ErrOrStderr()) == nil {
		r.Options.Progress = inLines(cmd.ErrOrStderr())
	}
	p, err := explain.Patch(cmd.Context(), r)
	return p, stopped(err)
}

// lineEvery is how often a log says that something goes on.
const lineEvery = 5 * time.Second

// inLines says how far an analysis is where no person looks: a log, an agent.
func inLines(w io.Writer) func(source.Progress) {
	last := time.Now()
	return func(p source.Progress) {
		if p.Done < p.Of && time.Since(last) >= lineEvery {
			last = time.Now()
			_, _ = fmt.Fprintf(w, "fix: %d of %d %s\n", p.Done, p.Of, p.What)
		}
	}
}

// findingsIn reads what scan --json and explain --json write.
func findingsIn(stdin io.Reader, path string) ([]finding.Finding, error) {
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	r := finding.Report{Findings: []finding.Finding{}}
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return nil, fmt.Errorf("%s is not what scan --json or explain --json write: %w", path, err)
	}
	return r.Findings, nil
}
