package remarks

import (
	"slices"
	"strings"
)

// cause is why an optimisation was missed, as a reader wants to know it.
type cause struct {
	rule  string // one a pass
	title string
	steps []string
}

const (
	ruleVectorize = "missed-vectorize"
	ruleSLP       = "missed-slp"
	ruleLICM      = "missed-hoist"
	ruleGVN       = "missed-reuse"
	ruleInline    = "missed-inline"
)

// vectorize has the reasons of the loop vectoriser by the remark's name (LLVM 19,
// LoopVectorizationLegality.cpp and LoopVectorize.cpp). A loop may have several;
// the first in this order is the one that says most.
var vectorize = []struct {
	names []string
	cause
}{
	{[]string{"CantVectorizeLibcall", "CantVectorizeCall", "CantVectorizeIntrinsic"}, cause{
		title: "a call in it has no vector form",
		steps: []string{"make the callee visible and inline (its definition in a header, or link-time optimisation), or take the call out of the loop; calls of libm vectorise with -fveclib= and -fno-math-errno"},
	}},
	{[]string{"CantReorderFPOps"}, cause{
		title: "a sum of floating-point numbers must keep its order",
		steps: []string{"where the order of rounding does not matter: -fassociative-math with -fno-signed-zeros -fno-trapping-math for this file, or several partial sums by hand"},
	}},
	{[]string{"UnsafeDep"}, cause{
		title: "an iteration may need what an earlier one wrote",
		steps: []string{"where it does not: say so with __restrict on the pointers, or #pragma clang loop vectorize(assume_safety) (GCC ivdep); where it does, the recurrence is the cost: split it from the rest of the loop"},
	}},
	{[]string{"CantIdentifyArrayBounds"}, cause{
		title: "the memory it touches has no bounds that a check could compare",
		steps: []string{"index by the loop's counter instead of by loaded values or chained pointers; where nothing overlaps, __restrict on the pointers"},
	}},
	{[]string{"CantComputeNumberOfIterations", "CFGNotUnderstood", "NoCanonicalLoop", "UnsupportedUncountableLoop"}, cause{
		title: "the number of iterations is not known when it starts",
		steps: []string{"give it one counted exit: the bound in a local variable before the loop, no break or return inside (search in blocks of fixed size, then look where), no list or string end as the only condition"},
	}},
	{[]string{"NonReductionValueUsedOutsideLoop"}, cause{
		title: "a value that each iteration changes in an unknown way is needed after it",
		steps: []string{"keep what is carried around the loop to sums, products, minima, maxima and the counter; take the rest out into a loop of its own"},
	}},
	{[]string{"CantVectorizeInstruction", "CantVectorizeInstructionReturnType", "CantVectorizeStore", "CantVectorizeNonUnitStride"}, cause{
		title: "an instruction in it has no vector form",
		steps: []string{"look at the types: long double, odd widths and atomic or volatile accesses do not vectorise"},
	}},
	{[]string{"VectorizationNotBeneficial", "InterleavingNotBeneficial", "NotBeneficial"}, cause{
		title: "the cost model expects no gain from vectors on this target",
		steps: []string{"compile for the processor that runs it (-march=x86-64-v3 or native): wider vectors and gathers change the answer; otherwise leave it"},
	}},
}

var (
	vectorizeUnknown = cause{title: "the vectoriser gave up on it", steps: []string{"whyhot explain-loop shows the compiler's remarks on it"}}
	slp              = cause{rule: ruleSLP, title: "neighbouring operations could be one vector operation, but the cost model sees no gain",
		steps: []string{"compile for the processor that runs it (-march=); keep values that belong together next to each other in memory"}}
	licmInvalidated = cause{rule: ruleLICM, title: "a value is loaded again in every iteration: a store in the loop may change it",
		steps: []string{"copy it into a local variable before the loop; whyhot scan says which store is to blame"}}
	licmConditional = cause{rule: ruleLICM, title: "a value that stays the same is loaded in the loop, because the load is conditional",
		steps: []string{"load it into a local variable before the loop, where it may always be read"}}
	gvnClobbered = cause{rule: ruleGVN, title: "a value is loaded again after a store or a call that may change it",
		steps: []string{"keep it in a local variable over the store or call"}}
	inlineUnknown = cause{rule: ruleInline, title: "calls a function whose definition the compiler does not see",
		steps: []string{"put the definition into the header, or build with link-time optimisation (-flto)"}}
	inlineCostly = cause{rule: ruleInline, title: "calls a function that is too large to be inlined",
		steps: []string{"split off the part that the loop needs each time (a short inline path, the rare rest out of line); a profile (-fprofile-use) raises the limit for hot calls"}}
	inlineNever = cause{rule: ruleInline, title: "calls a function that may not be inlined",
		steps: []string{"look at its attributes (noinline, another target), recursion and variable arguments"}}
)

// missed is the kind of remark that says so itself; the vectoriser gives its
// reasons in others.
const missed = "missed"

// causeOf reads a remark; ok is false for one that is no missed optimisation, or
// one that another remark says better. rank orders the causes of one pass, the
// most telling first.
func causeOf(pass, kind, name, message string) (c cause, rank int, ok bool) {
	switch pass {
	case "loop-vectorize":
		return vectorizeCause(kind, name)
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
		return inlineCause(kind, name, message)
	}
	return cause{}, 0, false
}

func vectorizeCause(kind, name string) (c cause, rank int, ok bool) {
	for i, v := range vectorize {
		if slices.Contains(v.names, name) {
			c = v.cause
			c.rule = ruleVectorize
			return c, i, true
		}
	}
	c = vectorizeUnknown
	c.rule = ruleVectorize
	return c, len(vectorize), kind == missed
}

func inlineCause(kind, name, message string) (c cause, rank int, ok bool) {
	switch {
	case kind != missed:
	case name == "NoDefinition":
		return inlineUnknown, 1, !strings.HasPrefix(strings.TrimSpace(message), "_ZS") && !isRuntime(message)
	case name == "TooCostly":
		return inlineCostly, 0, true
	case name == "NeverInline":
		return inlineNever, 2, true
	}
	return cause{}, 0, false
}

// isRuntime says whether the callee of an inline remark ("f will not be inlined
// into g…") belongs to the C or C++ library: nobody puts malloc into a header.
func isRuntime(message string) bool {
	callee, _, _ := strings.Cut(strings.TrimSpace(message), " ")
	switch callee {
	case "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp", "malloc", "free", "realloc", "calloc",
		"printf", "fprintf", "snprintf", "sprintf", "puts", "fputs", "fwrite", "fread", "abort", "exit",
		"_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "__cxa_allocate_exception", "__cxa_throw", "__assert_fail", "__stack_chk_fail":
		return true
	}
	return strings.HasPrefix(callee, "llvm.") || strings.HasPrefix(callee, "__cxa_")
}
