// Package whatif builds a program as if its source had been edited at chosen
// loops, so that a change can be measured before anyone writes it.
//
// It owns the plan of such a build (what to edit, where, in which world), the
// search for clang 19 and for the plug-in that makes the edits, the flags that
// put them into a build, the account of what was edited, and the note by which a
// counterfactual program is known. It takes edits and gives flags, an account
// and errors. It knows nothing of findings, profiles and how a build is run; of
// this module it imports nothing.
package whatif
