package remarks

import (
	"slices"
	"strings"
)

// cause is why a pass of clang, gcc or rustc missed an optimisation, as a reader wants to
// know it.
type cause struct {
	Rule  string // one a pass
	Title string
	Steps []string
}

// The rules about passes.
const (
	ruleVectorize = "missed-vectorize"
	ruleSLP       = "missed-slp"
	ruleHoist     = "missed-hoist"
	ruleReuse     = "missed-reuse"
	ruleInline    = "missed-inline"
)

const inLoop = "In this loop "

// titles begin with what the pass failed to do.
var titles = map[string]string{
	ruleVectorize: "This loop is not vectorised: ",
	ruleInline:    "This loop ",
	ruleSLP:       inLoop,
	ruleHoist:     inLoop,
	ruleReuse:     inLoop,
}

// sentence is the title of a finding.
func (c cause) sentence() string { return titles[c.Rule] + c.Title }

// isPass says whether a rule is about a pass.
func isPass(rule string) bool {
	_, ok := titles[rule]
	return ok
}

// vectorize has the reasons of the loop vectoriser by the remark's name (LLVM 19,
// LoopVectorizationLegality.cpp and LoopVectorize.cpp). A loop may have several;
// the first in this order is the one that says most.
var vectorize = []struct {
	names []string
	cause
}{
	{[]string{"CantVectorizeLibcall", "CantVectorizeCall", "CantVectorizeIntrinsic"}, cause{
		Title: "a call in it has no vector form",
		Steps: []string{"make the callee visible and inline (its definition in a header, or link-time optimisation), or take the call out of the loop; calls of libm vectorise with -fveclib= and -fno-math-errno"},
	}},
	{[]string{"CantReorderFPOps"}, cause{
		Title: "a sum of floating-point numbers must keep its order",
		Steps: []string{"where the order of rounding does not matter: -fassociative-math with -fno-signed-zeros -fno-trapping-math for this file, or several partial sums by hand"},
	}},
	{[]string{"UnsafeDep"}, cause{
		Title: "an iteration may need what an earlier one wrote",
		Steps: []string{"where it does not: tell the compiler with __restrict on the pointers, or #pragma clang loop vectorize(assume_safety) (GCC ivdep); where it does, the recurrence is the cost: split it from the rest of the loop"},
	}},
	{[]string{"CantIdentifyArrayBounds"}, cause{
		Title: "the memory it touches has no bounds that a check could compare",
		Steps: []string{"index by the loop's counter instead of by loaded values or chained pointers; where nothing overlaps, __restrict on the pointers"},
	}},
	{[]string{"CantComputeNumberOfIterations", "CFGNotUnderstood", "NoCanonicalLoop", "UnsupportedUncountableLoop"}, cause{
		Title: "the number of iterations is not known when it starts",
		Steps: []string{"give it one counted exit: the bound in a local variable before the loop, no break or return inside (search in blocks of fixed size, then look where), no list or string end as the only condition"},
	}},
	{[]string{"NonReductionValueUsedOutsideLoop"}, cause{
		Title: "a value that each iteration changes in an unknown way is needed after it",
		Steps: []string{"keep what is carried around the loop to sums, products, minima, maxima and the counter; take the rest out into a loop of its own"},
	}},
	{[]string{"CantVectorizeInstruction", "CantVectorizeInstructionReturnType", "CantVectorizeStore", "CantVectorizeNonUnitStride"}, cause{
		Title: "an instruction in it has no vector form",
		Steps: []string{"look at the types: long double, odd widths and atomic or volatile accesses do not vectorise"},
	}},
	{[]string{"VectorizationNotBeneficial", "InterleavingNotBeneficial", "NotBeneficial"}, cause{
		Title: "the cost model expects no gain from vectors on this target",
		Steps: []string{"compile for the processor that runs it (-march=x86-64-v3 or native): wider vectors and gathers change the answer; otherwise leave it"},
	}},
}

