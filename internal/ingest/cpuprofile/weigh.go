package cpuprofile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// weight is what one node has: ticks of the timer, and their value, which is time where
// the file has times, else again ticks.
type weight struct{ ticks, value int64 }

// take is the part of a weight that n of its ticks have.
func (w weight) take(n int64) weight {
	switch {
	case n <= 0:
		return weight{}
	case n >= w.ticks:
		return w
	}
	return weight{n, int64(float64(w.value) * (float64(n) / float64(w.ticks)))}
}

func (w weight) without(part weight) weight {
	return weight{w.ticks - part.ticks, w.value - part.value}
}

// most is more ticks than any file has, and few enough for their time to be a number.
const most = 1 << 30

// weigh gives each node its ticks and their time.
//
// The samples of a file are not only ticks. V8 writes one for each function that it
// deoptimises and one as it starts, and counts neither in hitCount
// (src/profiler/cpu-profiler.cc, AddDeoptStack and AddCurrentStack: update_stats is
// false). A function that is deoptimised in a thousand frames has a thousand samples in
// no time. So ticks are hitCount.
//
// A tick stands for one sampling interval and not for the time up to the next one: V8
// interrupts the thread with a signal, which waits while the thread does not run, and
// signals that wait become one. A gap of many intervals is time in which the process
// did not have a processor.
//
// Files without hitCount, made by tools from traces, have only samples: one weighs the
// time up to the next, an interval at most, and those in no time weigh nothing.
//
// Example: samples of a, a, b, b, b at 0, 1000, 1010, 1010 and 2000 µs, hitCounts 2 and
// 1: two ticks of a, one of b, 1 ms each.
func (t *tree) weigh(f *file) error {
	t.weights = make([]weight, len(t.nodes))
	if n := len(f.TimeDeltas); n > 0 && n != len(f.Samples) {
		return fmt.Errorf("it has %d samples and %d timeDeltas", len(f.Samples), n)
	}
	at, err := t.samples(f)
	if err != nil {
		return err
	}
	var ticks int64
	for i := range t.nodes {
		h := max(t.nodes[i].HitCount, 0)
		if ticks += min(h, most+1); ticks > most {
			return errors.New("its hitCounts add up to more than a profile can hold")
		}
		t.weights[i].ticks = h
	}
	counted := ticks > 0
	if !counted {
		for _, s := range at {
			t.weights[s.node].ticks++
		}
		ticks = int64(len(at))
	}
	t.period = t.interval(f, at, counted, ticks)
	for i := range t.weights {
		t.weights[i].value = t.weights[i].ticks * max(t.period.Nanoseconds(), 1)
	}
	if !counted && t.period > 0 && len(f.TimeDeltas) > 0 {
		t.byGaps(at)
	}
	return nil
}

// taken is a sample: of which node, and when, in µs.
type taken struct {
	node int
	at   float64
}

// samples are those of a file in the order of time. V8 writes what the timer took and
// what the program's thread took from two queues, and can be late with one of them.
func (t *tree) samples(f *file) ([]taken, error) {
	out := make([]taken, 0, len(f.Samples))
	now := 0.0
	for i, id := range f.Samples {
		k, ok := t.index[id]
		if !ok {
			return nil, fmt.Errorf("sample %d: node %d does not exist", i, id)
		}
		if len(f.TimeDeltas) > 0 {
			if now += f.TimeDeltas[i]; math.Abs(now) > 1e15 {
				return nil, fmt.Errorf("sample %d: its time delta, %g µs, is more than a profile can last", i, f.TimeDeltas[i])
			}
		}
		out = append(out, taken{k, now})
	}
	slices.SortStableFunc(out, func(a, b taken) int { return cmp.Compare(a.at, b.at) })
	return out, nil
}

// interval is the time between two ticks when nothing delays them: the lower quartile of
// the gaps, since what delays a tick makes the gap longer. 0 where the file has no times.
func (t *tree) interval(f *file, at []taken, counted bool, ticks int64) time.Duration {
	samples := make([]int64, len(t.nodes))
	for _, s := range at {
		samples[s.node]++
	}
	var gaps []float64
	last := math.NaN()
	for _, s := range at {
		// A node with more samples than ticks has some that are no ticks: which ones
		// nobody knows.
		if counted && samples[s.node] > t.weights[s.node].ticks {
			continue
		}
		if gap := s.at - last; gap > 0 {
			gaps = append(gaps, gap)
		}
		last = s.at
	}
	interval := 0.0
	switch {
	case len(gaps) > 0:
		slices.Sort(gaps)
		interval = gaps[len(gaps)/4]
	case ticks > 0:
		interval = float64(duration(f).Microseconds()) / float64(ticks)
	default:
	}
	return min(time.Duration(interval*1e3), longest)
}

// longest is an interval that nobody samples in; most of them are still a number.
const longest = 4 * time.Second

// byGaps has each sample weigh the time up to the next one.
func (t *tree) byGaps(at []taken) {
	for i := range t.weights {
		t.weights[i].value = 0
	}
	for i, s := range at {
		gap := t.period // of the last
		if i+1 < len(at) {
			gap = min(gap, time.Duration((at[i+1].at-s.at)*1e3))
		}
		t.weights[s.node].value += gap.Nanoseconds()
	}
}

// duration is how long a profile says that it was recorded for; 0 where that is nonsense.
func duration(f *file) time.Duration {
	if d := f.EndTime - f.StartTime; d > 0 && d < 1e15 {
		return time.Duration(d * 1e3)
	}
	return 0
}
