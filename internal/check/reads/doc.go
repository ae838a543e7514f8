// Package reads sees which files of a directory a program opens: what it executes, maps,
// loads and reads.
//
// It owns the kernel's notifications of that (inotify(7)) and their translation into
// paths. It takes a directory and gives the paths that were opened while it watched. It
// does not see who opened a file, nor files that are only asked about (stat). It must
// never import another package of this module.
package reads
