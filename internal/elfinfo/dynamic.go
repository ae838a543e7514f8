package elfinfo

import (
	"bytes"
	"debug/elf"
	"strings"

	"whyhot/internal/elfinfo/elffile"
)

// dynamic is what the dynamic section says.
type dynamic struct {
	soname  string
	needed  []string
	runPath []string
	pie     bool
}

// flagPIE is DF_1_PIE, which linkers set in DT_FLAGS_1 of position-independent
// executables, static ones included.
const flagPIE = 0x08000000

// readDynamic reads the dynamic section of a file; a static program has none.
func readDynamic(f *elffile.File) (dynamic, error) {
	var out dynamic
	s := f.Section(".dynamic")
	if s == nil || int(s.Link) >= len(f.Sections) {
		return out, nil
	}
	data, err := f.SectionData(s)
	if err != nil {
		return out, err
	}
	names, err := f.SectionData(f.Sections[s.Link])
	if err != nil {
		return out, err
	}
	order, word := f.ByteOrder(), 4
	if f.Is64() {
		word = 8
	}
	number := func(b []byte) uint64 {
		if word == 8 {
			return order.Uint64(b)
		}
		return uint64(order.Uint32(b))
	}
	for ; len(data) >= 2*word; data = data[2*word:] {
		v := number(data[word:])
		switch elf.DynTag(number(data)) { //nolint:exhaustive // the others are for the loader
		case elf.DT_NULL:
			return out, nil
		case elf.DT_SONAME:
			out.soname = textAt(names, v)
		case elf.DT_NEEDED:
			out.needed = append(out.needed, textAt(names, v))
		case elf.DT_RPATH, elf.DT_RUNPATH:
			out.runPath = append(out.runPath, strings.Split(textAt(names, v), ":")...)
		case elf.DT_FLAGS_1:
			out.pie = v&flagPIE != 0
		}
	}
	return out, nil
}

func textAt(names []byte, off uint64) string {
	if off >= uint64(len(names)) {
		return ""
	}
	text, _, _ := bytes.Cut(names[off:], []byte{0})
	return string(text)
}
