package message

import (
	"math"
	"time"

	"whyhot/internal/server/watch"
)

// What is clearly worse.
//
// A share is known with an error, and the same one is looked at again and again over
// times that overlap: with 95 % intervals alone one in forty comparisons would cry
// wolf. So the interval is wider, and the rise has to matter.
const (
	// widen makes the half of a 95 % interval that of a 99.9 % one: 3.291 / 1.960.
	widen = 3.2905 / 1.9600
	// leastRise is what a finding has to have grown by at least, of what was told.
	leastRise = 0.2
	// goneFor is how long a finding is gone before its return is news.
	goneFor = 7 * 24 * time.Hour
)

// worse says whether a finding costs clearly more now than when it was told: whether
// the lower end of the 99.9 % interval of the rise of its share is above a fifth of the
// share that was told. The interval of the difference of two independent shares is the
// root of the sum of the squares of their own intervals' halves (Newcombe 1998,
// Statistics in Medicine 17, 873-890, method 10); theirs are Wilson's. For example,
// 10 % ± 1 that became 14 % ± 1 rose by 4 ± 2.4 points: at least by 1.6, which is less
// than the 2 points that matter. 15 % ± 1 is worse.
//
// A share also rises when something else got faster. So the cores have to have risen
// as much; and cores alone rise with the load, which is no fault of the finding.
func worse(told, now watch.Point) bool {
	atLeast := now.Share - told.Share - widen*math.Hypot(now.Error, told.Error)
	if atLeast <= leastRise*told.Share {
		return false
	}
	return now.Cores == 0 && told.Cores == 0 || now.Cores > (1+leastRise)*told.Cores
}

// back says whether a finding is here again since at, after it had been gone for long.
func back(r *watch.Record, told time.Time) bool {
	n := len(r.History)
	if n < 2 || r.History[n-2].Share != 0 {
		return false
	}
	gone := r.History[n-2].Time
	return told.Before(gone) && r.History[n-1].Time.Sub(gone) >= goneFor
}
