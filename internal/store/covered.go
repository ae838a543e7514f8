package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// covered is the time that a store has samples of: the seconds in which anything that sends to
// it recorded. A weight is divided by it for cores, in all answers alike, so that neither the
// time before the first sample nor that between two recordings counts as idle. For example:
// somebody pushes two profiles of 6 s each, a day apart, with 6 s of CPU in each; they are one
// core, whether the last hour is asked for or the last week.
//
// A batch that says when it was recorded has these seconds, any other one the minutes of its
// samples: an agent sends nothing of a second in which nothing ran. What is known of an hour is
// a document, written with the rows by which it changed. Of rows that an older version wrote
// there is none: the minutes of samples are read, and the hours of those of which only sums are
// kept.
type covered struct {
	mu      sync.Mutex
	hours   map[uint32]*coveredHour // by their number since 1970
	touched map[uint32]bool         // hours that batches or older rows were of, since they were written
}

// coveredHour has a bit for each second, a word for each minute.
type coveredHour [minutesHour]uint64

const (
	coveredKind   = "covered"
	secondsMinute = 60
	secondsHour   = minutesHour * secondsMinute
)

// mark sets the seconds [from, until) of an hour.
func (h *coveredHour) mark(from, until uint32) {
	for from < until {
		minute, second := from/secondsMinute, from%secondsMinute
		n := min(until-from, secondsMinute-second)
		h[minute] |= (1<<n - 1) << second
		from += n
	}
}

// spans are the seconds that are set, as pairs of the first and the one after the last.
func (h *coveredHour) spans() (out []uint32) {
	in := false
	for s := range uint32(secondsHour) {
		if set := h[s/secondsMinute]>>(s%secondsMinute)&1 == 1; set != in {
			out, in = append(out, s), set
		}
	}
	if in {
		out = append(out, secondsHour)
	}
	return out
}

// add marks seconds since 1970. It is called with mu held.
func (c *covered) add(from, until uint32) {
	for from < until {
		number := from / secondsHour
		end := min(uint64(until), (uint64(number)+1)*secondsHour)
		h := c.hours[number]
		if h == nil {
			if c.hours == nil {
				c.hours, c.touched = map[uint32]*coveredHour{}, map[uint32]bool{}
			}
			h = &coveredHour{}
			c.hours[number] = h
		}
		h.mark(from%secondsHour, uint32(end-uint64(number)*secondsHour))
		c.touched[number] = true
		from = uint32(end)
	}
}

// addMinutes marks the minutes [from, until).
func (c *covered) addMinutes(from, until uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const last = math.MaxUint32 / secondsMinute
	c.add(min(from, last)*secondsMinute, min(until, last)*secondsMinute)
}

// addBatch marks what a batch recorded: the times that it says, and the minutes of rows that are
// in none of them.
func (c *covered) addBatch(b *batch.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	minutes := map[uint32]bool{}
	for _, s := range b.Spans {
		c.add(s.From, s.Until)
		for m := s.From / secondsMinute; m <= (s.Until-1)/secondsMinute; m++ {
			minutes[m] = true
		}
	}
	for i := range b.Rows {
		if m := b.Rows[i].Minute; !minutes[m] && m < math.MaxUint32/secondsMinute {
			minutes[m] = true
			c.add(m*secondsMinute, (m+1)*secondsMinute)
		}
	}
}

// forget takes away what is before a minute, which retention has dropped, and gives the hours.
func (c *covered) forget(before uint32) (gone []uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for number := range c.hours {
		if number < before/minutesHour {
			gone = append(gone, number)
			delete(c.hours, number)
			delete(c.touched, number)
		}
	}
	return gone
}

// within is how many seconds of the minutes [from, to) are covered. The running minute is one as
// any other: the same samples are as many cores a moment later.
func (c *covered) within(from, to uint32) (seconds int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for number, h := range c.hours {
		if number < from/minutesHour || number > to/minutesHour {
			continue
		}
		for i, set := range h {
			if m := number*minutesHour + uint32(i); m >= from && m < to {
				seconds += bits.OnesCount64(set)
			}
		}
	}
	return seconds
}

// reach is the first minute of it and the one after the last.
func (c *covered) reach() (from, until uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for number, h := range c.hours {
		for i, set := range h {
			if m := number*minutesHour + uint32(i); set != 0 {
				if until == 0 || m < from {
					from = m
				}
				until = max(until, m+1)
			}
		}
	}
	return from, until
}

