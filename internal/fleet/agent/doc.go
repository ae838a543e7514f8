// Package agent records one machine all the time and delivers what it saw.
//
// It owns the way of a batch: from a sampler into the spool, from the spool to the
// server, and the counts by which every sample can be followed; and it tells an
// uploader of debug information which binaries had samples. It takes a sampler, a
// spool, a sender and an uploader, and gives metrics. It must never import a sampler, name
// functions (the server does, by build ID) or listen.
//
// Every sample that was recorded is delivered, waits in the spool, or is counted as
// dropped: because the spool was full (the oldest go first) or could not be written,
// a file was damaged, or the server rejected the batch. What it rejects for the token
// alone waits in the spool until the token is replaced. What was dropped is
// also told to the server, with the next batch, as lost.
package agent
