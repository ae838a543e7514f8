package statement

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// found is where a file has the functions of a system.
type found struct {
	functions []located
	// from and to are the addresses of the code of a library that is linked into a program.
	from, to uint64
}

type located struct {
	function

	offset uint64 // in the file
	text   int32  // see steps and nests
	// counters is where a statement has those of its work, 0 where that is not known.
	counters int32
}

// mostSymbols bounds the table of symbols that is read of any program, in bytes: reading that
// of a compiler takes a second.
const mostSymbols = 8 << 20

// errNone says that a file has none of the functions.
var errNone = errors.New("none of the functions that are given statements")

// locate looks for the functions of a system in a file. alone: the file is the library.
func locate(path string, s *System, alone bool) (out found, err error) {
	defer func() {
		if r := recover(); r != nil { // debug/elf and damaged files
			err = fmt.Errorf("%s: damaged: %v", path, r)
		}
	}()
	f, err := elf.Open(path)
	if err != nil {
		return out, fmt.Errorf("looking for functions that are given statements: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	symbols, _ := f.DynamicSymbols() // with an error there are none
	if table := f.Section(".symtab"); table != nil && (!alone || len(symbols) == 0) && table.Size <= mostSymbols {
		more, _ := f.Symbols()
		symbols = append(symbols, more...)
	}
	at := map[int]elf.Symbol{}
	var sql, status elf.Symbol
	for _, sym := range symbols {
		if elf.ST_TYPE(sym.Info) != elf.STT_FUNC || sym.Section == elf.SHN_UNDEF || sym.Value == 0 {
			continue
		}
		for i, fn := range s.function {
			if sym.Name == fn.symbol || fn.prefix && strings.HasPrefix(sym.Name, fn.symbol) {
				at[i] = sym
			}
		}
		switch sym.Name { // of SQLite alone
		case "sqlite3_sql":
			sql = sym
		case "sqlite3_stmt_status":
			status = sym
		}
		if s.library && !alone && strings.HasPrefix(sym.Name, s.name) {
			if out.from == 0 || sym.Value < out.from {
				out.from = sym.Value
			}
			out.to = max(out.to, sym.Value+sym.Size)
		}
	}
	counters := countersOffset(f, status)
	for i, fn := range s.function {
		sym, there := at[i]
		offset, mapped := fileOffset(f, sym.Value)
		if !there || !mapped {
			continue
		}
		l := located{function: fn, offset: offset, text: fn.offset}
		if fn.role == steps {
			if l.text, there = textOffset(f, sql); !there {
				return out, fmt.Errorf("%s: this build of SQLite keeps texts in another place", path)
			}
		}
		if fn.role == steps || fn.role == ends {
			l.counters = counters
		}
		out.functions = append(out.functions, l)
	}
	if len(out.functions) == 0 {
		return out, errNone
	}
	return out, nil
}

// fileOffset is where an address is in the file.
func fileOffset(f *elf.File, vaddr uint64) (uint64, bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && vaddr >= p.Vaddr && vaddr-p.Vaddr < p.Filesz {
			return vaddr - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}

// codeSize is how many bytes of sqlite3_sql and sqlite3_stmt_status are read: they test an
// argument and load a field.
const codeSize = 64

// textOffset is where a prepared statement has its text: sqlite3_sql loads it from there.
func textOffset(f *elf.File, sql elf.Symbol) (int32, bool) {
	code, ok := codeAt(f, sql)
	switch {
	case !ok:
		return 0, false
	case f.Machine == elf.EM_AARCH64:
		return loadedARM(code)
	}
	return loadedX86(code)
}

// countersOffset is where a prepared statement has its counters: sqlite3_stmt_status loads one
// of them. It is 0 where that is not known.
func countersOffset(f *elf.File, status elf.Symbol) int32 {
	code, ok := codeAt(f, status)
	if !ok || f.Machine != elf.EM_X86_64 {
		return 0
	}
	return indexedX86(code)
}

// codeAt is the begin of a function; ok is false for one that the file does not have.
func codeAt(f *elf.File, sym elf.Symbol) (code []byte, ok bool) {
	if sym.Value == 0 {
		return nil, false
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || sym.Value < p.Vaddr || sym.Value-p.Vaddr >= p.Filesz {
			continue
		}
		code := make([]byte, min(codeSize, p.Filesz-(sym.Value-p.Vaddr)))
		_, err := p.ReadAt(code, int64(sym.Value-p.Vaddr)) //nolint:gosec // below Filesz
		return code, err == nil
	}
	return nil, false
}

// indexedX86 is the offset of the first load of four bytes with an index that counts them, 0
// for none. Compilers put it into the load, mov OFFSET(%rdi,%rsi,4), %eax, or add it to the
// index before, add $OFFSET/4, %rsi.
func indexedX86(code []byte) int32 {
	const (
		counted = 4
		hasSIB  = 0b100
		times4  = 0b10
	)
	added := map[byte]int32{} // by register
	for at := 0; at+counted <= len(code); at++ {
		switch op := code[at]; {
		case op == 0x48 && code[at+1] == 0x83 && code[at+2]&0xf8 == 0xc0: // add $n, %register
			added[code[at+2]&7] += int32(int8(code[at+3])) //nolint:gosec // a sign that is meant
		case op == 0x8b && code[at+1]&7 == hasSIB && code[at+2]>>6 == times4:
			offset := counted * added[code[at+2]>>3&7]
			switch mod := code[at+1] >> 6; {
			case mod == 1:
				offset += int32(int8(code[at+3])) //nolint:gosec // a sign that is meant
			case mod == 2 && at+7 <= len(code):
				offset += int32(binary.LittleEndian.Uint32(code[at+3:])) //nolint:gosec // checked below
			}
			if offset > 0 && offset < most {
				return offset
			}
			return 0
		}
	}
	return 0
}

// most bounds the offset: a statement has some three hundred bytes.
const most = 1 << 12

// loadedX86 is the offset of the first mov OFFSET(%rdi), %rax.
func loadedX86(code []byte) (int32, bool) {
	const size = 7 // 48 8b 87 and four bytes
	for at := 0; at+size <= len(code); at++ {
		if code[at] != 0x48 || code[at+1] != 0x8b {
			continue
		}
		switch code[at+2] {
		case 0x87:
			n := binary.LittleEndian.Uint32(code[at+3:])
			return int32(n), n < most //nolint:gosec // bounded
		case 0x47:
			return int32(code[at+3]), code[at+3] < 0x80
		}
	}
	return 0, false
}

// loadedARM is the offset of the first ldr x0, [x0, #OFFSET].
func loadedARM(code []byte) (int32, bool) {
	const size, load, mask = 4, 0xf9400000, 0xffc003ff
	for at := 0; at+size <= len(code); at += size {
		if n := binary.LittleEndian.Uint32(code[at:]); n&mask == load {
			return int32(n>>10&0xfff) * 8, true //nolint:mnd // the immediate, in units of 8 bytes
		}
	}
	return 0, false
}
