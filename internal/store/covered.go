package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"whyhot/internal/store/batch"
	"whyhot/internal/store/engine"
)

// covered is the time that a store has samples of: from the first minute of any series to the
// last. A weight is divided by it for cores: on a server that is minutes old, the hour that is
// asked for is mostly before the first sample. For example: samples came from 10:50 on, and at
// 11:00 somebody asks for the last six hours; 600 s of CPU are one core, not 0.03.
type covered struct {
	mu    sync.Mutex
	from  uint32 // minute
	until uint32 // minute after the last; 0 for none
}

func (c *covered) add(from, until uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until == 0 || from < c.from {
		c.from = from
	}
	c.until = max(c.until, until)
}

func (c *covered) addRows(rows []batch.Row) {
	if len(rows) == 0 {
		return
	}
	first, last := rows[0].Minute, rows[0].Minute
	for i := range rows {
		first, last = min(first, rows[i].Minute), max(last, rows[i].Minute)
	}
	c.add(first, last+1)
}

// forget takes away what is before a minute, which retention has dropped.
func (c *covered) forget(before uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from = max(c.from, before)
}

// within is the part of [from, to) that is covered, in minutes.
func (c *covered) within(from, to uint32) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, to = max(from, c.from), min(to, c.until)
	return max(to, from) - from
}

// reach is the first minute of it and the one after the last.
func (c *covered) reach() (from, until uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.from, c.until
}

// cover reads what the engine holds.
func (s *Store) cover(ctx context.Context, e interface {
	Stats(ctx context.Context) ([]engine.TableStats, error)
}) error {
	tables, err := e.Stats(ctx)
	if err != nil && !errors.Is(err, ErrAway) { // rows of one time are in all parts
		return fmt.Errorf("store: %w", err)
	}
	for _, t := range tables {
		if t.Rows == 0 {
			continue
		}
		switch t.Table {
		case engine.Samples.Name:
			s.covered.add(t.First, t.Last+1)
		case engine.Hourly.Name:
			s.covered.add(t.First, t.Last+minutesHour)
		}
	}
	return nil
}

// coveredIn is the part of a range of minutes that the store has samples of.
func (s *Store) coveredIn(from, to uint32) time.Duration {
	return time.Duration(s.covered.within(from, to)) * time.Minute
}

// forgetCovered takes away what is older than is kept.
func (s *Store) forgetCovered() {
	r := s.retention()
	m := minute(s.opts.Now().Add(-max(r.Samples, r.Hourly)))
	s.covered.forget(m - m%engine.MinutesPerDay)
}
