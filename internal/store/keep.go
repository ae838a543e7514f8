package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"whyhot/internal/store/engine"
)

// Keep is what a project keeps, where it says so itself: otherwise Options.Retention counts.
type Keep struct {
	SamplesDays int `json:"samples_days,omitempty"` // by the minute and host; 0 for the server's
	HourlyDays  int `json:"hourly_days,omitempty"`  // by the hour and service, and levels of the ladder
	// Bytes is what the tables with time may take in the engine; 0 for any. Beyond it the
	// oldest day goes, and today never.
	Bytes int64 `json:"bytes,omitempty"`
}

// Keep is a document of the project.
const (
	keepKind = "retention"
	keepKey  = "project"
	// mostDays is a century.
	mostDays = 36_500
)

// Check says what is wrong with it.
func (k Keep) Check() error {
	switch {
	case k.SamplesDays < 0 || k.SamplesDays > mostDays || k.HourlyDays < 0 || k.HourlyDays > mostDays:
		return fmt.Errorf("days must be between 1 and %d, or 0 for what the server keeps", mostDays)
	case k.Bytes < 0 || k.Bytes > 0 && k.Bytes < leastBytes:
		return fmt.Errorf("bytes must be at least %d, or 0 for any number", int64(leastBytes))
	}
	return nil
}

// leastBytes is about what a day of one service takes.
const leastBytes = 1 << 20

// Keeping gives what the project says.
func (s *Store) Keeping() (k Keep) {
	if d, ok := s.Document(keepKind, keepKey); ok {
		_ = json.Unmarshal(d.Body, &k) // written by SetKeeping
	}
	return k
}

// SetKeeping says what the project keeps from now on. What is too old goes within ten minutes.
func (s *Store) SetKeeping(ctx context.Context, k Keep) error {
	if err := k.Check(); err != nil {
		return err
	}
	var body []byte
	if k != (Keep{}) {
		var err error
		if body, err = json.Marshal(k); err != nil {
			return err
		}
	}
	return s.PutDocument(ctx, keepKind, keepKey, body)
}

// retention is what counts: the project's, or the server's.
func (s *Store) retention() Retention {
	const day = 24 * time.Hour
	r, k := s.opts.Retention, s.Keeping()
	if k.SamplesDays > 0 {
		r.Samples = time.Duration(k.SamplesDays) * day
	}
	if k.HourlyDays > 0 {
		r.Hourly, r.Thinned = time.Duration(k.HourlyDays)*day, time.Duration(k.HourlyDays)*day
	}
	return r
}

// timed are the tables of samples: a day that goes goes from all of them.
func timed() []*engine.Table {
	return []*engine.Table{engine.Samples, engine.Hourly, engine.Activity, engine.Thinned}
}

// used is what the tables of samples take, and the first and the last day of them.
func used(tables []engine.TableStats) (bytes int64, first, last uint32) {
	first = ^uint32(0)
	for _, t := range tables {
		for _, of := range timed() {
			if t.Table == of.Name && t.Rows > 0 {
				bytes += t.Bytes
				first, last = min(first, t.First/engine.MinutesPerDay), max(last, t.Last/engine.MinutesPerDay)
			}
		}
	}
	return bytes, first, last
}

// relieve removes the oldest days while the project has more than it may have, and one where
// the disk is nearly full: whoever comes next sees whether that was enough.
func (s *Store) relieve(ctx context.Context) error {
	most := s.Keeping().Bytes
	for tight := false; ; {
		tables, err := s.engine.Stats(ctx)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		bytes, first, last := used(tables)
		over := most > 0 && bytes > most
		if !over && !tight {
			tight = s.tight(tables)
			over = tight
		}
		if !over || first >= last {
			return nil
		}
		var errs []error
		for _, t := range timed() {
			errs = append(errs, s.engine.Drop(ctx, t, (first+1)*engine.MinutesPerDay))
		}
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		s.log.Warn("there is no room for more; the oldest day was removed", "day", at(first*engine.MinutesPerDay).Format(time.DateOnly), "bytes", bytes, "quota", most, "disk nearly full", tight)
		s.forgetBefore((first + 1) * engine.MinutesPerDay)
		s.ageing.due.Store(true)
		s.sums.clear()
	}
}

// leastFree is the part of the disk below which days go.
const leastFree = 0.05

// tight says that the disk is nearly full of rows: not of what others have on it, or other
// tables, and with no room left in the engine's own files, which do not shrink when days go.
func (s *Store) tight(tables []engine.TableStats) bool {
	if s.opts.Disk == nil {
		return false
	}
	free, total, err := s.opts.Disk(s.dir)
	if err != nil || float64(free) >= leastFree*float64(total) {
		return false
	}
	var files, rows int64
	_ = filepath.WalkDir(filepath.Join(s.dir, engineDir), func(_ string, e fs.DirEntry, err error) error { // what has gone takes nothing
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				files += info.Size()
			}
		}
		return nil
	})
	for _, t := range tables {
		rows += t.Bytes
	}
	return files >= rows/2 && float64(files) < 1.1*float64(rows)
}
