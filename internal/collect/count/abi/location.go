package abi

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-delve/delve/pkg/dwarf/godwarf"
	"github.com/go-delve/delve/pkg/dwarf/loclist"

	"whyhot/internal/elfinfo/scan"
)

// part is a part of a parameter when its function begins.
type part struct {
	offset, size int64 // in the parameter; size 0: all of it
	state        state
	register     int16 // which has it, or the address that offset below is added to
	displacement int32
	address      bool // what is there is the address of the parameter
}

type state int

const (
	absent   state = iota // nowhere: nobody reads it, or it is passed in another way
	constant              // nowhere: it is always the same
	inRegister
	inMemory
	elsewhere // not known
)

// locations reads location lists of one compile unit.
type locations struct {
	sections map[string][]byte
	unit     *dwarf.Entry
	base     uint64 // of addresses
}

const (
	attrAddrBase     = dwarf.Attr(0x73)
	attrLoclistsBase = dwarf.Attr(0x8c)
)

// locationSections are the parts of a binary that location lists are in.
func locationSections(file *elf.File) map[string][]byte {
	sections := map[string][]byte{}
	for _, name := range []string{".debug_loc", ".debug_loclists", ".debug_addr"} {
		if s := file.Section(name); s != nil {
			if data, err := s.Data(); err == nil { // what cannot be read is not there
				sections[name] = data
			}
		}
	}
	return sections
}

func newLocations(sections map[string][]byte, unit *dwarf.Entry) *locations {
	l := &locations{sections: sections, unit: unit}
	l.base, _ = unit.Val(dwarf.AttrLowpc).(uint64)
	return l
}

// at gives where a parameter is at an address. known is false where that is not said.
func (l *locations) at(e *dwarf.Entry, address uint64) (parts []part, known bool) {
	switch at := e.Val(dwarf.AttrLocation).(type) {
	case []byte:
		return decode(at)
	case int64:
		expression, err := l.find(e.AttrField(dwarf.AttrLocation).Class, at, address)
		if err != nil || expression == nil {
			return nil, false
		}
		return decode(expression)
	}
	if e.Val(dwarf.AttrConstValue) != nil {
		return []part{{state: constant}}, true
	}
	return []part{{}}, true
}

// find gives the expression of a list that holds at an address, nil for none.
func (l *locations) find(class dwarf.Class, at int64, address uint64) (expression []byte, err error) {
	defer func() {
		if recover() != nil { // the reader of numbers panics at the end of its bytes
			err = errors.New("a list of locations is cut")
		}
	}()
	const word, header = 4, 12
	lists := l.sections[".debug_loclists"]
	if class == dwarf.ClassLocList { // an index
		base, ok := l.unit.Val(attrLoclistsBase).(int64)
		if !ok {
			base = header
		}
		entry := base + at*word
		if entry+word > int64(len(lists)) {
			return nil, fmt.Errorf("list of locations %d is not there", at)
		}
		at = base + int64(binary.LittleEndian.Uint32(lists[entry:]))
	}
	var found *loclist.Entry
	if data := l.sections[".debug_loc"]; len(lists) == 0 && len(data) > 0 {
		found, err = loclist.NewDwarf2Reader(data, wordSize).Find(int(at), 0, l.base, address, nil)
	} else if len(lists) > 0 {
		found, err = loclist.NewDwarf5Reader(lists).Find(int(at), 0, l.base, address, l.addresses())
	}
	if err != nil || found == nil {
		return nil, err //nolint:wrapcheck // only whether there is one counts
	}
	return found.Instr, nil
}

func (l *locations) addresses() *godwarf.DebugAddr {
	section := godwarf.ParseAddr(l.sections[".debug_addr"])
	if section == nil {
		return nil
	}
	base, _ := l.unit.Val(attrAddrBase).(int64)
	return section.GetSubsection(uint64(base)) //nolint:gosec // an offset
}

// saved are where the kernel keeps the registers that DWARF numbers so.
var saved = [16]int16{rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15}

// decode reads what a compiler writes of a parameter: a register, a place in memory, a constant,
// and these of its parts. known is false for anything else.
//
// Example. DW_OP_reg5, DW_OP_piece 8, DW_OP_lit8, DW_OP_stack_value, DW_OP_piece 8: the first eight
// bytes are in rdi, the next ones are always 8.
func decode(code []byte) (parts []part, known bool) {
	const (
		opAddr, opDeref, opConst1, opConstu, opConsts = 0x03, 0x06, 0x08, 0x10, 0x11
		opLit0, opLit31, opReg0, opReg31              = 0x30, 0x4f, 0x50, 0x6f
		opBreg0, opBreg31, opRegx, opFbreg, opPiece   = 0x70, 0x8f, 0x90, 0x91, 0x93
		opImplicit, opStackValue                      = 0x9e, 0x9f
	)
	in := scan.At(code, 0, false)
	now := part{}
	offset := int64(0)
	for in.Pos < len(code) {
		switch op := in.U8(); {
		case op >= opLit0 && op <= opLit31, op == opStackValue:
			now.state = constant
		case op == opConstu:
			in.SkipLEB()
		case op == opConsts:
			in.SkipLEB()
		case op >= opConst1 && op < opConstu:
			in.Skip(1 << ((op - opConst1) / 2)) //nolint:mnd // one, two, four, eight bytes, each with and without a sign
		case op == opAddr:
			in.Skip(wordSize)
			now.state = elsewhere
		case op == opDeref:
			now.address = true
		case op == opImplicit:
			in.Skip(in.ULEB())
			now.state = constant
		case op >= opReg0 && op <= opReg31:
			now.state = elsewhere // of floating point
			if n := int(op - opReg0); n < len(saved) {
				now.state, now.register = inRegister, saved[n]
			}
		case op >= opBreg0 && op <= opBreg31:
			displacement := in.SLEB()
			now.state = elsewhere
			if n := int(op - opBreg0); n < len(saved) {
				now = part{state: inMemory, register: saved[n], displacement: int32(displacement)} //nolint:gosec // of a frame
			}
		case op == opFbreg: // from the address above the one of return
			now = part{state: inMemory, register: rsp, displacement: int32(in.SLEB()) + wordSize} //nolint:gosec // of a frame
		case op == opPiece:
			now.offset, now.size = offset, int64(in.ULEB()) //nolint:gosec // of a small type
			offset += now.size
			parts, now = append(parts, now), part{}
		case op == opRegx:
			in.SkipLEB()
			now.state = elsewhere
		default:
			return nil, false
		}
		if in.Bad {
			return nil, false
		}
	}
	if len(parts) == 0 {
		parts = []part{now}
	}
	return parts, true
}
