// Package tenths tells in how many tenths of a run some samples are: what a program does at
// its start, or once, is in few of them, and what it does for each item is in all.
//
// It owns that question alone. It takes a profile whose samples have times and gives numbers.
// It imports only profile.
package tenths

import (
	"slices"

	"whyhot/internal/profile"
)

// Of is how many tenths there are.
const Of = 10

// leastTimed is how many samples with times a run must have to be divided.
const leastTimed = 40

// Clock knows the times of a profile's samples.
type Clock struct {
	p      *profile.Profile
	bounds []int64 // times between which there are equal parts of the samples; none without times
}

// New reads the times of a profile.
func New(p *profile.Profile) Clock {
	var times []int64
	for i := range p.Samples() {
		if at := p.Samples()[i].Time; at != 0 {
			times = append(times, at)
		}
	}
	c := Clock{p: p}
	if len(times) < leastTimed || 2*len(times) < len(p.Samples()) {
		return c
	}
	slices.Sort(times)
	for n := 1; n < Of; n++ {
		c.bounds = append(c.bounds, times[n*len(times)/Of])
	}
	return c
}

// Spread is in how many tenths of the run there are some of the samples, -1 where their times
// are not known. The tenths are of the samples, not of the time: a program that waits is not
// divided where it does so.
func (c Clock) Spread(samples []int32) int {
	if len(c.bounds) == 0 {
		return -1
	}
	seen := map[int]bool{}
	for _, row := range samples {
		at, _ := slices.BinarySearch(c.bounds, c.p.Samples()[row].Time)
		seen[at] = true
	}
	return len(seen)
}
