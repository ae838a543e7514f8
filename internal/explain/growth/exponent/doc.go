// Package exponent fits how a cost grows with the size of the input: start-up + a·n^b.
//
// It owns the model, its likelihood and the interval of the exponent. It takes counts of
// samples, by size and run, and gives an exponent with its interval and the cost at
// another size. It knows nothing of profiles, functions or commands, and must never
// import another package of this module.
//
// The model. A run at size n has a count with the mean start + a·n^b. Counts scatter like
// Poisson's, and runs differ besides by a share that Spread takes from the totals of
// all runs. The likelihood is maximised over the start-up and a for each b; the interval
// holds those b that the likelihood does not reject (profile likelihood). So a start-up
// cost, or one that a linear part looks like, widens the interval and does not bend it.
package exponent
