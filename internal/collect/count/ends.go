package count

import (
	"debug/elf"
	"errors"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"whyhot/internal/collect/count/abi"
)

// mostEnds bounds how many instructions may end a function that is timed: each takes a probe.
const mostEnds = 32

var errNotFound = errors.New("not in the symbol table of the binary")

// look gives the ends of a function, and where its arguments and its result are; of the latter
// unknown says why they are not known.
func look(f Function) (leave []uint64, s described, err error) {
	file, err := elf.Open(f.Binary)
	if err != nil {
		return nil, s, fmt.Errorf("reading %s: %w", f.Binary, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	code, address, err := codeOf(file, f.Symbol)
	if err != nil {
		return nil, s, err
	}
	if leave, err = ends(code, f.Symbol); err != nil {
		return nil, s, err
	}
	s.Signature, s.unknown = abi.Of(file, f.Symbol, address)
	return leave, s, nil
}

// ends are the offsets of the instructions by which a function is left: returns, and jumps to
// another function. A probe that takes the place of the return address (uretprobe) would be easier,
// but the kernel then waits for main to return before it lets go of any other probe, and programs of
// Go do not survive it.
func ends(code []byte, symbol string) (out []uint64, err error) {
	for at := 0; at < len(code); {
		const bits = 64
		in, err := x86asm.Decode(code[at:], bits)
		if err != nil {
			return nil, fmt.Errorf("an instruction at %s+%#x is not known", symbol, at)
		}
		switch in.Op { //nolint:exhaustive // the others go on
		case x86asm.RET:
			out = append(out, uint64(at)) //nolint:gosec // not negative
		case x86asm.JMP:
			if to, direct := in.Args[0].(x86asm.Rel); direct {
				if target := at + in.Len + int(to); target < 0 || target >= len(code) {
					out = append(out, uint64(at)) //nolint:gosec // not negative
				}
			}
		}
		at += in.Len
	}
	if len(out) == 0 || len(out) > mostEnds {
		return nil, fmt.Errorf("%d instructions leave it", len(out))
	}
	return out, nil
}

// codeOf is the machine code of a function, and where it is.
func codeOf(file *elf.File, symbol string) (code []byte, address uint64, err error) {
	for _, read := range []func() ([]elf.Symbol, error){file.Symbols, file.DynamicSymbols} {
		symbols, err := read()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, 0, fmt.Errorf("reading the symbols: %w", err)
		}
		for _, s := range symbols {
			if s.Name != symbol || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || int(s.Section) >= len(file.Sections) {
				continue
			}
			section := file.Sections[s.Section]
			if s.Value < section.Addr || s.Value+s.Size > section.Addr+section.Size {
				continue
			}
			code := make([]byte, s.Size)
			if _, err := section.ReadAt(code, int64(s.Value-section.Addr)); err != nil { //nolint:gosec // within the section
				return nil, 0, fmt.Errorf("reading the code: %w", err)
			}
			return code, s.Value, nil
		}
	}
	return nil, 0, errNotFound
}
