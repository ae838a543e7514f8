// Package alias chooses among several names of one address.
//
// It owns that order and nothing else; it imports nothing of this module.
package alias

import (
	"cmp"
	"strings"
)

// Compare is negative when a is the name that a person would rather read: the
// one with fewer leading underscores, then the shorter one ("puts" before
// "_IO_puts", "write" before "__libc_write"), then the first in the alphabet, so
// that the choice does not depend on the order of a table.
func Compare(a, b string) int {
	return cmp.Or(
		cmp.Compare(underscores(a), underscores(b)),
		cmp.Compare(len(a), len(b)),
		strings.Compare(a, b))
}

// underscores counts leading ones; mangled C++ and Rust names have one by rule.
func underscores(name string) int {
	if strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") {
		return 0
	}
	return len(name) - len(strings.TrimLeft(name, "_"))
}
