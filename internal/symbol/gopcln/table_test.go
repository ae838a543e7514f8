package gopcln

import (
	"encoding/binary"
	"os"
	"reflect"
	"testing"

	"whyhot/internal/elfinfo/elffile"
)

const code = 0x1000 // the address of the code

// small is the table of two functions: get, of 16 bytes from the start on, in whose bytes 4 to 8 a call
// of lock is inlined; and main, of 8 bytes. Trees are those of inlined calls.
func small() (data, trees []byte) {
	order := binary.LittleEndian
	names := []byte("get\x00lock\x00main\x00")
	files := []byte("a.go\x00b.go\x00")
	units := order.AppendUint32(order.AppendUint32(nil, 0), 5)
	// Lists: a difference, zigzag, and a length each, and 0 at the end. The first place is no list.
	values := []byte{0}
	list := func(b ...byte) uint32 {
		at := uint32(len(values)) //nolint:gosec // a small one
		values = append(values, append(b, 0)...)
		return at
	}
	file := list(2, 4, 2, 4, 1, 8)      // 0, then 1, then 0
	line := list(20, 4, 120, 4, 119, 8) // 9, then 69, then 9
	index := list(0, 4, 2, 4, 1, 8)     // -1, then 0, then -1
	description := func(name, size, fn uint32, lists ...uint32) (out []byte) {
		for _, v := range []uint32{0, name, 0, 0, 0, file, line, 3, 0, fn} {
			out = order.AppendUint32(out, v)
		}
		out = append(out, 0, 0, 0, 4)
		for _, v := range append(lists, noFuncData, noFuncData, noFuncData) {
			out = order.AppendUint32(out, v)
		}
		return out
	}
	get := append(description(0, 16, 8, 0, 0, index), 0, 0, 0, 0) // its tree is the first
	main := append(description(9, 8, 20, 0, 0, 0), 0xff, 0xff, 0xff, 0xff)
	const head = 2*entrySize + 4
	var functions []byte
	for _, v := range []uint32{0, head, 16, uint32(head + len(get)), 24} { //nolint:gosec // small ones
		functions = order.AppendUint32(functions, v)
	}
	functions = append(append(functions, get...), main...)

	data = append(order.AppendUint32(nil, magic), 0, 0, 1, 8)
	at := uint64(headerSize)
	for _, v := range []uint64{2, 2, 0} {
		data = order.AppendUint64(data, v)
	}
	parts := [][]byte{names, units, files, values, functions}
	for _, p := range parts {
		data = order.AppendUint64(data, at)
		at += uint64(len(p))
	}
	for _, p := range parts {
		data = append(data, p...)
	}
	trees = append(trees, 1, 0, 0, 0)
	for _, v := range []uint32{4, 9, 65} { // lock, at byte 9 of get, from line 65 on
		trees = order.AppendUint32(trees, v)
	}
	return data, trees
}

func TestInlinedCalls(t *testing.T) {
	data, trees := small()
	table := parse(data, binary.LittleEndian, code)
	if table == nil {
		t.Fatal("not read")
	}
	own := Frame{"get", "a.go", 9, 8}
	for address, want := range map[uint64][]Frame{
		code - 1: nil, code: {own}, code + 24: nil,
		code + 5:  {{"lock", "b.go", 69, 65}, own},
		code + 15: {own}, code + 17: {{"main", "a.go", 9, 20}},
	} {
		table.trees = trees
		if got := table.Find(address); !reflect.DeepEqual(got, want) {
			t.Errorf("%#x: %v, want %v", address, got, want)
		}
		table.trees = nil // not found: the line is that of what was inlined
		if got := table.Find(address); len(got) > 1 || len(want) > 0 && got[0].Name != want[len(want)-1].Name {
			t.Errorf("%#x without trees: %v", address, got)
		}
	}
	if address, ok := table.function("main"); !ok || address != code+16 {
		t.Errorf("main at %#x, %v", address, ok)
	}
}

// The trees of this very program are found, and a call in it.
func TestTreesAreFound(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer bin.Close()
	table, err := Open(bin)
	if err != nil || table.trees == nil {
		t.Fatal(err, "no trees")
	}
	deepest := 0
	for address := table.text; address < table.text+1<<20; address += 61 {
		deepest = max(deepest, len(table.Find(address)))
	}
	if deepest < 3 {
		t.Errorf("at most %d frames at an address", deepest)
	}
}

func FuzzTable(f *testing.F) {
	data, trees := small()
	f.Add(data, trees)
	f.Add(data[:len(data)-9], trees[:7])
	f.Fuzz(func(t *testing.T, data, trees []byte) {
		table := parse(data, binary.LittleEndian, code)
		if table == nil {
			return
		}
		table.trees = trees
		for address := uint64(code - 1); address < code+32; address++ {
			if n := len(table.Find(address)); n > mostInlined {
				t.Errorf("%d frames", n)
			}
		}
		table.function("x")
	})
}
