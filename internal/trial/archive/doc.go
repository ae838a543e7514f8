// Package archive keeps every trial with its inputs, so that it can be repeated
// and so that one can tell what has changed since.
//
// It owns the directory of records ($XDG_STATE_HOME/whyhot/trials, else
// ~/.local/state/whyhot/trials; one JSON file each, readable by its owner only,
// since command lines may hold secrets), what a file's fingerprint is, and the
// comparison of two records. It takes outcomes and plans and gives Records. It
// runs nothing.
package archive
