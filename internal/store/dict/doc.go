// Package dict is the dictionary of one project, in memory: which number stands for
// which binary, function, frame, stack and series.
//
// It owns the numbers. It takes batches, whose numbers it replaces by its own, and
// gives the rows for the engine's tables, those of its own tables included; and it
// takes these rows back when a store is opened. One goroutine at a time changes it (Load,
// Apply, Resolve, Become); any number read it, through a Snapshot or by single look-ups. It
// must never ask an engine, or look up a name.
//
// It ages: told what rows still refer to, Compacted makes another one without the rest, and
// Become puts that in its place. Numbers of before mean something else then, which is what
// Snapshot.Epoch is for.
//
// Stacks are paths in a tree of frames, so that a frame which many stacks share is
// stored once. Beside that tree of addresses stands the tree of functions that readers
// see, with inlined frames: a View. It grows with the other one; what is
// above an address that gets a name is moved to where it belongs then.
package dict
