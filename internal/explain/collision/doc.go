// Package collision says which hash tables have long chains: their look-ups compare keys over
// and over, where one comparison would do. It also says which keys are hashed again by each.
//
// It owns the names by which the look-ups of hash tables, comparisons of keys and hash
// functions are known in runtimes and standard libraries. It takes a profile and gives
// findings. It must never import another judge, read a file or print.
//
// How. A look-up hashes its key once and compares it with the keys of its bucket: in a table
// whose keys spread, about once. Comparing a key costs about what hashing it costs, as both
// read it. Where the comparisons below the look-ups take many times what the hashing takes,
// and much of the CPU, each look-up compares with many keys.
//
// Example. OCaml's Hashtbl.hash reads ten values of a key at most: lists that differ after
// that have one hash, all are in one bucket, and 97% of the CPU is in compare below
// Hashtbl.find, while caml_hash has none of it.
//
// Where a hash function that the program has written itself takes much of the CPU below look-ups,
// the key should keep its hash (RuleHash).
package collision
