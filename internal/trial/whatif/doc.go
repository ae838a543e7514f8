// Package whatif builds a program as if its source had been edited at chosen
// loops, so that a change can be measured before anyone writes it.
//
// It owns the choice of edits (which findings are meant, where they are, in which
// world), the plan of such a build, the search for clang 19 and for the plug-in
// that makes the edits, the flags that put them into a build, the account of what
// was edited, what a trial of it means for the source, and the note by which a
// counterfactual program is known. It takes a Wish and outcomes and gives
// variants, accounts and sentences. It runs neither the analyser nor a build: who
// asks hands it a function for the one and builds the variants that it gives.
package whatif
