package whatif

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/finding"
)

// Wish is which findings are to be taken for fixed.
type Wish struct {
	Findings []string // ids, or FILE:LINE
	BuildDir string   // with the compile_commands.json that they are from, "" for the usual places
	World    string   // Retyped or Hoisted where a finding has both, "" for the better one
	// Analyse asks the analyser for these predicates in all units.
	Analyse func(ctx context.Context, units []compdb.Unit, predicates []string) ([]analyzer.Outcome, error)
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
	build, err := FindBuildDir(dir, w.BuildDir)
	if err != nil {
		return Choice{}, fmt.Errorf("--what-if looks for the findings in the source: %w", err)
	}
	units, err := compdb.Load(build)
	if err != nil {
		return Choice{}, err
	}
	outcomes, err := w.Analyse(ctx, units, predicates)
	if err != nil {
		return Choice{}, err
	}
	all := loopfinding.Counterfactuals(outcomes, loopfinding.Options{Suspected: true}, w.World)
	c := Choice{}
	c.Edits, err = choose(w.Findings, all, build)
	for _, u := range units {
		for _, flag := range u.Foreign {
			if !slices.Contains(c.Foreign, flag) {
				c.Foreign = append(c.Foreign, flag)
			}
		}
		c.LTO = c.LTO || slices.ContainsFunc(u.Arguments, func(a string) bool { return strings.HasPrefix(a, "-flto") })
	}
	return c, err
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

// choose picks the edits of what is wanted from all that the source of a build
// has.
func choose(wanted []string, all []loopfinding.Counterfactual, build string) ([]Edit, error) {
	var out []Edit
	for _, want := range wanted {
		found := slices.DeleteFunc(slices.Clone(all), func(c loopfinding.Counterfactual) bool { return !meant(want, c) })
		// Of the findings at a line, those that are only suspected are meant where
		// there is no other: somebody wants to know for sure.
		if slices.ContainsFunc(found, confirmed) {
			found = slices.DeleteFunc(found, func(c loopfinding.Counterfactual) bool { return !confirmed(c) })
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

func editOf(c loopfinding.Counterfactual) Edit {
	points := func(chains [][]analyzer.Point) [][]Point {
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

// names says whether somebody who types arg means the file.
func names(arg, file string) bool {
	if abs, err := filepath.Abs(arg); err == nil && abs == file {
		return true
	}
	return strings.HasSuffix(file, string(filepath.Separator)+filepath.Clean(arg))
}

func unknownFinding(want, build string, all []loopfinding.Counterfactual) error {
	if file, line, ok := placeOf(want); ok {
		return fmt.Errorf("--what-if %s: no finding whose loop starts or writes in line %d of %s (`whyhot scan -p %s --suspected` lists them)", want, line, file, build)
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