var (
	vectorizeUnknown = cause{Title: "the vectoriser gave up on it", Steps: []string{"whyhot explain-loop shows the compiler's remarks on it"}}
	slp              = cause{Rule: ruleSLP, Title: "neighbouring operations could be one vector operation, but the cost model sees no gain",
		Steps: []string{"compile for the processor that runs it (-march=); keep values that belong together next to each other in memory"}}
	licmInvalidated = cause{Rule: ruleHoist, Title: "a value is loaded again in every iteration: a store in the loop may change it",
		Steps: []string{"copy it into a local variable before the loop, where the store does not change it"}}
	licmConditional = cause{Rule: ruleHoist, Title: "a value that stays the same is loaded in the loop, because the load is conditional",
		Steps: []string{"load it into a local variable before the loop, where it may always be read"}}
	gvnClobbered = cause{Rule: ruleReuse, Title: "a value is loaded again after a store or a call that may change it",
		Steps: []string{"keep it in a local variable over the store or call"}}
	inlineUnknown = cause{Rule: ruleInline, Title: "calls a function whose definition the compiler does not see",
		Steps: []string{"put the definition into the header, or build with link-time optimisation (-flto)"}}
	inlineCostly = cause{Rule: ruleInline, Title: "calls a function that is too large to be inlined",
		Steps: []string{"split off the part that the loop needs each time (a short inline path, the rare rest out of line); a profile (-fprofile-use) raises the limit for hot calls"}}
	inlineNever = cause{Rule: ruleInline, Title: "calls a function that may not be inlined",
		Steps: []string{"look at its attributes (noinline, another target), recursion and variable arguments"}}
)

// missed is the kind of remark that says so itself; the vectoriser gives its
// reasons in others.
const missed = "missed"

// ofPass reads a remark; ok is false for one that is no missed optimisation, or
// one that another remark says better. rank orders the causes of one pass, the
// most telling first.
func ofPass(pass, kind, name, message string) (c cause, rank int, ok bool) {
	switch pass {
	case "loop-vectorize":
		return ofVectorizer(kind, name)
	case "slp-vectorizer":
		return slp, 0, kind == missed && name == "NotBeneficial"
	case "licm":
		switch {
		case kind != missed:
		case name == "LoadWithLoopInvariantAddressInvalidated":
			return licmInvalidated, 0, true
		case name == "LoadWithLoopInvariantAddressCondExecuted":
			return licmConditional, 1, true
		}
	case "gvn":
		return gvnClobbered, 0, kind == missed && name == "LoadClobbered"
	case "inline":
		return ofInliner(kind, name, message)
	}
	return cause{}, 0, false
}

func ofVectorizer(kind, name string) (c cause, rank int, ok bool) {
	for i, v := range vectorize {
		if slices.Contains(v.names, name) {
			c = v.cause
			c.Rule = ruleVectorize
			return c, i, true
		}
	}
	c = vectorizeUnknown
	c.Rule = ruleVectorize
	return c, len(vectorize), kind == missed
}

func ofInliner(kind, name, message string) (c cause, rank int, ok bool) {
	switch {
	case kind != missed:
	case name == "NoDefinition":
		return inlineUnknown, 1, !strings.HasPrefix(strings.TrimSpace(message), "_ZS") && !isLibrary(message)
	case name == "TooCostly":
		return inlineCostly, 0, true
	case name == "NeverInline":
		return inlineNever, 2, true
	}
	return cause{}, 0, false
}

// isLibrary says whether the callee of an inline remark ("f will not be inlined
// into g…") belongs to the C or C++ library: nobody puts malloc into a header.
func isLibrary(message string) bool {
	callee, _, _ := strings.Cut(strings.TrimSpace(message), " ")
	switch callee {
	case "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp", "malloc", "free", "realloc", "calloc",
		"printf", "fprintf", "snprintf", "sprintf", "puts", "fputs", "fwrite", "fread", "abort", "exit",
		"_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "__cxa_allocate_exception", "__cxa_throw", "__assert_fail", "__stack_chk_fail":
		return true
	}
	return strings.HasPrefix(callee, "llvm.") || strings.HasPrefix(callee, "__cxa_")
}
