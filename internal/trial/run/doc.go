// Package run executes one command once and measures it, or several in turns of a slice of
// time (Interleaver).
//
// It owns the process tree of the command (its session, its end by itself, by
// time limit or by the user's interrupt, and everything it leaves behind), the
// resource numbers the kernel gives, and the fingerprints of what the command
// wrote. It takes a Spec and gives a Result. It knows nothing of variants,
// rounds or statistics; of this module it imports internal/host and the digests
// only.
//
// What the numbers are:
//   - Wall is the time from just before the process is made until it was waited
//     for, on the monotonic clock.
//     Of runs in turns, it is the time of their own slices.
//   - User, System, page faults: getrusage of the command and of every
//     descendant that was waited for by its parent; descendants that lost their
//     parent are adopted, waited for and added.
//   - PeakRSS is the largest peak of any single process of the tree (ru_maxrss),
//     not their sum. A process made from whyhot starts with whyhot's own peak
//     (the kernel carries it over exec), so peaks below that are unknown from
//     getrusage; a watched run reads them from /proc instead.
package run
