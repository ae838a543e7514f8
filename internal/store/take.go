package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/columns"
	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/journal"
)

// The kinds of records in the journal.
const (
	recordBatch = iota + 1
	recordNames // of versions before 2
	recordDocument
	recordCheckpoint // of the identities of batches
	recordNamesOf    // recordNames with addresses in place of numbers
	recordBlindBatch // recordBatch, of an identity that was not compared with the engine's
)

// Append takes a batch. It is durable when Append returns without an error, and can be
// asked for about a second later.
func (s *Store) Append(ctx context.Context, b *batch.Batch) (Receipt, error) {
	return s.accept(ctx, b, false)
}

// accept takes a batch: a sender's, or one that another server took and hands over, which is
// taken only where the engine is.
func (s *Store) accept(ctx context.Context, b *batch.Batch, handed bool) (Receipt, error) {
	if b.ID == "" && s.opts.Share != nil {
		b.ID = s.sharing.name() // it may be passed on twice
	}
	receipt := Receipt{Samples: b.Samples(), Warnings: append(slices.Clip(b.Warnings), *s.near.Load()...)}
	receipt.Warnings = append(receipt.Warnings, s.keepLabels(b)...)
	if dropped := s.dropOld(b); dropped > 0 {
		s.dropped.Add(dropped)
		receipt.Samples -= dropped
		receipt.Warnings = append(receipt.Warnings, fmt.Sprintf("%d samples are older than is kept, and were dropped", dropped))
	}
	s.dropped.Add(b.Future)
	if len(b.Rows) == 0 {
		return receipt, nil
	}
	if b.ID == "" {
		return receipt, s.appendBatch(ctx, recordBatch, b)
	}
	for {
		first, wait, err := s.take(ctx, b, handed)
		switch {
		case first:
			return receipt, err
		case wait == nil:
			return Receipt{Duplicate: true}, nil
		}
		// The same batch is being taken: its fate is this one's.
		select {
		case <-wait:
		case <-ctx.Done():
			return Receipt{}, ctx.Err()
		}
	}
}

// take writes a batch down if it is the first of its identity; else it says what to wait
// for, as [seen.begin] does.
func (s *Store) take(ctx context.Context, b *batch.Batch, handed bool) (first bool, wait <-chan struct{}, err error) {
	s.away.taking.RLock()
	defer s.away.taking.RUnlock()
	if handed && s.isAway() {
		return true, nil, s.unanswered()
	}
	if first, wait = s.seen.begin(b.ID); first {
		err = s.appendBatch(ctx, s.record(b), b)
		s.seen.end(b.ID, err == nil, s.minuteNow())
	}
	return first, wait, err
}

// dropOld removes rows that would be dropped at once, and tells how many samples they
// were.
func (s *Store) dropOld(b *batch.Batch) (dropped int64) {
	if s.isAway() { // what the project keeps is not known
		return 0
	}
	r := s.retention()
	keep := max(r.Samples, r.Hourly)
	oldest := minute(s.opts.Now().Add(-keep))
	rows := b.Rows[:0]
	for _, r := range b.Rows {
		if r.Minute < oldest {
			dropped += int64(r.Count)
			continue
		}
		rows = append(rows, r)
	}
	b.Rows = rows
	return dropped
}

func minute(t time.Time) uint32 { return uint32(max(0, t.Unix()) / 60) }

func (s *Store) appendBatch(ctx context.Context, kind byte, b *batch.Batch) error {
	segment, err := s.write(ctx, kind, b.Append(nil))
	if err == nil && segment > s.applied.Load() {
		s.waiting.add(segment, b.Samples())
	}
	return err
}

func (s *Store) append(ctx context.Context, kind byte, data []byte) error {
	_, err := s.write(ctx, kind, data)
	return err
}

// write writes a record of the journal, and gives its segment. It does not end with ctx: the
// record may be written already.
func (s *Store) write(ctx context.Context, kind byte, data []byte) (segment uint64, err error) {
	segment, err = s.journal.Append(context.WithoutCancel(ctx), journal.Record{Kind: kind, Data: data})
	switch {
	case err == nil:
		if s.refusing.Load() != nil && s.refusing.Swap(nil) != nil {
			s.log.Info("the journal can be written again")
		}
		return segment, nil
	case errors.Is(err, journal.ErrClosed):
		return 0, fmt.Errorf("%w: it is being closed", ErrBusy)
	case errors.Is(err, journal.ErrFull):
		why := "the engine is behind"
		if f := s.failing.Load(); f != nil {
			why = "the engine does not take what is waiting"
		}
		return 0, fmt.Errorf("%w: %s", ErrBusy, why)
	}
	text := err.Error()
	if s.refusing.Swap(&text) == nil { // one line, however many are sent away
		s.log.Error("the journal cannot be written", "error", err)
	}
	return 0, fmt.Errorf("%w: the disk does not take it", ErrBusy)
}

// batchID reads the identity from the bytes of a batch.
func batchID(data []byte) (string, error) {
	b, err := batch.Read(data)
	if err != nil {
		return "", err
	}
	return b.ID, nil
}

// apply takes segments of the journal to the engine, one commit each, until ctx ends.
func (s *Store) apply(ctx context.Context) {
	for {
		segment, err := s.journal.Next(ctx)
		if err != nil {
			return
		}
		if !s.applySegment(ctx, segment) {
			return
		}
	}
}

