package perfscript

import (
	"encoding/binary"
	"slices"
	"strings"

	"whyhot/internal/profile/codename"
)

// kernelHalf is where the kernel's addresses begin on every 64-bit machine that
// perf runs on.
const kernelHalf = 1 << 63

// anyOffset is larger than any offset in a file, smaller than the addresses at
// which programs are placed at random.
const anyOffset = 1 << 40

// stack settles the frames of one sample and gives the number of their stack.
func (s *reader) stack(h *header, frames []frame) int {
	locations := make([]location, 0, len(frames))
	var inlined []named
	for i, f := range frames {
		name := named{f.symbol, s.position[i]}
		if len(inlined) > 0 && f.addr != frames[i-1].addr {
			// perf left out the frame that they are inlined into.
			locations = append(locations, location{names: inlined})
			inlined = nil
		}
		if f.inlined {
			inlined = append(inlined, name)
			continue
		}
		loc := s.settle(h, &f, len(locations) > 0)
		loc.names = append(loc.names, inlined...)
		if f.symbol != "" {
			loc.names = append(loc.names, name)
		}
		inlined = nil
		locations = append(locations, loc)
	}
	if len(inlined) > 0 {
		locations = append(locations, location{names: inlined})
	}
	key := stackKey(locations)
	if id, ok := s.stackID[key]; ok {
		return id
	}
	id := len(s.stacks)
	for i := range locations {
		for j := range locations[i].names {
			n := &locations[i].names[j]
			n.symbol, n.file = strings.Clone(n.symbol), strings.Clone(n.file)
		}
	}
	s.stacks = append(s.stacks, locations)
	s.stackID[key] = id
	return id
}

// stackKey tells stacks apart by what of them goes into the profile.
func stackKey(locations []location) string {
	var b []byte
	for _, l := range locations {
		if l.binary != nil {
			b = append(b, l.binary.path...)
		}
		b = append(b, 0)
		b = binary.AppendUvarint(b, l.addr)
		for _, n := range l.names {
			b = append(b, n.symbol...)
			b = append(b, 0)
			b = append(b, n.file...)
			b = binary.AppendVarint(append(b, 0), int64(n.line))
		}
		b = append(b, 1)
	}
	return string(b)
}

// settle finds a frame's binary and address. A caller's address is that of the
// instruction after the call, or already one less where perf unwound the stack
// itself; one less than either is inside the call.
func (s *reader) settle(h *header, f *frame, caller bool) location {
	addr := f.addr
	if caller && addr > 0 {
		addr--
	}
	if f.dso == "" {
		return location{addr: addr}
	}
	dso, buildID := f.dso, ""
	switch {
	case addr >= kernelHalf:
	default:
		m, ok := s.mapped(h, addr)
		switch {
		case ok && m.path == f.dso:
			addr, buildID = addr-m.start+m.offset, m.buildID
		case addr >= anyOffset && !generated(dso):
			addr = 0
		default:
			buildID = s.buildIDOf(h, dso)
		}
	}
	b := s.binary[dso]
	if b == nil {
		b = &binaryFile{path: strings.Clone(dso), kind: codename.OfMapping(dso)}
		s.binary[b.path] = b
	}
	if b.buildID == "" && buildID != "" {
		b.buildID = strings.Clone(buildID)
	}
	b.limit = max(b.limit, addr+1)
	return location{binary: b, addr: addr}
}

// generated tells whether code has no file that its addresses are offsets in.
func generated(dso string) bool {
	return strings.HasPrefix(dso, "/tmp/perf-") || strings.HasPrefix(dso, "//anon") || strings.HasPrefix(dso, "[")
}

// mapped finds what a process has at an address: the latest mapping counts.
func (s *reader) mapped(h *header, addr uint64) (mmap, bool) {
	for _, m := range slices.Backward(s.maps[h.process()]) {
		if addr >= m.start && addr-m.start < m.size {
			return m, true
		}
	}
	return mmap{}, false
}

func (s *reader) buildIDOf(h *header, dso string) string {
	for _, m := range slices.Backward(s.maps[h.process()]) {
		if m.path == dso {
			return m.buildID
		}
	}
	return ""
}

// process is the process ID as far as the line tells: perf's default fields
// have the thread's only, which for most programs is the same.
func (h *header) process() int {
	if h.hasPID {
		return h.pid
	}
	return h.tid
}
