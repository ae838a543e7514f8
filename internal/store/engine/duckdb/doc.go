// Package duckdb keeps the rows of a project in DuckDB: one file in a directory, no
// service.
//
// It owns that file. Each table with time is a table of DuckDB for each day, and a
// day's table has parts: rows are appended to one, and Compact writes all of them
// anew into one that is sorted and merged. Retention is then the removal of tables,
// and a question reads the days it is about.
//
// DuckDB is C++ and needs cgo, so this package is empty without it. It uses DuckDB's
// C interface, since database/sql takes longer to hand over an answer than DuckDB to
// find it. It must never be imported by what runs on every machine.
package duckdb