// applySegment is false when the store is being closed, or cannot go on.
func (s *Store) applySegment(ctx context.Context, segment uint64) bool {
	s.makeRoom(ctx)
	s.applying.Lock()
	defer s.applying.Unlock()
	number := s.number(segment)
	change, err := s.change(segment, number)
	if err != nil {
		// It was acknowledged: it is neither dropped nor passed over.
		s.fail(segment, err)
		<-ctx.Done()
		return false
	}
	pause := 100 * time.Millisecond
	for {
		err := s.commit(ctx, number, change)
		if err == nil {
			break
		}
		if ctx.Err() != nil || s.superseded(err) {
			return false
		}
		s.fail(segment, err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
		pause = min(2*pause, 10*time.Second)
	}
	s.failing.Store(nil)
	if change.checkpoint.Key != "" { // only now: what is before it may be removed
		s.documents.put(change.checkpoint)
	}
	if err := s.journal.Remove(segment); err != nil {
		s.log.Error("a part of the journal that is not needed any more is left", "error", err)
	}
	s.waiting.remove(segment)
	s.sums.changed(segment, change.first, change.last)
	s.nearing()
	s.mu.Lock()
	s.applied.Store(segment)
	s.onApplied.Broadcast()
	s.mu.Unlock()
	select {
	case s.renamed <- struct{}{}:
	default:
	}
	return true
}

// commitTime is how long one attempt may take: a server that hangs is no server.
const commitTime = 5 * time.Minute

func (s *Store) commit(ctx context.Context, number uint64, c *change) error {
	ctx, cancel := context.WithTimeout(ctx, commitTime)
	defer cancel()
	return s.engine.Commit(ctx, number, c.blocks.List())
}

func (s *Store) fail(segment uint64, err error) {
	text := err.Error()
	if before := s.failing.Swap(&text); before == nil || *before != text {
		s.log.Error("the engine does not take what is in the journal", "segment", segment, "error", err)
	}
}

// change is what a segment brings.
type change struct {
	blocks      dict.Blocks
	first, last uint32 // the minutes of its rows; the first is larger where it has none
	checkpoint  Document
}

// change makes the commit of a number out of a segment. In memory things are known by their
// segment.
func (s *Store) change(segment, number uint64) (*change, error) {
	c := &change{blocks: dict.Blocks{}, first: ^uint32(0)}
	var rows []dict.Row
	var names []dict.Resolution
	now := s.minuteNow()
	err := s.journal.Read(segment, func(r journal.Record) error {
		switch r.Kind {
		case recordBatch, recordBlindBatch:
			b, err := batch.Read(r.Data)
			if err != nil {
				return err
			}
			if (r.Kind == recordBlindBatch || s.opts.Share != nil) && b.ID != "" && s.away.again.has(b.ID) {
				return nil
			}
			rows = s.dict.Apply(b, segment, c.blocks, rows)
			s.covered.addBatch(b)
			if b.ID != "" {
				origin, n := splitID(b.ID)
				c.blocks.Of(engine.Batches).Append(now, origin, n, n)
				s.sharing.landed.take(b.ID, now)
			}
		case recordNames, recordNamesOf:
			read := readNames
			if r.Kind == recordNames {
				read = s.readNumbered
			}
			found, err := read(r.Data)
			if err != nil {
				return err
			}
			names = append(names, found...)
		case recordDocument:
			d, err := readDocument(r.Data)
			if err != nil {
				return err
			}
			s.documents.put(d) // it is known, but where another server wrote meanwhile
			c.blocks.Of(engine.Documents).Append(d.Kind, d.Key, string(d.Body), d.Written.UnixNano())
		case recordCheckpoint:
			if segment <= s.away.until {
				return nil // the next one will do
			}
			c.blocks.Of(engine.Batches).Extend(s.known().rows(now-min(now, keepBatches), now))
			c.checkpoint = Document{Kind: batchesKind, Key: checkpointKey, Body: strconv.AppendUint(nil, uint64(now), 10), Written: s.opts.Now()}
			c.blocks.Of(engine.Documents).Append(batchesKind, checkpointKey, string(c.checkpoint.Body), c.checkpoint.Written.UnixNano())
		default:
			return fmt.Errorf("a record of kind %d: %w", r.Kind, engine.ErrNewer)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		s.dict.Resolve(names, uint32(number), c.blocks)
	}
	for i := range rows {
		c.first, c.last = min(c.first, rows[i].Minute), max(c.last, rows[i].Minute)
	}
	derive(rows, number, c.blocks)
	s.writeCovered(c.blocks)
	return c, nil
}

// readDocument and appendDocument are the bytes of a document in the journal.
func readDocument(data []byte) (Document, error) {
	var texts []string
	var written []int64
	if _, err := columns.Read(data, &texts, &written); err != nil {
		return Document{}, err
	}
	if len(texts) != 3 || len(written) != 1 {
		return Document{}, errors.New("a damaged document")
	}
	return Document{Kind: texts[0], Key: texts[1], Body: []byte(texts[2]), Written: time.Unix(0, written[0])}, nil
}

func appendDocument(d Document) []byte {
	return columns.Append(nil, []string{d.Kind, d.Key, string(d.Body)}, []int64{d.Written.UnixNano()})
}
