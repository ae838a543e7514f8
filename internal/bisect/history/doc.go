// Package history lists the commits of a git repository and checks them out elsewhere.
//
// It owns the calls of git. It takes a directory of a working tree and revisions, and
// gives commits and trees. It never writes into the repository that it reads: trees are
// clones of their own that share its objects, so that nothing has to be tidied up in it
// however a search ends. It imports nothing of this module.
package history
