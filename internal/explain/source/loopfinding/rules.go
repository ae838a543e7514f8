package loopfinding

import "whyhot/internal/explain/analyzer"

// rule is what one predicate of the analyser means to a reader.
type rule struct {
	id     string
	what   string // the blamed stores, in the plural
	mixed  string // the same where not all of them are bytes, "" for what
	retype string // how the written type is changed, "" where that is no fix
	inC    string // the same where the unit is C, "" for no difference
	// plainMember: the change of type is the fix, locals are the way out.
	plainMember bool
}

// rules maps the analyser's predicates to rules; docs/rules has a page for each.
var rules = map[string]rule{
	"char": {
		id:     "alias-char-write",
		what:   "byte-wide stores through a char-like type",
		mixed:  "stores that may change any object",
		retype: "give what is written a type that aliases nothing else: char8_t (C++20), an enum class over unsigned char with linkage, or an integer as wide as the data",
		// Measured with clang 19 and gcc 12: bench/analyzer/fixes.md.
		inC: "give what is written a type that aliases nothing else: a struct around the byte whose member is stored (struct byte { unsigned char v; }; out[i].v = x), or an integer as wide as the data (char8_t and enums are no help: in C they alias as unsigned char does)",
	},
	"bitfield": {
		id:     "bitfield-store",
		what:   "bit-field stores",
		retype: "make the bit-field a plain member: a bit-field store carries no type for the compiler, so it clobbers everything in reach",

		plainMember: true,
	},
	"pointer": {
		id:   "alias-pointer-store",
		what: "stores of a pointer",
	},
	"volatile": {
		id:     "volatile-loop",
		what:   "accesses through volatile",
		retype: "drop volatile where nothing outside the program writes the object; between threads use std::atomic with the order that is needed",
	},
	"size": {
		id:   "alias-size-store",
		what: "stores of a 64-bit integer",
	},
}

const hoistStep = "copy the values that are reloaded in each iteration (bound, data pointers) into local variables before the loop, and use the locals in it"

// worldNames are the analyser's worlds as a reader meets them, in order.
var worldNames = []struct{ world, name string }{
	{analyzer.WorldWritten, "as written"},
	{analyzer.WorldRetyped, "written type changed"},
	{analyzer.WorldHoisted, "hoisted into locals"},
	{worldPatched, "as whyhot fix writes it"},
	{analyzer.WorldPlacebo, "placebo"},
}
