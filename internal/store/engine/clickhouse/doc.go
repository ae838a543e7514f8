// Package clickhouse keeps the rows of a project in a database of ClickHouse, on one
// server or on the shards of a cluster.
//
// It owns that database. Each table with time is a SummingMergeTree on every shard,
// with a partition for each day, and rows are spread by their stack. A question is put to
// all shards, and the answers are put together here: that of a shard that cannot be reached
// is missing, and the sums say so. The dictionary is on the first shard.
//
// ClickHouse has no transactions. What stands for them: all rows of a commit for one
// table, shard and day are one INSERT of one block, which a server takes or does not,
// and one of them is a marker, a row of group 0 with the number of the commit as its
// period. Whoever finds a commit unfinished looks which markers are there and inserts
// the rest; the number is written last. (The dictionary has columns for the marker.) Before
// it asks, it waits until no server lists an INSERT of its own: a server lists an INSERT
// before it asks for its rows, so none can come later. Blocks are cut at 500,000 rows,
// below the size from which servers may split them. A reader may see a part of a commit
// that is under way; sums across shards have no snapshot in ClickHouse.
//
// One writer. The process that has the database keeps queries running that are named after
// it (lease.go). Others may wait for it: they share the database. Each process that gets it
// has an epoch, which INSERTs ask for there (fence.go), and commits are written down before
// they are made, for the next process to finish (intent.go). Any process may read (follow.go):
// rows of the dictionary are in the order in which they were written, and what others refer to
// was written first. A Shelf is a list of texts beside all that, to which any process adds.
//
// With addresses of ZooKeeper in its options each shard is several servers (shard.go), whose tables
// are Replicated…MergeTree: one is written to, questions go to any that has all rows, and who has
// the database and which commit was begun last is decided in ZooKeeper (register.go). There a
// block that is inserted again is not taken twice, whichever replica it goes to.
//
// The subset of SQL is small enough to mean the same on servers of 2018 and of today:
// SELECT of columns, sum, count, min, max, intDiv, WHERE of ranges and lists, GROUP BY,
// ORDER BY. No joins, whose meaning changed between versions. Sums are grouped by period as
// well, and multiplied in Go: ClickHouse computes modulo 2^64, silently. It must never know
// what the rows are about.
package clickhouse
