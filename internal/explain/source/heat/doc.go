// Package heat maps a profile to the source of a build: which of its
// translation units hold hot code, and how much CPU the lines of a finding take.
//
// It owns the matching of paths in debug information with files of the build,
// the choice of units and functions to analyse (docs/decisions/0051), and the
// share and the estimate of findings in the source (docs/decisions/0052). It
// takes a profile, the units of package compdb and findings; it gives work for
// package analyzer and findings with their shares. Of the build's files it reads
// the #include lines and the modification times, nothing else. It must never
// start a process or import a report.
//
// # Method
//
// A sample is attributed to source as sample-based feedback-directed
// optimisation does it (Chen, Li, Moseley: AutoFDO, CGO 2016): by the whole
// inline stack of the address that ran, not by its innermost line alone. It is
// counted once for every range of lines that some frame of that inline stack is
// in, however many are. Only the leaf address of a stack counts; what a loop
// calls out of line is not in its share, for no edit of the loop makes it faster.
//
// Example. Debug information says of one address, innermost first:
//
//	stl_vector.h:1121  std::vector<int>::operator[]
//	shared.h:3         h()
//	a.cpp:12           f()     the function of the machine code
//
// Its samples count for shared.h:3 and for a.cpp:12, so for a loop of f that
// spans lines 10 to 14 and for a loop of h around line 3. They count for no line
// of stl_vector.h: installed headers are no files of the build.
//
// A loop of an inline function has one copy for every function it was inlined
// into, and the compiler may do well in one copy and badly in another. The copy
// a sample ran in is told by the function of the machine code, f above: where
// the analyser says that the copy in f is fine, the sample is taken out of the
// share of a finding in h (Range.Except), unless f was called by a function that
// has a copy which is not (Range.Callers).
package heat
