package goroutine

import (
	"time"

	"golang.org/x/sys/unix"
)

// What probes may cost. A wait meets two and has its stack walked, which takes the program some
// 17 microseconds more on a virtual machine (bench/collect.md): at 500 a second, a hundredth of one
// processor. Where there are more, the probes are in for a part of the time only, and each wait
// that begins then stands for several.
const (
	mostWaits = 500 // a second
	// checkEvery is how often it is looked at how many there are while the probes are in.
	checkEvery = 50 * time.Millisecond
	// sampled is for how long the probes are in where there are too many.
	sampled = 200 * time.Millisecond
	// ending is for how long, after that, waits may end that have begun then, and most the part of
	// them after which the rest is not waited for.
	ending       = 500 * time.Millisecond
	most         = 0.99
	longestPause = 10 * time.Second
)

// window is a time in which the begin of each wait is seen, by the kernel's clock.
type window struct {
	from, until int64   // until is 0 as long as it goes on
	sampled     bool    // it ends soon, and stands for a pause
	next        int64   // where the next one begins: it stands for the time until then; 0 likewise
	calls       uint64  // that had been made before
	begun, over float64 // waits that have begun in it, and that have ended
	rows        map[place]*waited
}

// clock is that of bpf_ktime_get_ns.
func clock() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return t.Nano()
}

func (r *Recorder) last() *window { return r.windows[len(r.windows)-1] }

// isIn says whether a probe is to be in the programs.
func (r *Recorder) isIn(probe int) bool {
	w := r.last()
	return w.until == 0 || probe == goesOn && r.ends > 0
}

// look takes probes out where there are too many waits, and puts them back after a while. calls is
// how many waits have begun.
func (r *Recorder) look(now int64, calls uint64) {
	w := r.last()
	switch {
	case w.until == 0 && !w.sampled && now-r.checked >= int64(checkEvery):
		many := rate(calls-min(calls, r.met), now-r.checked) > mostWaits
		r.met, r.checked = calls, now
		if many { // what came before is seen whole
			w.until, w.next = now, now
			r.open(&window{from: now, sampled: true, calls: calls})
		}
	case w.until == 0 && w.sampled && now-w.from >= int64(sampled):
		begun := calls - min(calls, w.calls)
		times := rate(begun, now-w.from) / mostWaits
		if times <= 1 {
			w.sampled, r.met, r.checked = false, calls, now
			return
		}
		w.until, w.begun = now, float64(begun)
		pause := int64(float64(now-w.from) * (times - 1))
		r.resume, r.ends = now+min(pause, int64(longestPause)), now+int64(ending)
		r.takeOut(begins)
	case w.until > 0 && r.ends > 0 && (now >= r.ends || now >= r.resume || w.over >= most*w.begun):
		r.ends = 0
		r.takeOut(goesOn)
	case w.until > 0 && r.ends == 0 && now >= r.resume:
		w.next = now
		r.open(&window{from: now, sampled: true, calls: calls})
		for _, p := range r.files {
			if p != nil {
				_ = r.putIn(p) // it was in before; else its waits are not seen
				r.last().from = clock()
			}
		}
	}
}

// open begins a window.
func (r *Recorder) open(w *window) {
	w.rows = map[place]*waited{}
	r.windows = append(r.windows, w)
}

// rate is how many there are a second, of a number in some nanoseconds.
func rate(n uint64, nanoseconds int64) float64 {
	return float64(n) * float64(time.Second) / float64(nanoseconds)
}

// at is the window in which a wait has begun, nil for none.
func (r *Recorder) at(from int64) *window {
	for i := len(r.windows) - 1; i >= 0; i-- {
		if w := r.windows[i]; from >= w.from {
			if w.until == 0 || from < w.until {
				return w
			}
			return nil
		}
	}
	return nil
}

// add adds a wait that has ended.
func (r *Recorder) add(e ended) {
	w := r.at(e.from)
	if w == nil {
		return // it has begun while the probes were being put in or taken out
	}
	k := place{e.process, e.stack, e.caller}
	row := w.rows[k]
	if row == nil {
		row = &waited{goroutines: map[uint64]bool{}}
		w.rows[k] = row
	}
	row.nanoseconds += float64(e.nanoseconds)
	row.times++
	w.over++
	row.goroutines[e.goroutine] = true
}

// all adds up the waits of all windows, by how much time each stands for. The recording ends now.
func (r *Recorder) all(now int64) map[place]*waited {
	sum := map[place]*waited{}
	for _, w := range r.windows {
		until, next := w.until, w.next
		if until == 0 {
			until = now
		}
		if next == 0 {
			next = now
		}
		times := 1.0
		if until > w.from {
			times = max(1, float64(next-w.from)/float64(until-w.from))
		}
		for k, row := range w.rows {
			to := sum[k]
			if to == nil {
				to = &waited{goroutines: map[uint64]bool{}}
				sum[k] = to
			}
			to.nanoseconds += times * row.nanoseconds
			to.times += times * row.times
			for g := range row.goroutines {
				to.goroutines[g] = true
			}
		}
	}
	return sum
}
