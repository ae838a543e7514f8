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

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/finding"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/variant"
	"whyhot/internal/trial/whatif"
)

// whatIfFlags are the flags of what-if builds, as they are typed, and what
// becomes of them.
type whatIfFlags struct {
	wanted   []string // ids, or FILE:LINE
	database string
	world    string

	dir      string // of the worlds, removed by close
	plan     whatif.Plan
	worlds   map[string]*whatif.World // by the name of the side
	variants []variant.Variant        // the sides
	account  []whatif.Count           // of the edits, once they are made
	foreign  []string                 // flags of the build that clang refuses
	lto      bool                     // the build optimises while linking
}

func (f *whatIfFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.wanted, "what-if", nil, "build as if these findings of `scan` or `explain -p` were fixed, by id or FILE:LINE, and measure what that would bring (needs clang 19)")
	flags.StringVarP(&f.database, "database", "p", "", "directory of the compile_commands.json that the findings of --what-if are from (default: the current one, or build)")
	flags.StringVar(&f.world, "world", "", "which fix --what-if stands for where a finding has both: retyped (written type changed) or hoisted (copied into locals)")
}

func (f *whatIfFlags) asked() bool { return len(f.wanted) > 0 }

// makeWorlds finds the places of the findings and makes the sides of the trial:
// the world in which they are fixed, and its placebo.
func (f *whatIfFlags) makeWorlds(cmd *cobra.Command, b *buildFlags) error {
	if !f.asked() {
		return nil
	}
	if !b.asked() {
		return errors.New("--what-if compiles the program anew: say how with --build, for example --build 'make -j2' --run './bench input'")
	}
	if f.world != "" && f.world != whatif.Retyped && f.world != whatif.Hoisted {
		return fmt.Errorf("--world %s: want %s or %s", f.world, whatif.Retyped, whatif.Hoisted)
	}
	plugin, err := whatif.FindPlugin()
	if err != nil {
		return err
	}
	clang, err := whatif.FindClang(cmd.Context())
	if err != nil {
		return err
	}
	if b.o.Compiler == "" {
		b.o.Compiler = clang
	}
	if err := f.choose(cmd); err != nil {
		return err
	}
	if f.dir, err = os.MkdirTemp("", "whyhot-what-if-"); err != nil {
		return err
	}
	return f.install(plugin)
}

func (f *whatIfFlags) install(plugin string) error {
	f.worlds = map[string]*whatif.World{}
	placebo := whatif.Plan{Placebo: true, Edits: f.plan.Edits}
	for _, side := range []struct {
		name string
		plan *whatif.Plan
	}{{whatif.Side, &f.plan}, {whatif.PlaceboSide, &placebo}} {
		w, err := whatif.Install(filepath.Join(f.dir, side.name), plugin, side.plan)
		if err != nil {
			return err
		}
		f.worlds[side.name] = w
		var words []string
		for _, flag := range w.Flags() {
			words = append(words, term.Quote(flag))
		}
		f.variants = append(f.variants, variant.Variant{Name: side.name, Build: &variant.Build{Label: side.name, CFlags: strings.Join(words, " ")}})
	}
	return nil
}

func editOf(c loopfinding.Counterfactual) whatif.Edit {
	points := func(chains [][]analyzer.Point) [][]whatif.Point {
		out := make([][]whatif.Point, 0, len(chains))
		for _, chain := range chains {
			var moved []whatif.Point
			for _, p := range chain {
				moved = append(moved, whatif.Point{File: filepath.Clean(p.File), Line: p.Line, Column: p.Column})
			}
			out = append(out, moved)
		}
		return out
	}
	return whatif.Edit{
		Finding: c.Finding.ID, Predicate: c.Predicate, World: c.World,
		Loops: points(c.Loops), Accesses: points(c.Accesses),
	}
}

// choose asks the analyser where the findings are.
func (f *whatIfFlags) choose(cmd *cobra.Command) error {
	predicates, err := f.predicates()
	if err != nil {
		return err
	}
	dir, err := f.databaseDir()
	if err != nil {
		return err
	}
	units, err := compdb.Load(dir)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, flag := range u.Foreign {
			if !slices.Contains(f.foreign, flag) {
				f.foreign = append(f.foreign, flag)
			}
		}
		f.lto = f.lto || slices.ContainsFunc(u.Arguments, func(a string) bool { return strings.HasPrefix(a, "-flto") })
	}
	scan := analyseFlags{predicates: predicates}
	opts, err := scan.options(nil)
	if err != nil {
		return err
	}
	outcomes, err := analyse(cmd, units, opts)
	if err != nil {
		return stopped(err, len(outcomes), len(units))
	}
	all := loopfinding.Counterfactuals(outcomes, loopfinding.Options{Suspected: true}, f.world)
	for _, want := range f.wanted {
		found := slices.DeleteFunc(slices.Clone(all), func(c loopfinding.Counterfactual) bool { return !meant(want, c) })
		// Of the findings at a line, those that are only suspected are meant where
		// there is no other: somebody wants to know for sure.
		if slices.ContainsFunc(found, confirmed) {
			found = slices.DeleteFunc(found, func(c loopfinding.Counterfactual) bool { return !confirmed(c) })
		}
		if len(found) == 0 {
			return unknownFinding(want, dir, all)
		}
		for _, c := range found {
			if !slices.ContainsFunc(f.plan.Edits, func(e whatif.Edit) bool { return e.Finding == c.Finding.ID }) {
				f.plan.Edits = append(f.plan.Edits, editOf(c))
			}
		}
	}
	return nil
}

