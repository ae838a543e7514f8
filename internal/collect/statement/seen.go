package statement

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"whyhot/internal/collect/track"
	"whyhot/internal/profile"
	"whyhot/internal/profile/sqlshape"
)

// Bounds of what is remembered.
const (
	mostShapes  = 1000    // different ones
	mostTexts   = 4096    // whose shapes are known, see textKey
	mostHandles = 1 << 16 // statements that are prepared
	mostThreads = 1 << 14
)

// Other stands for the shapes beyond the first thousand.
const Other = "(other statements)"

// Earlier stands for what was prepared before anybody looked.
const Earlier = "(statement prepared before the recording)"

// shapeID is a row of the table of shapes and one; 0 is no statement.
type shapeID int32

// shapeKey is what tells rows apart.
type shapeKey struct {
	of   *System
	text string
}

type textKey struct {
	of   *System
	text string
}

type handleKey struct {
	of      *System
	process uint32
	handle  uint64
}

// row is what is known of a shape.
type row struct {
	shapeKey

	tally // as it would be if pauses were like what comes before them

	counted tally
	facts   sqlshape.Facts
	watched float64 // the least of its binaries
	bytes   uint64  // of the database's files, at most
	within  shapeID // what a client had sent when it was executed last within that
}

// tally counts what was seen of a statement.
type tally struct {
	runs, prepared, steps float64
	inner, outer          float64 // runs within another statement, and how many of those
	work                  [len(work{})]float64
}

func (t *tally) add(more *tally, times float64) {
	t.runs += more.runs * times
	t.prepared += more.prepared * times
	t.steps += more.steps * times
	t.inner += more.inner * times
	t.outer += more.outer * times
	for i, n := range more.work {
		t.work[i] += n * times
	}
}

// work are SQLite's counters of a prepared statement: see workSize.
type work [workSize / 4]uint32

// The places of counters.
const (
	fullScan   = 0
	autoIndex  = 2
	operations = 3
)

// since is what was counted since another time; ok is false where another statement has the
// handle by now, whose counters begin at 0.
func (w work) since(before work) (more work, ok bool) {
	for i := range w {
		if w[i] < before[i] {
			return work{}, false
		}
		more[i] = w[i] - before[i]
	}
	return more, true
}

// counting is a statement that goes on, and its counters when it was last heard of.
type counting struct {
	id   shapeID
	work work
}

// seen is what the texts become.
type seen struct {
	tracks  map[*System]*track.Tracks[shapeID]
	rows    []row
	byShape map[shapeKey]shapeID
	byText  map[textKey]shapeID
	handles map[handleKey]shapeID
	at      map[uint32]shapeID // by thread: where steps were counted
	within  map[uint32]*nest   // by thread
	working map[handleKey]counting
	// files says how many bytes the databases have that a process has open, 0 where that is
	// not known.
	files func(process uint32) uint64
}

func newSeen(files func(process uint32) uint64) *seen {
	return &seen{
		tracks: map[*System]*track.Tracks[shapeID]{}, byShape: map[shapeKey]shapeID{}, byText: map[textKey]shapeID{}, handles: map[handleKey]shapeID{}, at: map[uint32]shapeID{}, within: map[uint32]*nest{},
		working: map[handleKey]counting{}, files: files,
	}
}

// event is one call.
type event struct {
	time            int64
	process, thread uint32
	handle, steps   uint64
	probe           uint32
	runs            bool
	apart           bool // the end of a statement that the thread is not at
	work            work
	text            []byte
	cut             bool // the text goes on
}

// parse reads what the kernel wrote; ok is false for anything else.
func parse(b []byte) (e event, ok bool) {
	if len(b) < headSize || len(b) > headSize+textSize {
		return e, false
	}
	n := binary.NativeEndian
	who := n.Uint64(b[offThread:])
	e = event{
		time: int64(n.Uint64(b[offTime:])), process: uint32(who >> half), thread: uint32(who), //nolint:gosec // bits
		handle: n.Uint64(b[offHandle:]), steps: n.Uint64(b[offSteps:]), probe: n.Uint32(b[offProbe:]), runs: n.Uint32(b[offRuns:]) == 1, apart: n.Uint32(b[offRuns:]) == apart,
	}
	for i := range e.work {
		e.work[i] = n.Uint32(b[offWork+4*i:])
	}
	e.text, _, _ = bytes.Cut(b[headSize:], []byte{0})
	e.cut = len(e.text) >= textSize-1
	return e, true
}

// take takes an event of a probe over.
func (s *seen) take(e event, b *watched, by *probe) {
	of := by.of
	switch {
	case e.apart:
		s.count(e, 0, b, by)
		return
	case by.role == refers:
		s.refer(e, of)
		return
	case by.role.isInner():
		s.inner(e, b, by)
		return
	}
	delete(s.within, e.thread)
	id := shapeID(0)
	if len(e.text) > 0 {
		id = s.shape(of, string(e.text), e.cut)
	}
	if last := s.at[e.thread]; of.stateful() && last > 0 {
		b.tally(last).steps += float64(e.steps)
	}
	switch by.role {
	case names:
		s.keep(handleKey{of, e.process, e.handle}, id)
	case uses:
		var known bool
		if id, known = s.handles[handleKey{of, e.process, e.handle}]; !known {
			id = s.row(of, sqlshape.Shape{Text: Earlier})
		}
	case begins, steps, ends, tells, refers, nests, leaves:
	}
	if of.stateful() {
		if len(s.at) >= mostThreads {
			clear(s.at)
		}
		s.at[e.thread] = id
		s.count(e, id, b, by)
	}
	s.tracksOf(of).Begin(e.thread, e.time, id)
	if id == 0 {
		return
	}
	t := b.tally(id)
	if e.runs {
		t.runs++
	}
	if by.role == names || by.role == begins && of.stateful() {
		t.prepared++
	}
}

