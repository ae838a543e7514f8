// Package surprise says which shares of a profile are not what was to be expected:
// held against the program's own past, other services, and programs that were measured
// beforehand.
//
// It owns the test and the sentence. It takes Windows (what runs in each function
// itself) and gives finding.Surprises. It must never read files or ask a store.
//
// The past is a random-effects model: a share differs from window to window by
// sampling, and by as much again as the windows themselves show. With m the median of
// the past windows, s = 1.4826 × their median absolute deviation, p the pooled share
// and n the events of now, N of the past,
//
//	z² = (x − m)² / (p(1−p)(1/n + 1/N) + s²),  s² counted less what sampling makes of it
//
// is held against Student's t with one degree of freedom fewer than there are windows
// (against the normal distribution where there is one window, whose scatter nobody
// knows). Where few windows agree by chance, the scatter is that of the median name,
// relative to its share.
//
// With two windows t has one degree of freedom, and finds no difference however large. So
// there is a second test: the scatter is taken to be half of the largest share of the past
// (of 1 % at least), or what the windows show where that is more, and held against the
// normal distribution. The smaller p of the two counts, doubled. What grew to four times
// and more is seen from two windows on, and less with more of them.
//
// All names are tested at a false discovery rate of 5 % (Benjamini and Hochberg,
// J. R. Stat. Soc. B 57, 1995), and the interval of now must lie clear of all that the
// past windows showed. Median and MAD, not mean and deviation, since one odd window must
// not hide the next (Rousseeuw and Croux, J. Am. Stat. Assoc. 88, 1993).
//
// Other services and priors have no time: a share surprises when the lower end of its
// interval is above Tukey's outer value for outliers, the third quartile and 1.5 times
// the distance of the quartiles (Exploratory Data Analysis, 1977), and above the largest
// that was seen.
//
// Shares add up to one: what grows makes all else look smaller. So the largest
// difference is taken first, then its weight is taken out of all windows, and what is
// left is tested again. The same step makes one cause one surprise: with a function its
// part of the library and of the family is gone.
//
// Example: deflate had 2 to 3 % in six windows of 2000 samples and has 21 % ± 1.8 now;
// the library libz, the family compression and the function say the same, and all else
// fell by a fifth. One surprise: the function.
package surprise
