// Package bisect finds the commit that changed what a command costs.
//
// It owns the search (what is built, measured and skipped in which order, when it ends),
// the trees that commits are built in, and the file by which an interrupted search goes
// on. It takes a Request and gives a Result. posterior has the statistics, history the
// calls of git. It must never import report or print.
//
// Each commit is built in a directory of its own and renamed to one and the same path
// when it is built or run: paths in programs, arguments and environment are equal for all
// commits, and so are programs whose sources make no difference.
package bisect
