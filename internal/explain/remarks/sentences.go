package remarks

import "strings"

// texts are the reasons that have no name of their own: gcc's (tree-vect-*.cc of gcc 9
// to 14) and rustc's, by words of the sentence; the index is that of vectorize.
var texts = []struct {
	words string
	names string // of the cause in vectorize
}{
	{"number of iterations cannot be computed", "CantComputeNumberOfIterations"},
	{"could not determine number of loop iterations", "CantComputeNumberOfIterations"},
	{"control flow in loop", "CantComputeNumberOfIterations"},
	{"too many exits", "CantComputeNumberOfIterations"},
	{"multiple exits", "CantComputeNumberOfIterations"},
	{"loop control flow is not understood", "CFGNotUnderstood"},
	{"possible dependence", "UnsafeDep"},
	{"bad data dependence", "UnsafeDep"},
	{"unsafe dependent memory operations", "UnsafeDep"},
	{"no vectype", "CantVectorizeInstruction"},
	{"relevant stmt not supported", "CantVectorizeInstruction"},
	{"unsupported", "CantVectorizeInstruction"},
	{"statement clobbers memory", "CantVectorizeCall"},
	{"call instruction cannot be vectorized", "CantVectorizeCall"},
	{"data ref analysis failed", "CantIdentifyArrayBounds"},
	{"complicated access pattern", "CantIdentifyArrayBounds"},
	{"cannot identify array bounds", "CantIdentifyArrayBounds"},
	{"cannot prove it is safe to reorder floating-point operations", "CantReorderFPOps"},
	{"vectorization not profitable", "VectorizationNotBeneficial"},
	{"vectorization is not profitable", "VectorizationNotBeneficial"},
	{"not beneficial", "VectorizationNotBeneficial"},
}

// ofSentence is ofPass for compilers whose remarks are sentences: gcc's vectoriser, and rustc.
func ofSentence(message string) (c cause, rank int, ok bool) {
	if !strings.Contains(message, "not vectorized") && !strings.Contains(message, "statement clobbers memory") {
		return cause{}, 0, false
	}
	for _, t := range texts {
		if strings.Contains(message, t.words) {
			return ofVectorizer(missed, t.names)
		}
	}
	return cause{}, 0, false
}
