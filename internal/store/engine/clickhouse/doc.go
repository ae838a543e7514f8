// Package clickhouse keeps the rows of a project in a database of ClickHouse, on one
// server or on the shards of a cluster.
//
// It owns that database. Each table with time is a SummingMergeTree on every shard,
// with a partition for each day, and rows are spread by their stack; the servers of a
// cluster put the shards together for a question (Distributed). The dictionary is on
// the first shard.
//
// ClickHouse has no transactions. What stands for them: all rows of a commit for one
// table, shard and day are one INSERT of one block, which a server takes or does not,
// and one of them is a marker, a row of group 0 with the number of the commit as its
// period. Whoever finds a commit unfinished looks which markers are there and inserts
// the rest; the number is written last. A reader may see a part of a commit that is
// under way.
//
// The subset of SQL is small enough to mean the same on servers of 2018 and of today;
// see docs/decisions/0113-clickhouse-for-several-machines.md. It must never know what
// the rows are about.
package clickhouse
