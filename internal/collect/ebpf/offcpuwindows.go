package ebpf

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/ebpf-profiler/times"
)

// Where threads wait more often than they may be looked at, they are looked at for a part of the
// time: in windows, each of which stands for itself and for the pause behind it. A wait that
// begins in a window and is not over when that ends is looked for in /proc, so that long ones are
// whole.

const (
	// sampled is how long a window is at least, where there is a pause behind it.
	sampled = 100 * time.Millisecond
	// longestPause bounds what one window stands for.
	longestPause = 5 * time.Second
	// mostUnfinished is how many threads are looked for in /proc, of which each takes some five
	// microseconds.
	mostUnfinished = 32
)

// window is a time in which the begin of each wait is seen, unless chance has it left out.
type window struct {
	from, until, next int64 // it stands for the time until next; 0 as long as it goes on
	pause             bool  // there is one behind it
	rows              map[wait]waited
}

// unfinished is a thread whose wait was not over when a window ended.
type unfinished struct {
	began  uint64 // by the kernel's clock
	slices string // of a processor, that it had been given
	looked int64
}

func (o *offCPU) open(now int64, pause bool) {
	o.windows = append(o.windows, &window{from: now, pause: pause, rows: map[wait]waited{}})
}

// in is the window that goes on, nil in a pause and before it starts.
func (o *offCPU) in() *window {
	if n := len(o.windows); n > 0 && o.windows[n-1].until == 0 {
		return o.windows[n-1]
	}
	return nil
}

// times is for how many times its waits a window stands.
func (w *window) times() float64 {
	if w.until <= w.from {
		return 1
	}
	return max(1, float64(w.next-w.from)/float64(w.until-w.from))
}

// end ends what a window stands for: how much its waits count is known from now on.
func (w *window) end(next int64, into map[wait]waited) {
	w.next = next
	for k, sum := range w.rows {
		add(into, k, sum, w.times())
	}
	w.rows = nil
}

func add(to map[wait]waited, k wait, sum waited, times float64) {
	old := to[k]
	to[k] = waited{old.nanoseconds + times*sum.nanoseconds, old.times + times*sum.times}
}

// at is the window in which a wait began, nil for none.
func (o *offCPU) at(began int64) *window {
	for i := len(o.windows) - 1; i >= 0; i-- {
		if w := o.windows[i]; began >= w.from {
			if w.until == 0 || began < w.until {
				return w
			}
			return nil
		}
	}
	return nil
}

// look reads which waits have ended. Where there are too many, a part of them is looked at: of the
// time, since each switch costs something, and of what is seen then, since to unwind costs more.
func (o *offCPU) look(now time.Time) {
	if o == nil || len(o.windows) == 0 || o.failed != nil {
		return
	}
	o.drain()
	w := o.in()
	if w == nil {
		o.seek(now.UnixNano())
		if now.UnixNano() >= o.resume {
			o.failed = o.goOn(now)
		}
		return
	}
	if now.Sub(o.looked) < chanceEvery {
		return
	}
	looked, rare := o.rates(now)
	share := o.parts[len(o.parts)-1].share
	rate := rare + (looked-rare)/share
	lasted := now.UnixNano() - w.from
	most := mostWaits * min(max(1, rate/tooMany), 2) // in a window; with the pauses it is no more than mostWaits
	switch {
	case rate > tooMany && !w.pause: // what came before is seen whole
		w.until = now.UnixNano()
		w.end(w.until, o.rows)
		o.open(w.until, true)
	case rate > tooMany && lasted >= int64(sampled):
		o.pause(w, min(time.Duration(float64(lasted)*(rate/tooMany-1)), longestPause))
	case rate <= tooMany:
		w.pause = false
	}
	switch {
	case rare > most/2:
		_ = o.chooseRare(2 * o.rare) // else it stays
	case looked > most:
		_ = o.choose(share*(most-rare)/(looked-rare), now) // likewise
	case looked < most/2 && share < 1: // so that it does not go to and fro
		_ = o.choose(min(1, 2*share), now) // likewise
	}
}

