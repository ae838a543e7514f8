package machine

import (
	"fmt"
	"slices"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
)

// rule is what a match of the analyser means to a reader. docs/rules has a page for
// each, under its id.
type rule struct {
	title func(m analyzer.MachineMatch) string
	// waits: what it costs are the samples that are meant for the instructions of the
	// match; otherwise those of the loop.
	waits bool
	// low and high are the fractions of the cost that a fix may give back.
	low, high float64
	// certain: the match itself leaves no doubt.
	certain bool
	kind    string // of the fix
	steps   []string
	caveats []string
	// meets are the source rules that are about the same.
	meets []string
}

// Where a fix is made.
const (
	inCode  = "code"
	inFlags = "flag"
)

func fixed(title string) func(analyzer.MachineMatch) string {
	return func(analyzer.MachineMatch) string { return title }
}

var rules = map[string]rule{
	"machine-division": {
		title: func(m analyzer.MachineMatch) string {
			return fmt.Sprintf("a loop divides by a number that it does not change (%s bits)", m.Facts["bits"])
		},
		waits: true, low: 0.3, high: 0.9, kind: inCode,
		steps: []string{
			"compute a reciprocal before the loop and multiply by it: libdivide does that for integers of any size",
			"where the divisor is a power of two, or can be made one (a table's size), use & or >> instead; where it is one of a few numbers, a switch over constants lets the compiler do it",
		},
		caveats: []string{"a reciprocal costs about as much as a division: it pays from a few iterations on"},
	},
	"machine-reload": {
		title: func(m analyzer.MachineMatch) string {
			return fmt.Sprintf("a loop stores bytes and loads the same %s bytes again in every iteration", m.Facts["bytes"])
		},
		high: 0.5, kind: inCode,
		steps: []string{
			"copy what is loaded again (a pointer or a size) into a local variable before the loop, and use the local in it",
			"or store through a type that aliases nothing else, or through a restrict pointer: a byte may be part of any object, as far as the compiler knows",
		},
		caveats: []string{"where another thread or a signal handler changes the value, the loop means it so"},
		meets:   []string{"alias-char-write", "alias-pointer-field", "alias-loop-condition", "alias-pointer-dereference", "alias-array-element", "alias-multidim"},
	},
	"machine-forwarding": {
		title: func(m analyzer.MachineMatch) string {
			return fmt.Sprintf("a loop loads %s bytes where it has just stored %s: the load waits for the cache", m.Facts["loaded"], m.Facts["stored"])
		},
		waits: true, low: 0.2, high: 0.9, kind: inCode,
		steps: []string{
			"store as many bytes at once as are loaded again: put the parts together in a register, by shifts or as a whole struct",
			"or load the parts as they were stored",
		},
	},
	"machine-checksum": {
		title: func(m analyzer.MachineMatch) string {
			return fmt.Sprintf("a %s is computed one %s at a time", m.Facts["sum"], m.Facts["at_a_time"])
		},
		low: 0.6, high: 0.95, certain: true, kind: inCode,
		steps: []string{
			"use a library that uses the processor's instructions (CRC32 for CRC-32C, PCLMULQDQ for all): ISA-L, crc32fast, zlib-ng, liblzma 5.6",
			"or, without them, eight or sixteen tables: slicing-by-8 reads eight bytes an iteration",
		},
		meets: []string{"bit-by-bit"},
	},
	"machine-scalar": {
		title: func(m analyzer.MachineMatch) string {
			if n := m.Facts["bytes"]; n != "1" {
				return fmt.Sprintf("a loop handles %s consecutive bytes at a time, and nothing keeps it from more", n)
			}
			return "a loop handles one byte at a time, and nothing keeps it from more"
		},
		low: 0.3, high: 0.9, kind: inFlags,
		steps: []string{
			"compile with -O3, or with -ftree-vectorize (gcc before 12 has no vectoriser at -O2)",
			"where that changes nothing, see what the compiler says: -fopt-info-vec-missed (gcc), -Rpass-missed=loop-vectorize (clang); often a restrict pointer is missing",
		},
		caveats: []string{"where the loop runs a few times only, it is as good as it is"},
		meets:   []string{"missed-optimisations", "alias-char-write", "short-loop"},
	},
	"machine-atomic": {
		title: fixed("a hot loop waits for an atomic update"),
		waits: true, high: 0.9, kind: inCode,
		steps: []string{
			"of a reference count: pass std::shared_ptr by reference, or move it, instead of copying",
			"of a counter: count in a local variable, or one for each thread, and add at the end",
			"of a lock: take it once around the loop",
		},
		caveats: []string{"where other processors use the same memory, the wait is for them and not for the instruction"},
	},
	"machine-x87": {
		title: fixed("a hot loop computes with the x87 unit"),
		high:  0.7, kind: inCode,
		steps: []string{
			"use double instead of long double where its 53 bits are enough",
			"in code for 32 bits: -mfpmath=sse -msse2",
		},
		caveats: []string{"long double has 64 bits: where the result needs them, this is the price"},
	},
	"machine-rep": {
		title: fixed("a hot loop copies or fills with rep movs or rep stos"),
		waits: true, high: 0.8, kind: inCode,
		steps: []string{
			"where the blocks are shorter than some hundred bytes: copy with plain loads and stores of fixed size, or call memcpy, whose short cases are fast",
			"gcc: -mmemcpy-strategy and -mmemset-strategy say from which size it writes rep",
		},
		caveats: []string{"for blocks of kilobytes rep movsb is as fast as anything"},
	},
	"machine-own-call": {
		title: func(m analyzer.MachineMatch) string {
			return fmt.Sprintf("a hot loop of a library calls the library's own %s through its stub", m.Facts["function"])
		},
		high: 0.1, kind: inFlags,
		steps: []string{
			"link with -Wl,-Bsymbolic-functions, or compile with -fno-semantic-interposition (gcc) and -fvisibility=hidden for what is not exported: then the call is direct, and can be inlined",
		},
		caveats: []string{"a program can then no longer put a function of its own in its place"},
	},
	"machine-generic": {
		title: fixed("a hot loop computes with the vectors of 2003 (SSE2)"),
		high:  0.5, kind: inFlags,
		steps: []string{
			"compile for the processors that it runs on: -march=x86-64-v3 (AVX2 and FMA: Intel since 2013, AMD since 2015)",
			"or for several at once: __attribute__((target_clones(\"avx2\",\"default\"))) on the function",
		},
		caveats: []string{"a loop that waits for memory gains nothing; FMA changes the last bit of results"},
	},
}

// Meets says whether a finding of a source rule is about what a machine rule finds.
func Meets(f finding.Finding, sourceRule string) bool {
	return slices.Contains(rules[f.Rule].meets, sourceRule)
}
