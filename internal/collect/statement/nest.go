package statement

import "whyhot/internal/profile/sqlshape"

// nest is what a thread executes within the statement that a client sent: what the functions
// and procedures ask that it calls, one within another.
type nest struct {
	of    *System
	outer shapeID // what the client sent
	open  []open  // the innermost is the last
	seen  map[shapeID]struct{}
}

// open is one that goes on, and what the thread was at before.
type open struct {
	handle uint64
	before shapeID
}

// inner takes over that a statement within another begins or ends. Checks of foreign keys are
// work of the statement that has them made.
func (s *seen) inner(e event, b *watched, by *probe) {
	n := s.within[e.thread]
	tracks := s.tracksOf(by.of)
	if by.role == leaves {
		if i := lastOpen(n, e.handle); i >= 0 {
			tracks.Begin(e.thread, e.time, n.open[i].before)
			n.open = n.open[:i] // of what an error has ended nobody told
		}
		return
	}
	if len(e.text) == 0 || sqlshape.IsForeignKey(string(e.text)) {
		return
	}
	before := tracks.At(e.thread, e.time)
	id := s.shape(by.of, string(e.text), e.cut)
	if n == nil {
		if len(s.within) >= mostThreads {
			clear(s.within)
		}
		n = &nest{of: by.of, outer: before, seen: map[shapeID]struct{}{}}
		s.within[e.thread] = n
	}
	if i := lastOpen(n, e.handle); i >= 0 {
		n.open = n.open[:i]
	}
	if len(n.open) >= mostOpen {
		n.open = n.open[1:]
	}
	n.open = append(n.open, open{e.handle, before})
	if id == 0 || id == before { // a worker of a parallel plan has the text of its leader
		return
	}
	tracks.Begin(e.thread, e.time, id)
	t := b.tally(id)
	t.runs++
	t.inner++
	if _, again := n.seen[id]; !again {
		n.seen[id] = struct{}{}
		t.outer++
	}
	if n.outer > 0 {
		s.rows[id-1].within = n.outer
	}
}

// mostOpen bounds what goes on in a thread at once: PostgreSQL's stack ends long before.
const mostOpen = 1000

func lastOpen(n *nest, handle uint64) int {
	if n == nil {
		return -1
	}
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i].handle == handle {
			return i
		}
	}
	return -1
}

// leave ends what goes on within statements: nobody tells of it for a while.
func (s *seen) leave(of *System, at int64) {
	for thread, n := range s.within {
		if n.of != of {
			continue
		}
		if len(n.open) > 0 {
			s.tracks[of].Begin(thread, at, n.open[0].before)
		}
		n.open = nil
	}
}

// text is that of a shape, "" for none.
func (s *seen) text(id shapeID) string {
	if id == 0 {
		return ""
	}
	return s.rows[id-1].text
}
