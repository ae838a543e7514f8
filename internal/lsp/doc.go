// Package lsp is the door for editors: what a profile says, on the lines of the text that
// is open.
//
// It owns the methods of the Language Server Protocol (3.17) that whyhot answers, the open
// texts, and what is shown where: diagnostics, hover, code actions, lenses. It takes a way
// to load a profile, and what explain, machine and view say of it. Its rooms: reference
// decides which text the profile is of, drift where its lines are now. A number on a line
// that it is not of must never be shown: what those two do not place is left out. It
// changes no file, and runs no program but git and the analyser.
package lsp
