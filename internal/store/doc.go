// Package store keeps the profiles of one project, and answers questions about them.
//
// It owns the directory of a project: the journal of what was taken, the engine that
// holds the rows, and the dictionary of stacks in memory. It takes batches of samples
// and a Selection, and gives tables, trees, call graphs, time lines or a whole
// profile.Profile. It must never listen, print, or know a rule; who may ask is its
// callers' business.
//
// Taking. A batch is durable when Append returns: it is in the journal, which is
// forced to disk. The engine gets it with others a second later. A batch has an
// identity and counts once, however often it comes.
//
// Names. Addresses are kept as (build ID, offset in the file); their names are looked
// up in the background, and again when debug information arrives. A name that is
// found later names what was stored before.
//
// Ageing. What no row that is kept refers to goes, while questions are asked and batches
// taken: functions, stacks, series, names. See Store.Age.
//
// Sharing. Stores of several servers can have one database: one of them has the engine, the
// others hand over what they take. See Share.
//
// Numbers. Weights are exact unless Basis.Level says otherwise, and the same as those
// that internal/profile/view gives for the Profile of the same Selection.
package store