// databaseDir is where builds leave their databases unless it is named.
func (f *whatIfFlags) databaseDir() (string, error) {
	if f.database != "" {
		return f.database, nil
	}
	for _, dir := range []string{".", "build"} {
		if _, err := os.Stat(filepath.Join(dir, "compile_commands.json")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("--what-if looks for the findings in the source: name the directory of its compile_commands.json with -p")
}

// predicates are those that the wanted ids speak of. A place may be of any.
func (f *whatIfFlags) predicates() ([]string, error) {
	var out []string
	for _, want := range f.wanted {
		if _, _, ok := placeOf(want); ok {
			return loopfinding.Predicates(), nil
		}
		p := loopfinding.PredicateOf(want)
		if p == "" {
			return nil, fmt.Errorf("--what-if %s: only a loop that the analyser confirmed by compiling it otherwise can be built otherwise; `whyhot scan` lists them", want)
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// placeOf reads FILE:LINE.
func placeOf(want string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(want, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(want[i+1:])
	return want[:i], line, err == nil && line > 0
}

func confirmed(c loopfinding.Counterfactual) bool { return c.Finding.Certainty != finding.Suspected }

// meant says whether an id, or a line in or of a loop, means the finding.
func meant(want string, c loopfinding.Counterfactual) bool {
	if c.Finding.ID == want {
		return true
	}
	file, line, ok := placeOf(want)
	if !ok {
		return false
	}
	for _, chain := range slices.Concat(c.Loops, c.Accesses) {
		if p := chain[len(chain)-1]; p.Line == line && names(file, p.File) {
			return true
		}
	}
	return false
}

func unknownFinding(want, dir string, all []loopfinding.Counterfactual) error {
	if file, line, ok := placeOf(want); ok {
		return fmt.Errorf("--what-if %s: no finding whose loop starts or writes in line %d of %s (`whyhot scan -p %s --suspected` lists them)", want, line, file, dir)
	}
	var ids []string
	for _, c := range all {
		if confirmed(c) {
			ids = append(ids, c.Finding.ID)
		}
	}
	const most = 10
	switch {
	case len(ids) == 0:
		return fmt.Errorf("--what-if %s: the source has no such finding, nor any other of its kind that a change of the source confirmed (`whyhot scan -p %s`)", want, dir)
	case len(ids) > most:
		return fmt.Errorf("--what-if %s: no such finding in the source; there are %d, the first are %s (`whyhot scan -p %s` lists them)", want, len(ids), strings.Join(ids[:most], ", "), dir)
	}
	return fmt.Errorf("--what-if %s: no such finding in the source; it has %s", want, strings.Join(ids, ", "))
}

// environ lets a build that was written for gcc be made by clang: clang's driver
// edits its flags as this variable says. GNU's linker cannot read what clang
// leaves for it to optimise.
func (f *whatIfFlags) environ(env []string) []string {
	if len(f.foreign) == 0 && !f.lto {
		return env
	}
	const variable = "CCC_OVERRIDE_OPTIONS="
	edits := []string{"#"} // it says nothing about them
	for _, e := range env {
		if old, ok := strings.CutPrefix(e, variable); ok {
			edits = []string{old}
		}
	}
	for _, flag := range f.foreign {
		edits = append(edits, "x"+flag)
	}
	if f.lto {
		edits = append(edits, "+-fuse-ld=lld", "+-Qunused-arguments")
	}
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, variable) })
	return append(env, variable+strings.Join(edits, " "))
}

// check refuses to measure a build in which an edit was not made.
func (f *whatIfFlags) check(variants []variant.Variant) error {
	for _, v := range variants {
		w, ours := f.worlds[v.Name]
		if !ours || v.Built == nil || v.Built.Failed != "" {
			continue
		}
		account, err := w.Account()
		if err != nil {
			return err
		}
		if err := w.Check(account); err != nil {
			return fmt.Errorf("--what-if: %w", err)
		}
		if v.Name == whatif.Side {
			f.account = account.Edits
		}
	}
	return nil
}

// notes say what was measured, and what it means for the findings.
func (f *whatIfFlags) notes(o *trial.Outcome) []string {
	if !f.asked() {
		return nil
	}
	out := f.plan.Prediction(o)
	for _, c := range f.account {
		out = append(out, c.String())
	}
	if len(f.foreign) > 0 {
		out = append(out, "flags that only gcc has were left out: "+strings.Join(f.foreign, " "))
	}
	return append(out, "all sides are built with clang 19, which makes the edits: another compiler may gain more or nothing")
}

// close removes the worlds.
func (f *whatIfFlags) close() {
	if f.dir != "" {
		_ = os.RemoveAll(f.dir) // a temporary directory; the outcome stands without it
	}
}

// judged is the finding that the trials prove or refute, "" where none is, and
// those of them that do. The placebo says nothing of it; what several findings
// bring together says nothing of each.
func (f *whatIfFlags) judged(profile, id string, ts []finding.Trial) (string, []finding.Trial) {
	if !f.asked() {
		return id, ts
	}
	if id == "" && profile != "" && len(f.plan.Edits) == 1 {
		id = f.plan.Edits[0].Finding
		ts = slices.DeleteFunc(ts, func(t finding.Trial) bool { return t.Variant != whatif.Side })
	}
	return id, slices.DeleteFunc(ts, func(t finding.Trial) bool { return t.Variant == whatif.PlaceboSide })
}
