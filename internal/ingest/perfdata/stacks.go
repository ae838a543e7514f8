package perfdata

import (
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
	frameIDs hashTable
	frames   []frame
	stackEnd []int
	stackAll []frameID
	stackIDs hashTable
	labelIDs map[labelKey]labelID
	labels   []labelKey
	rowIDs   map[uint64]uint32 // by stack and labels
	rowKeys  []rowKey
	rows     []row
}

func newStacks() *stacks {
	return &stacks{
		frames:   make([]frame, 1), // truncatedID
		labelIDs: map[labelKey]labelID{},
		rowIDs:   map[uint64]uint32{},
	}
}

// truncatedID is the frame that stands for the outer part of a cut stack.
const truncatedID frameID = 0

func (s *stacks) frame(f frame) frameID {
	h := uint32((f.addr ^ uint64(f.bin)<<48) * hashFactor >> 32)
	at := s.frameIDs.start(h)
	for {
		id, ok := s.frameIDs.next(&at, h)
		if !ok {
			break
		}
		if s.frames[id] == f {
			return frameID(id)
		}
	}
	id := frameID(len(s.frames))
	s.frames = append(s.frames, f)
	s.frameIDs.put(at, h, uint32(id))
	return id
}

// stack interns a stack, leaf first.
func (s *stacks) stack(ids []frameID) stackID {
	h := hashFrames(ids)
	at := s.stackIDs.start(h)
	for {
		id, ok := s.stackIDs.next(&at, h)
		if !ok {
			break
		}
		if slices.Equal(s.stackOf(stackID(id)), ids) {
			return stackID(id)
		}
	}
	id := stackID(len(s.stackEnd))
	s.stackAll = append(s.stackAll, ids...)
	s.stackEnd = append(s.stackEnd, len(s.stackAll))
	s.stackIDs.put(at, h, uint32(id))
	return id
}

func (s *stacks) stackOf(id stackID) []frameID {
	start := 0
	if id > 0 {
		start = s.stackEnd[id-1]
	}
	return s.stackAll[start:s.stackEnd[id]]
}

func hashFrames(ids []frameID) uint32 {
	h := uint64(len(ids))
	for _, id := range ids {
		h = (h ^ uint64(id)) * hashFactor
		h ^= h >> 29
	}
	return uint32(h)
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

// add counts a sample. Samples that keep their time are not merged.
func (s *stacks) add(k rowKey, value int64) {
	if k.time != 0 {
		s.rowKeys = append(s.rowKeys, k)
		s.rows = append(s.rows, row{1, value})
		return
	}
	packed := uint64(k.stack)<<32 | uint64(k.labels)
	i, ok := s.rowIDs[packed]
	if !ok {
		i = uint32(len(s.rows))
		s.rowIDs[packed] = i
		s.rowKeys = append(s.rowKeys, k)
		s.rows = append(s.rows, row{})
	}
	s.rows[i].count++
	s.rows[i].value += value
}

// emit puts everything into a Builder. ids are build IDs by path.
func (s *stacks) emit(b *profile.Builder, bins []*image, ids map[string]string) {
	locs := s.emitFrames(b, bins, ids)
	builderIDs := make([]profile.StackID, len(s.stackEnd))
	var buf []profile.LocationID
	for i := range s.stackEnd {
		buf = buf[:0]
		for _, id := range s.stackOf(stackID(i)) {
			buf = append(buf, locs[id])
		}
		builderIDs[i] = b.Stack(buf)
	}
	labelOf := make([]profile.LabelSetID, len(s.labels))
	for i := range s.labels {
		labelOf[i] = b.Labels(s.labels[i].labels())
	}
	for i, k := range s.rowKeys {
		b.Sample(profile.Sample{
			Stack: builderIDs[k.stack], Labels: labelOf[k.labels], Time: int64(k.time),
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
	functions := make([]profile.FunctionID, len(bins))
	for i, f := range s.frames[1:] {
		bin := bins[f.bin]
		if functions[f.bin] == 0 {
			mappings[f.bin] = b.Mapping(bin.mapping(ids))
			functions[f.bin] = b.Function(profile.Function{Name: bin.name, Mapping: mappings[f.bin], Kind: bin.kind})
		}
		locs[i+1] = b.Location(mappings[f.bin], f.addr, bin.kind, profile.Line{Function: functions[f.bin]})
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
