// Package loopfinding turns the analyser's answers about loops into findings.
//
// It owns the rules' titles, evidence and advice for loops that repeat loads
// because of what they store, and the order of such findings where no profile
// ranks them. It takes outcomes of package analyzer and gives findings. It must
// never run anything or read a file.
//
// # Method
//
// The analyser compiles a unit in several worlds (analyzer/src/ir/worlds.h): as
// written, with a counterfactual edit of one kind each, and as a placebo, which
// runs the passes of an edited world without its edit. A candidate is one loop of
// one function of the optimised code with what became of it in every world; it is
// confirmed where an edited world is better than both the code as written and the
// placebo. This package only reads those verdicts:
//
//  1. Every candidate is mapped to the user's line: the innermost frame of its
//     inline stack that is no installed header.
//  2. Candidates of the same rule, line and column are copies of one source loop,
//     made by inlining, by templates or by a header that several units include.
//     They become one finding, told by the copy with the largest effect.
//  3. Loops of one nest whose loads are repeated because of the same stores have
//     one edit, and become one finding too.
//
// Example. A header has
//
//	10  inline void f(std::vector<int> &v, char *out) {
//	11    for (size_t i = 0; i < v.size(); i++)
//	12      out[i] = v[i] >> 5;
//
// and is inlined into g and h. The analyser gives two candidates for the
// predicate "char", with the start f's line 11 in g, and in h. In g, hoisting the
// bound and the data pointer vectorises the loop: confirmed, reach "hoisted",
// effect "vectorised". In h the compiler knows out and repeats no load: h is
// listed under Fine. Findings gives one finding, alias-char-write at line 11:
// confirmed, with the worlds of g's copy, advice to copy v.size() and v.data()
// into locals, and the copies g (confirmed) and h (fine). Package heat leaves out
// the samples of h.
package loopfinding
