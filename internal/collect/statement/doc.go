// Package statement sees which SQL statement each thread executes, while a recording runs.
//
// It owns the table of functions that are given a statement, in servers and in client
// libraries (functions.go), the program in the kernel that tells of their calls (program.go),
// how often it may do so (watch.go), and what becomes of the texts (seen.go). It takes
// processes and gives, for a thread and a time, the shape of a statement, and at the end how
// often each was executed. It must never keep a value of a statement, or know a sampler.
//
// How. A probe at the start of each of these functions reads the text, its thread and the
// time into a ring. A text becomes a shape (package sqlshape) as soon as it is read; a thread
// is at that statement until it begins another (package track). A probe costs the thread that
// meets it about a microsecond: where there are too many, they are taken out of the binary and
// put back for a small part of the time, as a sample of what is executed.
//
// Example. A backend of PostgreSQL calls pgstat_report_activity with SELECT * FROM users WHERE
// lower(email) = 'a@b.c'; its samples until the next call belong to SELECT * FROM users WHERE
// lower(email) = ?
package statement
