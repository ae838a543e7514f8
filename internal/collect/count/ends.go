package count

import (
	"debug/elf"
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf/link"
	"golang.org/x/arch/x86/x86asm"

	"whyhot/internal/collect/count/abi"
)

// mostEnds bounds how many instructions may end a function that is timed: each takes a probe.
const mostEnds = 32

var errNotFound = errors.New("not in the symbol table of the binary")

// binaries are those that have functions to time, by their path. Each is read once for all of these.
type binaries map[string]*binary

type binary struct {
	file    *elf.File
	probes  *link.Executable
	symbols []func() ([]elf.Symbol, error) // its tables
	types   func() (*abi.Binary, error)
}

func (b binaries) open(path string) (*binary, error) {
	if known, ok := b[path]; ok {
		return known, nil
	}
	probes, err := link.OpenExecutable(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // told by the caller
	}
	file, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	b[path] = &binary{
		file: file, probes: probes,
		symbols: []func() ([]elf.Symbol, error){sync.OnceValues(file.Symbols), sync.OnceValues(file.DynamicSymbols)},
		types:   sync.OnceValues(func() (*abi.Binary, error) { return abi.Read(file) }),
	}
	return b[path], nil
}

func (b binaries) close() {
	for _, one := range b {
		_ = one.file.Close() // it was only read
	}
}

// look gives the ends of a function, and where its arguments and its result are; of the latter
// unknown says why they are not known.
func (b *binary) look(symbol string) (leave []uint64, s described, err error) {
	code, address, err := b.code(symbol)
	if err != nil {
		return nil, s, err
	}
	if leave, err = ends(code, symbol); err != nil {
		return nil, s, err
	}
	types, err := b.types()
	if err != nil {
		s.unknown = err
		return leave, s, nil
	}
	s.Signature, s.unknown = types.Of(symbol, address)
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

// code is the machine code of a function, and where it is.
func (b *binary) code(symbol string) (code []byte, address uint64, err error) {
	for _, read := range b.symbols {
		symbols, err := read()
		if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
			return nil, 0, fmt.Errorf("reading the symbols: %w", err)
		}
		for _, s := range symbols {
			if s.Name != symbol || elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || int(s.Section) >= len(b.file.Sections) {
				continue
			}
			section := b.file.Sections[s.Section]
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
