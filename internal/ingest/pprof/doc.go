// Package pprof reads and writes profiles in pprof's format: the protocol
// buffer of https://github.com/google/pprof/blob/main/proto/profile.proto, and
// for reading also the older formats of gperftools and Java that
// github.com/google/pprof/profile understands.
//
// It owns the wire format and what of our model has to go into comments so that
// it survives a round trip. It takes uncompressed bytes for reading and gives a
// profile.Profile; Write takes a profile and gives gzip-compressed bytes. It
// must never open files or resolve symbols. Of this module it imports
// internal/profile and its sub-packages only.
//
// Reading. The stream is read once; samples are kept as they came, and turned
// into stacks when the tables behind them are known. Everything is checked
// against its bounds: an index that leads nowhere is an error that names the
// message, its number and its offset in the uncompressed stream.
//
// Numbers. Value is the chosen sample type. Count, the number of times the
// sampler fired, is the "samples" type where there is one, else value divided
// by the period where both have the same unit, else the value itself if it is a
// count; where nothing tells, one per sample, the least that can be true.
package pprof
