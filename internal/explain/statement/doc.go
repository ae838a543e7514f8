// Package statement says which SQL statements of a recording are dear, and what to change in
// them: an index on the expression that they compare, another way through pages, one query
// instead of one for each row.
//
// It owns the rules about shapes of statements (rules.go), and the functions of databases by
// which samples show what an executor does (evidence.go). It takes a profile whose samples say
// which statement they belong to, and gives findings. It must never import another judge,
// connect to a database, or print.
//
// A rule is about the shape and about the samples: what a statement looks like is a reason to
// look, and only where its samples show the work is it told. Of SQLite as distributions build
// it, no function inside has a name: there the CPU of one row that comes out tells whether few
// or many were looked at.
//
// Example. SELECT * FROM users WHERE lower(email) = ? takes 62% of the CPU in 3,000
// executions, below ExecScan and heap_getnextslot, with no index in any stack: CREATE INDEX ON
// users (lower(email)).
package statement
