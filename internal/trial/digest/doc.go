// Package digest says whether two sides of a trial wrote alike although what
// they write varies from run to run.
//
// It owns the digest of one output (its size, and how often each line, each
// shape of a line and each word is in it) and the comparison of the digests of
// several runs of either side. It takes bytes and gives a Report. It knows
// nothing of processes, trials or verdicts and imports no other package of this
// module.
//
// What is learned from the baseline's runs: a line or word that is there equally
// often in every one of them is stable. A variant that does the same work has it
// equally often, too; what varies (addresses, times, process numbers, the order
// of lines) is stable in no view, or only in those in which it is a placeholder
// or in which order does not count. Example: "node 0x55e0 value 3" varies as a
// line and is stable as the shape "node # value #", and so are its words "node",
// "value" and "3".
package digest
