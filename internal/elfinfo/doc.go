// Package elfinfo tells what a binary on disk says about itself: how it was
// built and linked, what it defines and imports, which package installed it,
// which allocator is in it.
//
// It owns facts, not verdicts: whether "-O0" or an old zlib is a problem is for
// internal/explain/rule to say. It takes a path and gives an Info that is read once and
// never changes. Nothing is run; every answer comes from the file itself, from
// its separate debug file and from dpkg's data base.
//
// Below it are the readers that other rooms use too: elffile (sections,
// segments, notes), dwarf (lines and inlined calls at an address), debugfile
// (where separate debug files lie), dpkg (which package owns a file), interval.
// Beside those it imports internal/host/allocator, the
// table of allocators, only.
package elfinfo
