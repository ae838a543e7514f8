// Package rulepages holds the pages of the rules about source, machine code and
// remarks, which are written by hand: an index for each kind, and a page for one
// rule or a few that are alike.
//
// It owns the files and nothing else; internal/explain/rulepage finds the page of a
// rule in them.
package rulepages

import "embed"

// Files are the pages.
//
//go:embed *.md
var Files embed.FS