// tracksOf are those of a system.
func (s *seen) tracksOf(of *System) *track.Tracks[shapeID] {
	if s.tracks[of] == nil {
		s.tracks[of] = &track.Tracks[shapeID]{}
	}
	return s.tracks[of]
}

// refer notes which foreign key the statement of a thread has checked.
func (s *seen) refer(e event, of *System) {
	tracks := s.tracks[of]
	if tracks == nil {
		return
	}
	if id, key := tracks.At(e.thread, e.time), sqlshape.ForeignKey(string(e.text)); id > 0 && key != "" {
		s.rows[id-1].facts.Add(sqlshape.Facts{ForeignKeys: []string{key}})
	}
}

// count adds up what the counters of a statement's work say, from the first step on that is
// heard of until its end.
func (s *seen) count(e event, id shapeID, b *watched, by *probe) {
	if by.counters == 0 || by.role != steps && by.role != ends {
		return
	}
	k := handleKey{by.of, e.process, e.handle}
	if last, known := s.working[k]; known && (by.role == ends || last.id == id) {
		if more, ok := e.work.since(last.work); ok {
			t := b.tally(last.id)
			for i, n := range more {
				t.work[i] += float64(n)
			}
		}
	}
	if by.role == ends {
		delete(s.working, k)
		return
	}
	if id == 0 {
		return
	}
	if len(s.working) >= mostHandles {
		clear(s.working)
	}
	s.working[k] = counting{id, e.work}
	row := &s.rows[id-1]
	row.bytes = max(row.bytes, s.files(e.process))
}

// tally is that of a statement in the window that goes on.
func (b *watched) tally(id shapeID) *tally {
	t := b.unweighted[id]
	if t == nil {
		t = &tally{}
		b.unweighted[id] = t
	}
	return t
}

func (s *seen) keep(k handleKey, id shapeID) {
	if len(s.handles) >= mostHandles {
		clear(s.handles)
	}
	s.handles[k] = id
}

// interrupt ends all that threads are at in a system, of which nobody tells for a while: a
// handle may be given to another statement in that time.
func (s *seen) interrupt(of *System, at int64) {
	if tracks := s.tracks[of]; tracks != nil {
		tracks.EndAll(at)
	}
	maps.DeleteFunc(s.within, func(_ uint32, n *nest) bool { return n.of == of })
	maps.DeleteFunc(s.handles, func(k handleKey, _ shapeID) bool { return k.of == of })
	maps.DeleteFunc(s.working, func(k handleKey, _ counting) bool { return k.of == of })
}

// is the statement that a thread was at: in a server, or in the library whose code it was in.
func (s *seen) is(thread uint32, at int64, in *System) shapeID {
	for _, of := range systems {
		if tracks := s.tracks[of]; tracks != nil && (of == in || !of.library) {
			if id := tracks.At(thread, at); id > 0 {
				return id
			}
		}
	}
	return 0
}

func (s *seen) shape(of *System, text string, cut bool) shapeID {
	k := textKey{of, text}
	if id, known := s.byText[k]; known {
		return id
	}
	shape := sqlshape.Of(text, of.dialect, cut)
	id := s.row(of, shape)
	if len(s.byText) >= mostTexts {
		clear(s.byText)
	}
	s.byText[k] = id
	return id
}

func (s *seen) row(of *System, shape sqlshape.Shape) shapeID {
	if shape.Text == "" {
		return 0
	}
	k := shapeKey{of, shape.Text}
	id, known := s.byShape[k]
	switch {
	case known:
	case len(s.rows) >= mostShapes && shape.Text != Other:
		return s.row(of, sqlshape.Shape{Text: Other})
	default:
		s.rows = append(s.rows, row{shapeKey: k, watched: 1})
		id = shapeID(len(s.rows)) //nolint:gosec // bounded
		s.byShape[k] = id
	}
	s.rows[id-1].facts.Add(shape.Facts)
	return id
}

// statements gives the table, the most frequent first. times says, where it is known, by how
// much more of a statement there was than was seen.
func (s *seen) statements(times Times) []profile.Statement {
	out := make([]profile.Statement, 0, len(s.rows))
	for _, r := range s.rows {
		sum := r.tally
		if n, known := times(r.of.name, r.text); known && r.of.library {
			sum = tally{}
			sum.add(&r.counted, n)
		}
		out = append(out, profile.Statement{
			System: r.of.name, Text: r.text, Client: r.of.client, Runs: whole(sum.runs), Prepared: whole(sum.prepared), Steps: whole(sum.steps),
			Inner: whole(sum.inner), Outer: whole(sum.outer), Within: s.text(r.within), Watched: r.watched, Facts: r.facts,
			Scanned: whole(sum.work[fullScan]), Indexed: whole(sum.work[autoIndex]), Operations: whole(sum.work[operations]), DatabaseBytes: r.bytes,
		})
	}
	slices.SortStableFunc(out, func(a, b profile.Statement) int { return cmp.Compare(b.Runs, a.Runs) })
	return out
}

func whole(n float64) uint64 {
	const half = 0.5
	return uint64(n + half)
}
