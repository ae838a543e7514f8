// Package machinecode shows the machine code that a function of a profile ran: its hot
// instructions, and the loops that they are in.
//
// It owns which file is believed to be the binary that ran on another machine: one with
// the build ID of the profile's, at the path that the profile has or in a directory of
// binaries. It takes a profile of the store and gives functions with their
// instructions; explain/machine disassembles. It must never read a file that has another
// build ID, or none, and imports nothing of the server.
package machinecode

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"whyhot/internal/elfinfo/debugfile"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/machine"
	"whyhot/internal/profile"
)

// most is how many functions of the machine code are shown: one that was inlined is in
// many.
const most = 8

// Request is what is asked.
type Request struct {
	Profile *profile.Profile
	// Functions are those that are shown, wherever they were inlined.
	Functions []profile.FunctionID
	// Dirs have binaries by build ID, and debug information.
	Dirs []string
}

// Function is a function of the machine code that holds code of one that was asked for.
type Function struct {
	machine.Function

	Loops []machine.Loop // by address
	// Instructions are those with samples, and all others of the loops, by address.
	Instructions []machine.Instruction
}

// Missing is a binary that is not at hand.
type Missing struct {
	Path, BuildID string
	Self          int64 // of the functions that were asked for
}

// Answer is what was found.
type Answer struct {
	Functions []Function // that with the most samples of what was asked for first
	Missing   []Missing  // that with the most samples first
	Left      int        // functions of the machine code that are not shown
	Named     int64      // of samples that came with names and without addresses
	Notes     []string
}

// Find gives the machine code of functions.
func Find(ctx context.Context, r Request) (Answer, error) {
	at := &binaries{find: debugfile.Finder{Dirs: r.Dirs}, open: map[binary]*elffile.File{}}
	defer at.close()
	held, out := weigh(r, at)
	out.Left = max(0, len(held)-most)
	held = held[:min(most, len(held))]
	if len(held) == 0 {
		return out, nil
	}
	rank := func(name string, of *profile.Mapping) int {
		return slices.IndexFunc(held, func(h holder) bool { return h.name == name && h.path == of.Path && h.buildID == of.BuildID })
	}
	found, err := machine.Find(ctx, machine.Request{
		Profile: r.Profile, DebugDirs: r.Dirs,
		Only: func(f *profile.Function) bool { return rank(f.Name, r.Profile.Mapping(f.Mapping)) >= 0 },
	}, at)
	if err != nil {
		return Answer{}, err
	}
	out.Notes = found.Notes
	for _, f := range found.Functions {
		out.Functions = append(out.Functions, join(f, found.Loops))
	}
	slices.SortStableFunc(out.Functions, func(a, b Function) int {
		return cmp.Compare(rank(a.Name, a.Mapping), rank(b.Name, b.Mapping))
	})
	return out, nil
}

// join puts what ran in a function into the order of its addresses.
func join(f machine.Function, loops []machine.Loop) Function {
	out := Function{Function: f, Instructions: slices.Clone(f.Outside)}
	for _, l := range loops {
		if l.Mapping == f.Mapping && l.Header >= f.Start && l.Header < f.End {
			out.Loops = append(out.Loops, l)
			out.Instructions = append(out.Instructions, l.Instructions...)
		}
	}
	slices.SortFunc(out.Loops, func(a, b machine.Loop) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Depth, b.Depth))
	})
	slices.SortFunc(out.Instructions, func(a, b machine.Instruction) int { return cmp.Compare(a.Address, b.Address) })
	return out
}

type binary struct{ path, buildID string }

// holder is a function of the machine code that code of the wanted ones was found in.
type holder struct {
	binary

	name string
	self int64
}

// weigh finds which functions of the machine code hold what was asked for, and what
// cannot be shown.
func weigh(r Request, at *binaries) (held []holder, out Answer) {
	p := r.Profile
	weights, absent := map[holder]int64{}, map[binary]int64{}
	samples := p.Samples()
	for i := range samples {
		stack := p.Stack(samples[i].Stack)
		if len(stack) == 0 {
			continue
		}
		loc, lines := p.Location(stack[0]), p.Lines(stack[0])
		if !slices.ContainsFunc(lines, func(l profile.Line) bool { return slices.Contains(r.Functions, l.Function) }) {
			continue
		}
		if loc.Address == 0 {
			out.Named += samples[i].Value
		}
		if loc.Mapping == 0 || loc.Address == 0 {
			continue
		}
		m := p.Mapping(loc.Mapping)
		of := binary{m.Path, m.BuildID}
		if _, _, ok := at.Code(m, loc.Address); !ok {
			absent[of] += samples[i].Value
			continue
		}
		outer := p.Function(lines[len(lines)-1].Function)
		weights[holder{binary: of, name: outer.Name}] += samples[i].Value
	}
	for h, w := range weights {
		h.self = w
		held = append(held, h)
	}
	slices.SortFunc(held, func(a, b holder) int {
		return cmp.Or(-cmp.Compare(a.self, b.self), cmp.Compare(a.path, b.path), cmp.Compare(a.name, b.name))
	})
	for b, w := range absent {
		out.Missing = append(out.Missing, Missing{b.path, b.buildID, w})
	}
	slices.SortFunc(out.Missing, func(a, b Missing) int {
		return cmp.Or(-cmp.Compare(a.Self, b.Self), cmp.Compare(a.Path, b.Path))
	})
	return held, out
}

// binaries are the files that are believed to be those that ran.
type binaries struct {
	find debugfile.Finder
	open map[binary]*elffile.File // nil for what is not here
}

// Code implements machine.Binaries.
func (b *binaries) Code(m *profile.Mapping, address uint64) (file *elffile.File, vaddr uint64, ok bool) {
	if m.BuildID == "" || address < m.Start || address >= m.Limit {
		return nil, 0, false
	}
	key := binary{m.Path, m.BuildID}
	file, known := b.open[key]
	if !known {
		file = b.locate(m)
		b.open[key] = file
	}
	if file == nil {
		return nil, 0, false
	}
	vaddr, ok = file.OffsetToVaddr(address - m.Start + m.Offset)
	return file, vaddr, ok
}

// locate looks at the path of the profile, which is right where the program ran on this
// machine, and then among the binaries that somebody put here. A file of debug
// information alone has the build ID too, and no code.
func (b *binaries) locate(m *profile.Mapping) *elffile.File {
	if filepath.IsAbs(m.Path) {
		if file, err := elffile.Open(m.Path); err == nil {
			if file.BuildID() == m.BuildID && hasCode(file) {
				return file
			}
			_ = file.Close() // only read from
		}
	}
	file := b.find.BinaryByBuildID(m.BuildID)
	if file != nil && !hasCode(file) {
		_ = file.Close()
		return nil
	}
	return file
}

func hasCode(f *elffile.File) bool { return f.Section(".text") == nil || f.HasData(".text") }

func (b *binaries) close() {
	for _, file := range b.open {
		if file != nil {
			_ = file.Close()
		}
	}
}
