// Package session makes one recording from beginning to end: choose the
// sampler, record, name the functions, write the file.
//
// It owns the order of these steps, the output file and what is told about it.
// It takes Options and gives a Result; it prints nothing. It is the only package
// that knows all samplers. It must never import internal/profile/view or anything that
// stands to its right.
package session
