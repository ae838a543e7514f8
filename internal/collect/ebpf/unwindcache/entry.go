package unwindcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"

	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/support"
)

// An entry is
//
//	magic, with the version of the form
//	key      what it is found by
//	infos    count, then each: flags, two registers, merge opcode, two numbers
//	blocks   count of blocks and of deltas, then each block: its start less that of the
//	         one before, its length, its count of deltas, then each delta: its offset
//	         less that of the one before, the index of its info
//	checksum SHA-256 of all that
//
// with the numbers as varints. A program has some hundred different infos, so that a
// delta takes two or three bytes.
const magic = "whyhot unwind tables 2\n"

// maxSpan bounds how far apart the first and the last code of a binary may be: the
// profiler makes a table with a word for each 64 kB between them.
const maxSpan = 1 << 36

var errDamaged = errors.New("the entry is damaged")

// encode gives the bytes of an entry. ok is false for tables that decode would refuse.
func encode(key Key, tables *sdtypes.IntervalData) (entry []byte, ok bool) {
	if !fit(tables) {
		return nil, false
	}
	const usualDelta = 3 // bytes
	b := make([]byte, 0, len(magic)+2*sha256.Size+usualDelta*int(tables.NumDeltas)+8*len(tables.Blocks))
	b = append(b, magic...)
	b = append(b, key.sum[:]...)
	infos, numbers := numberInfos(tables)
	b = binary.AppendUvarint(b, uint64(len(infos)))
	for _, info := range infos {
		b = append(b, info.Flags, info.BaseReg, info.AuxBaseReg, info.MergeOpcode)
		b = binary.AppendVarint(b, int64(info.Param))
		b = binary.AppendVarint(b, int64(info.AuxParam))
	}
	b = binary.AppendUvarint(b, uint64(len(tables.Blocks)))
	b = binary.AppendUvarint(b, uint64(tables.NumDeltas))
	start := uint64(0)
	for _, block := range tables.Blocks {
		b = binary.AppendUvarint(b, block.Start-start)
		b = binary.AppendUvarint(b, block.End-block.Start)
		b = binary.AppendUvarint(b, uint64(len(block.Deltas)))
		start = block.Start
		offset := uint32(0)
		for _, d := range block.Deltas {
			b = binary.AppendUvarint(b, uint64(d.Offset-offset))
			b = binary.AppendUvarint(b, numbers[d.Info])
			offset = d.Offset
		}
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), true
}

// numberInfos lists the different infos in the order of their first use.
func numberInfos(tables *sdtypes.IntervalData) (infos []sdtypes.UnwindInfo, numbers map[sdtypes.UnwindInfo]uint64) {
	numbers = map[sdtypes.UnwindInfo]uint64{}
	for _, block := range tables.Blocks {
		for _, d := range block.Deltas {
			if _, known := numbers[d.Info]; !known {
				numbers[d.Info] = uint64(len(infos))
				infos = append(infos, d.Info)
			}
		}
	}
	return infos, numbers
}

// decode reads an entry. It takes any bytes; what it gives is fit for the profiler.
func decode(key Key, entry []byte) (*sdtypes.IntervalData, error) {
	const frame = len(magic) + 2*sha256.Size
	if len(entry) < frame || string(entry[:len(magic)]) != magic || !bytes.Equal(entry[len(magic):frame-sha256.Size], key.sum[:]) {
		return nil, errDamaged
	}
	body, sum := entry[:len(entry)-sha256.Size], entry[len(entry)-sha256.Size:]
	if made := sha256.Sum256(body); !bytes.Equal(made[:], sum) {
		return nil, errDamaged
	}
	r := reader{b: body[frame-sha256.Size:]}
	tables := r.tables()
	if r.bad || len(r.b) > 0 || !fit(tables) {
		return nil, errDamaged
	}
	return tables, nil
}

// fit tells whether the profiler can take the tables: blocks and offsets in order, in
// their blocks, and not too far apart. What it makes itself may be otherwise for a
// hostile binary, and is then not kept.
func fit(tables *sdtypes.IntervalData) bool {
	if len(tables.Blocks) == 0 {
		return tables.NumDeltas == 0
	}
	first, last := tables.Blocks[0], tables.Blocks[len(tables.Blocks)-1]
	if first.Start == 0 || last.End < first.Start || last.End-first.Start > maxSpan {
		return false
	}
	start, deltas := first.Start, 0
	for _, block := range tables.Blocks {
		if block.Start < start || block.End < block.Start || block.End > last.End || len(block.Deltas) == 0 {
			return false
		}
		offset := uint32(0)
		for _, d := range block.Deltas {
			if d.Offset < offset || uint64(d.Offset) > block.End-block.Start {
				return false
			}
			offset = d.Offset
		}
		start, deltas = block.Start, deltas+len(block.Deltas)
	}
	// The profiler moves the code of a signal's return a byte forward, which must not
	// be before the first page.
	return first.Deltas[0].Info != sdtypes.UnwindInfoSignal && deltas == int(tables.NumDeltas)
}

// reader reads numbers off the front of bytes. After the first that is not there, or
// too large, bad is true and all are 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint(most uint64) uint64 {
	// Most numbers have one byte.
	if len(r.b) > 0 && r.b[0] < 0x80 && uint64(r.b[0]) <= most {
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > most {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int32() int32 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v < math.MinInt32 || v > math.MaxInt32 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return int32(v)
}

// The fewest bytes that one of them takes: a count beyond what is there is refused
// before room is made for it.
const (
	infoBytes  = 6
	blockBytes = 5 // with its first delta
	deltaBytes = 2
)

func (r *reader) count(each int) int { return int(r.uvarint(uint64(len(r.b) / each))) }

func (r *reader) tables() *sdtypes.IntervalData {
	infos := make([]sdtypes.UnwindInfo, r.count(infoBytes))
	for i := range infos {
		if len(r.b) < 4 { //nolint:mnd // the four bytes below
			r.b, r.bad = nil, true
			break
		}
		infos[i] = support.UnwindInfo{Flags: r.b[0], BaseReg: r.b[1], AuxBaseReg: r.b[2], MergeOpcode: r.b[3]}
		r.b = r.b[4:]
		infos[i].Param, infos[i].AuxParam = r.int32(), r.int32()
	}
	blocks := make([]sdtypes.BasicBlock, r.count(blockBytes))
	deltas := make([]sdtypes.StackDelta, r.count(deltaBytes))
	out := &sdtypes.IntervalData{NumDeltas: uint32(len(deltas)), Blocks: make([]*sdtypes.BasicBlock, len(blocks))}
	if r.bad || len(infos) == 0 && len(deltas) > 0 {
		r.bad = true
		return &sdtypes.IntervalData{}
	}
	start := uint64(0)
	for i := range blocks {
		b := &blocks[i]
		out.Blocks[i] = b
		b.Start = start + r.uvarint(math.MaxUint64-start)
		b.End = b.Start + r.uvarint(math.MaxUint64-b.Start)
		start = b.Start
		n := int(r.uvarint(uint64(len(deltas))))
		b.Deltas, deltas = deltas[:n:n], deltas[n:]
		offset := uint64(0)
		for j := range b.Deltas {
			offset += r.uvarint(math.MaxUint32 - offset)
			b.Deltas[j] = sdtypes.StackDelta{Offset: uint32(offset), Info: infos[r.uvarint(uint64(len(infos)-1))]}
		}
		if r.bad {
			break
		}
	}
	return out
}
