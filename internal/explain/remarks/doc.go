// Package remarks joins what compilers report of their work with a profile: of
// thousands of remarks it keeps those that samples pay for, and says what to change.
//
// It owns what counts as evidence for each kind of remark: an escape needs samples in
// the allocator that was called from its very line, a function that is not inlined
// samples in its entry, a check of bounds a hot line in a loop, a pass that gave up a
// hot loop, code that was deoptimised repeatedly a hot function. It owns, too, what it
// means that a pass of clang, gcc or rustc missed an optimisation, and groups what the
// analyser read of clang's remarks by loop and cause. It takes a profile, remarks,
// outcomes of package analyzer, and source where it is available, and gives findings. It
// must never read a file or run a compiler.
package remarks
