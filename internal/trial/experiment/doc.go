// Package experiment is the door of trial: what somebody wants to know in, one
// final outcome out.
//
// It owns the way from the one to the other: what a finding or its fix is to the
// trial, the variants, the builds and the user's tests of them, the measuring
// with what disturbs it, the second trial in several layouts, the account of
// what-if builds, and the record of it all. It takes a Request (data, and
// functions for what it asks of findings) and tells a Listener how far it is. It
// gives a Result whose outcome nobody has to finish. Run tries one command, Suite
// a file of them.
//
// It must never import report, nor know of flags, terminals and this process's
// own standard streams.
package experiment
