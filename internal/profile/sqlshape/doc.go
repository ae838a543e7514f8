// Package sqlshape gives the shape of an SQL statement: its text without any value.
//
// It owns how texts of SQL are cut into tokens, in the dialects of PostgreSQL, MariaDB and
// SQLite, what of a text may be kept, and what a shape says of its tables, columns and
// clauses. It takes texts and gives shapes. It must never keep a literal, and it must never
// know a profile or a database.
//
// Example. SELECT * FROM users WHERE id IN (4, 8) AND name = 'Ada' -- login
// is SELECT * FROM users WHERE id IN (…) AND name = ?
package sqlshape
