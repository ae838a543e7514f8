// Package store takes debug information from the network and keeps it where gdb, perf,
// llvm-symbolizer and whyhot itself look for it: DIR/.build-id/ab/cdef….debug.
//
// It owns the service's server side: who may upload what, and the directory. It takes
// a directory and gives a gRPC service; the listener is its callers'. It must never
// name functions.
//
// Hostile input. A build ID is hex digits of bounded number before it becomes a path.
// A file is announced with its size, which is set aside within the bound of the store;
// it is written under a random name, no further than announced, and takes its place
// only when it is a whole ELF file with the build ID that it was announced under. What
// was not finished in time leaves nothing. Few uploads run at a time, each with a time
// limit in proportion to its size; memory is at most one message an upload, as it came
// and decoded.
//
//	malformed request, wrong build ID, no ELF file   INVALID_ARGUMENT
//	file or store too large                          RESOURCE_EXHAUSTED
//	the file is there                                ALREADY_EXISTS
//	somebody else is uploading it                    FAILED_PRECONDITION
//	no such upload, or too late for it               NOT_FOUND
//	too slow                                         DEADLINE_EXCEEDED
//	too many at a time, disk full                    UNAVAILABLE, with when to come again
//
// Several servers. With a bucket (see shared.go) a file is kept when it is there, and the
// directory is a cache of it: files go from it at its bound and come back when they are needed.
// While the bucket cannot be used, nothing is taken: UNAVAILABLE, and agents keep what they
// have.
//
// A file gives way to one that names more of the program. How much is in the prefix of the
// hash of a whyhot agent ("exports-", "symbols-", "full-"; see extract.Grade): the protocol
// has no word for it, and takes hashes as they are.
package store
