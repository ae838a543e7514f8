package native

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// compared are the functions that both object files have.
type compared struct {
	names, after []string // as each file has them
	calls        bool     // the second calls the library where the first does not
}

// code is one function of an object file: its bytes, in which what the linker fills in
// is zero, and what it fills in.
type code struct {
	bytes []byte
	fills []string
}

// codes finds functions by their linkage names in two object files, and says whether
// they are the same in both.
func codes(before, after string, functions []string) (c compared, same bool, err error) {
	was, err := read(before)
	if err != nil {
		return c, false, err
	}
	is, err := read(after)
	if err != nil {
		return c, false, err
	}
	same = true
	var calls [2]int
	for _, name := range functions {
		a, nameA := was.find(name)
		b, nameB := is.find(name)
		if a == nil || b == nil {
			continue
		}
		c.names, c.after = append(c.names, nameA), append(c.after, nameB)
		same = same && slices.Equal(a.bytes, b.bytes) && slices.Equal(a.fills, b.fills)
		calls[0] += a.library()
		calls[1] += b.library()
	}
	if len(c.names) == 0 {
		return c, false, fmt.Errorf("it has no function %s of its own: it is inlined", strings.Join(functions, ", "))
	}
	c.calls = calls[1] > calls[0]
	return c, same, nil
}

// library counts the calls of functions that copy and fill memory.
func (c *code) library() int {
	n := 0
	for _, f := range c.fills {
		if name, _, _ := strings.Cut(f, "+"); slices.Contains([]string{"memcpy", "memmove", "memset"}, name) {
			n++
		}
	}
	return n
}

type objectFile map[string]*code

// find gives a function by its name, or the part of it that a pass made.
func (o objectFile) find(name string) (*code, string) {
	if c := o[name]; c != nil {
		return c, name
	}
	for _, pass := range []string{".constprop.0", ".isra.0", ".part.0"} {
		if c := o[name+pass]; c != nil {
			return c, name + pass
		}
	}
	return nil, ""
}

func read(path string) (objectFile, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	data := map[elf.SectionIndex][]byte{}
	out := objectFile{}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || int(s.Section) >= len(f.Sections) || s.Section == elf.SHN_UNDEF {
			continue
		}
		if _, known := data[s.Section]; !known {
			if data[s.Section], err = f.Sections[s.Section].Data(); err != nil {
				return nil, err
			}
		}
		if text := data[s.Section]; s.Value+s.Size <= uint64(len(text)) {
			out[s.Name] = &code{bytes: text[s.Value : s.Value+s.Size]}
		}
	}
	for _, sec := range f.Sections {
		if sec.Type != elf.SHT_RELA {
			continue
		}
		text, err := sec.Data()
		if err != nil {
			return nil, err
		}
		const size = 24 // of an entry
		for at := 0; at+size <= len(text); at += size {
			offset, info := f.ByteOrder.Uint64(text[at:]), f.ByteOrder.Uint64(text[at+8:])
			name := fmt.Sprint(info & 0xffffffff)
			if n := int(info>>32) - 1; n >= 0 && n < len(symbols) {
				if name = symbols[n].Name; name == "" && int(symbols[n].Section) < len(f.Sections) {
					name = f.Sections[symbols[n].Section].Name
				}
			}
			for _, s := range symbols {
				if c := out[s.Name]; c != nil && uint32(s.Section) == sec.Info && s.Value <= offset && offset < s.Value+s.Size {
					c.fills = append(c.fills, fmt.Sprintf("%s+%d at %d", name, int64(f.ByteOrder.Uint64(text[at+16:])), offset-s.Value))
				}
			}
		}
	}
	return out, nil
}
