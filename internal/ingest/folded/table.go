package folded

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"math"

	"whyhot/internal/profile"
)

// table is the file as read: every distinct frame text once, and the stacks as
// indices into them. What a first frame means is only known when all lines were
// seen, so the profile is built from here in a second step.
type table struct {
	index  map[string]uint32
	frames []seen
	stacks []uint32 // frames of all rows, root first
	rows   []row

	// rowOf finds the row of a stack by the hash of its text: a line that was there
	// before adds to its row. Of two texts with one hash the second gets a row each time.
	rowOf map[uint64]int
	seed  maphash.Seed

	lines     int // not blank, no comment
	deep      int // of several frames
	bad       int
	firstBad  error
	twoCounts int // stacks whose leaf ends in a second number
	decimals  bool
	sum       float64
	austin    bool
}

// seen tells where a frame text stands.
type seen struct {
	text        string
	first, rest bool
}

// row is a stack and what its lines add up to.
type row struct {
	begin, end int // of the stack in table.stacks
	lines      int
	events     int64 // lines whose count is not 0
	count      int64
	exact      float64
}

func newTable() *table {
	return &table{index: map[string]uint32{}, rowOf: map[uint64]int{}, seed: maphash.MakeSeed()}
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
	if bytes.IndexByte(stack, ';') > 0 {
		t.deep++
	}
	stack = bytes.TrimSuffix(stack, []byte{';'}) // some writers end every frame with one
	w := t.row(stack)
	w.lines++
	w.count += c
	w.exact += f
	if f != 0 {
		w.events++
	}
}

// row is the one of a stack, which is made where there is none.
func (t *table) row(stack []byte) *row {
	hash := maphash.Bytes(t.seed, stack)
	if i, ok := t.rowOf[hash]; ok && t.same(&t.rows[i], stack) {
		return &t.rows[i]
	}
	t.rowOf[hash] = len(t.rows)
	w := row{begin: len(t.stacks)}
	for first, more := true, len(stack) > 0; more; first = false {
		var frame []byte
		frame, stack, more = bytes.Cut(stack, []byte{';'})
		t.frame(frame, first)
	}
	w.end = len(t.stacks)
	t.rows = append(t.rows, w)
	return &t.rows[len(t.rows)-1]
}

// size is what the table holds.
func (t *table) size() profile.Size {
	return profile.Size{Stacks: len(t.rows), Frames: len(t.stacks), Samples: len(t.rows), Locations: len(t.frames)}
}

// same tells whether a row's stack has this text.
func (t *table) same(w *row, text []byte) bool {
	more := len(text) > 0
	for _, i := range t.stacks[w.begin:w.end] {
		var frame []byte
		if !more {
			return false
		}
		frame, text, more = bytes.Cut(text, []byte{';'})
		if string(frame) != t.frames[i].text {
			return false
		}
	}
	return !more
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
		t.frames[i].first = true
	} else {
		t.frames[i].rest = true
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
	case t.bad*badShare > t.lines && t.bad*fewBad > t.deep:
		return fmt.Errorf("folded stacks: %w (%d of %d lines are no \"frame;frame;… COUNT\")", t.firstBad, t.bad, t.lines)
	case len(t.rows) == 0 || t.sum == 0:
		return fmt.Errorf("folded stacks: %w: the profiler saw nothing, or every count is 0", ErrEmpty)
	case t.twoCounts == t.lines-t.bad && t.twoCounts > 1:
		return errors.New("folded stacks: every line ends in two counts, so this is a differential file; compare the two profiles it was made from instead (whyhot diff BEFORE AFTER)")
	case t.sum > math.MaxInt64/2:
		return fmt.Errorf("folded stacks: the counts add up to %g, more than a profile can hold", t.sum)
	}
	return nil
}

// build makes the profile.
func (t *table) build() (*profile.Profile, error) {
	t.index, t.rowOf = nil, nil
	b := profile.NewBuilder()
	d := survey(t)
	res := newResolver(b, d, t.frames)
	r := newRounding(t)
	var locs []profile.LocationID
	for i := range t.rows {
		stack := t.stacks[t.rows[i].begin:t.rows[i].end]
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
	if r.decimals && d.source != austin { // rows are of a weight, and no numbers of samples
		meta.ValueType.Type = "weight"
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
// how often the sampler fired; each line then counts as one event, the least
// that can be true, so that no error bar is drawn too narrow.
func (r *rounding) next(w *row) (count, value int64) {
	if !r.decimals {
		return w.count, w.count
	}
	exact := w.exact*r.scale + r.carry
	whole := math.Round(exact)
	r.carry = exact - whole
	return w.events, int64(whole)
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
