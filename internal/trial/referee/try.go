package referee

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"whyhot/internal/host/environ"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
	"whyhot/internal/trial/rebuild/tree"
	"whyhot/internal/trial/whatif"
)

// variantName is what the change is called in trials.
const variantName = "changed"

// contest is one trial of a change.
type contest struct {
	base     *Baseline
	terms    Terms
	listener experiment.Listener
	work     string // of this trial alone
	tried    []change
	ruling   Ruling
}

// Try judges the tree as it is now, or a setting, against the baseline. An error is
// about the trial: a change that does not build or computes something else gets a
// ruling.
func Try(ctx context.Context, b *Baseline, t Terms, l experiment.Listener) (*Ruling, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := b.whole(ctx); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(t.Private, "trial-")
	if err != nil {
		return nil, fmt.Errorf("a directory for the trial: %w", err)
	}
	c := &contest{base: b, terms: t, listener: l, work: work}
	defer func() { _ = tree.Remove(work) }()
	return c.try(ctx)
}

func (c *contest) try(ctx context.Context) (*Ruling, error) {
	r := &c.ruling
	r.Baseline = c.base.sum
	all, now, err := c.base.changes(ctx)
	if err != nil {
		return nil, err
	}
	r.Tree = now
	if c.terms.setting() {
		r.Tree = c.base.sum
	} else if c.sort(all); len(c.tried) == 0 {
		r.Verdict, r.Says = Nothing, "no file differs from the baseline"
		if len(r.Measures) > 0 {
			r.Says = "only files that measure or test were changed, and those are the baseline's on both sides"
		}
		return r, nil
	}
	known, err := c.measure(ctx, c.terms.Workload, c.listener)
	if err != nil {
		return nil, err
	}
	more := r.known(known)
	for _, line := range c.terms.Heldout {
		if !more || r.Verdict != Faster {
			break
		}
		other, err := c.measure(ctx, line, muted{c.listener})
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			// Its text may name the workload.
			return nil, errors.New("the held-out workload could not be measured: whoever configured it has to look")
		}
		r.unknown(other)
	}
	if r.Verdict == Faster {
		c.conclude()
	}
	return r, nil
}

// sort parts what is tried from what measures.
func (c *contest) sort(all []change) {
	for _, ch := range all {
		if c.terms.measures(c.base.root, ch.path) {
			c.ruling.Measures = append(c.ruling.Measures, ch.path)
			continue
		}
		c.tried = append(c.tried, ch)
		c.ruling.Changed = append(c.ruling.Changed, ch.path)
	}
}

// conclude says whether what is faster is proved.
func (c *contest) conclude() {
	r := &c.ruling
	if len(c.terms.Heldout) == 0 && !c.terms.setting() {
		r.miss("no held-out workload: the user may add one to try.heldout in %s", ConfigName)
	}
	if c.terms.Test == "" && !c.terms.setting() {
		r.miss("no test command: try.test in %s", ConfigName)
	}
	if len(r.Measures) > 0 {
		r.miss("files that measure or test were changed (%s): restore them", strings.Join(r.Measures, ", "))
	}
	if c.terms.WhatIf != "" {
		r.miss("a what-if build predicts what an edit brings: make the edit")
	}
	if len(r.Missing) == 0 {
		r.Verdict = Proved
	}
}

// measure has one workload measured on both sides.
func (c *contest) measure(ctx context.Context, line string, l experiment.Listener) (*trial.Outcome, error) {
	request, err := c.request(ctx, line)
	if err != nil {
		return nil, err
	}
	result, err := experiment.Run(ctx, request, l)
	if result == nil {
		if err == nil {
			err = errors.New("nothing was measured")
		}
		return nil, err
	}
	if c.terms.WhatIf != "" { // the others are its controls, which the notes speak of
		result.Outcome.Variants = slices.DeleteFunc(result.Outcome.Variants, func(v trial.VariantArm) bool { return v.Name != whatif.VariantName })
	}
	if len(result.Outcome.Variants) != 1 {
		return nil, fmt.Errorf("%d variants where one was asked for: try one setting at a time", len(result.Outcome.Variants))
	}
	return result.Outcome, nil
}

