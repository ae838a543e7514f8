// Package native says what the build's own compiler makes of a change of the source: it
// compiles one unit as the build does, before and after, and holds the machine code of
// functions against each other. The analyser is clang, and a build with gcc need not
// gain what clang's gains.
//
// It owns the copy of the source tree in which headers can be changed, and the words for
// what became of a loop. It takes units of package compdb and texts of files and gives an
// Effect. It must never change a file of the user's.
package native
