package machine

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/symbol/elfsym"
)

// hits is what was sampled at an address.
type hits struct{ value, count int64 }

// binary is one file with the functions that are looked at.
type binary struct {
	mapping   *profile.Mapping
	file      *elffile.File
	names     map[uint64]string // the function at an address, as the profile has it
	at        map[uint64]hits
	outcomes  map[uint64]profile.Branch // of jumps that the recording has followed
	functions []*function
}

// function is one of the machine code.
type function struct {
	name      string
	low, high uint64
	value     int64
	sampled   []uint64
}

// notedShare is the share of samples in a binary whose file is missing from which the user
// is told.
const notedShare = 0.02

// choose gives the hottest functions of every binary that is the one that ran.
func choose(r Request, binaries Binaries) (chosen []*binary, notes []string) {
	p := r.Profile
	byPath := map[string]*binary{}
	absent := map[string]int64{}
	for in := range p.Innermosts() {
		loc, f := in.Location, in.Code
		if loc.Mapping == 0 || loc.Address == 0 || !isMachineCode(f.Kind) || r.Only != nil && !r.Only(f) {
			continue
		}
		m := p.Mapping(loc.Mapping)
		file, vaddr, ok := binaries.Code(m, loc.Address)
		if !ok {
			absent[m.Path] += in.Sample.Value
			continue
		}
		b := byPath[m.Path]
		if b == nil {
			b = &binary{mapping: m, file: file, names: map[uint64]string{}, at: map[uint64]hits{}, outcomes: outcomesIn(p, m.Path)}
			byPath[m.Path] = b
		}
		h := b.at[vaddr]
		b.at[vaddr] = hits{h.value + in.Sample.Value, h.count + in.Sample.Count}
		b.names[vaddr] = f.Name
	}
	notes = notRead(absent, p.Total())
	var all []*function
	of := map[*function]*binary{}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		b := byPath[path]
		for _, f := range b.split() {
			all = append(all, f)
			of[f] = b
		}
	}
	slices.SortStableFunc(all, func(a, b *function) int { return -cmp.Compare(a.value, b.value) })
	most := cmp.Or(r.Functions, DefaultFunctions)
	for _, f := range all[:min(most, len(all))] {
		b := of[f]
		if len(b.functions) == 0 {
			chosen = append(chosen, b)
		}
		b.functions = append(b.functions, f)
	}
	return chosen, notes
}

// notRead is one note about the binaries whose machine code could not be read.
func notRead(absent map[string]int64, total int64) []string {
	var names []string
	for _, path := range slices.SortedFunc(maps.Keys(absent), func(a, b string) int {
		return cmp.Or(-cmp.Compare(absent[a], absent[b]), cmp.Compare(a, b))
	}) {
		if share := float64(absent[path]) / float64(total); share >= notedShare && path != "" {
			names = append(names, fmt.Sprintf("%s (%s of the CPU)", filepath.Base(path), percent.Column(share)))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"machine code not analysed, since the file is missing here or has changed since the recording: " + strings.Join(names, ", ")}
}

// isMachineCode says whether code of a kind is read from an ELF file.
func isMachineCode(k profile.Kind) bool {
	return k == profile.KindNative || k == profile.KindUnknown || k == profile.KindGo
}

// split sorts the sampled addresses by function.
func (b *binary) split() []*function {
	addresses := slices.Sorted(maps.Keys(b.at))
	bounds := elfsym.BoundsFor(b.file, addresses)
	var out []*function
	for _, a := range addresses {
		if n := len(out); n > 0 && a < out[n-1].high {
			out[n-1].add(a, b.at[a])
			continue
		}
		low, high, ok := bounds.Find(a)
		if !ok {
			continue
		}
		f := &function{name: b.names[a], low: low, high: high}
		f.add(a, b.at[a])
		out = append(out, f)
	}
	return out
}

func (f *function) add(address uint64, h hits) {
	f.sampled = append(f.sampled, address)
	f.value += h.value
}

func (b *binary) request(q Request) analyzer.MachineRequest {
	r := analyzer.MachineRequest{File: b.file.Path(), Cycles: q.Cycles, Processors: q.Processors}
	for _, f := range b.functions {
		shown := f.sampled
		for _, a := range slices.Sorted(maps.Keys(b.outcomes)) {
			if i, sampled := slices.BinarySearch(shown, a); !sampled && a >= f.low && a < f.high {
				shown = slices.Insert(slices.Clone(shown), i, a)
			}
		}
		r.Functions = append(r.Functions, analyzer.MachineRange{Low: f.low, High: f.high, Sampled: shown})
	}
	return r
}

// outcomesIn are the jumps of a binary that a recording has followed, by address.
func outcomesIn(p *profile.Profile, path string) map[uint64]profile.Branch {
	out := map[uint64]profile.Branch{}
	for _, b := range p.Meta.Branches {
		if b.Path == path {
			out[b.Address] = b
		}
	}
	return out
}
