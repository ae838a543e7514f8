// Package perfscript reads the text that `perf script` prints, the form in which
// recordings are passed around where perf.data itself cannot be.
//
// It owns the text: header lines with a flexible set of fields, frames, inlined
// frames, side-band records. It takes a stream and gives a profile.Profile with
// the names, addresses and binaries that the text has. It must never import
// internal/symbol or another reader.
//
// Addresses. Recent versions of perf print offsets in the binary for user code,
// older ones addresses of the process; the PERF_RECORD_MMAP lines of
// `perf script --show-mmap-events` tell the latter and carry build IDs. An
// address of a process without such a line is not kept: it could not be looked
// up.
package perfscript
