// Package perf records with the kernel's perf_event subsystem through the perf
// tool.
//
// It owns finding a perf that works, choosing event and stack walk, attaching
// to a held command, running processes or the whole machine, and the permission
// questions of perf_event_open. It takes a collect.Request and gives the
// profile that internal/ingest/perfdata reads from what perf wrote. It must
// never import internal/symbol or another sampler.
//
// The recording is a file in the request's private directory, not a pipe: what
// unwinds stacks would otherwise compete for the processor with the program
// under measurement.
package perf
