package profile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Builder collects one profile. Every table method interns: the same input
// gives the same ID. A Builder dies with Build.
//
// It is used by one goroutine, or by two: one that calls Stack and Sample, and one that
// calls Mapping, Complete, Function, Unnamed, Location and Labels. The tables of the two
// have nothing in common.
type Builder struct {
	p         *Profile
	mappings  map[Mapping]MappingID
	functions map[Function]FunctionID
	labelSets map[string]LabelSetID
	locations internTable
	stacks    internTable
	samples   internTable
	waits     internTable
	hash      hasher
	scratch   []byte
	oneLine   [1]Line
}

// NewBuilder returns an empty builder with the unknown mapping, the unknown
// function and the empty label set in place at index 0.
func NewBuilder() *Builder {
	b := &Builder{
		p:         &Profile{},
		mappings:  map[Mapping]MappingID{},
		functions: map[Function]FunctionID{},
		labelSets: map[string]LabelSetID{},
		hash:      newHasher(),
	}
	b.Mapping(Mapping{})
	b.Function(Function{})
	b.Labels(nil)
	return b
}

// Mapping interns a mapping.
func (b *Builder) Mapping(m Mapping) MappingID {
	if id, ok := b.mappings[m]; ok {
		return id
	}
	id := MappingID(len(b.p.mappings))
	b.p.mappings = append(b.p.mappings, m)
	b.mappings[m] = id
	return id
}

// Complete puts m in the place of a mapping, for readers that learn how far a
// binary reaches, or its build ID, only after its first address. Where m is the
// same as another mapping both stay.
func (b *Builder) Complete(id MappingID, m Mapping) {
	delete(b.mappings, b.p.mappings[id])
	b.p.mappings[id] = m
	if _, taken := b.mappings[m]; !taken {
		b.mappings[m] = id
	}
}

// Function interns a function. JavaScript names the files of its modules by URL; a profile
// has their paths.
func (b *Builder) Function(f Function) FunctionID {
	f.File = LocalFile(f.File)
	if id, ok := b.functions[f]; ok {
		return id
	}
	id := FunctionID(len(b.p.functions))
	b.p.functions = append(b.p.functions, f)
	b.functions[f] = id
	return id
}

// LocalFile is the path of a file that is named by its URL. Other names stay as they are.
func LocalFile(name string) string {
	rest, is := strings.CutPrefix(name, "file://")
	if !is {
		return name
	}
	if path, err := url.PathUnescape(rest); err == nil {
		return path
	}
	return rest
}

// Unnamed is the function that stands for unsymbolised code of a mapping.
func (b *Builder) Unnamed(m MappingID, k Kind) FunctionID {
	return b.Function(Function{Mapping: m, Kind: k})
}

// Location interns an address with its source positions, innermost inlined
// callee first. No lines means: not symbolised; the location then gets one line
// of the mapping's unnamed function of the given kind.
func (b *Builder) Location(m MappingID, addr uint64, kind Kind, lines ...Line) LocationID {
	if len(lines) == 0 {
		b.oneLine[0] = Line{Function: b.Unnamed(m, kind)}
		lines = b.oneLine[:]
	}
	p := b.p
	row, found := b.locations.find(b.hash.location(m, addr, lines), uint32(len(p.locations)), func(row uint32) bool {
		l := &p.locations[row]
		return l.Mapping == m && l.Address == addr && slices.Equal(p.lines[l.firstLine:l.firstLine+l.numLines], lines)
	})
	if !found {
		p.locations = append(p.locations, Location{
			Mapping: m, Address: addr,
			firstLine: uint32(len(p.lines)), numLines: uint32(len(lines)),
		})
		p.lines = append(p.lines, lines...)
	}
	return LocationID(row)
}

// Stack interns a stack, leaf first. The empty stack is allowed: it stands for
// a sample whose stack could not be read.
func (b *Builder) Stack(locs []LocationID) StackID {
	p := b.p
	row, found := b.stacks.find(b.hash.stack(locs), uint32(len(p.stackEnd)), func(row uint32) bool {
		return slices.Equal(p.Stack(StackID(row)), locs)
	})
	if !found {
		p.stackLocs = append(p.stackLocs, locs...)
		p.stackEnd = append(p.stackEnd, uint32(len(p.stackLocs)))
	}
	return StackID(row)
}

