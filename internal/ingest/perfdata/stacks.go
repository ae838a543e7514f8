package perfdata

import (
	"encoding/binary"
	"slices"

	"whyhot/internal/profile"
)

type (
	frameID uint32
	stackID uint32
	labelID uint32
)

type frame struct {
	bin  uint32
	addr uint64
}

type labelKey struct {
	process, thread string
	pid, tid        uint32
}

type rowKey struct {
	stack  stackID
	labels labelID
	time   uint64
}

type row struct{ count, value int64 }

// truncatedName is the root of stacks whose outer part was not recorded.
const truncatedName = "[truncated stack]"

// stacks gathers the samples. It has tables of its own beside the Builder's
// because where a mapping ends is only known when the last record was read.
type stacks struct {
	frameIDs map[frame]frameID
	frames   []frame
	stackIDs map[string]stackID
	stackEnd []int
	stackAll []frameID
	labelIDs map[labelKey]labelID
	labels   []labelKey
	rowIDs   map[rowKey]int
	rowKeys  []rowKey
	rows     []row
	scratch  []byte
}

func newStacks() *stacks {
	return &stacks{
		frames:   make([]frame, 1), // truncatedID
		frameIDs: map[frame]frameID{},
		stackIDs: map[string]stackID{},
		labelIDs: map[labelKey]labelID{},
		rowIDs:   map[rowKey]int{},
	}
}

// truncatedID is the frame that stands for the outer part of a cut stack.
const truncatedID frameID = 0

func (s *stacks) frame(f frame) frameID {
	if id, ok := s.frameIDs[f]; ok {
		return id
	}
	id := frameID(len(s.frames))
	s.frames = append(s.frames, f)
	s.frameIDs[f] = id
	return id
}

func (s *stacks) stack(ids []frameID) stackID {
	k := s.scratch[:0]
	for _, id := range ids {
		k = binary.LittleEndian.AppendUint32(k, uint32(id))
	}
	s.scratch = k
	if id, ok := s.stackIDs[string(k)]; ok {
		return id
	}
	id := stackID(len(s.stackEnd))
	s.stackAll = append(s.stackAll, ids...)
	s.stackEnd = append(s.stackEnd, len(s.stackAll))
	s.stackIDs[string(k)] = id
	return id
}

func (s *stacks) label(k labelKey) labelID {
	if id, ok := s.labelIDs[k]; ok {
		return id
	}
	id := labelID(len(s.labels))
	s.labels = append(s.labels, k)
	s.labelIDs[k] = id
	return id
}

func (s *stacks) add(k rowKey, value int64) {
	i, ok := s.rowIDs[k]
	if !ok {
		i = len(s.rows)
		s.rowIDs[k] = i
		s.rowKeys = append(s.rowKeys, k)
		s.rows = append(s.rows, row{})
	}
	s.rows[i].count++
	s.rows[i].value += value
}

// emit puts everything into a Builder. ids are build IDs by path.
func (s *stacks) emit(b *profile.Builder, bins []*image, ids map[string]string) {
	locs := s.emitFrames(b, bins, ids)
	stackOf := make([]profile.StackID, len(s.stackEnd))
	start := 0
	var buf []profile.LocationID
	for i, end := range s.stackEnd {
		buf = buf[:0]
		for _, id := range s.stackAll[start:end] {
			buf = append(buf, locs[id])
		}
		stackOf[i] = b.Stack(buf)
		start = end
	}
	labelOf := make([]profile.LabelSetID, len(s.labels))
	for i := range s.labels {
		labelOf[i] = b.Labels(s.labels[i].labels())
	}
	for i, k := range s.rowKeys {
		b.Sample(profile.Sample{
			Stack: stackOf[k.stack], Labels: labelOf[k.labels], Time: int64(k.time),
			Count: s.rows[i].count, Value: s.rows[i].value,
		})
	}
}

func (s *stacks) emitFrames(b *profile.Builder, bins []*image, ids map[string]string) []profile.LocationID {
	locs := make([]profile.LocationID, len(s.frames))
	if slices.Contains(s.stackAll, truncatedID) {
		fn := b.Function(profile.Function{Name: truncatedName})
		locs[truncatedID] = b.Location(0, 0, profile.KindUnknown, profile.Line{Function: fn})
	}
	mappings := make([]profile.MappingID, len(bins)) // 0: not made yet
	for i, f := range s.frames[1:] {
		bin := bins[f.bin]
		if mappings[f.bin] == 0 {
			mappings[f.bin] = b.Mapping(bin.mapping(ids))
		}
		var lines []profile.Line
		if bin.name != "" {
			fn := profile.Function{Name: bin.name, Mapping: mappings[f.bin], Kind: bin.kind}
			lines = append(lines, profile.Line{Function: b.Function(fn)})
		}
		locs[i+1] = b.Location(mappings[f.bin], f.addr, bin.kind, lines...)
	}
	return locs
}

// Not-known values of a labelKey: names are "", numbers noID.
const noID = ^uint32(0)

func (k *labelKey) labels() []profile.Label {
	var out []profile.Label
	if k.process != "" {
		out = append(out, profile.Label{Key: profile.LabelProcess, Str: k.process})
	}
	if k.thread != "" {
		out = append(out, profile.Label{Key: profile.LabelThread, Str: k.thread})
	}
	if k.pid != noID {
		out = append(out, profile.Label{Key: profile.LabelPID, Num: int64(k.pid)})
	}
	if k.tid != noID {
		out = append(out, profile.Label{Key: profile.LabelTID, Num: int64(k.tid)})
	}
	return out
}
