package statement

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cilium/ebpf/link"
)

// What probes may cost. A call that meets one takes about a microsecond more, so this is a
// hundredth of one processor.
const (
	mostCalls = 10_000 // a second
	// leastWindow is for how long probes are in a binary at least, longestPause for how long
	// they are out of it at most.
	leastWindow  = 2 * time.Millisecond
	leastPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
	// early is for how long all pauses are short: a program that ends after seconds is seen too.
	early = 3 * time.Second
)

// probe is one function of one binary.
type probe struct {
	located

	of     *System
	number uint32
	link   link.Link // nil while it is out of the binary
}

// watched is one file with probes. Those that tell of statements within others are a watched of
// their own: a loop in a procedure must not hide what clients send.
type watched struct {
	inner  bool
	open   *os.File // the file stays as it was when it was mapped, whatever becomes of its process
	name   string   // as its processes have it
	of     *System
	file   *link.Executable
	probes []*probe

	calls uint64    // that were made when they were put in
	until time.Time // when they are put back

	// The recorder's lock is for these.
	in         bool          // the probes are in it
	since      time.Time     // that they are, or are not
	window     time.Duration // for which they were in it before that
	sum        time.Duration // of windows
	first      time.Time
	unweighted map[shapeID]*tally // what was seen since the probes were put in
}

// share is the part of the time in which the probes were in the binary.
func (b *watched) share(now time.Time) float64 {
	in := b.sum
	if b.in {
		in += now.Sub(b.since)
	}
	all := now.Sub(b.first)
	if all <= 0 || in >= all {
		return 1
	}
	return float64(in) / float64(all)
}

// weigh adds what was seen in a window to the rows, for the pause behind it as well.
func (b *watched) weigh(s *seen, now time.Time) {
	times := 1.0
	if !b.in && b.window > 0 {
		times += float64(now.Sub(b.since)) / float64(b.window)
	}
	for id, t := range b.unweighted {
		s.rows[id-1].add(t, times)
		s.rows[id-1].counted.add(t, 1)
	}
	clear(b.unweighted)
}

// isTooMuch says whether so many calls in a time are to be interrupted.
func isTooMuch(calls uint64, in time.Duration) bool {
	return in >= leastWindow && float64(calls) > mostCalls*in.Seconds()
}

// pause is for how long the probes of a binary stay out, after so many calls in a time, and so
// long after they were put in first.
func pause(calls uint64, in, since time.Duration) time.Duration {
	if since < early {
		return leastPause
	}
	rest := time.Duration(float64(calls)/mostCalls*float64(time.Second)) - in
	return max(leastPause, min(longestPause, rest))
}

// look takes probes out of binaries and puts them back.
func (r *Recorder) look(now time.Time) {
	for _, b := range r.binaries {
		if !b.in {
			if now.After(b.until) {
				r.putIn(b)
			}
			continue
		}
		calls := r.callsOf(b)
		in := now.Sub(b.since)
		switch {
		case isTooMuch(calls-min(calls, b.calls), in):
			r.takeOut(b)
		case in >= time.Second: // what comes at once after a quiet hour is much, too
			b.calls = calls
			r.mu.Lock()
			r.drain()
			b.weigh(r.seen, now)
			b.sum, b.since = b.sum+in, now
			r.mu.Unlock()
		}
	}
}

// putIn attaches the probes. What cannot be attached is said once.
func (r *Recorder) putIn(b *watched) {
	b.calls = r.callsOf(b)
	var all sync.WaitGroup
	for _, p := range b.probes {
		all.Go(func() {
			l, err := r.link(b, p)
			if err != nil {
				r.note(b, fmt.Sprintf("statements of %s are not seen: %v", b.name, err))
				return
			}
			p.link = l
		})
	}
	all.Wait()
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.first.IsZero() {
		b.first = now
	}
	b.weigh(r.seen, now)
	b.in, b.since = true, now
}

// link attaches one. The newer way takes a probe out without waiting for others that are
// taken out.
func (r *Recorder) link(b *watched, p *probe) (link.Link, error) {
	if r.multi {
		return b.file.UprobeMulti(nil, r.programs[p.number], &link.UprobeMultiOptions{Addresses: []uint64{p.offset}})
	}
	return b.file.Uprobe(p.symbol, r.programs[p.number], &link.UprobeOptions{Address: p.offset})
}

// takeOut detaches them. Nobody tells of ends while they are out, nor that a handle is given
// to another statement.
func (r *Recorder) takeOut(b *watched) {
	now := time.Now() // they are gone soon after, though to be sure of it takes long
	r.detach(b)
	calls := r.callsOf(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drain()
	b.window = now.Sub(b.since)
	b.sum, b.in, b.since = b.sum+b.window, false, now
	b.until = time.Now().Add(pause(calls-min(calls, b.calls), b.window, now.Sub(b.first)))
	if b.inner {
		r.seen.leave(b.of, time.Now().UnixNano())
		return
	}
	r.seen.interrupt(b.of, time.Now().UnixNano())
}

// detach takes all probes out at once: for each the kernel waits until no processor can be
// within it, which on a busy machine takes a tenth of a second.
func (*Recorder) detach(b *watched) {
	var all sync.WaitGroup
	for _, p := range b.probes {
		if l := p.link; l != nil {
			p.link = nil
			all.Go(func() { _ = l.Close() }) // nothing better can be done
		}
	}
	all.Wait()
}

// callsOf is how many calls have met the probes of a binary.
func (r *Recorder) callsOf(b *watched) (n uint64) {
	for _, p := range b.probes {
		n += r.hits(p.number)
	}
	return n
}
