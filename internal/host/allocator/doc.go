// Package allocator finds the shared libraries that can be put in front of a
// program with LD_PRELOAD, and says whether a given program would take one.
//
// It owns the table of allocators (their names, libraries and packages, how they
// are linked, by what they are told in a binary), the choice among the libraries
// of the machine, and the reasons for which the dynamic loader ignores LD_PRELOAD
// (a statically linked program, another machine type, a set-user-ID program,
// another C library). It takes names, paths and process ids and gives paths and
// reasons. It never starts the program itself; of this module it imports
// internal/host/environ and internal/host/ldso only.
package allocator
