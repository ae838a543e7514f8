package rprof

import (
	"slices"
	"sort"
	"time"
)

// Seen is how far the file had been written at a time, and the CPU time of its process then.
type Seen struct {
	At   time.Time
	CPU  time.Duration
	Size int64
}

// Moments tells when each sample was taken. log is in the order of its times; of an empty one,
// nothing can be told.
func (p *Profile) Moments(log []Seen, each func(at time.Time, calls []Call)) {
	if len(log) == 0 || len(p.Samples) == 0 {
		return
	}
	p.place(log)
	for i := range p.Samples {
		s := &p.Samples[i]
		each(timeOf(log, s.at), s.Calls)
	}
}

// place spreads samples over the CPU time between the points that the log knows.
func (p *Profile) place(log []Seen) {
	done, from, size := 0, log[0].CPU, int64(0)
	until := func(n int, cpu time.Duration) {
		for k := done; k < n; k++ {
			p.Samples[k].at = from + (cpu-from)*time.Duration(k-done+1)/time.Duration(n-done)
		}
		done, from = n, cpu
	}
	for _, s := range log {
		if s.Size <= size {
			continue
		}
		size = s.Size
		n := sort.Search(len(p.Samples), func(i int) bool { return p.Samples[i].End > size })
		if n > done && n < len(p.Samples) {
			until(n, s.CPU)
		}
	}
	until(len(p.Samples), log[len(log)-1].CPU)
}

// timeOf is when the process had used that much CPU time.
func timeOf(log []Seen, cpu time.Duration) time.Time {
	i, _ := slices.BinarySearchFunc(log, cpu, func(s Seen, cpu time.Duration) int { return int(s.CPU - cpu) })
	switch {
	case i == len(log):
		return log[len(log)-1].At
	case i == 0 || log[i].CPU <= log[i-1].CPU:
		return log[i].At
	}
	a, b := log[i-1], log[i]
	part := float64(cpu-a.CPU) / float64(b.CPU-a.CPU)
	return a.At.Add(time.Duration(part * float64(b.At.Sub(a.At))))
}
