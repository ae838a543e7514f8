// Package referee judges a change that somebody else made to a tree: whether the
// program does the same work, and how much faster.
//
// It owns the Baseline (a copy of the tree that its author cannot edit unnoticed),
// what of a change is tried and what is not (the files that measure are the
// baseline's on both sides), the second workload that the author does not know, and
// the conditions for "proved". It takes a Baseline and Terms, has experiment measure,
// and gives a Ruling. It must never import a report, nor know who asks.
package referee
