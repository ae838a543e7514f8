package largetables

import (
	"cmp"
	"encoding/binary"
	"slices"

	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// packed is a table in little memory: of each block its length and its count of deltas, then
// of each delta its offset less that of the one before and the number of its info, as varints.
type packed struct {
	infos   []sdtypes.UnwindInfo
	numbers map[sdtypes.UnwindInfo]uint64
	bytes   []byte
	blocks  []place
}

// place is where a block is in bytes.
type place struct {
	start uint64
	at    uint32
}

// add takes a further part. The maker adds a block of its own for the entry point to each.
func (p *packed) add(tables *sdtypes.IntervalData, entry uint64) {
	again := len(p.blocks) > 0
	for _, b := range tables.Blocks {
		if again && b.Start == entry && len(b.Deltas) > 0 && b.Deltas[0].Info == sdtypes.UnwindInfoStop {
			continue
		}
		p.blocks = append(p.blocks, place{b.Start, uint32(len(p.bytes))})
		p.bytes = binary.AppendUvarint(p.bytes, b.End-b.Start)
		p.bytes = binary.AppendUvarint(p.bytes, uint64(len(b.Deltas)))
		offset := uint32(0)
		for _, d := range b.Deltas {
			number, known := p.numbers[d.Info]
			if !known {
				number = uint64(len(p.infos))
				p.numbers[d.Info] = number
				p.infos = append(p.infos, d.Info)
			}
			p.bytes = binary.AppendUvarint(p.bytes, uint64(d.Offset-offset))
			p.bytes = binary.AppendUvarint(p.bytes, number)
			offset = d.Offset
		}
	}
}

// sort brings the blocks in order. Of two that begin at one address, which only an empty one
// does in sound files, the empty one is first; the profiler leaves that to chance.
func (p *packed) sort() {
	slices.SortStableFunc(p.blocks, func(a, b place) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return cmp.Compare(p.length(a), p.length(b))
	})
}

func (p *packed) length(b place) uint64 {
	v, _ := binary.Uvarint(p.bytes[b.at:])
	return v
}

// read gives a block, with room for its deltas.
func (p *packed) read(i int, room sdtypes.StackDeltaArray) sdtypes.BasicBlock {
	rest := p.bytes[p.blocks[i].at:]
	next := func() uint64 {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		return v
	}
	b := sdtypes.BasicBlock{Start: p.blocks[i].start, Deltas: room[:0]}
	b.End = b.Start + next()
	offset := uint32(0)
	for range next() {
		offset += uint32(next())
		b.Deltas = append(b.Deltas, sdtypes.StackDelta{Offset: offset, Info: p.infos[next()]})
	}
	return b
}

// rows calls emit with what the kernel gets: one address after the other, each with another
// info than the one before. It is what execinfomanager's loadDeltas does: two deltas that are
// a push apart become one, a signal's return begins a byte earlier, and gaps between blocks
// are marked.
func (p *packed) rows(emit func(address uint64, info sdtypes.UnwindInfo)) {
	var last sdtypes.UnwindInfo
	begun := false
	add := func(address uint64, info sdtypes.UnwindInfo) {
		if !begun || info != last {
			emit(address, info)
		}
		begun, last = true, info
	}
	var room sdtypes.StackDeltaArray
	merged := false
	for i := range p.blocks {
		b := p.read(i, room)
		room = b.Deltas
		for j, d := range b.Deltas {
			if merged {
				merged = false
				continue
			}
			info, address := d.Info, b.Start+uint64(d.Offset)
			if j+1 < len(b.Deltas) {
				info.MergeOpcode = mergeOpcode(d, b.Deltas[j+1])
			}
			merged = info.MergeOpcode != 0
			if isCommand(info) && info.Param == support.UnwindCommandSignal {
				address--
			}
			add(address, info)
		}
		if i+1 == len(p.blocks) || b.End+sdtypes.MinimumGap < p.blocks[i+1].start {
			add(b.End, sdtypes.UnwindInfoInvalid)
		}
	}
}

func isCommand(info sdtypes.UnwindInfo) bool { return info.Flags&support.UnwindFlagCommand != 0 }

// pushed is by how much a push moves the stack.
const pushed = 8

// mergeOpcode tells how the next delta follows from this one, 0 where it has to have a row of
// its own.
func mergeOpcode(d, next sdtypes.StackDelta) uint8 {
	const near = 2 // bytes of code
	apart := next.Offset - d.Offset
	if isCommand(d.Info) || apart < 1 || apart > near || next.Info.BaseReg != d.Info.BaseReg ||
		next.Info.AuxBaseReg != d.Info.AuxBaseReg || next.Info.AuxParam != d.Info.AuxParam {
		return 0
	}
	switch next.Info.Param - d.Info.Param {
	case pushed:
		return uint8(apart)
	case -pushed:
		return uint8(apart) | support.MergeOpcodeNegative
	}
	return 0
}
