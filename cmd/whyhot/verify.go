package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/finding"
	"whyhot/internal/report/trials"
	"whyhot/internal/trial/referee"
	"whyhot/internal/trial/statement"
)

const verifyLong = `Checks the signature of a trial's signed record and says what the trial came to.
The signature has to be yours, or that of --key.

With --repeat it makes the trial again: the baseline is the tree in --baseline, the
changed tree that in --tree, and both have to be those of the record. It runs the
record's build, test and workload. Held-out workloads are in no record: name the
file with them with --heldout.`

type verifyFlags struct {
	key, baseline, tree, heldout string
	repeat, json                 bool
	budget                       time.Duration
}

func newVerifyCmd() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Check the signed record of a trial, and repeat it", Long: verifyLong,
		Example: "  whyhot verify trial.json\n  whyhot verify trial.json --repeat --baseline ../before --tree .",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.key, "key", "", "public key in `FILE` (default: your own)")
	flags.BoolVar(&f.repeat, "repeat", false, "make the trial again")
	flags.StringVar(&f.baseline, "baseline", "", "with --repeat: the tree before the change, `DIR`")
	flags.StringVar(&f.tree, "tree", ".", "with --repeat: the tree after the change, `DIR`")
	flags.StringVar(&f.heldout, "heldout", "", "with --repeat: `FILE` with the held-out workloads, a command a line")
	flags.BoolVar(&f.json, "json", false, "print the statement as JSON, with --repeat and the new result")
	flags.DurationVar(&f.budget, "budget", time.Minute, "with --repeat: time of each measurement")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command, path string) error {
	if f.repeat != (f.baseline != "") {
		return errors.New("--repeat and --baseline belong together: the record has the hash of the tree before the change, not the tree")
	}
	key, err := f.publicKey()
	if err != nil {
		return err
	}
	s, err := statement.Read(path, key)
	if err != nil {
		return err
	}
	t := &s.Predicate
	var again *referee.Ruling
	if f.json {
		if f.repeat {
			if again, err = f.again(cmd, &s); err != nil {
				return err
			}
		}
		if err := writeJSON(cmd.OutOrStdout(), verified{s, again}); err != nil {
			return err
		}
		return disagree(t, again)
	}
	p := func(format string, args ...any) { sayLine(cmd.OutOrStdout(), fmt.Sprintf(format, args...)) }
	p("signed by %s on %s, %s, %d rounds", statement.KeyID(key), t.Time.Format(time.RFC3339), t.Machine.Model, t.Rounds)
	p("baseline %s", s.Tree(statement.Baseline))
	p("tree     %s", s.Tree(statement.Changed))
	p("command  %s", t.Workload)
	p("%s%s: %s", t.Verdict, ratioText(t.Ratio), t.Says)
	for _, m := range t.Missing {
		p("missing for proof: %s", m)
	}
	if !f.repeat {
		return nil
	}
	if again, err = f.again(cmd, &s); err != nil {
		return err
	}
	p("again: %s%s: %s", again.Verdict, ratioText(again.Ratio), again.Says)
	for _, m := range again.Missing {
		p("missing for proof: %s", m)
	}
	return disagree(t, again)
}

// verified is what is printed as JSON.
type verified struct {
	Statement statement.Statement `json:"statement"`
	Again     *referee.Ruling     `json:"again,omitempty"`
}

// disagree is the error of a trial that came to something else than its record says.
func disagree(t *statement.Trial, again *referee.Ruling) error {
	if again == nil || string(again.Verdict) == t.Verdict {
		return nil
	}
	return fmt.Errorf("the trial came to %q this time, and to %q in the record", again.Verdict, t.Verdict)
}

func ratioText(i *finding.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(" %.2f× (%.2f to %.2f)", i.Estimate, i.Low, i.High)
}

func (f *verifyFlags) publicKey() (ed25519.PublicKey, error) {
	path := f.key
	if path == "" {
		dir, err := statement.KeyDir()
		if err != nil {
			return nil, err
		}
		path = statement.PublicPath(dir)
	}
	key, err := statement.PublicKey(path)
	if f.key == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: you have no key yet; name the author's public key with --key FILE", path)
	}
	return key, err
}

// again makes the trial of a statement again.
func (f *verifyFlags) again(cmd *cobra.Command, s *statement.Statement) (*referee.Ruling, error) {
	ctx, t := cmd.Context(), &s.Predicate
	if err := isTree(ctx, "--baseline", f.baseline, s.Tree(statement.Baseline)); err != nil {
		return nil, err
	}
	if err := isTree(ctx, "--tree", f.tree, s.Tree(statement.Changed)); err != nil {
		return nil, err
	}
	var heldout []string
	if f.heldout != "" {
		var err error
		if heldout, err = commandLines(f.heldout); err != nil {
			return nil, fmt.Errorf("--heldout: %w", err)
		}
	}
	if len(heldout) != len(t.Unknown) {
		return nil, fmt.Errorf("the record has %d held-out workloads and --heldout names %d: give the file that `whyhot mcp --heldout` had", len(t.Unknown), len(heldout))
	}
	for i, h := range heldout {
		if statement.Hash(h) != t.Unknown[i] {
			return nil, fmt.Errorf("held-out workload %d is not that of the record: %s", i+1, strings.TrimSpace(h))
		}
	}
	private, err := os.MkdirTemp("", "whyhot-verify-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(private) //nolint:errcheck // a temporary directory
	base, err := referee.Keep(ctx, f.baseline, private)
	if err != nil {
		return nil, err
	}
	base.Against(f.tree)
	progress := trials.NewProgress(cmd.ErrOrStderr())
	defer progress.Clear()
	return referee.Try(ctx, base, referee.Terms{
		Build: t.Build, Test: t.Test, Workload: t.Workload, Heldout: heldout, Harness: t.Harness,
		Preload: t.Preload, Env: t.Env, Budget: f.budget, Private: private, Layouts: 4,
	}, progress)
}

func isTree(ctx context.Context, flag, dir, want string) error {
	sum, err := referee.Sum(ctx, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if sum != want {
		return fmt.Errorf("%s %s: not the tree of the record: its hash is %.16s, that of the record %.16s", flag, dir, sum, want)
	}
	return nil
}
