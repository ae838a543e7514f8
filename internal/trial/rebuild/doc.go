// Package rebuild makes the programs of a trial's build variants: the baseline and
// each variant in a copy of the user's tree, by the user's own build command.
//
// It owns the order of the steps (copy, build, instrument, train, build again,
// lay out anew), the directories they happen in, what the flags of a
// variant.Build mean to each compiler, and what is said of a build that fails, of
// one that calls no compiler and of one that changes nothing. It takes Options
// and builds and gives a Workshop, whose Close removes everything. Its rooms:
// tree (copies), wrapper (compilers), pgo, bolt. Of this module it imports, beside
// those, internal/trial/run, internal/trial/variant and packages of internal/host.
// Recording, which BOLT may need, is handed to it (sample does it).
//
// Baseline and variants are built in directories whose names are equally long, by the same
// wrappers, and with the same mapping of paths in debug information, so that they
// differ in the asked-for flags only.
package rebuild
