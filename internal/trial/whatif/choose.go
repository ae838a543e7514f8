package whatif

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

// Wish is which findings are to be taken for fixed.
type Wish struct {
	Findings []string // ids, or FILE:LINE
	BuildDir string   // with the compile_commands.json that they are from, "" for the usual places
	World    string   // Retyped or Hoisted where a finding has both, "" for the better one
	// Options say how the source is analysed; what is blamed is what the findings
	// speak of.
	Options source.Options
}

// Choice is what a wish comes to.
type Choice struct {
	Edits   []Edit
	Foreign []string // flags of the build that clang refuses
	LTO     bool     // the build optimises while linking
}

// Asked says that a finding is named.
func (w *Wish) Asked() bool { return len(w.Findings) > 0 }

// Check refuses a wish that cannot be fulfilled whatever the source is.
func (w *Wish) Check() error {
	if w.World != "" && w.World != Retyped && w.World != Hoisted {
		return fmt.Errorf("--world %s: want %s or %s", w.World, Retyped, Hoisted)
	}
	_, err := w.predicates()
	return err
}

// Choose finds the edits in the source. dir is the directory that BuildDir starts
// from, "" for the current one.
func (w *Wish) Choose(ctx context.Context, dir string) (Choice, error) {
	predicates, err := w.predicates()
	if err != nil {
		return Choice{}, err
	}
	dir, err = FindBuildDir(dir, w.BuildDir)
	if err != nil {
		return Choice{}, fmt.Errorf("--what-if looks for the findings in the source: %w", err)
	}
	build, err := source.Open(dir)
	if err != nil {
		return Choice{}, err
	}
	options := w.Options
	options.Stores = predicates
	all, err := build.Counterfactuals(ctx, w.World, options)
	if err != nil {
		return Choice{}, err
	}
	edits, err := choose(w.Findings, all, dir)
	return Choice{Edits: edits, Foreign: build.Foreign(), LTO: build.LTO()}, err
}

// FindBuildDir is the directory of a compile_commands.json: the one that is
// named, else where builds usually leave it.
func FindBuildDir(dir, named string) (string, error) {
	if named != "" {
		if filepath.IsAbs(named) {
			return named, nil
		}
		return filepath.Join(dir, named), nil
	}
	for _, usual := range []string{".", "build"} {
		if _, err := os.Stat(filepath.Join(dir, usual, "compile_commands.json")); err == nil {
			return filepath.Join(dir, usual), nil
		}
	}
	return "", errors.New("name the directory of its compile_commands.json with -p")
}

// predicates are those that the wanted ids speak of. A place may be of any.
func (w *Wish) predicates() ([]string, error) {
	var out []string
	for _, want := range w.Findings {
		if finding.IsLine(want) {
			return source.Stores(), nil
		}
		p := source.StoreOf(want)
		if p == "" {
			return nil, fmt.Errorf("--what-if %s: a what-if build changes what clang believes of memory accesses, not how data is laid out or what a library does, so only a loop that the analyser confirmed by compiling it otherwise can be built otherwise (`whyhot scan` lists them); a finding with a patch, such as vector-bool, is tried by `whyhot try build --fix %s`", want, want)
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// choose picks the edits of what is wanted from all that the source of a build
// has.
func choose(wanted []string, all []source.Counterfactual, build string) ([]Edit, error) {
	var out []Edit
	for _, want := range wanted {
		found := slices.DeleteFunc(slices.Clone(all), func(c source.Counterfactual) bool { return !meant(want, c) })
		// Of the findings at a line, those that are only suspected are meant where
		// there is no other: somebody wants to know for sure.
		if slices.ContainsFunc(found, confirmed) {
			found = slices.DeleteFunc(found, func(c source.Counterfactual) bool { return !confirmed(c) })
		}
		if len(found) == 0 {
			return nil, unknownFinding(want, build, all)
		}
		for _, c := range found {
			if !slices.ContainsFunc(out, func(e Edit) bool { return e.Finding == c.Finding.ID }) {
				out = append(out, editOf(c))
			}
		}
	}
	return out, nil
}

func editOf(c source.Counterfactual) Edit {
	points := func(chains [][]source.Point) [][]Point {
		out := make([][]Point, 0, len(chains))
		for _, chain := range chains {
			moved := make([]Point, 0, len(chain))
			for _, p := range chain {
				moved = append(moved, Point{File: filepath.Clean(p.File), Line: p.Line, Column: p.Column})
			}
			out = append(out, moved)
		}
		return out
	}
	return Edit{
		Finding: c.Finding.ID, Predicate: c.Predicate, World: c.World,
		Loops: points(c.Loops), Accesses: points(c.Accesses),
	}
}

func confirmed(c source.Counterfactual) bool { return c.Finding.Certainty != finding.Suspected }

// meant says whether an id, or a line in or of a loop, means the finding.
func meant(want string, c source.Counterfactual) bool {
	if c.Finding.ID == want {
		return true
	}
	at, err := finding.ParseLine(want)
	if err != nil {
		return false
	}
	for _, chain := range slices.Concat(c.Loops, c.Accesses) {
		if p := chain[len(chain)-1]; p.Line == at.Line && source.Names(at.File, p.File) {
			return true
		}
	}
	return false
}

func unknownFinding(want, build string, all []source.Counterfactual) error {
	if at, err := finding.ParseLine(want); err == nil {
		return fmt.Errorf("--what-if %s: no finding whose loop starts or writes in line %d of %s (`whyhot scan -p %s --suspected` lists them)", want, at.Line, at.File, build)
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
		return fmt.Errorf("--what-if %s: the source has no such finding, nor any other of its kind that a change of the source confirmed (`whyhot scan -p %s`)", want, build)
	case len(ids) > most:
		return fmt.Errorf("--what-if %s: no such finding in the source; there are %d, the first are %s (`whyhot scan -p %s` lists them)", want, len(ids), strings.Join(ids[:most], ", "), build)
	}
	return fmt.Errorf("--what-if %s: no such finding in the source; it has %s", want, strings.Join(ids, ", "))
}
