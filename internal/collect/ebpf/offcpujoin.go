package ebpf

import (
	"cmp"
	endian "encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/ebpf-profiler/reporter/samples"

	"whyhot/internal/profile"
)

// begun is a wait whose stack was unwound.
type begun struct {
	at     int64
	stack  profile.StackID
	labels profile.LabelSetID
}

// wait is what waits are added up by.
type wait struct {
	stack  profile.StackID
	labels profile.LabelSetID
}

// waited is for how many nanoseconds, and how often.
type waited struct{ nanoseconds, times float64 }

// end is the end of a wait: when it began, and how long it was.
type end struct {
	from, nanoseconds int64
	rare              bool // it was looked at whatever chance says
}

// parseEnd reads what the kernel wrote; ok is false for anything else.
func parseEnd(b []byte) (thread uint32, e end, ok bool) {
	if len(b) != endSize {
		return 0, end{}, false
	}
	n := endian.NativeEndian
	from := n.Uint64(b[endFrom:])
	e = end{from: int64(from), nanoseconds: int64(n.Uint64(b[endFor:])), rare: from&sure != 0} //nolint:gosec // times
	return n.Uint32(b[endThread:]), e, e.nanoseconds >= 0
}

// mostPending is how many begins or ends of one thread wait for the other half.
const mostPending = 1 << 10

// isOf says whether a stack was unwound when a wait began.
func (b begun) isOf(e end) bool { return b.at >= e.from && b.at-e.from <= int64(unwoundWithin) }

// begin takes a stack over; its wait may have ended already.
func (o *offCPU) begin(thread uint32, b begun) {
	if i := slices.IndexFunc(o.ended[thread], b.isOf); i >= 0 {
		o.add(b, o.ended[thread][i])
		leaveBehind(o.ended, thread, i)
		return
	}
	o.began[thread] = pending(o.began[thread], b)
}

// end takes the end of a wait over; its stack may come later.
func (o *offCPU) end(thread uint32, e end) {
	if i := slices.IndexFunc(o.began[thread], func(b begun) bool { return b.isOf(e) }); i >= 0 {
		o.add(o.began[thread][i], e)
		leaveBehind(o.began, thread, i)
		return
	}
	o.ended[thread] = pending(o.ended[thread], e)
}

// leaveBehind keeps of a thread what comes after one: the other half of what was before it was
// lost. A thread that has none takes no memory, since many come and go.
func leaveBehind[T any](all map[uint32][]T, thread uint32, i int) {
	if i+1 == len(all[thread]) {
		delete(all, thread)
		return
	}
	all[thread] = all[thread][i+1:]
}

// add adds a wait, which stands for some. One that has begun while it was not looked is none.
func (o *offCPU) add(b begun, e end) {
	w := o.at(e.from)
	if w == nil {
		return
	}
	k, n := wait{b.stack, b.labels}, 1.0
	if !e.rare {
		n = o.times(e.from)
	}
	sum := waited{n * float64(e.nanoseconds), n}
	if w.rows != nil {
		add(w.rows, k, sum, 1)
	} else {
		add(o.rows, k, sum, w.times())
	}
}

// into gives a profile its waits, always in the same order.
func (o *offCPU) into(b *profile.Builder) {
	if o == nil {
		return
	}
	if n := len(o.windows); n > 0 && o.windows[n-1].rows != nil {
		w := o.windows[n-1]
		w.end(w.next, o.rows)
	}
	for _, k := range slices.SortedFunc(maps.Keys(o.rows), func(a, b wait) int {
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.labels, b.labels))
	}) {
		sum := o.rows[k]
		b.Wait(profile.Sample{Stack: k.stack, Labels: k.labels, Count: int64(math.Round(sum.times)), Value: int64(sum.nanoseconds)})
	}
}

func pending[T any](all []T, one T) []T {
	if len(all) >= mostPending {
		all = slices.Clone(all[len(all)/2:])
	}
	return append(all, one)
}

// wait takes the stack under way over as that of a thread that begins to wait.
func (c *converter) wait(m *samples.TraceEventMeta, at time.Time) {
	labels := append(slices.Clone(c.b.LabelsOf(c.labelsOf(m, at))), profile.Label{Key: profile.LabelTID, Num: int64(m.TID)})
	c.off.begin(uint32(m.TID), begun{at: at.UnixNano(), stack: c.b.Stack(c.stack), labels: c.b.Labels(labels)}) //nolint:gosec // a TID
}
