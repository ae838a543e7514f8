package analyzer

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// MachineRequest asks for the loops of functions of a binary.
type MachineRequest struct {
	File      string         `json:"file"`
	Functions []MachineRange `json:"functions"`
	Cycles    bool           `json:"cycles,omitempty"` // llvm-mca's model of the innermost loops
	// Processors are those of the model, by LLVM's names; none: several of the file's kind.
	Processors []string `json:"processors,omitempty"`
}

// MachineRange is a function by its addresses, or by its symbol, and where in it
// samples were taken.
type MachineRange struct {
	Symbol  string   `json:"symbol,omitempty"`
	Low     uint64   `json:"low"`
	High    uint64   `json:"high"`
	Sampled []uint64 `json:"sampled"`
}

// MachineReply has an answer for each function, in the order of the request.
type MachineReply struct {
	Error     string            `json:"error"`
	Functions []MachineFunction `json:"functions"`
}

// MachineFunction is what was found in a function.
type MachineFunction struct {
	Low        uint64               `json:"low"`
	Problem    string               `json:"problem"`    // "" where it was looked at
	Unresolved int                  `json:"unresolved"` // jumps whose targets are not known
	Decoded    int                  `json:"decoded"`    // instructions
	Loops      []MachineLoop        `json:"loops"`      // those with samples, outer ones first
	Outside    []MachineInstruction `json:"outside"`    // sampled ones that are in no loop
	Waits      []MachineWait        `json:"waits"`      // loads that samples are meant for
}

// MachineWait is a load that samples are meant for, in a loop or not.
type MachineWait struct {
	Load MachineInstruction `json:"load"`
	At   uint64             `json:"at"` // the sampled instruction behind it
	// Kind is where its address comes from: "chase", the same load in the iteration
	// before; "pointer", another load; "table", arithmetic; "object", none of these.
	Kind  string `json:"kind"`
	Ahead int    `json:"ahead"` // instructions for which at least the address has been known, 64 at most
	// Jumps: it is a comparison with memory, and a conditional jump is behind it.
	Jumps bool `json:"jumps"`
	// Element is by how many bytes the index of a table is multiplied, 0 where that is not known or
	// less than a cache line; Used is how many of them the code around loads or stores.
	Element int64 `json:"element"`
	Used    int64 `json:"used"`
}

// MachineLoop is a natural loop of machine code.
type MachineLoop struct {
	Header       uint64                   `json:"header"`
	Parent       int                      `json:"parent"` // index of the loop around it, -1 for none
	Depth        int                      `json:"depth"`
	Innermost    bool                     `json:"innermost"`
	Ranges       [][2]uint64              `json:"ranges"`       // with the loops in it
	Instructions []MachineInstruction     `json:"instructions"` // without theirs
	Matches      []MachineMatch           `json:"matches"`
	Cycles       map[string]MachineCycles `json:"cycles"` // by processor; none where a loop has no model
	// How many instructions the model has no cycles for, or not all of them: with any,
	// Cycles are lower bounds.
	Calls   int `json:"calls"`
	Atomic  int `json:"atomic"`
	Strings int `json:"strings"` // with a rep prefix
	// Step is by how many bytes the addresses move in an iteration, 0 where not known.
	Step int64 `json:"step"`
}

// MachineCycles is what an iteration takes in the model of a processor.
type MachineCycles struct {
	// Least and Most are those of the way through the loop with the fewest and with the
	// most instructions: one number where there is one way.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	// Limit keeps an iteration from taking less: "dependencies", "dispatch", "taken
	// branch", or the model's name of a unit.
	Limit string `json:"limit"`
}

// MachineInstruction is one instruction.
type MachineInstruction struct {
	Address uint64 `json:"address"`
	Size    uint64 `json:"size"`
	Text    string `json:"text"`
	// Cause is the instruction that a sample here is meant for, 0 for this one.
	Cause uint64 `json:"cause"`
}

// MachineMatch is what a rule found in a loop.
type MachineMatch struct {
	Rule  string            `json:"rule"`
	At    []uint64          `json:"at"` // the instructions that it is about, the one that costs first
	Facts map[string]string `json:"facts"`
}

// Machine has the analyser look at functions of binaries, each request in a process
// of its own, as many at a time as there are processors. A binary whose answer fails
// costs only its own: errs has one for each request.
func Machine(ctx context.Context, binary string, requests []MachineRequest) (replies []MachineReply, errs []error) {
	replies, errs = make([]MachineReply, len(requests)), make([]error, len(requests))
	work := make(chan int)
	var group sync.WaitGroup
	for range min(runtime.NumCPU(), len(requests)) {
		group.Go(func() {
			l := &lane{opts: Options{Binary: binary, Timeout: machineTimeout}}
			defer l.close()
			for i := range work {
				r, err := l.ask(ctx, Request{Machine: &requests[i]})
				switch {
				case err != nil:
					errs[i] = err
				case len(r.Errors) > 0:
					errs[i] = errors.New(r.Errors[0])
				case r.Machine == nil:
					errs[i] = errOld
				case r.Machine.Error != "":
					errs[i] = errors.New(r.Machine.Error)
				default:
					replies[i] = *r.Machine
				}
			}
		})
	}
	for i := range requests {
		work <- i
	}
	close(work)
	group.Wait()
	return replies, errs
}

const machineTimeout = time.Minute

// errOld: it does not know what it is asked.
var errOld = errors.New("the analyser is older than whyhot: `make analyzer` builds it again")