// rates tells how many waits a second were looked at, and how many of them since they were rare,
// since it was asked last.
func (o *offCPU) rates(now time.Time) (looked, rare float64) {
	before, passed := o.met, now.Sub(o.looked).Seconds()
	for i := range o.met {
		_ = o.chance.Lookup(uint32(i), &o.met[i]) //nolint:gosec // a few; a number that cannot be read stays
	}
	o.looked = now
	per := func(i int) float64 { return float64(o.met[i]-min(o.met[i], before[i])) / passed }
	return per(chanceLooked), per(chanceSure)
}

// pause looks at no thread for a while, but for those that wait.
func (o *offCPU) pause(w *window, d time.Duration) {
	o.leave()
	w.until = time.Now().UnixNano()
	o.resume = w.until + int64(d)
	o.drain()
	var thread uint32
	var began uint64
	for all := o.since.Iterate(); all.Next(&thread, &began); {
		u := unfinished{began: began, looked: w.until}
		if len(o.unfinished) < mostUnfinished {
			u.slices = slicesOf(thread)
		}
		o.unfinished[thread] = u
	}
}

// goOn begins a window after a pause.
func (o *offCPU) goOn(now time.Time) error {
	o.seek(now.UnixNano())
	clear(o.unfinished) // the kernel tells when they end
	last := o.windows[len(o.windows)-1]
	err := o.switches()
	if err == nil {
		err = o.count()
	}
	if err != nil {
		o.leave()
		return err
	}
	now = time.Now()
	o.rates(now)
	last.end(now.UnixNano(), o.rows)
	o.open(now.UnixNano(), true)
	return nil
}

// seek looks which threads have gone on in a pause. That was at some time since they were looked
// for: as long after it as they had waited before, which is so on average (the age of a
// renewal process and what is left have the same distribution; Cox, Renewal Theory, 1962), and no
// later than in the middle of the time that has passed.
func (o *offCPU) seek(now int64) {
	for thread, u := range o.unfinished {
		if slices := slicesOf(thread); u.slices != "" && slices == u.slices {
			u.looked = now
			o.unfinished[thread] = u
			continue
		}
		delete(o.unfinished, thread)
		_ = o.since.Delete(thread)              // else its next end would be that of this wait
		from := times.KTime(u.began).UnixNano() //nolint:gosec // a time
		age := max(0, u.looked-from)
		o.end(thread, end{from: from, nanoseconds: age + min(age, (now-u.looked)/2), rare: u.began&sure != 0}) //nolint:mnd // the middle
	}
}

// finish ends the last window.
func (o *offCPU) finish(now int64) {
	if len(o.windows) == 0 {
		return
	}
	if w := o.windows[len(o.windows)-1]; w.next == 0 {
		if w.until == 0 {
			w.until = now
		}
		w.next = now
	}
}

// slicesOf tells how often a thread was given a processor, "" where that cannot be read: the third
// number of /proc/TID/schedstat (Linux 2.6.23, CONFIG_SCHED_INFO).
func slicesOf(thread uint32) string {
	text, err := os.ReadFile("/proc/" + strconv.FormatUint(uint64(thread), 10) + "/schedstat")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 3 { //nolint:mnd // the third
		return ""
	}
	return fields[2]
}

// partly says that not all of the time was looked at, or "".
func (o *offCPU) partly() string {
	if o == nil {
		return ""
	}
	if o.failed != nil {
		return fmt.Sprintf("where threads wait was not recorded to the end: %v", o.failed)
	}
	var seen, all int64
	for _, w := range o.windows {
		seen, all = seen+w.until-w.from, all+w.next-w.from
	}
	if seen >= all {
		return ""
	}
	return fmt.Sprintf("threads wait more than %d,000 times a second: where was recorded for %.0f%% of the time, and stands for the rest", tooMany/1000, 100*float64(seen)/float64(all)) //nolint:mnd // thousands; percent
}
