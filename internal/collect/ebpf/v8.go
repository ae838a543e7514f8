package ebpf

import (
	"debug/elf"
	"fmt"
	"iter"
	"os"
	"strings"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/profile"
)

// V8 marks the frames of its own code with a number each kind, which differ from version
// to version. The profiler names the kinds that it knows, and all others, among them the
// machine code that V8 makes of regular expressions, v8Unknown. The program itself tells
// what the numbers mean, in symbols for debuggers.
const (
	v8Prefix  = "V8::"
	v8Unknown = v8Prefix + "UnknownFrame"
	v8Symbols = "v8dbg_frametype_"
	v8Regexp  = "IrregexpFrame"
	// regexpName begins like the names that V8 gives such code in perf maps, which have
	// the expression itself behind the colon.
	regexpName = "RegExp:(compiled)"
)

// v8Kinds are the kinds of frames by their number, of one program.
type v8Kinds map[uint64]string

// markersOf appends the numbers of the marked frames of a trace, in their order.
func markersOf(markers []uint64, t *libpf.EbpfTrace) []uint64 {
	for f := range rawFrames(t, libpf.V8) {
		if f.Variable(0)&support.V8FileTypeMask == support.V8FileTypeMarker {
			markers = append(markers, f.Variable(1))
		}
	}
	return markers
}

// rawFrames are the frames of an interpreter in a trace, in their order, without those that
// could not be read.
func rawFrames(t *libpf.EbpfTrace, by libpf.InterpreterType) iter.Seq[libpf.EbpfFrame] {
	const words = 3 // of a frame of an interpreter, with both of its variables
	return func(yield func(libpf.EbpfFrame) bool) {
		frames := libpf.EbpfFrame(t.FrameData[min(int(t.NumKernelFrames), len(t.FrameData)):])
		for len(frames) > 0 {
			n := int(frames.Length())
			if n == 0 || n > len(frames) {
				return
			}
			if f := frames[:n]; n >= words && !f.Flags().Error() && f.Type().IsInterpType(by) && !yield(f) {
				return
			}
			frames = frames[n:]
		}
	}
}

// isMarked tells whether a frame is one of those that markersOf has found.
func isMarked(f *libpf.Frame) bool {
	return f.Type.IsInterpType(libpf.V8) && f.SourceFile == libpf.NullString && strings.HasPrefix(f.FunctionName.String(), v8Prefix)
}

// v8Frame names a frame that the profiler does not know, by its number in a program.
func (c *converter) v8Frame(program string, pid uint32, marker uint64) profile.LocationID {
	kinds, known := c.v8[program]
	if !known {
		kinds = v8KindsOf(fmt.Sprintf("/proc/%d/exe", pid))
		c.v8[program] = kinds
	}
	name := v8Unknown
	switch kind := kinds[marker]; kind {
	case "":
	case v8Regexp:
		name = regexpName
	default:
		name = v8Prefix + kind
	}
	return c.b.Location(0, 0, profile.KindJS, profile.Line{Function: c.b.Function(profile.Function{Name: name, Kind: profile.KindJS})})
}

// v8KindsOf reads them; nil where the file does not tell.
func v8KindsOf(path string) v8Kinds {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read
	binary, err := elf.NewFile(file)
	if err != nil {
		return nil
	}
	symbols, err := binary.DynamicSymbols()
	if err != nil {
		return nil
	}
	kinds := v8Kinds{}
	for i := range symbols {
		kind, ok := strings.CutPrefix(symbols[i].Name, v8Symbols)
		if !ok {
			continue
		}
		if n, ok := numberAt(binary, symbols[i].Value); ok {
			kinds[uint64(n)] = kind
		}
	}
	return kinds
}

// numberAt is the 32-bit number at an address of a file.
func numberAt(binary *elf.File, address uint64) (uint32, bool) {
	for _, s := range binary.Progs {
		if s.Type != elf.PT_LOAD || address < s.Vaddr || address+4 > s.Vaddr+s.Filesz {
			continue
		}
		var b [4]byte
		if _, err := s.ReadAt(b[:], int64(address-s.Vaddr)); err != nil {
			return 0, false
		}
		return binary.ByteOrder.Uint32(b[:]), true
	}
	return 0, false
}
