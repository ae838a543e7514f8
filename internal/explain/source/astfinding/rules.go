package astfinding

// rule is what one rule of the AST layer means to a reader.
type rule struct {
	title string // with %s for what is read again or touched
	steps []string
	// precision orders the alias rules: where several name one loop, the finding
	// has the name of the highest. Zero is no alias rule.
	precision int
	// whole makes one finding of all that the rule finds in the program: the same
	// cause everywhere, with one fix.
	whole bool
}

// ruleDebugSTL is reported once for a macro, not once for a loop.
const ruleDebugSTL = "debug-stl"

// scopeSystem is the reach of a declaration that the user cannot change.
const scopeSystem = "system"

const (
	hoist  = "copy %s into local variables before the loop, and use the locals in it"
	retype = "or give what is written (%s) a type that aliases nothing else: char8_t, an enum class over unsigned char with linkage, or an integer as wide as the data"
	// In C char8_t is unsigned char, and an enum of one byte aliases as it does.
	retypeInC = "or give what is written (%s) a type that aliases nothing else: a struct around the byte whose member is stored (struct byte { unsigned char v; }; out[i].v = x), or an integer as wide as the data"
)

// rules has an entry for every rule that the analyser knows by itself; each has
// a page in docs/rules.
var rules = map[string]rule{
	"alias-loop-condition-linear": {precision: 7, title: "the loop's bound %s is read again after every byte that the loop writes"},
	"alias-loop-condition-name":   {precision: 6, title: "the loop's bound %s is read again after every byte that the loop writes"},
	"alias-loop-condition":        {precision: 5, title: "the loop's condition reads %s again after a byte is written"},
	"alias-multidim":              {precision: 4, title: "the row behind %s is looked up again after a byte is written"},
	"alias-pointer-field":         {precision: 3, title: "%s is loaded again after a byte is written"},
	"alias-array-element":         {precision: 2, title: "the element %s is loaded again after a byte is written"},
	"alias-pointer-dereference":   {precision: 1, title: "%s is loaded again after a byte is written"},
	"vector-bool": {
		title: "std::vector<bool> is copied and read bit by bit",
		whole: true,
		steps: []string{
			"Elements that are touched one by one: a byte of a type of its own for each, std::vector<char8_t> (C++20) or a vector of a struct that holds one bool. Not char or uint8_t: stores through these may change anything, so the compiler loads everything else again",
			"Whole sets that are copied: assign the vector, which moves words, instead of its elements; sets that are joined, counted or compared: std::bitset or 64-bit words",
		},
	},
	"bitfield-flag": {
		title: "bit-field %s in a loop",
		steps: []string{"make it a plain member, or keep it in a local during the loop and store it once afterwards"},
	},
	"volatile-sync": {
		title: "volatile %s is used between threads",
		steps: []string{"make it a std::atomic (C: _Atomic) with the memory order that is needed; wait with std::atomic::wait, a condition variable or a futex rather than by spinning"},
	},
	"exceptions-control-flow": {
		title: "exceptions steer this loop: %s may throw and is caught in the same iteration",
		steps: []string{"report the expected failure by a return value (std::optional, std::expected, an error code; std::from_chars for numbers) and keep exceptions for what is rare"},
	},
	ruleDebugSTL: {
		title: "%s makes the standard library check every access",
		steps: []string{"build what is measured and shipped without the macro, or hoist the checked access out of the innermost loops"},
	},
}