func (c *contest) request(ctx context.Context, line string) (experiment.Request, error) {
	t := &c.terms
	temp := filepath.Join(c.work, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return experiment.Request{}, err
	}
	r := experiment.Request{Run: line}
	r.Env = environ.Set(os.Environ(), "TMPDIR="+temp)
	r.Schedule = trial.Schedule{WarmUps: 1, Rounds: t.Rounds, Seed: t.Seed}
	if t.Rounds == 0 && t.Budget > 0 {
		r.Schedule.Budget = &t.Budget
	}
	r.Variants.Preload, r.Variants.Env = t.Preload, t.Env
	r.Directory = c.base.dir
	if !t.setting() {
		// A file: its path is all that what is said of a failure has of it.
		script := filepath.Join(c.work, "check")
		if err := os.WriteFile(script, []byte(checkScript(t.Test, line, temp)), 0o600); err != nil {
			return r, err
		}
		r.Check, r.CheckAll = "sh "+shellwords.Quote(script), true
	}
	if t.Build == "" {
		return r, c.place(ctx, &r, line)
	}
	r.Layouts = t.Layouts
	r.Build = rebuild.Options{
		Command: t.Build, Root: c.base.dir, Products: t.Products, Cache: t.builds(), BoltProfile: rebuild.BoltAuto,
	}
	if t.WhatIf != "" {
		r.WhatIf = whatif.Wish{Findings: []string{t.WhatIf}, BuildDir: t.BuildDir}
		if t.BuildDir != "" {
			r.WhatIf.BuildDir = filepath.Join(c.base.dir, t.BuildDir)
		}
	}
	if t.setting() {
		return r, nil
	}
	patch, err := c.patch()
	r.Variants.Builds.Patches = []string{patch}
	return r, err
}

// place gives both sides a copy of the tree, for programs that are not built.
func (c *contest) place(ctx context.Context, r *experiment.Request, line string) error {
	source, err := tree.Scan(ctx, c.base.dir, tree.Options{})
	if err != nil {
		return err
	}
	sides, err := os.MkdirTemp(c.work, "sides-")
	if err != nil {
		return err
	}
	// Their names are equally long: a path's length may change how a program behaves.
	base, changed := filepath.Join(sides, "0"), filepath.Join(sides, "1")
	for _, dir := range []string{base, changed} {
		if err := source.Copy(ctx, dir, nil); err != nil {
			return err
		}
	}
	if c.terms.setting() {
		r.Directory = base
		return nil
	}
	for _, ch := range c.tried {
		if err := ch.apply(changed); err != nil {
			return err
		}
	}
	r.Variants.Versus = []string{variantName + "=" + line}
	r.Places = []string{"baseline=" + base, variantName + "=" + changed}
	return nil
}

func (c *change) apply(dir string) error {
	full := filepath.Join(dir, c.path)
	if !c.is {
		return os.Remove(full)
	}
	if c.mode&os.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link that was changed: make it a file", c.path)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	_ = os.Remove(full) // a file without permission to write
	return os.WriteFile(full, c.after, c.mode.Perm())
}

// patch writes the change as a diff.
func (c *contest) patch() (string, error) {
	var b bytes.Buffer
	for _, ch := range c.tried {
		if ch.opaque {
			return "", fmt.Errorf("%s was changed, and is no text: changes of such files are tried where nothing is built, or after a new handle", ch.path)
		}
		from, to := "a/"+ch.path, "b/"+ch.path
		if !ch.was {
			from = "/dev/null"
		}
		if !ch.is {
			to = "/dev/null"
		}
		text := diff.Diff(from, ch.before, to, ch.after)
		// Its first line is a command line, which patch takes for garbage.
		if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
			b.Write(rest)
		}
	}
	path := filepath.Join(c.work, variantName)
	return path, os.WriteFile(path, b.Bytes(), 0o600)
}

// stateMark is the name of the test that a program fails which keeps what it computed.
const stateMark = "keeps results between runs"

// checkScript runs the tests, then the workload once, and fails where that leaves files
// behind: a program that stores what it computed is fast in every run but the first.
// A file that the baseline leaves too is excused, as a test that it fails too.
func checkScript(test, workload, temp string) string {
	if test == "" {
		test = ":"
	}
	list := "find . " + shellwords.Quote(temp) + ` -type f -printf '%p %s\n' | sort`
	return strings.Join([]string{
		"( " + test + "\n) || exit 1",
		"before=$(" + list + ")",
		"( " + workload + "\n) </dev/null >/dev/null 2>&1",
		"after=$(" + list + ")",
		`test "$before" = "$after" && exit 0`,
		`echo "$after" | while read -r line; do case "$before" in *"$line"*) ;; *) echo "FAIL: ` + stateMark + ` (${line% *})";; esac; done`,
		"exit 1",
	}, "\n")
}
