package ebpf

import "time"

// sampleTimes is what rows have of the samples' times.
type sampleTimes struct {
	exact     func(pid uint32) bool // of these processes the times are exact; nil: of none
	kept      bool
	precision time.Duration // 0: as rough as slice says
}

// Rough times have slices that begin short, for commands that end soon, and double with the
// length of the recording: an hour has 700 of them, so that equal stacks still make few rows.
const (
	firstSlice = 10 * time.Millisecond
	sliceShare = 32
)

// slice is the precision that long after the begin.
func slice(elapsed time.Duration) time.Duration {
	width := firstSlice
	for elapsed >= 2*sliceShare*width {
		width *= 2
	}
	return width
}

// elapsed tells whether times count from the begin of the recording: a precision is asked for
// where samples are compared with what else happened at a time.
func (t sampleTimes) elapsed() bool { return t.kept && t.precision == 0 }

// ofProcess is the time of a row for a sample of a process.
func (t sampleTimes) ofProcess(pid uint32, elapsed time.Duration, at time.Time) int64 {
	switch {
	case t.exact == nil || !t.exact(pid):
		return t.of(elapsed, at)
	case t.precision > 0:
		return at.UnixNano()
	}
	return int64(elapsed)
}

// RoughTime is what a recording with RoughTimes keeps of a time after its begin.
func RoughTime(elapsed time.Duration) int64 {
	return sampleTimes{kept: true}.of(elapsed, time.Time{})
}

// of is the time of a row for a sample taken at a time, that long after the begin. Within
// the recording it never runs backwards. A rough time is the end of its slice, after the
// begin, since 0 is none.
func (t sampleTimes) of(elapsed time.Duration, at time.Time) int64 {
	switch {
	case !t.kept:
		return 0
	case t.precision > 0:
		return at.Truncate(t.precision).UnixNano()
	}
	width := slice(elapsed)
	return int64(elapsed - elapsed%width + width)
}
