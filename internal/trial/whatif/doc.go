// Package whatif builds a program as if its source had been edited at chosen
// loops, so that a change can be measured before anyone writes it.
//
// It owns the plan of such a build (what to edit, where, in which world), the
// search for clang 19 and for the plug-in that makes the edits, the flags that
// put them into a build, the account of what was edited, what a trial of it means
// for the source, and the note by which a counterfactual program is known. It
// takes edits and outcomes and gives flags, accounts and sentences. It knows
// nothing of profiles and how a build is run; of this module it imports
// internal/finding, internal/trial and internal/trial/stat only.
package whatif
