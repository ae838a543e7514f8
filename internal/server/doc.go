// Package server is a running server: what listens, for whom, and until when.
//
// It owns the listeners, the metrics, and the order in which things start and stop. It
// takes a data directory, how a store is opened, and addresses; it serves until its
// context ends. It must never answer a question itself: the packages below do.
//
//	access    tokens, scopes, projects' names
//	audit     who did what
//	limit     rates, slots
//	project   the data directory, a store for each project
//	push      profiles in the forms of others
//	api       HTTP
//	peers     other servers on the same database
//	watch     the rules, again and again
//	client    the other side, for the command line
//
// The end. When the context ends it no longer takes connections, lets requests under
// way finish for a few seconds, stops the rules, and closes the stores. What was
// acknowledged is durable before that: a process that is killed loses none of it.
package server
