// Package upload gives a server the debug information of binaries that had samples,
// as far as it lacks it.
//
// It owns the queue of binaries, what was asked and answered for each build ID, the
// protocol's client side, and the counts. It takes binaries by Offer and never blocks
// whoever offers; Run works on them one after the other, slowly. It must never import a
// sampler, nor keep anything on disk.
//
// For each binary it reads the headers, looks for a separate debug file in the root
// directory of the process, and asks the server whether it wants the file. Contents
// are read only for those that it wants, and are on their way as they are read.
//
// Bounded: binaries that wait, each an open file; build IDs that are remembered (when
// there are too many, all are forgotten, which costs a question each); bytes a second.
package upload
