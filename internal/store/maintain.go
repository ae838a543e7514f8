package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/store/engine"
)

// How often the store is looked after.
const (
	maintainEvery   = 10 * time.Minute
	checkpointEvery = time.Hour
)

// maintain removes what is too old, puts rows in order, and writes down which batches
// were taken, until ctx ends.
func (s *Store) maintain(ctx context.Context) {
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	checkpoint := time.Now()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if time.Since(checkpoint) >= checkpointEvery {
			checkpoint = time.Now()
			if err := s.Checkpoint(ctx); err != nil {
				s.log.Warn("writing down which batches were taken", "error", err)
			}
		}
		if err := s.Retain(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("removing what is too old", "error", err)
		}
		if today := s.minuteNow() / engine.MinutesPerDay; today != s.ageing.day || s.ageing.due.Load() { // days went
			s.ageing.due.Store(false)
			if err := s.Age(ctx); err == nil {
				s.ageing.day = today
			} else if ctx.Err() == nil {
				s.log.Warn("removing what no sample refers to", "error", err)
			}
		}
		if err := s.compact(ctx, false); err != nil && ctx.Err() == nil {
			s.log.Warn("compacting", "error", err)
		}
	}
}

// Checkpoint writes down which batches were taken, so that what was written before is not
// needed any more. It is done once an hour without being asked for.
func (s *Store) Checkpoint(ctx context.Context) error { return s.append(ctx, recordCheckpoint, nil) }

// Retain removes what is older than is to be kept.
func (s *Store) Retain(ctx context.Context) error {
	s.seen.forget(s.minuteNow() - min(s.minuteNow(), keepBatches))
	now := s.opts.Now()
	day := func(t time.Time) uint32 {
		m := minute(t)
		return m - m%engine.MinutesPerDay
	}
	r := s.retention()
	for _, x := range []struct {
		table  *engine.Table
		before uint32
	}{
		{engine.Samples, day(now.Add(-r.Samples))}, {engine.Hourly, day(now.Add(-r.Hourly))}, {engine.Activity, day(now.Add(-r.Hourly))},
		{engine.Thinned, day(now.Add(-r.Thinned))}, {engine.Batches, day(at(s.documents.checkpoint()))},
	} {
		if err := s.engine.Drop(ctx, x.table, x.before); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	s.forgetCovered()
	s.sums.clear()
	return s.relieve(ctx)
}

// Compact puts all rows in order.
func (s *Store) Compact(ctx context.Context) error { return s.compact(ctx, true) }

func (s *Store) compact(ctx context.Context, all bool) error {
	if err := s.engine.Compact(ctx, all); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Stats tells what there is.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	tables, err := s.engine.Stats(ctx)
	missing := errors.Is(err, ErrAway)
	if err != nil && !missing {
		return Stats{}, fmt.Errorf("store: %w", err)
	}
	d := s.dict.Sizes()
	out := Stats{
		Missing:  missing,
		Journal:  JournalStats{Segments: s.journal.Segments(), Bytes: s.journal.Bytes()},
		Mappings: d.Mappings, Functions: d.Functions, Locations: d.Locations, Nodes: d.Nodes, Stacks: d.Stacks, Series: d.Series,
		Memory: d.Memory, Unresolved: d.Waiting, CutStacks: d.CutStacks, MergedSeries: d.MergedSeries, DroppedSamples: s.dropped.Load(),
	}
	for _, why := range []*string{s.away.why.Load(), s.failing.Load(), s.refusing.Load()} {
		if why != nil {
			out.Journal.Failing = *why
		}
	}
	for _, t := range tables {
		out.Tables = append(out.Tables, TableStats{Name: t.Table, Rows: t.Rows, Bytes: t.Bytes, First: at(t.First), Last: at(t.Last)})
	}
	out.Bounds = bounds(&d)
	bytes, _, _ := used(tables)
	out.Bounds = append(out.Bounds, quota(bytes, s.Keeping().Bytes)...)
	out.Bounds = append(out.Bounds, s.disk()...)
	files := map[string]int64{}
	err = filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // what is gone meanwhile takes nothing
		}
		if info, err := e.Info(); err == nil {
			out.Bytes += info.Size()
			files[s.part(path)] += info.Size()
		}
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out.Files = append(out.Files, FileStats{name, files[name]})
	}
	slices.SortStableFunc(out.Files, func(a, b FileStats) int { return cmp.Compare(b.Bytes, a.Bytes) })
	if err != nil {
		return Stats{}, fmt.Errorf("store: %w", err)
	}
	return out, nil
}

// part is the part of the directory that a file belongs to: those of the engine are told
// apart, of the journal and of debug information there are many.
func (s *Store) part(path string) string {
	name, err := filepath.Rel(s.dir, path)
	if err != nil {
		return path
	}
	first, _, _ := strings.Cut(name, string(filepath.Separator))
	if first == engineDir {
		return name
	}
	return first
}
