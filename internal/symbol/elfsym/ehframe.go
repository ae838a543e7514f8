package elfsym

import (
	"encoding/binary"
	"fmt"
	"slices"

	"whyhot/internal/elfinfo/elffile"
)

// Pointer encodings of .eh_frame_hdr (LSB Core, "DWARF exception header
// encoding") that linkers write.
const (
	encUdata4    = 0x03
	encSdata4    = 0x0b
	encDataRel   = 0x30
	encPCRel     = 0x10
	encOmit      = 0xff
	ehHdrVersion = 1
)

// functionStarts reads the binary-search table of .eh_frame_hdr: the first
// address of every function that can be unwound, sorted. Stripped files keep it.
func functionStarts(f *elffile.File) ([]uint64, error) {
	s := f.Section(".eh_frame_hdr")
	if s == nil {
		return nil, nil
	}
	data, err := f.SectionData(s)
	if err != nil || len(data) < 12 {
		return nil, err
	}
	if data[0] != ehHdrVersion || data[3] != encDataRel|encSdata4 || data[1] == encOmit {
		return nil, nil // no table, or one of a form nobody writes
	}
	if form := data[1] &^ encPCRel; form != encSdata4 || data[2] != encUdata4 {
		return nil, nil
	}
	order := f.ByteOrder()
	count, table := uint64(order.Uint32(data[8:])), data[12:]
	if count > uint64(len(table))/8 {
		return nil, fmt.Errorf("%s: .eh_frame_hdr announces %d functions, has room for %d", f.Path(), count, len(table)/8)
	}
	return starts(order, table[:count*8], s.Addr), nil
}

func starts(order binary.ByteOrder, table []byte, base uint64) []uint64 {
	out := make([]uint64, 0, len(table)/8)
	for ; len(table) >= 8; table = table[8:] {
		out = append(out, base+uint64(int64(int32(order.Uint32(table)))))
	}
	slices.Sort(out)
	return out
}
