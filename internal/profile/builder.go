package profile

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Builder collects one profile. Every table method interns: the same input
// gives the same ID. A Builder is used by one goroutine and dies with Build.
type Builder struct {
	p         *Profile
	mappings  map[Mapping]MappingID
	functions map[Function]FunctionID
	locations map[string]LocationID
	stacks    map[string]StackID
	labelSets map[string]LabelSetID
	samples   map[sampleKey]int
	scratch   []byte
}

type sampleKey struct {
	stack  StackID
	labels LabelSetID
	time   int64
}

// NewBuilder returns an empty builder with the unknown mapping, the unknown
// function and the empty label set in place at index 0.
func NewBuilder() *Builder {
	b := &Builder{
		p:         &Profile{},
		mappings:  map[Mapping]MappingID{},
		functions: map[Function]FunctionID{},
		locations: map[string]LocationID{},
		stacks:    map[string]StackID{},
		labelSets: map[string]LabelSetID{},
		samples:   map[sampleKey]int{},
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

// Function interns a function.
func (b *Builder) Function(f Function) FunctionID {
	if id, ok := b.functions[f]; ok {
		return id
	}
	id := FunctionID(len(b.p.functions))
	b.p.functions = append(b.p.functions, f)
	b.functions[f] = id
	return id
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
		lines = []Line{{Function: b.Unnamed(m, kind)}}
	}
	k := b.scratch[:0]
	k = binary.LittleEndian.AppendUint32(k, uint32(m))
	k = binary.LittleEndian.AppendUint64(k, addr)
	for _, l := range lines {
		k = binary.LittleEndian.AppendUint32(k, uint32(l.Function))
		k = binary.LittleEndian.AppendUint32(k, uint32(l.Line))
	}
	b.scratch = k
	if id, ok := b.locations[string(k)]; ok {
		return id
	}
	id := LocationID(len(b.p.locations))
	b.p.locations = append(b.p.locations, Location{
		Mapping: m, Address: addr,
		firstLine: uint32(len(b.p.lines)), numLines: uint32(len(lines)),
	})
	b.p.lines = append(b.p.lines, lines...)
	b.locations[string(k)] = id
	return id
}

// Stack interns a stack, leaf first. The empty stack is allowed: it stands for
// a sample whose stack could not be read.
func (b *Builder) Stack(locs []LocationID) StackID {
	k := b.scratch[:0]
	for _, l := range locs {
		k = binary.LittleEndian.AppendUint32(k, uint32(l))
	}
	b.scratch = k
	if id, ok := b.stacks[string(k)]; ok {
		return id
	}
	id := StackID(len(b.p.stackEnd))
	b.p.stackLocs = append(b.p.stackLocs, locs...)
	b.p.stackEnd = append(b.p.stackEnd, uint32(len(b.p.stackLocs)))
	b.stacks[string(k)] = id
	return id
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

// Sample adds to the row of (stack, labels, time), making it when it is new.
func (b *Builder) Sample(s Sample) {
	k := sampleKey{s.Stack, s.Labels, s.Time}
	if i, ok := b.samples[k]; ok {
		b.p.samples[i].Count += s.Count
		b.p.samples[i].Value += s.Value
		return
	}
	b.samples[k] = len(b.p.samples)
	b.p.samples = append(b.p.samples, s)
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
