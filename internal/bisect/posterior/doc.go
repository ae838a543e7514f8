// Package posterior says which commit of a line of commits changed a measured value, as
// probabilities, and which commit to measure next.
//
// It owns the statistical model. It takes the logarithms of measured ratios and gives
// probabilities. It knows nothing of repositories, builds or runs, and imports nothing
// of this module.
//
// The model. Commit 0 is the reference. One commit k from 1 to n changed the value: the
// logarithm of commit i's ratio to the reference is a before k and b from k on, plus an
// effect e of its own (code layout, an unrelated small change) with standard deviation
// tau, plus the noise of each run with standard deviation sigma. tau and sigma are not
// known: both are integrated over a grid, weighted by how well they explain the
// measurements. a and b are integrated in closed form, with b beyond a by at least half
// the limit.
//
// e is why a commit that is measured for ever is still no proof of its neighbour, and why
// probabilities stay honest on histories whose commits all differ a little.
//
// The choice of the next commit is that of probabilistic bisection (M. Horstein, 1963;
// R. Waeber, P. Frazier and S. Henderson, 2013), with a price: the most expected
// information about k for each second of builds and runs.
package posterior
