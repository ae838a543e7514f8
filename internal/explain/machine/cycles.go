package machine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// Code is a function of a file: of an object file, a library or a program.
type Code struct {
	File     string
	Function string // as the file has it, or demangled, with or without its arguments
}

// Model has the innermost loops of functions modelled by llvm-mca, without a profile: a
// list of loops for each, by address. Processors are LLVM's names, none means several
// of the files' kind.
func Model(ctx context.Context, functions []Code, processors []string) ([][]Loop, error) {
	program, err := analyzer.Find()
	if err != nil {
		return nil, err
	}
	requests := make([]analyzer.MachineRequest, len(functions))
	for i, f := range functions {
		requests[i] = analyzer.MachineRequest{
			File: f.File, Functions: []analyzer.MachineRange{{Symbol: f.Function}}, Cycles: true, Processors: processors,
		}
	}
	replies, errs := analyzer.Machine(ctx, program, requests)
	if err := errors.Join(ctx.Err(), errors.Join(errs...)); err != nil {
		return nil, err
	}
	out := make([][]Loop, len(functions))
	for i, f := range functions {
		reply := replies[i].Functions[0]
		if reply.Problem != "" {
			return nil, fmt.Errorf("%s: %s", f.File, reply.Problem)
		}
		for _, l := range reply.Loops {
			if l.Innermost {
				loop := loopOf(l)
				loop.Function, loop.Mapping, loop.Unresolved = f.Function, &profile.Mapping{Path: f.File}, reply.Unresolved
				out[i] = append(out[i], loop)
			}
		}
		slices.SortFunc(out[i], func(a, b Loop) int { return int(a.Start) - int(b.Start) })
		// Lines are those of a linked file: in an object file they are still to be filled in.
		_ = locate(ctx, f.File, f.File, out[i], nil, nil, symbol.Options{})
	}
	return out, nil
}

// Processors are those that loops are modelled on, sorted.
func Processors(loops []Loop) []string {
	var out []string
	for _, l := range loops {
		for c := range l.Cycles {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	slices.Sort(out)
	return out
}
