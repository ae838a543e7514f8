// Package cache keeps built trees between trials.
//
// It owns the directory of entries, their keys, the check that nothing they were
// built from has changed, and the bound on their size. It takes what decides a
// build and gives a place to build in, and whether it was built there before. It
// knows nothing of compilers or trials and imports internal/host only.
//
// A build holds its own path (libraries that it finds, scripts that it wrote), so
// an entry is always used in the same place: its directory has a copy of the tree
// as it was built, and the tree in which programs run is made from that copy each
// time. What a run leaves behind in it is gone the next time.
package cache
