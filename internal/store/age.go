package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"whyhot/internal/store/dict"
	"whyhot/internal/store/engine"
)

// ageing is what is known of the times at which the dictionary was rewritten.
type ageing struct {
	mu    sync.Mutex  // held by one at a time, and by who reads all tables
	after uint64      // segments of before the start, which have to be in the engine first
	day   uint32      // of the last time
	due   atomic.Bool // days went for another reason

	// When there may be room again; only who applies segments has it.
	until time.Time
}

// Age removes from the dictionary what no row of the engine refers to any more: functions,
// frames, stacks, groups, series and names. Where what is left is beyond its limits, the
// stacks and series go that were not used for longest.
//
// Method. Rows are asked which stacks and series they have, day by day, while segments are
// applied and questions answered; what is used meanwhile is known from the commits. Then
// the dictionary is written anew without the rest, in the engine first and in memory after.
// Segments wait for that, and what is sent is in the journal; questions go on, and one that
// was at work across it is asked again ([Store.since]).
//
// A crash leaves the dictionary of before or that of after in the engine, and either has all
// that the rows refer to. Segments that a crash left in the journal come before: a commit
// that was begun is repeated with the numbers that it had.
func (s *Store) Age(ctx context.Context) error {
	s.ageing.mu.Lock()
	defer s.ageing.mu.Unlock()
	s.applying.Lock()
	after := s.applied.Load()
	s.applying.Unlock()
	if after < s.ageing.after {
		return nil
	}
	s.sums.clear() // they may have numbers that will mean something else
	kept, err := s.kept(ctx, after)
	if err != nil {
		return fmt.Errorf("store: finding what is in use: %w", err)
	}
	s.applying.Lock()
	defer s.applying.Unlock()
	began := time.Now()
	c := s.dict.Compacted(kept)
	documents := s.documents.rows()
	if !c.Pays() && !s.outweighed(ctx, documents) {
		return nil
	}
	c.Blocks[engine.Documents] = documents
	if err := s.engine.Replace(ctx, c.Blocks.List()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.dict.Become(c)
	s.sums.clear()
	s.knowLabels()
	s.log.Info("the dictionary was rewritten", "functions", c.After.Functions, "functions before", c.Before.Functions, "frames", c.After.Nodes, "frames before", c.Before.Nodes,
		"series", c.After.Series, "series before", c.Before.Series, "seconds", time.Since(began).Seconds())
	if c.Evicted > 0 || c.Merged > 0 {
		s.log.Warn("more stacks or series are in use than there is room for; those that were not used for longest lost their names", "stacks", c.Evicted, "series", c.Merged)
	}
	return nil
}

// outweighed says whether documents that were replaced are more than those that count.
func (s *Store) outweighed(ctx context.Context, current *engine.Block) bool {
	tables, err := s.engine.Stats(ctx)
	if err != nil {
		return false // another time
	}
	for _, t := range tables {
		if t.Table == engine.Documents.Name {
			return t.Rows > int64(2*current.Len()+1000)
		}
	}
	return false
}

// kept asks the engine which stacks, groups and series its rows have. Each row of samples
// has one of Hourly and one of Activity: others are asked about days alone that these do
// not reach back to.
func (s *Store) kept(ctx context.Context, after uint64) (*dict.Kept, error) {
	tables, err := s.engine.Stats(ctx)
	if err != nil {
		return nil, err
	}
	k := &dict.Kept{After: after}
	days := func(t *engine.Table) (first, last uint32, ok bool) {
		for _, one := range tables {
			if one.Table == t.Name && one.Rows > 0 {
				return one.First / engine.MinutesPerDay, one.Last / engine.MinutesPerDay, true
			}
		}
		return 0, 0, false
	}
	for _, x := range []struct {
		sums   *engine.Table
		column string
		into   *[]uint32
	}{{engine.Hourly, engine.ColStack, &k.Stacks}, {engine.Activity, engine.ColSeries, &k.Series}, {engine.Activity, engine.ColGroup, &k.Groups}, {engine.Hourly, engine.ColGroup, &k.Groups}} {
		reach := ^uint32(0)
		if first, last, ok := days(x.sums); ok {
			reach = first
			if err := s.keptIn(ctx, x.sums, x.column, first, last+1, x.into); err != nil {
				return nil, err
			}
		}
		for _, t := range []*engine.Table{engine.Samples, engine.Thinned} {
			first, last, ok := days(t)
			if !ok || first >= reach {
				continue
			}
			if err := s.keptIn(ctx, t, x.column, first, min(last+1, reach), x.into); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// keptIn takes note of the last day of each number of a column, of days in [first, end).
func (s *Store) keptIn(ctx context.Context, t *engine.Table, column string, first, end uint32, into *[]uint32) error {
	for day := first; day < end; day++ {
		for _, level := range levelsOf(t) {
			q := engine.Query{Table: t, From: day * engine.MinutesPerDay, To: (day + 1) * engine.MinutesPerDay, Level: level, By: []string{column}, Events: true}
			sums, err := s.read(ctx, q)
			if err != nil {
				return err
			}
			if len(sums.Missing) > 0 { // what it has would lose its names
				return fmt.Errorf("%w: %s", ErrAway, strings.Join(sums.Missing, ", "))
			}
			list := *into
			for _, n := range sums.Keys[0] {
				if int(n) >= len(list) {
					list = append(list, make([]uint32, int(n)+1-len(list))...)
				}
				list[n] = max(list[n], day, 1)
			}
			*into = list
		}
	}
	return nil
}

// makeRoom has the dictionary aged when it is full, before a segment is applied. That there
// is no room for other stacks cannot wait; what is new of series is told apart up to a hard
// bound, and a fleet of more series than there is room for would have it done all the time.
func (s *Store) makeRoom(ctx context.Context) {
	stacks, series := s.dict.Full()
	if now := time.Now(); !stacks && !series || now.Before(s.ageing.until) {
		return
	}
	began := time.Now()
	err := s.Age(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the dictionary is full, and making room failed", "error", err)
	}
	if stacks, series = s.dict.Full(); stacks || series {
		s.ageing.until = time.Now().Add(max(time.Second, 20*time.Since(began)))
	}
}
