package moments

import (
	"time"

	"whyhot/internal/profile"
)

// label has the number of a sample's moment, until Splice.
const label = "whyhot.moment"

// Tracks are those of all processes of a recording, or of several runs of one.
type Tracks struct {
	all   []*Track
	first []int64 // number of the first moment of each
	next  int64
}

// Mark labels the samples of tracked processes. Of those the times are exact, and count from
// a time on; rough gives what is kept of them.
func (ts *Tracks) Mark(p *profile.Profile, from time.Time, tracks []*Track, rough func(elapsed time.Duration) int64) *profile.Profile {
	if len(tracks) == 0 {
		return p
	}
	of := map[int64]int{}
	for _, t := range tracks {
		of[int64(t.PID)] = len(ts.all)
		ts.all = append(ts.all, t)
		ts.first = append(ts.first, ts.next)
		ts.next += int64(t.Len())
	}
	return p.Retold(func(s *profile.Sample) (more []profile.Label, at int64, keep bool) {
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		n, tracked := of[pid.Num]
		if !tracked || s.Time == 0 {
			return nil, s.Time, true
		}
		if i := ts.all[n].nearest(from.UnixNano() + s.Time); i >= 0 {
			more = []profile.Label{{Key: label, Num: ts.first[n] + int64(i)}}
		}
		return more, rough(time.Duration(s.Time)), true
	})
}

// moment is that of a number.
func (ts *Tracks) moment(number int64) (t *Track, i int) {
	n := len(ts.first) - 1
	for n > 0 && ts.first[n] > number {
		n--
	}
	return ts.all[n], int(number - ts.first[n])
}