// Size counts what a Builder holds, or is to make room for.
type Size struct {
	Stacks, Frames, Samples int // Frames of all stacks together
	Locations               int
}

// ErrTooLarge is wrapped by a reader's error for a profile that holds more than the reader
// may take.
var ErrTooLarge = errors.New("the profile is too large")

// framesPerStack is how many frames each stack may have where they are bounded together.
const framesPerStack = 16

// Check fails where there are more than most stacks, samples or locations; 0 bounds nothing.
func (s Size) Check(most int) error {
	switch {
	case most <= 0:
		return nil
	case s.Stacks > most, s.Samples > most, s.Locations > most:
		return fmt.Errorf("%w: more than %d different stacks, samples or locations", ErrTooLarge, most)
	case s.Frames > framesPerStack*most:
		return fmt.Errorf("%w: more than %d frames in its stacks", ErrTooLarge, framesPerStack*most)
	}
	return nil
}

// Size is what the Builder holds so far.
func (b *Builder) Size() Size {
	return Size{Stacks: len(b.p.stackEnd), Frames: len(b.p.stackLocs), Samples: len(b.p.samples), Locations: len(b.p.locations)}
}

// Grow makes room for that much more. It is a hint: a reader that can tell the
// size of its input saves the copying that growing step by step costs.
func (b *Builder) Grow(by Size) {
	b.p.stackEnd = roomFor(b.p.stackEnd, by.Stacks)
	b.p.stackLocs = roomFor(b.p.stackLocs, by.Frames)
	b.p.samples = roomFor(b.p.samples, by.Samples)
	b.p.locations = roomFor(b.p.locations, by.Locations)
	b.p.lines = roomFor(b.p.lines, by.Locations) // most have one
	b.stacks.grow(len(b.p.stackEnd) + by.Stacks)
	b.samples.grow(len(b.p.samples) + by.Samples)
}

// roomFor is s with room for n more. Unlike slices.Grow, which clears it, it does not
// touch the room, so that what is not used takes no memory.
func roomFor[E any](s []E, n int) []E {
	if cap(s)-len(s) >= n {
		return s
	}
	return append(make([]E, 0, len(s)+n), s...)
}

// Labels interns a label set; the order of the input does not matter.
func (b *Builder) Labels(labels []Label) LabelSetID {
	sorted := slices.Clone(labels)
	slices.SortFunc(sorted, func(x, y Label) int {
		return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.Str, y.Str), cmp.Compare(x.Num, y.Num))
	})
	k := b.scratch[:0]
	for _, l := range sorted {
		for _, s := range [...]string{l.Key, l.Str, l.Unit} {
			k = binary.AppendUvarint(k, uint64(len(s)))
			k = append(k, s...)
		}
		k = binary.AppendVarint(k, l.Num)
	}
	b.scratch = k
	if id, ok := b.labelSets[string(k)]; ok {
		return id
	}
	id := LabelSetID(len(b.p.labelSets))
	b.p.labelSets = append(b.p.labelSets, sorted)
	b.labelSets[string(k)] = id
	return id
}

// LabelsOf are those of a label set.
func (b *Builder) LabelsOf(id LabelSetID) []Label { return b.p.labelSets[id] }

// Sample adds to the row of (stack, labels, time), making it when it is new.
func (b *Builder) Sample(s Sample) { b.row(&b.p.samples, &b.samples, s) }

// Wait adds to the row of what waited in the same place: see Profile.Waits.
func (b *Builder) Wait(s Sample) { b.row(&b.p.waits, &b.waits, s) }

func (b *Builder) row(rows *[]Sample, table *internTable, s Sample) {
	all := *rows
	row, found := table.find(b.hash.sample(&s), uint32(len(all)), func(row uint32) bool {
		o := &all[row]
		return o.Stack == s.Stack && o.Labels == s.Labels && o.Time == s.Time
	})
	if found {
		all[row].Count += s.Count
		all[row].Value += s.Value
		return
	}
	*rows = append(all, s)
}

// Build returns the profile and leaves the builder unusable.
func (b *Builder) Build(meta Meta) *Profile {
	p := b.p
	*b = Builder{}
	p.Meta = meta
	for i := range p.samples {
		p.total += p.samples[i].Value
		p.count += p.samples[i].Count
	}
	return p
}
