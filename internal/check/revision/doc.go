// Package revision is the version control of a check: which commit a change is compared
// with, the files of both sides, and which lines differ.
//
// It owns how git is asked. It takes a directory and the name of a revision and gives
// trees, copies of them and a Diff. It writes nothing into the repository: what the
// working tree has beyond the last commit is stored in a directory of the caller's. It
// must never import another package of this module.
package revision
