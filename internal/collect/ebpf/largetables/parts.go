package largetables

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
)

// The profiler's maker walks .eh_frame from its begin to its end, or to a record of length
// zero, and leaves out what describes code at address 0. So that it makes a part of a table,
// it is shown the section with two records changed: the first one that describes code is made
// as long as all up to the part, and describes address 0; and the one behind the part has
// length zero. Records that others refer to are left as they are.

var errOther = errors.New(".eh_frame is in another form than compilers make")

const (
	recordHead = 8    // length, and what it refers to
	relative32 = 0x1b // DW_EH_PE_pcrel | DW_EH_PE_sdata4
	longRecord = math.MaxUint32
)

// frames is where .eh_frame is, and where its parts begin.
type frames struct {
	file    io.ReaderAt
	offset  int64
	address uint64
	first   int64   // the first record that describes code
	parts   []int64 // the last one is the end
}

// findParts divides .eh_frame into parts of at least so many bytes.
func findParts(file io.ReaderAt, s *pfelf.Section, part int64) (*frames, error) {
	f := &frames{file: file, offset: int64(s.Offset), address: s.Addr}
	size := int64(s.FileSize)
	r := bufio.NewReaderSize(io.NewSectionReader(file, f.offset, size), 64<<10)
	f.parts = []int64{0}
	for at := int64(0); ; {
		var head [recordHead]byte
		if _, err := io.ReadFull(r, head[:4]); errors.Is(err, io.EOF) {
			f.parts = append(f.parts, at)
			break
		} else if err != nil {
			return nil, fmt.Errorf(".eh_frame: %w", err)
		}
		length := int64(binary.LittleEndian.Uint32(head[:]))
		if length == 0 {
			f.parts = append(f.parts, at)
			break
		}
		if length < recordHead-4 || length == longRecord || at+4+length > size {
			return nil, errOther
		}
		if _, err := io.ReadFull(r, head[4:]); err != nil {
			return nil, fmt.Errorf(".eh_frame: %w", err)
		}
		describes := binary.LittleEndian.Uint32(head[4:]) != 0
		if at == 0 && describes {
			return nil, errOther // there must be one before it that it refers to
		}
		if f.first == 0 && describes {
			f.first = at
		}
		if f.first > 0 && at-f.parts[len(f.parts)-1] >= part && size-at >= part {
			f.parts = append(f.parts, at)
		}
		if _, err := r.Discard(int(length - (recordHead - 4))); err != nil {
			return nil, fmt.Errorf(".eh_frame: %w", err)
		}
		at += 4 + length
	}
	if f.first == 0 || !f.usual() || f.address > math.MaxInt32-uint64(f.first)-2*recordHead {
		return nil, errOther
	}
	return f, nil
}

// usual tells whether the first record says that addresses are relative and of 32 bits. Its
// augmentation is a string that begins with z: after two numbers and a register, for each
// further letter, is what it stands for.
func (f *frames) usual() bool {
	record := make([]byte, f.first)
	if _, err := f.file.ReadAt(record, f.offset); err != nil {
		return false
	}
	const version = 1
	record = record[recordHead:]
	if len(record) < 2 || record[0] != version || record[1] != 'z' {
		return false
	}
	letters, rest, found := bytes.Cut(record[2:], []byte{0})
	if !found {
		return false
	}
	for range 4 { // code and data alignment, return register, length of the augmentation
		_, n := binary.Uvarint(rest)
		if n <= 0 {
			return false
		}
		rest = rest[n:]
	}
	for _, letter := range letters {
		if len(rest) == 0 {
			return false
		}
		switch letter {
		case 'R':
			return rest[0] == relative32
		case 'L':
			rest = rest[1:]
		case 'P': // of another place than R's where a C++ program is not relocatable
			const pointer32, pointer64, format = 4, 8, 0x0f
			n := map[byte]int{0: pointer64, 3: pointer32, 4: pointer64, 0xb: pointer32, 0xc: pointer64}[rest[0]&format]
			if n == 0 || len(rest) < 1+n {
				return false
			}
			rest = rest[1+n:]
		case 'S', 'B':
		default:
			return false
		}
	}
	return false
}

// part is the file with only one part of the section.
func (f *frames) part(i int) io.ReaderAt {
	p := patched{ReaderAt: f.file}
	begin, end := f.parts[i], f.parts[i+1]
	if begin > f.first {
		var skip [recordHead + 4]byte
		binary.LittleEndian.PutUint32(skip[:], uint32(begin-f.first-4))
		binary.LittleEndian.PutUint32(skip[4:], uint32(f.first+4))
		binary.LittleEndian.PutUint32(skip[8:], -uint32(f.address+uint64(f.first)+recordHead))
		p.patches = append(p.patches, patch{f.offset + f.first, skip[:]})
	}
	if i+2 < len(f.parts) {
		p.patches = append(p.patches, patch{f.offset + end, make([]byte, 4)})
	}
	return p
}

// patched is a file with some bytes changed. It is not an *os.File: the profiler would map it.
type patched struct {
	io.ReaderAt

	patches []patch
}

type patch struct {
	at    int64
	bytes []byte
}

// ReadAt implements io.ReaderAt.
func (p patched) ReadAt(to []byte, at int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(to, at)
	for _, c := range p.patches {
		if low, high := max(at, c.at), min(at+int64(n), c.at+int64(len(c.bytes))); low < high {
			copy(to[low-at:high-at], c.bytes[low-c.at:])
		}
	}
	return n, err //nolint:wrapcheck // it stands for the file
}
