package gopcln

import (
	"debug/elf"

	"whyhot/internal/elfinfo/elffile"
)

// call is one that was inlined.
type call struct {
	name, parent, start uint32 // the name, an instruction at the place of the call, the function's first line
}

// The form of a call in a tree since Go 1.20: what kind of function, its name, the instruction, its
// first line.
const (
	callSize   = 16
	callName   = 4
	callParent = 8
	callStart  = 12
)

// tree is where the tree of a function begins in all of them; ok is false where it has none.
func (t *Table) tree(f function) (at uint64, ok bool) {
	lists, data := uint64(t.field(f, fieldLists)), int(f.description[fieldData])
	place := fixedSize + 4*lists + 4*inlineTree
	if data <= inlineTree || lists <= inlineIndex || place+4 > uint64(len(f.description)) {
		return 0, false
	}
	offset := t.order.Uint32(f.description[place:])
	return uint64(offset), offset != noFuncData
}

// inlinedAt is the innermost inlined call that an instruction is of; ok is false where it is the
// function's own.
func (t *Table) inlinedAt(f function, offset uint64) (c call, ok bool) {
	if t.trees == nil {
		return c, false
	}
	tree, ok := t.tree(f)
	if !ok {
		return c, false
	}
	index := t.value(t.field(f, fixedSize+4*inlineIndex), offset, f.size)
	if index < 0 {
		return c, false
	}
	return t.call(t.trees, tree, index, f)
}

// call reads one of a tree; ok is false for damage.
func (t *Table) call(trees []byte, tree uint64, index int32, f function) (c call, ok bool) {
	at := tree + callSize*uint64(index) //nolint:gosec // not below 0
	if at+callSize > uint64(len(trees)) {
		return c, false
	}
	b := trees[at:]
	c = call{t.order.Uint32(b[callName:]), t.order.Uint32(b[callParent:]), t.order.Uint32(b[callStart:])}
	// A name begins where another one has ended.
	isName := uint64(c.name) < uint64(len(t.names)) && t.names[c.name] != 0 && (c.name == 0 || t.names[c.name-1] == 0)
	return c, isName && uint64(c.parent) < f.size
}

const (
	// fieldsAfter is how many words of runtime.moduledata after the start of the code are tried.
	fieldsAfter = 40
	// tried is how many trees have to make sense, where there are so many.
	tried = 200
)

// findTrees finds the trees of a program: they begin where a word of the runtime's description of it
// points, and the one is taken with which all of many trees make sense.
func (t *Table) findTrees(bin *elffile.File, m module) []byte {
	if m.words.bin == nil {
		return nil
	}
	type begin struct {
		function

		tree uint64
	}
	var some []begin
	most := uint64(0)
	for i := range t.number {
		f, ok := t.at(i)
		if !ok {
			continue
		}
		tree, has := t.tree(f)
		if !has {
			continue
		}
		most = max(most, tree)
		if len(some) < tried {
			some = append(some, begin{f, tree})
		}
	}
	if len(some) == 0 {
		return nil
	}
	for i := uint64(1); i < fieldsAfter; i++ {
		at := m.at + textField + 8*i
		if at+8 > uint64(len(m.words.data)) {
			break
		}
		trees := segmentFrom(bin, m.words.at(at))
		if uint64(len(trees)) < most+callSize {
			continue
		}
		fits := true
		for _, b := range some {
			if _, fits = t.call(trees, b.tree, 0, b.function); !fits {
				break
			}
		}
		if fits {
			return trees
		}
	}
	return nil
}

// segmentFrom is what a file has of a segment from an address on.
func segmentFrom(bin *elffile.File, address uint64) []byte {
	for _, p := range bin.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			return bin.At(address, p.Filesz-(address-p.Vaddr))
		}
	}
	return nil
}