// load marks what a document says of an hour. A document that cannot be read is passed over: the
// hour counts as one of an older version, of which nothing was written.
func (c *covered) load(d *Document) {
	number, err := strconv.ParseUint(d.Key, 10, 32)
	var spans []uint32
	if err != nil || number > math.MaxUint32/secondsHour-1 || json.Unmarshal(d.Body, &spans) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 0; i+1 < len(spans); i += 2 {
		begin := uint32(number) * secondsHour
		c.add(begin+min(spans[i], secondsHour), begin+min(spans[i+1], secondsHour))
	}
	delete(c.touched, uint32(number)) // it is written
}

// written are the documents of hours that changed.
func (c *covered) written() map[string][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string][]byte{}
	for number := range c.touched {
		body, err := json.Marshal(c.hours[number].spans())
		if err == nil { // numbers always have a form
			out[strconv.FormatUint(uint64(number), 10)] = body
		}
	}
	clear(c.touched)
	return out
}

// writeCovered puts what is covered since the last time into a commit.
func (s *Store) writeCovered(blocks dict.Blocks) {
	bodies := s.covered.written()
	for _, key := range slices.Sorted(maps.Keys(bodies)) {
		old, there := s.Document(coveredKind, key)
		if there && string(old.Body) == string(bodies[key]) {
			continue
		}
		d := Document{Kind: coveredKind, Key: key, Body: bodies[key], Written: s.opts.Now()}
		if there && !d.Written.After(old.Written) { // of two the later counts, whatever a clock does
			d.Written = old.Written.Add(1)
		}
		s.documents.put(d)
		blocks.Of(engine.Documents).Append(d.Kind, d.Key, string(d.Body), d.Written.UnixNano())
	}
}

// summing is what knows the rows: an engine, or a database that another server writes to.
type summing interface {
	Stats(ctx context.Context) ([]engine.TableStats, error)
	Sum(ctx context.Context, q engine.Query) (*engine.Sums, error)
}

// cover takes what documents say of the time that is covered, and reads rows of before the first
// of them.
func (s *Store) cover(ctx context.Context, e summing, docs *documents) error {
	first := s.coverOf(docs)
	tables, err := e.Stats(ctx)
	if err != nil && !errors.Is(err, ErrAway) { // rows of one time are in all parts
		return fmt.Errorf("store: %w", err)
	}
	samples := first
	for _, t := range tables {
		if t.Table == engine.Samples.Name && t.Rows > 0 && t.First < first {
			samples = t.First
			if err := s.coverRows(ctx, e, engine.Query{Table: engine.Samples, From: t.First, To: first}, 1); err != nil {
				return err
			}
		}
	}
	samples -= samples % minutesHour
	for _, t := range tables {
		if t.Table == engine.Activity.Name && t.Rows > 0 && t.First < samples {
			if err := s.coverRows(ctx, e, engine.Query{Table: engine.Activity, From: t.First, To: samples}, minutesHour); err != nil {
				return err
			}
		}
	}
	return nil
}

// coverRows marks the minutes of rows, or the hours of sums.
func (s *Store) coverRows(ctx context.Context, e summing, q engine.Query, length uint32) error {
	q.By, q.Events = []string{engine.ColMinute}, true
	sums, err := e.Sum(ctx, q)
	if errors.Is(err, ErrAway) {
		return nil // as with a part of it
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, m := range sums.Keys[0] {
		s.covered.addMinutes(m, m+length)
	}
	return nil
}

// coverOf takes what documents say, and gives the minute from which on they say it.
func (s *Store) coverOf(docs *documents) (first uint32) {
	docs.mu.Lock()
	defer docs.mu.Unlock()
	first = math.MaxUint32
	for at, d := range docs.by {
		if at[0] == coveredKind && len(d.Body) > 0 {
			s.covered.load(&d)
			if number, err := strconv.ParseUint(d.Key, 10, 32); err == nil && number < math.MaxUint32/minutesHour {
				first = min(first, uint32(number)*minutesHour)
			}
		}
	}
	return first
}

// coveredIn is how much of a range of minutes was recorded.
func (s *Store) coveredIn(from, to uint32) time.Duration {
	return time.Duration(s.covered.within(from, to)) * time.Second
}

// forgetCovered takes away what is older than is kept.
func (s *Store) forgetCovered() {
	r := s.retention()
	m := minute(s.opts.Now().Add(-max(r.Samples, r.Hourly)))
	s.forgetBefore(m - m%engine.MinutesPerDay)
}

// forgetBefore takes away what is before a minute, the first of a day.
func (s *Store) forgetBefore(m uint32) {
	gone := s.covered.forget(m)
	s.documents.mu.Lock()
	defer s.documents.mu.Unlock()
	for _, number := range gone { // they are left out when the documents are next written as a whole
		delete(s.documents.by, [2]string{coveredKind, strconv.FormatUint(uint64(number), 10)})
	}
}
