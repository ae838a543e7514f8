package perfdata

import (
	"bytes"
	"encoding/binary"
)

// le appends fields: integers little endian, strings with a zero behind and
// padded to eight bytes.
func le(fields ...any) []byte {
	var out []byte
	for _, f := range fields {
		switch v := f.(type) {
		case string:
			out = append(out, v...)
			out = append(out, make([]byte, 8-len(v)%8)...)
		case []byte:
			out = append(out, v...)
		default:
			var b bytes.Buffer
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
			out = append(out, b.Bytes()...)
		}
	}
	return out
}

func u64(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }

// rec is a whole record.
func rec(typ uint32, misc uint16, fields ...any) []byte {
	body := le(fields...)
	return le(typ, misc, uint16(len(body)+recordHeaderSize), body)
}

// attr is a perf_event_attr of 112 bytes.
func attr(typ uint32, config, period, sampleType, flags uint64) []byte {
	return le(typ, uint32(112), config, period, sampleType, uint64(0), flags,
		uint32(0), uint32(0), uint64(0), uint64(0), uint64(0), uint64(0), uint32(0), uint32(0), uint64(0), uint64(0))
}

// file puts attributes (with one ID each, from 1 on) and records into a
// seekable recording without features.
func file(attrs [][]byte, records ...[]byte) []byte {
	data := bytes.Join(records, nil)
	return fileOfSize(attrs, uint64(len(data)), data)
}

func fileOfSize(attrs [][]byte, size uint64, data []byte) []byte {
	var ids, table []byte
	for i, a := range attrs {
		table = append(table, le(a, uint64(fileHeaderSize+i*8), uint64(8))...)
		ids = append(ids, u64(uint64(i+1))...)
	}
	attrOff := uint64(fileHeaderSize + len(ids))
	dataOff := attrOff + uint64(len(table))
	out := le([]byte(magicFile), uint64(fileHeaderSize), uint64(112+16), attrOff, uint64(len(table)), dataOff, size,
		uint64(0), uint64(0), make([]byte, 32))
	return bytes.Join([][]byte{out, ids, table, data}, nil)
}

const plainType = sampleIP | sampleTID | sampleTime | samplePeriod

func clockAttr() []byte { return attr(typeSoftware, 0, 1000000, plainType, attrFlagSampleIDAll) }

// at is the sample_id that other records carry behind their own fields.
func at(pid uint32, time uint64) []byte { return le(pid, pid, time) }

// smpl is a sample of the kernel where the address is in its half.
func smpl(pid uint32, time, ip uint64) []byte {
	mode := uint16(miscUser)
	if ip>>63 == 1 {
		mode = miscKernel
	}
	return rec(recSample, mode, ip, pid, pid, time, uint64(1000000))
}

func commRec(pid uint32, time uint64, misc uint16, name string) []byte {
	return rec(recComm, misc, pid, pid, name, at(pid, time))
}

func mmapRec(pid uint32, time, start, size, off uint64, path string) []byte {
	return rec(recMmap, miscUser, pid, pid, start, size, off, path, at(pid, time))
}

func forkRec(pid, ppid uint32, time uint64) []byte {
	return rec(recFork, 0, pid, ppid, pid, ppid, time, at(ppid, time))
}

func exitRec(pid uint32, time uint64) []byte {
	return rec(recExit, 0, pid, pid, pid, pid, time, at(pid, time))
}
