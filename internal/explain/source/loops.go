package source

import (
	"context"
	"fmt"
	"path/filepath"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/source/loopfinding"
	"whyhot/internal/finding"
)

// Loop is a loop in every world that the analyser compiled it in.
type Loop = analyzer.Candidate

// Point is a position in the source.
type Point = analyzer.Point

// Counterfactual is where the fix of a finding would change the program.
type Counterfactual = loopfinding.Counterfactual

// Loops gives the loops around a line in all their worlds, with the modelled
// cycles, and with assembly their machine code too.
func (b *Build) Loops(ctx context.Context, at finding.Line, assembly bool, o Options) (loops []Loop, notes []string, err error) {
	r, err := o.request()
	if err != nil {
		return nil, nil, err
	}
	r.AST, r.Remarks = analyzer.ASTRequest{}, false
	r.At = &analyzer.At{File: filepath.Clean(at.File), Line: at.Line}
	r.Cycles, r.Assembly = true, assembly
	outcomes, err := o.ask(ctx, b.units, r)
	if err != nil {
		return nil, nil, err
	}
	var failed error
	for _, out := range outcomes {
		if out.Err != nil {
			failed = fmt.Errorf("%s: %w", out.Unit.File, out.Err)
		}
		if len(out.Reply.Errors) > 0 {
			failed = fmt.Errorf("%s does not compile: %s", out.Unit.File, out.Reply.Errors[0])
		}
		for _, c := range out.Reply.Candidates {
			loops = append(loops, loopfinding.Judged(c, out.Unit.File))
		}
	}
	switch {
	case len(loops) == 0 && failed != nil:
		return nil, nil, failed
	case len(loops) == 0:
		return nil, nil, fmt.Errorf("no loop at %s: the line is in none, or none is left: the compiler unrolled it fully, replaced it by a library call or removed it, or the function is dropped because nobody calls it", at)
	}
	return loops, analyzer.Notes(outcomes), nil
}

// Counterfactuals gives the change behind every finding of the build's loops, also
// of those that are only suspected. world is the one to take where a finding can be
// reached by both, "" for the one that a build can show best.
func (b *Build) Counterfactuals(ctx context.Context, world string, o Options) ([]Counterfactual, error) {
	outcomes, err := b.askAll(ctx, o)
	if err != nil {
		return nil, err
	}
	return loopfinding.Counterfactuals(outcomes, loopfinding.Options{Suspected: true}, world), nil
}

// Stores are the names of all stores that can be blamed.
func Stores() []string { return loopfinding.Predicates() }

// StoreOf is the store that a finding's id blames, "" where the finding is of
// another kind.
func StoreOf(id string) string { return loopfinding.PredicateOf(id) }
