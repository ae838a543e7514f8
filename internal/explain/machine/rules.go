package machine

import (
	"fmt"
	"path/filepath"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/profile/symname"
)

// rule is what a match of the analyser means to a reader. docs/rules has a page for
// each, under its id.
type rule struct {
	title func(l *Loop, m analyzer.MachineMatch) string
	// waits: what it costs are the samples that are meant for the instructions of the
	// match; otherwise those of the loop.
	waits bool
	// cost says what it costs where that is neither; 0 where the samples deny it.
	cost func(l *Loop, m analyzer.MachineMatch) (value, events int64)
	// besides is what a fix may give back at most on top of what it costs.
	besides func(l *Loop, m analyzer.MachineMatch) int64
	// more adds evidence.
	more func(p *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence
	// low and high are the fractions of the cost that a fix may give back.
	low, high float64
	// least is the share of all samples from which it is a finding, 0 for that of any rule.
	least float64
	// atMatch: the finding's line is that of the match, not the loop's first.
	atMatch bool
	// asked: the lines that ask for the loop are where the change is made.
	asked bool
	// certain: the match itself leaves no doubt.
	certain bool
	kind    string // of the fix
	// whole: what is to be changed is how the binary is built, for all of its loops alike; not
	// where the match names a store, which is changed in the source.
	whole bool
	flags string // of the compiler, that are the fix
	steps []string
	// stepsOf are those before them that depend on the loop.
	stepsOf func(l *Loop, m analyzer.MachineMatch) []string
	caveats []string
}

// Where a fix is made.
const (
	inCode  = "code"
	inFlags = "flag"
)

const (
	rulePLTCall = "machine-plt-call"
	ruleOwnCall = "machine-own-call"
	nameWidth   = 40
)

var rules = map[string]rule{
	"machine-division": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Division by a loop-invariant value in a hot loop (%s bits)", m.Facts["bits"])
		},
		waits: true, low: 0.3, high: 0.9, besides: users, kind: inCode,
		steps: []string{
			"an index that goes round, by less than the size at a time: compare and subtract instead of % (i >= n ? i - n : i)",
			"else a reciprocal before the loop, and multiply by it: libdivide does that for integers of any size",
			"where the divisor is a power of two, or can be made one (a table's size), use & or >> instead; where it is one of a few numbers, a switch over constants lets the compiler do it",
		},
		caveats: []string{"a reciprocal costs about as much as a division: it is faster from a few iterations on"},
	},
	"machine-reload": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			if m.Facts["stored"] != "" {
				return fmt.Sprintf("Stores of %s bytes force a reload of the same members per iteration", m.Facts["stored"])
			}
			return fmt.Sprintf("Byte stores force a reload of the same %s bytes per iteration", m.Facts["bytes"])
		},
		high: 0.5, kind: inCode,
		steps: []string{
			"copy what is loaded again (a pointer, a size, the members used) into local variables before the loop, and use the locals in it",
			"or store through a type that aliases nothing else, or through a restrict pointer: a byte may be part of any object, and an int of any structure with ints, as far as the compiler knows",
		},
		caveats: []string{"where another thread or a signal handler changes the value, the loop means it so"},
	},
	"machine-forwarding": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Load of %s bytes after stores of %s: no store forwarding", m.Facts["loaded"], m.Facts["stored"])
		},
		waits: true, low: 0.2, high: 0.9, kind: inCode,
		steps: []string{
			"store as many bytes at once as are loaded again: put the parts together in a register, by shifts or as a whole struct",
			"or load the parts as they were stored",
		},
	},
	"machine-checksum": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Table-driven %s, one %s per step", m.Facts["sum"], m.Facts["at_a_time"])
		},
		low: 0.6, high: 0.95, certain: true, kind: inCode,
		steps: []string{
			"use a library that uses the processor's instructions (CRC32 for CRC-32C, PCLMULQDQ for all): ISA-L, crc32fast, zlib-ng, liblzma 5.6",
			"or, without them, eight or sixteen tables: slicing-by-8 reads eight bytes an iteration",
		},
	},
	"machine-scalar": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			if m.Facts["float"] != "" {
				return "Floating-point loop is not vectorised"
			}
			if n := m.Facts["bytes"]; n != "1" {
				return fmt.Sprintf("Loop over %s-byte elements is not vectorised", n)
			}
			return "Byte loop is not vectorised"
		},
		low: 0.1, high: 0.9, kind: inFlags, whole: true, flags: "-O3",
		steps: []string{
			"compile with -O3: gcc before 12 has no vectoriser at -O2, and since then one that takes only loops whose number of iterations is known",
			"where that changes nothing, see what the compiler says: -fopt-info-vec-missed (gcc), -Rpass-missed=loop-vectorize (clang); often a restrict pointer is missing",
		},
		caveats: []string{"where the loop runs a few times only, it is as good as it is"},
	},
	"machine-float-sum": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			if m.Facts["store"] != "" {
				return "Floating-point sum is stored on each iteration; use a local variable"
			}
			return "Floating-point sum is not vectorised: the order is kept"
		},
		low: 0.1, high: 0.9, kind: inFlags, whole: true, stepsOf: inLocalSum,
		steps: []string{
			"where the last bits of the sum do not matter: -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math for that file, or #pragma omp simd reduction(+:sum) on the loop with -fopenmp-simd",
			"or keep four or eight sums in the source, and add them at the end",
		},
		caveats: []string{"the result changes in its last bits; where the loop runs a few times only, it is as good as it is"},
	},
	"machine-atomic": {
		title: fixed("Atomic update in a hot loop"),
		waits: true, high: 0.9, kind: inCode,
		steps: []string{
			"of a reference count: pass std::shared_ptr by reference, or move it, instead of copying",
			"of a counter: count in a local variable, or one for each thread in a cache line of its own (alignas(64)), and add at the end",
			"of a lock: take it once around the loop",
		},
		caveats: []string{"where other processors use the same memory, the wait is for them and not for the instruction"},
		more:    threads,
	},
	"machine-x87": {
		title: fixed("x87 arithmetic in a hot loop"),
		cost:  inX87,
		high:  0.7, kind: inCode,
		steps: []string{
			"use double instead of long double where its 53 bits are enough",
			"in code for 32 bits: -mfpmath=sse -msse2",
		},
		caveats: []string{"long double has 64 bits: where the result needs them, this is the price"},
	},
	"machine-rep": {
		title: fixed("rep movs or rep stos in a hot loop"),
		waits: true, high: 0.8, kind: inCode,
		steps: []string{
			"where the blocks are shorter than some hundred bytes: copy with plain loads and stores of fixed size, or call memcpy, whose short cases are fast",
			"gcc: -mmemcpy-strategy and -mmemset-strategy say from which size it writes rep",
		},
		caveats: []string{"for blocks of kilobytes rep movsb is as fast as anything"},
	},
	ruleOwnCall: {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Library calls its own %s through the PLT", codename.Display(m.Facts["function"]))
		},
		cost: ownCalled,
		high: 0.1, kind: inFlags, flags: "-fno-semantic-interposition",
		steps: []string{
			"link with -Wl,-Bsymbolic-functions, or compile with -fno-semantic-interposition (gcc) and -fvisibility=hidden for what is not exported: then the call is direct, and can be inlined",
		},
		caveats: []string{"a program can then no longer put a function of its own in its place"},
	},
	"machine-generic": {
		title: fixed("Hot loop is limited to SSE2; build for AVX2"),
		// A call in each iteration is one for one element, with any vectors.
		cost: func(l *Loop, _ analyzer.MachineMatch) (value, events int64) {
			if l.Calls > 0 {
				return 0, 0
			}
			return l.Self, l.Count
		},
		high: 0.5, kind: inFlags, whole: true, flags: "-march=native",
		steps: []string{
			"compile for the processors that it runs on: -march=x86-64-v3, in Rust -C target-cpu=x86-64-v3 (AVX2 and FMA: Intel since 2013, AMD since 2015)",
			"or for several at once: __attribute__((target_clones(\"avx2\",\"default\"))) on the function",
		},
		caveats: []string{"a loop that waits for memory gains nothing; FMA changes the last bit of results"},
	},
	rulePLTCall: {
		title: func(l *Loop, _ analyzer.MachineMatch) string {
			c := l.short()
			return fmt.Sprintf("Hot loop calls %s of %s (%d bytes of code) through the PLT", symname.Shorten(c.name, nameWidth), filepath.Base(c.path), c.size)
		},
		cost: func(l *Loop, m analyzer.MachineMatch) (value, events int64) {
			if l.short().value == 0 {
				return 0, 0
			}
			value, events = l.waits(m)
			return value + l.stub.value, events + l.stub.count
		},
		more: func(p *profile.Profile, l *Loop, _ analyzer.MachineMatch) []finding.Evidence {
			c := l.short()
			share := float64(c.value) / float64(max(p.Total(), 1))
			return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("%s in %s, called by this loop: it stays, and is not in the share", percent.Column(share), c.name), Share: &share}}
		},
		high: 0.5, kind: inCode, stepsOf: withoutStub,
		caveats: []string{"a stub costs a jump, which is predicted: what is saved is mostly the call and what it keeps from being optimised around it"},
	},
	"machine-assert": {
		title: fixed("Assertions in a hot loop; build with -DNDEBUG"),
		waits: true, cost: check, more: inAssertions, high: 0.9, kind: inFlags, whole: true,
		steps: []string{
			"build what is shipped with -DNDEBUG (CMake's Release and RelWithDebInfo have it; Autotools and Meson want it said: CPPFLAGS=-DNDEBUG, -Db_ndebug=true)",
			"where checks are wanted there too: leave them out of this loop",
		},
		caveats: []string{"the samples are those of the checks; some may wait for memory that the loop needs anyway", "an assertion with a side effect is a defect that NDEBUG brings to light"},
	},
	"machine-bit-set": {
		title: fixed("Loop sets bits one at a time"),
		low:   0.3, high: 0.9, kind: inCode,
		steps:   []string{"collect eight or 64 in a register, and store the whole byte or word; where all of a range are set, fill whole words (memset) and mask the two at its ends"},
		caveats: []string{"where hardly any iteration sets a bit, the loop costs what its test costs"},
	},
	"machine-bit-copy": {
		title: fixed("Loop copies bits one at a time"),
		low:   0.5, high: 0.95, kind: inCode,
		steps: []string{"copy whole words: where the bits are not aligned in the same way, put each word together from two by shifts (out = in[i] >> k | in[i+1] << (64 - k)), and mask at the ends"},
	},
	"machine-hash": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Byte-wise %s hash is hot; try XXH3", m.Facts["hash"])
		},
		low: 0.3, high: 0.85, kind: inCode,
		steps: []string{
			"where the hash is used in memory only, use one that takes eight bytes or more at a time: XXH3, wyhash, rapidhash",
			"where keys are short and the same come again, keep the hash with the key",
		},
		caveats: []string{"hashes that are written to files or sent to others have to stay", "keys of a few bytes gain little"},
	},
	"machine-byte-compare": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			if m.Facts["bytes"] == "1" {
				return "Two ranges are compared a byte at a time; compare eight"
			}
			return "Two ranges are compared two bytes at a time; compare eight"
		},
		high: 0.85, kind: inCode,
		steps: []string{
			"Load eight bytes of each range with memcpy into a uint64_t, and XOR them; where the result is not 0, __builtin_ctzll(x) / 8 more bytes agree (little-endian)",
			"Where only equality is asked: memcmp",
		},
		caveats: []string{"Ranges that mostly differ within the first bytes gain little"},
	},
	searchRule: {
		title: fixed("Binary search with mispredicted branches"),
		cost:  inGuesses,
		more:  guesses,
		high:  0.8, kind: inCode,
		steps: []string{
			"compute the bound instead of jumping: while (n > 1) { half = n / 2; base += (key >= base[half - 1]) * half; n -= half; }, and one comparison at the end",
			"look at the assembly: no jump but the loop's own. gcc 12 keeps the product; clang 19 makes a jump of it, and a conditional move of if (*middle < key) { base = middle + 1; n -= half + 1; } else n = half; or say __builtin_unpredictable",
			"where the keys are few (samples of 8 or 16 bits), a table of all answers",
			"where the keys come in order, go on from the last place",
		},
		caveats: []string{"an array of many megabytes: a guess fetches ahead, and without it each load is waited for; there an order by levels (Eytzinger) with prefetches pays", "that the guesses are wrong is told by where the samples stand, and not counted: perf stat -e branch-misses, where the machine has it"},
	},
	branchRule: {
		title: fixed("Loop's branch may be mispredicted; compute both ways"),
		cost:  inWrongGuesses,
		more:  wrongGuesses,
		low:   0.3, high: 0.85, kind: inCode,
		steps: []string{
			"Without a jump: store always and move on by the comparison: out[n] = i; n += keep(i)",
			"Or select by arithmetic: sum += v & -(v >= least); look at the assembly for the jump",
			"Of several ranges, take what differs from a table: c = table[(d >= a) + (d >= b)]",
			"Or sort or group the data by what is asked, or ask once for a block of elements",
		},
		caveats: []string{"Where the work behind the branch is long, skipping it is worth the wrong guesses"},
	},
	tripRule: {
		kind: inCode,
		steps: []string{
			"A copy of the function for the number that occurs, in which it is a constant: a template parameter, a static inline function that is called with the literal, or switch (n) with the loop in each case",
			"There the compiler unrolls the loop, keeps sums in registers, and leaves out its checks",
			"The general loop stays for other numbers",
		},
		caveats: []string{"The number was counted in one moment of this run: other inputs may have others"},
	},
	skipRule: {
		title: fixed("Loop skips nearly all it reads; keep a list of the rest"),
		cost:  (*Loop).inSkips,
		more:  skips, atMatch: true, certain: true,
		low: 0.2, high: 0.9, kind: inCode,
		steps: []string{
			"Keep a list or a bit set of the elements that count (non-zeros, active items), and walk that; where it gets long, the whole",
			"Or test many at once: memchr for a byte; 16 to 64 elements by a vector comparison, and look closer where one differs",
			"Or, where it looks for a key, index by it: a table of 256 entries for a byte, a hash table",
			"Or keep those together that are skipped together",
		},
		caveats: []string{"A list that has to be made for each pass saves nothing"},
	},
	"machine-widening": {
		title: fixed("Hot loop computes floats in double; use float"),
		low:   0.1, high: 0.65, kind: inCode,
		steps: []string{
			"Literals and functions of float: 0.5f, sqrtf, fabsf, expf; in C++ std::sqrt, which chooses by its argument",
			"-Wdouble-promotion lists the places",
		},
		caveats: []string{"The last digits of the results differ; keep double where they matter"},
	},
	walkRule: {
		title: func(l *Loop, _ analyzer.MachineMatch) string {
			return "A linked list is walked element by element in " + codename.Display(l.Function)
		},
		least: 0.1, cost: inLongWalks, asked: true,
		high: 1, kind: inCode,
		steps: []string{
			"Ask for fewer walks: keep where the last one ended and go on from there, or stop at what cannot match any more",
			"Or keep a table from what is searched to the element",
			"Or keep the elements in an array, where all of them have to be seen: the processor fetches ahead",
		},
		caveats: []string{"Whether the cost grows faster than the input is told by whyhot grow"},
	},
	"machine-spill": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			if n := m.Facts["slots"]; n != "1" {
				return fmt.Sprintf("Hot loop spills %s values to the stack", n)
			}
			return "Hot loop spills a value to the stack"
		},
		waits: true, high: 0.5, kind: inCode,
		steps: []string{
			"have fewer values alive at a time: split the loop, or compute again what is cheap",
			"see whether an unrolled or inlined part is the reason: -fno-unroll-loops, -fno-tree-pre, __attribute__((noinline)) on a cold part",
			"of vectors: -march=x86-64-v4 has 32 registers",
		},
		caveats: []string{"a load of what was stored a few cycles ago takes four or five, on new processors none: it costs where the next iteration waits for it"},
	},
	sparseRule: {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Loop reads %s of each %s bytes; keep those fields together", m.Facts["bytes"], m.Facts["element"])
		},
		cost: inWaits, least: 0.1,
		low: 0.1, high: 0.95, kind: inCode,
		steps: []string{
			"Keep the fields that this loop reads in arrays of their own (a structure of arrays), or in a small structure beside the large one",
			"Or make the elements smaller: narrower types, rare fields behind a pointer",
			"Or look at fewer elements: a grid, an index or an order by what is asked for",
		},
		caveats: []string{"Where all elements fit the cache, they are not waited for, and another layout gains little"},
	},
	"machine-stride": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Loop strides %s bytes through memory, a page or more", m.Facts["stride"])
		},
		waits: true, low: 0.3, high: 0.9, kind: inCode,
		steps: []string{
			"walk along the rows: exchange this loop and the one around it, or store the array the other way round",
			"where both directions are needed: handle blocks that fit the cache",
		},
	},
	StallRule: {kind: inCode}, // what it says depends on the kind: stall.go
	ruleDenormals: { // denormals.go
		title: fixed("Floating-point operations stall as on denormal numbers"),
		more:  atFloats,
		high:  0.95, kind: inCode,
		steps: []string{
			"Try it without an edit: gcc -shared -ffast-math -x c /dev/null -o ftz.so (-mdaz-ftz from gcc 13 on) makes a library that sets numbers that small to zero; whyhot try --preload ./ftz.so -- your command",
			"Set flush-to-zero and denormals-are-zero in each thread that computes: _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON) and _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON)",
			"Or keep values that decay away from zero: end the tail below a threshold, or add a constant of 1e-18 to the input",
		},
		caveats: []string{"That the operands are denormal is a guess from where the samples stand; a chain of operations that wait for each other can look alike", "Results change where numbers below 1e-38 (float) or 1e-308 (double) matter"},
	},
	RuleSmallCall: { // smallcall.go
		kind: inCode, flags: "-flto",
		steps: []string{
			"Build with link-time optimisation: -flto for compiler and linker (gcc-ar instead of ar)",
			"Or define what other files call in the header (static inline in C, inline in C++), and make static what one file calls",
			"Or where a function mostly returns at once, test that in the caller",
		},
		caveats: []string{"A function that others may replace (exported from a shared library) is not inlined unless -fvisibility=hidden or -fno-semantic-interposition allows it"},
	},
	"machine-few-iterations": {
		title: func(_ *Loop, m analyzer.MachineMatch) string {
			return fmt.Sprintf("Vector loop of %s runs few iterations; its remainder is hot", m.Facts["elements"])
		},
		cost: leftOver,
		more: func(p *profile.Profile, l *Loop, m analyzer.MachineMatch) []finding.Evidence {
			v := l.inVectors(m)
			share := float64(v) / float64(max(p.Total(), 1))
			return []finding.Evidence{{Kind: evidenceKind, Text: fmt.Sprintf("the vector loop at %s-%s takes %s", m.Facts["vector_low"], m.Facts["vector_high"], percent.Column(share)), Share: &share}}
		},
		high: 0.6, kind: inCode,
		steps: []string{
			"where the number is always the same, or one of a few, tell the compiler: a constant, a template parameter, a switch over them",
			"where the rows can be padded to a multiple of what the vector loop takes, pad them; or handle several short rows at once",
			"or keep the compiler from it for this loop: #pragma clang loop vectorize(disable), #pragma GCC novector (14 and newer), -O2",
		},
		caveats: []string{"how often the loop runs is not counted: only that the vector part of it hardly does"},
	},
}

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool {
	_, ok := rules[rule]
	return ok
}
