package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"whyhot/internal/explain/fix"
	"whyhot/internal/trial/variant"
)

// fixTryFlags are the flags of trials of machine-written fixes.
type fixTryFlags struct {
	wanted []string
	check  string

	dir string // of the patches, removed by close
}

func (f *fixTryFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.wanted, "fix", nil, "build with the machine-written fix of this finding, or FILE:LINE, and measure it (several: repeat it; whyhot fix shows it)")
	flags.StringVar(&f.check, "check", "", "command that tests a build with --fix or --patch before it is measured, run by a shell in the copy")
}

func (f *fixTryFlags) close() {
	if f.dir != "" {
		_ = os.RemoveAll(f.dir)
	}
}

// makePatches writes the fixes and adds them to the patches that are tried, each
// a variant of its own.
func (f *fixTryFlags) makePatches(cmd *cobra.Command, t *tryFlags) error {
	if len(f.wanted) == 0 {
		return nil
	}
	if !t.build.asked() {
		return errors.New("--fix changes the source: say how the program is built with --build, for example --build 'make -j2' --run './bench input'")
	}
	root, err := filepath.Abs(t.build.tree)
	if err != nil {
		return err
	}
	// A finding of the profile needs no database.
	database, err := t.whatIf.databaseDir()
	if err != nil && t.profile == "" {
		return err
	}
	if f.dir, err = os.MkdirTemp("", "whyhot-fix-"); err != nil {
		return err
	}
	for _, want := range f.wanted {
		options := fixFlags{profile: t.profile, dir: root, analyse: analyseFlags{build: database}}
		p, err := options.propose(cmd, []string{want})
		if err != nil {
			return fmt.Errorf("--fix %s: %w", want, err)
		}
		if !p.Sound() {
			return fmt.Errorf("--fix %s: %s", want, reasons(p))
		}
		for _, a := range p.Assumptions {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "--fix %s is right if %s%s\n", want, a.Text, where(a, root))
		}
		path := filepath.Join(f.dir, "fix-"+strings.NewReplacer("/", "-", ":", "-").Replace(want)+".diff")
		if err := os.WriteFile(path, []byte(fix.Diff(p.Changes, root)), 0o600); err != nil {
			return err
		}
		t.build.choices.Patches = append(t.build.choices.Patches, path)
	}
	return nil
}

func reasons(p fix.Proposal) string {
	texts := make([]string, 0, len(p.Refusals))
	for _, r := range p.Refusals {
		texts = append(texts, r.Text+where(r, ""))
	}
	return "no fix is written: " + strings.Join(texts, "; ")
}

// test runs the user's tests on every changed build. One that fails them is not
// measured.
func (f *fixTryFlags) test(ctx context.Context, variants []variant.Variant, errOut io.Writer) error {
	if f.check == "" {
		return nil
	}
	tested := 0
	for i := range variants {
		v := &variants[i]
		if v.Build == nil || v.Built == nil || v.Built.Failed != "" || len(v.Build.Patches) == 0 {
			continue
		}
		tested++
		_, _ = fmt.Fprintf(errOut, "%s: %s\n", v.Name, f.check)
		c := exec.CommandContext(ctx, "/bin/sh", "-c", f.check)
		c.Dir = v.Built.Dir
		c.Env = v.Environ(variant.Variant{Env: v.Built.Env}.Environ(os.Environ()))
		out, err := c.CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			v.Built.Failed = fmt.Sprintf("it fails the tests (%s: %v): %s", f.check, err, lastLines(string(out)))
		}
	}
	if tested == 0 {
		return errors.New("--check tests builds with --fix or --patch: none of them was built")
	}
	return nil
}

// lastLines is the end of what a failed command wrote.
func lastLines(text string) string {
	const most = 5
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
