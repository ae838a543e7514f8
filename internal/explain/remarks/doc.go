// Package remarks joins what compilers report of their work with a profile: of
// thousands of remarks it keeps those that samples pay for, and says what to change.
//
// It owns what counts as evidence for each kind of remark: an escape needs samples in
// the allocator that was called from its very line, a function that is not inlined
// samples in its entry, a check of bounds a hot line in a loop, a pass that gave up a
// hot loop, code that was deoptimised again and again a hot function. It takes a
// profile, remarks, and source where it is at hand, and gives findings. It must never
// read a file or run a compiler; what clang's own passes mean is in missed.
package remarks
