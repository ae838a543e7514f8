package astfinding

import "whyhot/internal/finding"

// rule is what one rule of the AST layer means to a reader.
type rule struct {
	title string // with %s for what is read again or touched
	steps []string
	// precision orders the alias rules: where several name one loop, the finding
	// has the name of the highest. Zero is no alias rule.
	precision int
	// perCall rules are about what each call of the function costs, in a loop or not:
	// outside of loops a profile has to say that it is called often.
	perCall bool
	// needsProfile rules are true of much code that is cold.
	needsProfile bool
	// whole makes one finding of all that the rule finds in the program: the same
	// cause everywhere, with one fix.
	whole bool
	// own rules are about a loop without the loops inside it.
	own bool
}

// IsOwn says whether a finding is about a loop without the loops inside it.
func IsOwn(f finding.Finding) bool { return rules[f.Rule].own }

// ruleDebugSTL is reported once for a macro, not once for a loop.
const ruleDebugSTL = "debug-stl"

// Rules whose cost a profile shows in what is called.
const (
	ruleConstantContainer = "constant-container"
	ruleValueContainer    = "value-container"
)

// scopeSystem is the reach of a declaration that the user cannot change.
const scopeSystem = "system"

const (
	hoist  = "copy %s into local variables before the loop, and use the locals in it"
	retype = "or give what is written (%s) a type that aliases nothing else: char8_t, an enum class over unsigned char with linkage, or an integer as wide as the data"
	// In C char8_t is unsigned char, and an enum of one byte aliases as it does.
	retypeInC = "or give what is written (%s) a type that aliases nothing else: a struct around the byte whose member is stored (struct byte { unsigned char v; }; out[i].v = x), or an integer as wide as the data"
)

// caveats are what to think of before the change.
var caveats = map[string][]string{
	ruleConstantContainer: {"m[key] of a map inserts what is missing: a constant map needs find or at"},
	ruleValueContainer: {
		"by reference the function sees changes that are made meanwhile, by itself through a global or by another thread",
		"callers in other units are compiled again; a function whose address is taken there keeps its type",
	},
	"bit-by-bit":  {"bits that stay as they were need the old word once, before the first"},
	"column-walk": {"sums of floating-point numbers in another order round differently"},
}

// rules has an entry for every rule that the analyser knows by itself; each has
// a page in docs/rules.
var rules = map[string]rule{
	"alias-loop-condition-linear": {precision: 7, title: "Loop bound %s reloaded after every byte store"},
	"alias-loop-condition-name":   {precision: 6, title: "Loop bound %s reloaded after every byte store"},
	"alias-loop-condition":        {precision: 5, title: "Loop condition reloads %s after a byte store"},
	"alias-multidim":              {precision: 4, title: "Row pointer of %s reloaded after a byte store"},
	"alias-pointer-field":         {precision: 3, title: "%s reloaded after a byte store"},
	"alias-array-element":         {precision: 2, title: "Element %s reloaded after a byte store"},
	"alias-pointer-dereference":   {precision: 1, title: "%s reloaded after a byte store"},
	"vector-bool": {
		title: "std::vector<bool> accessed bit by bit",
		whole: true,
		steps: []string{
			"Elements that are touched one at a time: a byte of a type of its own for each, std::vector<char8_t> (C++20) or a vector of a struct that holds one bool. Not char or uint8_t: stores through these may change anything, so the compiler loads everything else again",
			"Whole sets that are copied: assign the vector, which moves words, instead of its elements; sets that are joined, counted or compared: std::bitset or 64-bit words",
		},
	},
	"bitfield-flag": {
		title: "Bit-field %s in a loop",
		own:   true,
		steps: []string{"make it a plain member, or keep it in a local during the loop and store it once afterwards"},
	},
	"volatile-sync": {
		title: "volatile %s shared between threads; use std::atomic",
		steps: []string{"make it a std::atomic (C: _Atomic) with the memory order that is needed; wait with std::atomic::wait, a condition variable or a futex rather than by spinning"},
	},
	"exceptions-control-flow": {
		title: "Exceptions as control flow: %s throws and is caught in the loop",
		steps: []string{"report the expected failure by a return value (std::optional, std::expected, an error code; std::from_chars for numbers) and keep exceptions for what is rare"},
	},
	ruleConstantContainer: {
		title:   "%s constructed on every call; make it static",
		perCall: true,
		steps: []string{
			"make it static const (what it is made of never changes): it is built once, at the first call",
			"or a constexpr array, searched or indexed; a switch where the keys are integers or characters",
		},
	},
	ruleValueContainer: {
		title:   "%s, copied on every call; pass by reference",
		perCall: true,
		steps:   []string{"take it by const reference (const T &), or as std::span where the elements are enough"},
	},
	"bit-by-bit": {
		title: "%s written one bit at a time",
		steps: []string{
			"take 8 (or 64) at a time: an inner loop of that fixed length collects them in a local, which is stored once; the rest after it",
		},
	},
	"short-loop": {
		needsProfile: true,
		title:        "Short inner loop with unknown bound %s; specialise it",
		steps: []string{
			"choose once, outside of the hot loops: a template over the number (template<int N>), or a switch over its few values with a call of the same inline function for each; the compiler then unrolls it",
			"GCC below -O3 unrolls only what is asked for: #pragma GCC unroll 4 before the inner loop",
		},
	},
	"column-walk": {
		title: "Inner loop walks down the columns of %s",
		steps: []string{
			"exchange the two loops: the inner one then runs along a row; a sum over each column becomes a row of sums",
		},
	},
	ruleDebugSTL: {
		title: "%s makes the standard library check every access",
		steps: []string{"build what is measured and shipped without the macro, or hoist the checked access out of the innermost loops"},
	},
}
