// Package batch holds the samples of one request in the form that the store takes.
//
// It owns the Batch, how a profile.Profile becomes one, the bounds on what foreign
// profiles may hold, and the bytes of a batch in the journal. It takes a profile and
// labels. It must never know a dictionary: numbers in a batch are positions in its own
// tables.
package batch

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"whyhot/internal/profile/label"
	"whyhot/internal/store/columns"
)

// Labels say where samples come from.
type Labels struct {
	Service, Version, Host, Container, Process string

	Tags label.Set // all others
}

// Mapping is a binary.
type Mapping struct{ Path, BuildID string }

// Function is a named piece of code; see profile.Function.
type Function struct {
	Name, System, File string
	StartLine          uint32
	Mapping            uint32 // position
	Kind               uint8
}

// Location is one frame. It is an address of a mapping's file, which has no name yet,
// or a function and a line.
type Location struct {
	Mapping  uint32 // position
	Address  uint64 // offset in the file
	Kind     uint8
	Function uint32 // position, with Named
	Line     uint32
	Named    bool
}

// Row is how often a stack was seen in a minute. Its weight is Period × Count.
type Row struct {
	Minute uint32
	Labels uint32 // position
	Stack  uint32 // position
	Period int64
	Count  uint32
}

// Node is a frame below its caller.
type Node struct {
	Parent   uint32 // position + 1; 0 for the root
	Location uint32 // position
}

// Span is a time that was recorded, in seconds since 1970: [From, Until).
type Span struct{ From, Until uint32 }

// MaxSpan is how many seconds a span may have: a month. Who claims more knows no duration.
const MaxSpan = 31 * 24 * 60 * 60

// Batch is the samples of one request. A stack is a node, counted from 1 on; stack 0
// is the empty one.
type Batch struct {
	ID        string // "" where the sender gave none
	Mappings  []Mapping
	Functions []Function
	Locations []Location
	Nodes     []Node
	Labels    []Labels
	Rows      []Row
	Warnings  []string // what was left out or changed
	// Cut is the weight of stacks that lost frames.
	Cut int64
	// Future is how many samples were left out since their time has not come.
	Future int64
	// Spans are when it was recorded, where the sender says so. Of others it is the minutes of
	// their rows: an agent that records all the time sends nothing of idle seconds.
	Spans []Span
}

// Samples is how often the sampler fired in all.
func (b *Batch) Samples() int64 {
	var sum int64
	for i := range b.Rows {
		sum += int64(b.Rows[i].Count)
	}
	return sum
}

// Join puts labels and rows together that have come to be the same.
func (b *Batch) Join() {
	numbers, to := map[Labels]uint32{}, make([]uint32, len(b.Labels))
	labels := b.Labels[:0]
	for i, l := range b.Labels {
		n, ok := numbers[l]
		if !ok {
			n = uint32(len(labels))
			numbers[l] = n
			labels = append(labels, l)
		}
		to[i] = n
	}
	b.Labels = labels
	places := map[rowKey]int{}
	rows := b.Rows[:0]
	for _, r := range b.Rows {
		r.Labels = to[r.Labels]
		key := rowKey{minute: r.Minute, labels: r.Labels, stack: r.Stack, period: r.Period}
		if at, ok := places[key]; ok && r.Count <= math.MaxUint32-rows[at].Count {
			rows[at].Count += r.Count
			continue
		}
		places[key] = len(rows)
		rows = append(rows, r)
	}
	b.Rows = rows
}

// Append writes the batch. Warnings are the sender's, and are not written, nor is what was left
// out.
//
// Tags come after the rest, and only where there are any, and spans after them: versions
// without them wrote the same bytes, which a journal may have.
func (b *Batch) Append(dst []byte) []byte {
	dst = columns.Append(dst,
		[]string{b.ID}, []int64{b.Cut},
		col(b.Mappings, func(m *Mapping) string { return m.Path }), col(b.Mappings, func(m *Mapping) string { return m.BuildID }),
		col(b.Functions, func(f *Function) string { return f.Name }), col(b.Functions, func(f *Function) string { return f.System }),
		col(b.Functions, func(f *Function) string { return f.File }), col(b.Functions, func(f *Function) uint32 { return f.StartLine }),
		col(b.Functions, func(f *Function) uint32 { return f.Mapping }), col(b.Functions, func(f *Function) uint8 { return f.Kind }),
		col(b.Locations, func(l *Location) uint32 { return l.Mapping }), col(b.Locations, func(l *Location) uint64 { return l.Address }),
		col(b.Locations, func(l *Location) uint8 { return l.Kind }), col(b.Locations, function), col(b.Locations, func(l *Location) uint32 { return l.Line }),
		col(b.Nodes, func(n *Node) uint32 { return n.Parent }), col(b.Nodes, func(n *Node) uint32 { return n.Location }),
		col(b.Labels, func(l *Labels) string { return l.Service }), col(b.Labels, func(l *Labels) string { return l.Version }),
		col(b.Labels, func(l *Labels) string { return l.Host }), col(b.Labels, func(l *Labels) string { return l.Container }),
		col(b.Labels, func(l *Labels) string { return l.Process }),
		col(b.Rows, func(r *Row) uint32 { return r.Minute }), col(b.Rows, func(r *Row) uint32 { return r.Labels }),
		col(b.Rows, func(r *Row) uint32 { return r.Stack }), col(b.Rows, func(r *Row) int64 { return r.Period }), col(b.Rows, func(r *Row) uint32 { return r.Count }),
	)
	if len(b.Spans) > 0 || slices.ContainsFunc(b.Labels, func(l Labels) bool { return l.Tags != "" }) {
		dst = columns.Append(dst, col(b.Labels, func(l *Labels) string { return string(l.Tags) }))
	}
	if len(b.Spans) > 0 {
		dst = columns.Append(dst, col(b.Spans, func(s *Span) uint32 { return s.From }), col(b.Spans, func(s *Span) uint32 { return s.Until }))
	}
	return dst
}

