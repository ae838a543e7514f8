// Package audit writes down who did what to which project, when, and what came of it.
//
// It owns the file: one JSON object a line, turned over when it is large. It takes
// entries and gives none back. It must never be given a secret, and knows no protocol.
//
// What comes often is counted and not listed: batches that were taken, and requests
// without a valid token. A line each minute says how many there were.
package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	// maxSize is when the file is turned over, kept how many older ones stay.
	maxSize = 64 << 20
	kept    = 4
	// maxCounted bounds the lines of one minute; what is beyond has one of its own.
	maxCounted = 1000
	every      = time.Minute
)

// Entry is one line.
type Entry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"` // ID of a token, "anybody" without tokens, "nobody" without a valid one
	From    string    `json:"from,omitempty"`
	Project string    `json:"project,omitempty"`
	What    string    `json:"what"`
	Result  string    `json:"result"`
	Detail  string    `json:"detail,omitempty"`
	Times   int64     `json:"times,omitempty"` // of one that was counted
}

// Log is an open file. Several goroutines may use it.
type Log struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	file    *os.File
	size    int64
	failed  error
	counted map[Entry]int64
	ticker  *time.Ticker
	done    chan struct{}
	ended   sync.WaitGroup
}

// Open appends to the file at path.
func Open(path string) (*Log, error) {
	l := &Log{path: path, now: time.Now, counted: map[Entry]int64{}, ticker: time.NewTicker(every), done: make(chan struct{})}
	if err := l.open(); err != nil {
		return nil, err
	}
	l.ended.Go(func() {
		for {
			select {
			case <-l.ticker.C:
				l.Flush()
			case <-l.done:
				return
			}
		}
	})
	return l, nil
}

func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("audit log: %w", err), f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Record writes an entry now.
func (l *Log) Record(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(e)
}

// Count adds to the entries of this minute that say the same.
func (l *Log) Count(e Entry) {
	e.Time, e.Times = time.Time{}, 0
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.counted[e]; !known && len(l.counted) >= maxCounted {
		e = Entry{Who: "many", What: "other requests", Result: "not listed"}
	}
	l.counted[e]++
}

// Flush writes what was counted.
func (l *Log) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
}

func (l *Log) flush() {
	list := make([]Entry, 0, len(l.counted))
	for e, n := range l.counted {
		e.Times = n
		list = append(list, e)
	}
	clear(l.counted)
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Who, b.Who), cmp.Compare(a.Project, b.Project), cmp.Compare(a.What, b.What), cmp.Compare(a.From, b.From), cmp.Compare(a.Result, b.Result))
	})
	for _, e := range list {
		l.write(e)
	}
}

func (l *Log) write(e Entry) {
	if e.Time.IsZero() {
		e.Time = l.now().UTC()
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		l.failed = err
		return
	}
	if l.size > 0 && l.size+int64(line.Len()) > maxSize {
		if err := l.turnOver(); err != nil {
			l.failed = err // the old file goes on
		}
	}
	n, err := l.file.Write(line.Bytes())
	l.size += int64(n)
	l.failed = err
}

// turnOver renames audit.log.3 to audit.log.4 and so on.
func (l *Log) turnOver() error {
	name := func(i int) string {
		if i == 0 {
			return l.path
		}
		return fmt.Sprintf("%s.%d", l.path, i)
	}
	for i := kept - 1; i >= 0; i-- {
		if err := os.Rename(name(i), name(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("audit log: %w", err)
		}
	}
	old := l.file
	if err := l.open(); err != nil {
		return err
	}
	return old.Close()
}

// Err is why the last line was not written, nil where it was.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Close writes what was counted and ends the use of the log.
func (l *Log) Close() error {
	l.ticker.Stop()
	close(l.done)
	l.ended.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return errors.Join(l.failed, l.file.Close())
}
