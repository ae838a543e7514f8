package whatif

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/trial"
	"whyhot/internal/trial/variant"
)

// Worlds are the variants of a what-if trial: the world in which the findings are
// fixed, and its placebo.
type Worlds struct {
	Variants []variant.Variant
	Compiler string // that all builds of the trial need

	choice  Choice
	plan    Plan
	byName  map[string]*World
	dir     string
	account []Count
}

// Make finds what a what-if build takes and prepares the worlds. The caller
// closes them.
func Make(ctx context.Context, w *Wish, dir string) (*Worlds, error) {
	plugin, err := FindPlugin()
	if err != nil {
		return nil, err
	}
	clang, err := FindClang(ctx)
	if err != nil {
		return nil, err
	}
	choice, err := w.Choose(ctx, dir)
	if err != nil {
		return nil, err
	}
	out, err := newWorlds(plugin, choice)
	if err != nil {
		return nil, err
	}
	out.Compiler = clang
	return out, nil
}

func newWorlds(plugin string, c Choice) (_ *Worlds, err error) {
	w := &Worlds{choice: c, plan: Plan{Edits: c.Edits}, byName: map[string]*World{}}
	if w.dir, err = os.MkdirTemp("", "whyhot-what-if-"); err != nil {
		return nil, fmt.Errorf("what-if build: %w", err)
	}
	defer func() {
		if err != nil {
			w.Close()
		}
	}()
	placebo := Plan{Placebo: true, Edits: c.Edits}
	for _, v := range []struct {
		name string
		plan *Plan
	}{{VariantName, &w.plan}, {PlaceboName, &placebo}} {
		world, err := Install(filepath.Join(w.dir, v.name), plugin, v.plan)
		if err != nil {
			return nil, err
		}
		w.byName[v.name] = world
		var words []string
		for _, flag := range world.Flags() {
			words = append(words, shellwords.Quote(flag))
		}
		w.Variants = append(w.Variants, variant.Variant{Name: v.name, Build: &variant.Build{Label: v.name, CFlags: strings.Join(words, " "), Scratch: filepath.Join(w.dir, v.name)}})
	}
	return w, nil
}

// Environ lets a build that was written for gcc be made by clang: clang's driver
// edits its flags as this variable says. GNU's linker cannot read what clang
// leaves for it to optimise.
func (c *Choice) Environ(env []string) []string {
	if len(c.Foreign) == 0 && !c.LTO {
		return env
	}
	const variable = "CCC_OVERRIDE_OPTIONS="
	edits := []string{"#"} // it says nothing about them
	for _, e := range env {
		if old, ok := strings.CutPrefix(e, variable); ok {
			edits = []string{old}
		}
	}
	for _, flag := range c.Foreign {
		edits = append(edits, "x"+flag)
	}
	if c.LTO {
		edits = append(edits, "+-fuse-ld=lld", "+-Qunused-arguments")
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, variable) })
	return append(env, variable+strings.Join(edits, " "))
}

// Environ is the environment of the builds; see Choice.
func (w *Worlds) Environ(env []string) []string { return w.choice.Environ(env) }

// Check refuses to measure a build in which an edit was not made.
func (w *Worlds) Check(variants []variant.Variant) error {
	for _, v := range variants {
		world, ours := w.byName[v.Name]
		if !ours || v.Built == nil || v.Built.Failed != "" {
			continue
		}
		account, err := world.Account()
		if err != nil {
			return err
		}
		if err := world.Check(account); err != nil {
			return fmt.Errorf("--what-if: %w", err)
		}
		if v.Name == VariantName {
			w.account = account.Edits
		}
	}
	return nil
}

// Notes say what was measured, and what it means for the findings.
func (w *Worlds) Notes(o *trial.Outcome) []string {
	out := w.plan.Prediction(o)
	for _, c := range w.account {
		out = append(out, c.String())
	}
	if len(w.choice.Foreign) > 0 {
		out = append(out, "built without flags that only gcc has: "+strings.Join(w.choice.Foreign, " "))
	}
	return append(out, "baseline and variants are built with clang 19, which makes the edits: another compiler may gain more or nothing")
}

// Judged is the finding of a profile that the trials prove or refute, "" where
// none is, and those of them that do; id is a finding that was named for the
// whole trial. The placebo says nothing of it; what several findings bring
// together says nothing of each.
func (p *Plan) Judged(profile, id string, ts []finding.Trial) (string, []finding.Trial) {
	ts = slices.Clone(ts)
	if id == "" && profile != "" && len(p.Edits) == 1 {
		id = p.Edits[0].Finding
		ts = slices.DeleteFunc(ts, func(t finding.Trial) bool { return t.Variant != VariantName })
	}
	return id, slices.DeleteFunc(ts, func(t finding.Trial) bool { return t.Variant == PlaceboName })
}

// Judged is what the trials say of a finding; see Plan.
func (w *Worlds) Judged(profile, id string, ts []finding.Trial) (string, []finding.Trial) {
	return w.plan.Judged(profile, id, ts)
}

// Close removes the worlds.
func (w *Worlds) Close() {
	_ = os.RemoveAll(w.dir) // a temporary directory; the outcome stands without it
}
