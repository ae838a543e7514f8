package machine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/analyzer"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// Request is what is asked.
type Request struct {
	Profile   *profile.Profile
	DebugDirs []string
	// Functions bounds how many are looked at, hottest first; 0: DefaultFunctions.
	Functions int
	// Only chooses functions that alone are looked at; nil: all.
	Only func(f *profile.Function) bool
	// Cycles has the innermost loops modelled by llvm-mca.
	Cycles bool
	// Processors are those of the model; none: several of the binary's kind.
	Processors []string
}

// Binaries gives the binary that an address of a mapping is in, and where in it; ok is
// false where the binary that ran is not at hand. binfacts.Facts is one.
type Binaries interface {
	Code(m *profile.Mapping, address uint64) (file *elffile.File, vaddr uint64, ok bool)
}

// DefaultFunctions is how many functions are looked at where nobody says.
const DefaultFunctions = 200

// Instruction is one instruction of a loop.
type Instruction struct {
	Address uint64
	Text    string
	Self    int64 // samples' value at this address
	Count   int64 // events behind it
	// For is the instruction that these samples are meant for, 0 for this one.
	For uint64
	// Lines are the source lines, innermost inlined call first; none where not known.
	Lines []profile.Frame
}

// Loop is one natural loop with what ran in it.
type Loop struct {
	Function string // of the machine code
	Mapping  *profile.Mapping
	// File, Line and EndLine are where the loop is in the source, "" and 0 where not
	// known; Inlined is the function there, if it is not Function.
	File          string
	Line, EndLine int
	Inlined       string
	// Start and End bound its addresses; Ranges are they, without what lies between.
	Start, End uint64
	Ranges     [][2]uint64
	Header     uint64
	Depth      int
	Innermost  bool
	Self       int64 // value of its samples, those of the loops in it left out
	Total      int64 // with them
	Count      int64 // events behind Self
	// Instructions are its own, by address.
	Instructions []Instruction
	Matches      []analyzer.MachineMatch
	Cycles       map[string]analyzer.MachineCycles
	// Calls, Atomic and Strings count what Cycles leave out.
	Calls, Atomic, Strings int
	Step                   int64 // bytes by which its addresses move in an iteration, 0 where not known
	Unresolved             int   // jumps in its function whose targets are not known

	nested   [][2]uint64 // of Ranges, those of the loops in it
	binary   *binary     // nil without samples
	function *function
	before   map[string]int // by rule, the matches in the function's loops that stand before this one
	callees  []callee
	stub     hits // in the stubs that it calls through
	asserted asserted
}

// Function is one whose machine code was looked at.
type Function struct {
	Name       string
	Mapping    *profile.Mapping
	Start, End uint64
	Self       int64 // value of its samples
	Unresolved int   // jumps whose targets are not known
	// Outside are the instructions with samples that are in no loop, by address.
	Outside []Instruction
}

// Answer is what was found.
type Answer struct {
	Loops     []Loop     // hottest first, by Self
	Functions []Function // hottest first
	Stalls    []Stall    // loads with samples behind them, hottest first
	Notes     []string
	Looked    Looked
}

// Looked says how much of the profile was looked at.
type Looked struct {
	Functions, Instructions int
	Value                   int64 // of the samples in these functions
}

// Find gives the loops that a profile ran, hottest first.
func Find(ctx context.Context, r Request, binaries Binaries) (Answer, error) {
	chosen, notes := choose(r, binaries)
	if len(chosen) == 0 {
		return Answer{Notes: notes}, nil
	}
	program, err := analyzer.Find()
	if err != nil {
		return Answer{}, err
	}
	requests := make([]analyzer.MachineRequest, len(chosen))
	for i, b := range chosen {
		requests[i] = b.request(r)
	}
	replies, errs := analyzer.Machine(ctx, program, requests)
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	out := Answer{Notes: notes}
	for i, b := range chosen {
		if errs[i] != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: its machine code was not looked at: %v", b.mapping.Path, errs[i]))
			continue
		}
		first, firstStall := len(out.Loops), len(out.Stalls)
		for n, reply := range replies[i].Functions {
			f := b.functions[n]
			out.Looked.Functions++
			out.Looked.Instructions += reply.Decoded
			out.Looked.Value += f.value
			out.Loops = append(out.Loops, f.loops(b, reply)...)
			out.Functions = append(out.Functions, f.outside(b, reply))
			out.Stalls = append(out.Stalls, f.stalls(b, reply)...)
		}
		functions := out.Functions[len(out.Functions)-len(replies[i].Functions):]
		if note := locate(ctx, b.mapping.Path, b.file.Path(), out.Loops[first:], functions, out.Stalls[firstStall:], symbol.Options{DebugDirs: r.DebugDirs}); note != "" {
			out.Notes = append(out.Notes, note)
		}
	}
	countCallees(r.Profile, binaries, chosen, out.Loops)
	withDenormals(r.Profile, out.Loops)
	slices.SortStableFunc(out.Loops, func(a, b Loop) int {
		return cmp.Or(-cmp.Compare(a.Self, b.Self), cmp.Compare(a.Mapping.Path, b.Mapping.Path), cmp.Compare(a.Start, b.Start))
	})
	slices.SortStableFunc(out.Functions, func(a, b Function) int {
		return cmp.Or(-cmp.Compare(a.Self, b.Self), cmp.Compare(a.Mapping.Path, b.Mapping.Path), cmp.Compare(a.Start, b.Start))
	})
	slices.SortStableFunc(out.Stalls, func(a, b Stall) int {
		return cmp.Or(-cmp.Compare(a.Self, b.Self), cmp.Compare(a.Mapping.Path, b.Mapping.Path), cmp.Compare(a.Load.Address, b.Load.Address))
	})
	return out, nil
}
