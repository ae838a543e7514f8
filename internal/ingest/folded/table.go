package folded

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"whyhot/internal/profile"
)

// table is the file as read: every distinct frame text once, and the stacks as
// indices into them. What a first frame means is only known when all lines were
// seen, so the profile is built from here in a second step.
type table struct {
	index  map[string]uint32
	frames []seen
	stacks []uint32 // frames of all stacks, root first
	rows   []row

	lines     int // not blank, no comment
	bad       int
	firstBad  error
	twoCounts int // stacks whose leaf ends in a second number
	decimals  bool
	sum       float64
	austin    bool
}

// seen counts where a frame text stands.
type seen struct {
	text        string
	first, rest int
}

type row struct {
	end   int // of the stack in table.stacks
	count int64
	exact float64
}

func newTable() *table {
	return &table{index: map[string]uint32{}}
}

// line takes one line in. A line that is no stack is remembered, not refused.
func (t *table) line(n int, l []byte) {
	kind, stack, count := splitLine(l)
	switch kind {
	case lineBlank:
		return
	case lineComment:
		t.austin = t.austin || bytes.HasPrefix(l, []byte("# austin"))
		return
	case lineBad:
		t.reject(n, errors.New("no count after the last space"), l)
		return
	case lineStack:
	}
	c, f, whole, err := parseCount(count)
	if err != nil {
		t.reject(n, err, l)
		return
	}
	t.lines++
	t.sum += f
	t.decimals = t.decimals || !whole
	if i := bytes.LastIndexByte(stack, ' '); i >= 0 && isNumber(stack[i+1:]) {
		t.twoCounts++
	}
	stack = bytes.TrimSuffix(stack, []byte{';'}) // some writers end every frame with one
	for first, more := true, len(stack) > 0; more; first = false {
		var frame []byte
		frame, stack, more = bytes.Cut(stack, []byte{';'})
		t.frame(frame, first)
	}
	t.rows = append(t.rows, row{end: len(t.stacks), count: c, exact: f})
}

func (t *table) frame(text []byte, first bool) {
	i, ok := t.index[string(text)]
	if !ok {
		i = uint32(len(t.frames))
		s := string(text)
		t.frames = append(t.frames, seen{text: s})
		t.index[s] = i
	}
	if first {
		t.frames[i].first++
	} else {
		t.frames[i].rest++
	}
	t.stacks = append(t.stacks, i)
}

func (t *table) reject(n int, why error, l []byte) {
	t.lines++
	t.bad++
	if t.firstBad == nil {
		t.firstBad = fmt.Errorf("line %d: %w: %s", n, why, excerpt(l))
	}
}

// check decides whether what was read is a folded file.
func (t *table) check() error {
	switch {
	case t.bad > 0 && t.bad*badShare > t.lines:
		return fmt.Errorf("folded stacks: %w (%d of %d lines are no \"frame;frame;… COUNT\")", t.firstBad, t.bad, t.lines)
	case len(t.rows) == 0 || t.sum == 0:
		return fmt.Errorf("folded stacks: %w: the profiler saw nothing, or every count is 0", ErrEmpty)
	case t.twoCounts == len(t.rows) && t.twoCounts > 1:
		return errors.New("folded stacks: every line ends in two counts, so this is a differential file; compare the two profiles it was made from instead (whyhot diff BEFORE AFTER)")
	case t.sum > math.MaxInt64/2:
		return fmt.Errorf("folded stacks: the counts add up to %g, more than a profile can hold", t.sum)
	}
	return nil
}

// build makes the profile.
func (t *table) build() (*profile.Profile, error) {
	t.index = nil
	b := profile.NewBuilder()
	d := survey(t)
	res := newResolver(b, d, t.frames)
	r := newRounding(t)
	var locs []profile.LocationID
	start := 0
	for i := range t.rows {
		stack := t.stacks[start:t.rows[i].end]
		start = t.rows[i].end
		count, value := r.next(&t.rows[i])
		if count == 0 && value == 0 {
			continue
		}
		labels, rest := res.labels(stack)
		locs = res.stack(locs[:0], rest)
		b.Sample(profile.Sample{Stack: b.Stack(locs), Labels: labels, Count: count, Value: value})
	}
	meta := profile.Meta{Source: d.source, ValueType: d.valueType}
	if t.bad > 0 {
		meta.Warnings = append(meta.Warnings, fmt.Sprintf("%d of %d lines are no stacks and were skipped (%v)", t.bad, t.lines, t.firstBad))
	}
	if w := r.warning(); w != "" {
		meta.Warnings = append(meta.Warnings, w)
	}
	return b.Build(meta), nil
}

// rounding turns decimal counts into whole ones so that the sum stays: what one
// row loses, the next one gets.
type rounding struct {
	decimals bool
	scale    float64
	carry    float64
}

// enough is the sum from which rounding to whole numbers no longer shows.
const enough = 10_000

func newRounding(t *table) *rounding {
	r := &rounding{decimals: t.decimals, scale: 1}
	for r.decimals && t.sum*r.scale < enough && r.scale < 1e12 {
		r.scale *= 1000
	}
	return r
}

// next gives the count and value of a row. Decimal weights say nothing about
// how often the sampler fired; each row then counts as one event, the least
// that can be true, so that no error bar is drawn too narrow.
func (r *rounding) next(w *row) (count, value int64) {
	if !r.decimals {
		return w.count, w.count
	}
	exact := w.exact*r.scale + r.carry
	whole := math.Round(exact)
	r.carry = exact - whole
	if w.exact == 0 {
		return 0, int64(whole)
	}
	return 1, int64(whole)
}

func (r *rounding) warning() string {
	switch {
	case !r.decimals:
		return ""
	case r.scale == 1:
		return "the counts are decimals: rounded to whole numbers, their sum kept"
	}
	return fmt.Sprintf("the counts are small decimals: multiplied by %g and rounded, shares kept", r.scale)
}
