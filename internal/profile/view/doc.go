// Package view answers the questions people ask of a profile: what is hot, who
// calls it, what does it call, on which lines, and what changed.
//
// It owns the tables and trees that commands, reports and rules read. It takes
// a profile (and, to group by family, a Grouper) and gives plain data; every
// function is pure. It must never import anything of this module but
// internal/profile, read a file or print.
//
// Functions. A profile may hold one function several times, for example once
// for each mapping of its binary or each constructor variant. Views merge those
// that a reader could not tell apart (see Identity) and name the result by the
// smallest of their IDs. Inlined frames count as functions.
//
// Sums. Self is the value of the samples whose innermost frame is the function;
// Total that of the samples in which it occurs at all, each counted once
// however often the function recurs. A sample without a stack belongs to the
// unknown function 0. So in every table of functions the selves add up to
// Profile.Total, and in every tree a node's Total is its Self plus the Totals of
// its children.
//
// Units. Values are in Profile.Meta.ValueType.Unit.
package view
