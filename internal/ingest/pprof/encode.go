package pprof

import (
	"encoding/binary"
	"time"

	"whyhot/internal/profile"
)

// message builds one protocol buffer message.
type message struct{ b []byte }

func (m *message) reset() { m.b = m.b[:0] }

// number writes a field that is left out when it is 0, as proto3 does.
func (m *message) number(field int, v uint64) {
	if v != 0 {
		m.tag(field, wireVarint)
		m.b = binary.AppendUvarint(m.b, v)
	}
}

func (m *message) tag(field, wire int) {
	m.b = binary.AppendUvarint(m.b, uint64(field)<<3|uint64(wire))
}

func (m *message) bytes(field int, v []byte) {
	m.tag(field, wireBytes)
	m.b = binary.AppendUvarint(m.b, uint64(len(v)))
	m.b = append(m.b, v...)
}

// stringTable gives every text its index; index 0 is the empty one.
type stringTable struct {
	index map[string]uint64
	list  []string
}

func newStringTable() *stringTable {
	return &stringTable{index: map[string]uint64{"": 0}, list: []string{""}}
}

func (s *stringTable) add(text string) uint64 {
	i, ok := s.index[text]
	if !ok {
		i = uint64(len(s.list))
		s.index[text] = i
		s.list = append(s.list, text)
	}
	return i
}

func (w *writer) valueType(m *message, vt profile.ValueType) {
	m.reset()
	m.number(1, w.strings.add(vt.Type))
	m.number(2, w.strings.add(vt.Unit))
}

func (w *writer) mapping(m *message, id profile.MappingID) {
	p := w.p.Mapping(id)
	m.reset()
	m.number(1, uint64(id))
	m.number(2, p.Start)
	m.number(3, p.Limit)
	m.number(4, p.Offset)
	m.number(5, w.strings.add(p.Path))
	m.number(6, w.strings.add(p.BuildID))
	has := w.has[id]
	m.number(7, bit(has.functions))
	m.number(8, bit(has.files))
	m.number(9, bit(has.lines))
	m.number(10, bit(has.inlined))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (w *writer) function(m *message, id profile.FunctionID) {
	f := w.p.Function(id)
	m.reset()
	m.number(1, functionID(id))
	m.number(2, w.strings.add(f.Name))
	system := f.SystemName
	if system == "" {
		system = f.Name
	}
	m.number(3, w.strings.add(system))
	m.number(4, w.strings.add(f.File))
	m.number(5, uint64(f.StartLine))
}

func (w *writer) location(m *message, id profile.LocationID) {
	l := w.p.Location(id)
	m.reset()
	m.number(1, uint64(id)+1)
	m.number(2, uint64(l.Mapping))
	m.number(3, l.Address)
	if !w.named(id) {
		return
	}
	for _, line := range w.p.Lines(id) {
		w.inner.reset()
		w.inner.number(1, functionID(line.Function))
		w.inner.number(2, uint64(line.Line))
		m.bytes(4, w.inner.b)
	}
}

// functionID is the ID in the file; 0 means "none" there.
func functionID(id profile.FunctionID) uint64 { return uint64(id) + 1 }

func (w *writer) sample(m *message, s *profile.Sample, waits bool) {
	m.reset()
	w.inner.reset()
	for _, l := range w.p.Stack(s.Stack) {
		w.inner.b = binary.AppendUvarint(w.inner.b, uint64(l)+1)
	}
	if len(w.inner.b) > 0 {
		m.bytes(sampleLocation, w.inner.b)
	}
	w.inner.reset()
	w.values(s, waits)
	m.bytes(sampleValue, w.inner.b)
	for _, l := range w.p.Labels(s.Labels) {
		w.label(m, l)
	}
	switch {
	case s.Time == 0:
	case w.p.Meta.Elapsed:
		w.label(m, profile.Label{Key: elapsedLabel, Num: s.Time / int64(time.Millisecond), Unit: elapsedUnit})
	default:
		w.label(m, profile.Label{Key: timeLabel, Num: s.Time, Unit: "nanoseconds"})
	}
}

// values are those of a sample, for each of types.
func (w *writer) values(s *profile.Sample, waits bool) {
	put := func(n int64) { w.inner.b = binary.AppendUvarint(w.inner.b, uint64(n)) }
	of, other := s, &profile.Sample{}
	if waits {
		of, other = other, of
	}
	if w.twoValues {
		put(of.Count)
	}
	put(of.Value)
	if len(w.p.Waits()) > 0 {
		put(other.Count)
		put(other.Value)
	}
}

func (w *writer) label(m *message, l profile.Label) {
	w.inner.reset()
	w.inner.number(1, w.strings.add(l.Key))
	w.inner.number(2, w.strings.add(l.Str))
	w.inner.number(3, uint64(l.Num))
	w.inner.number(4, w.strings.add(l.Unit))
	m.bytes(sampleLabel, w.inner.b)
}
