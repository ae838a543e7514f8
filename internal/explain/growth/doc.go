// Package growth says what in a program grows faster than its input.
//
// It owns the judgement: which line of the program's own code pays, how its cost grows,
// what the whole would cost with ten times the input, and which kind of operation below
// the line it is. It takes a profile, with sizes as labels for Fit (internal/grow records
// one), and gives plain results. It must never run a command, read a file or print.
//
// The line. Own frames of all stacks are one tree. From its root it is followed to where
// a line's growing cost no longer lies in one function below it: the deepest line that
// all of it goes through. Library code, runtimes and operations such as memcpy are never
// lines of their own; they say what kind of work the line causes.
package growth