// function is the position + 1, 0 for an address.
func function(l *Location) uint32 {
	if !l.Named {
		return 0
	}
	return l.Function + 1
}

func col[S, V any](rows []S, get func(*S) V) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = get(&rows[i])
	}
	return out
}

// Read reads what Append wrote, and checks that every number is a position in its
// table.
func Read(data []byte) (*Batch, error) {
	var (
		id                                                               []string
		cut, rPeriod                                                     []int64
		mPath, mBuild, fName, fSystem, fFile                             []string
		fStart, fMapping, lMapping, lFunction, lLine, nParent, nLocation []uint32
		fKind, lKind                                                     []uint8
		lAddress                                                         []uint64
		service, version, host, container, process, tags                 []string
		rMinute, rLabels, rStack, rCount, sFrom, sUntil                  []uint32
	)
	rest, err := columns.Read(data, &id, &cut, &mPath, &mBuild, &fName, &fSystem, &fFile, &fStart, &fMapping, &fKind,
		&lMapping, &lAddress, &lKind, &lFunction, &lLine, &nParent, &nLocation,
		&service, &version, &host, &container, &process, &rMinute, &rLabels, &rStack, &rPeriod, &rCount)
	if err == nil && len(rest) > 0 {
		rest, err = columns.Read(rest, &tags)
	} else {
		tags = make([]string, len(service))
	}
	if err == nil && len(rest) > 0 {
		rest, err = columns.Read(rest, &sFrom, &sUntil)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("batch: %w", err)
	case len(rest) > 0:
		return nil, fmt.Errorf("batch: %d bytes are left over", len(rest))
	case len(id) != 1 || len(cut) != 1,
		differ(len(mPath), len(mBuild)),
		differ(len(fName), len(fSystem), len(fFile), len(fStart), len(fMapping), len(fKind)),
		differ(len(lMapping), len(lAddress), len(lKind), len(lFunction), len(lLine)),
		differ(len(nParent), len(nLocation)),
		differ(len(service), len(version), len(host), len(container), len(process), len(tags)),
		differ(len(rMinute), len(rLabels), len(rStack), len(rPeriod), len(rCount)), differ(len(sFrom), len(sUntil)):
		return nil, errors.New("batch: its columns are not of one length")
	}
	b := &Batch{
		ID: id[0], Cut: cut[0], Mappings: make([]Mapping, len(mPath)), Functions: make([]Function, len(fName)), Locations: make([]Location, len(lMapping)),
		Nodes: make([]Node, len(nParent)), Labels: make([]Labels, len(service)), Rows: make([]Row, len(rMinute)),
	}
	for i := range b.Mappings {
		b.Mappings[i] = Mapping{mPath[i], mBuild[i]}
	}
	for i := range b.Functions {
		b.Functions[i] = Function{fName[i], fSystem[i], fFile[i], fStart[i], fMapping[i], fKind[i]}
	}
	for i := range b.Locations {
		b.Locations[i] = Location{Mapping: lMapping[i], Address: lAddress[i], Kind: lKind[i], Line: lLine[i]}
		if lFunction[i] > 0 {
			b.Locations[i].Function, b.Locations[i].Named = lFunction[i]-1, true
		}
	}
	for i := range b.Nodes {
		b.Nodes[i] = Node{nParent[i], nLocation[i]}
	}
	for i := range b.Labels {
		b.Labels[i] = Labels{service[i], version[i], host[i], container[i], process[i], label.Set(tags[i])}
		if !b.Labels[i].Tags.Sound() {
			return nil, fmt.Errorf("batch: row %d of its labels is damaged", i)
		}
	}
	for i := range b.Rows {
		b.Rows[i] = Row{rMinute[i], rLabels[i], rStack[i], rPeriod[i], rCount[i]}
	}
	for i := range sFrom {
		if sFrom[i] >= sUntil[i] || sUntil[i]-sFrom[i] > MaxSpan {
			return nil, fmt.Errorf("batch: row %d of its spans is no time", i)
		}
		b.Spans = append(b.Spans, Span{sFrom[i], sUntil[i]})
	}
	return b, b.check()
}

func differ(first int, others ...int) bool {
	return slices.ContainsFunc(others, func(n int) bool { return n != first })
}

// check says whether every number leads somewhere.
func (b *Batch) check() error {
	bad := func(table string, row int) error {
		return fmt.Errorf("batch: row %d of its %s leads nowhere", row, table)
	}
	for i := range b.Functions {
		if int(b.Functions[i].Mapping) >= len(b.Mappings) {
			return bad("functions", i)
		}
	}
	for i := range b.Locations {
		l := &b.Locations[i]
		if int(l.Mapping) >= len(b.Mappings) || l.Named && int(l.Function) >= len(b.Functions) {
			return bad("locations", i)
		}
	}
	for i, n := range b.Nodes {
		if int(n.Parent) > i || int(n.Location) >= len(b.Locations) {
			return bad("nodes", i)
		}
	}
	for i := range b.Rows {
		if int(b.Rows[i].Stack) > len(b.Nodes) || int(b.Rows[i].Labels) >= len(b.Labels) {
			return bad("rows", i)
		}
	}
	return nil
}
