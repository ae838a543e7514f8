// Package dwarf finds the function, the inlined calls and the source line at an
// address from DWARF 2 to 5.
//
// It owns a reader made for this one question: units are found by their address
// ranges, and only those that addresses fall into are read, once each, in one
// pass that keeps functions and inlined calls and skips everything else. The
// standard library's reader hands out every entry as a tree of boxed values; that
// costs two to three times as much (bench/symbol.md has the numbers).
//
// It takes the sections of an elffile.File, and those of the shared file that
// dwz makes, and gives Frames. It must not read symbol tables, look for files or
// demangle. What follows from damage is an answer less, and a note; never a
// panic, and memory stays in proportion to the sections.
//
// References are to the DWARF Debugging Information Format, version 5, and, for
// the vendor forms, to the GNU extensions that it names.
package dwarf
