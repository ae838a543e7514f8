package message

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"whyhot/internal/server/project"
)

// Options of a messenger. Zero values are the defaults.
type Options struct {
	File string // the configuration; it is read again when it changes
	Log  *slog.Logger
	Now  func() time.Time
	// Timeout is how long one attempt may take; 15 s.
	Timeout time.Duration
	// FirstPause is the wait after a failure, 30 s; each is longer than the one before,
	// up to LongestPause, 1 h. After GiveUp, 3 days, a message is dropped.
	FirstPause, LongestPause, GiveUp time.Duration
}

func (o Options) withDefaults() Options {
	o.Timeout = cmp.Or(o.Timeout, 15*time.Second)
	o.FirstPause = cmp.Or(o.FirstPause, 30*time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, time.Hour)
	o.GiveUp = cmp.Or(o.GiveUp, 72*time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Messenger tells receivers what is new. Several goroutines may use it.
type Messenger struct {
	o Options

	// writing is held while documents are read, changed and written back.
	writing sync.Mutex

	mu      sync.Mutex
	config  *Config
	read    stamp // of the file when it was read last
	invalid bool  // the file was changed and is wrong
	counts  map[string]*counts
	wakers  map[string]chan struct{} // of workers
	changed chan struct{}            // the file was
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// New reads the configuration.
func New(o Options) (*Messenger, error) {
	o = o.withDefaults()
	read := stampOf(o.File)
	c, err := Load(o.File)
	if err != nil {
		return nil, err
	}
	return &Messenger{
		o: o, config: c, read: read, counts: map[string]*counts{}, wakers: map[string]chan struct{}{}, changed: make(chan struct{}, 1),
	}, nil
}

// reload gives the configuration, read again if the file has changed. A mistake in it
// leaves the one before in force.
func (m *Messenger) reload() *Config {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := stampOf(m.o.File)
	if now == m.read {
		return m.config
	}
	m.read = now
	c, err := Load(m.o.File)
	if m.invalid = err != nil; m.invalid {
		m.o.Log.Error("the messages' file was changed and is wrong; what it said before holds", "error", err)
		return m.config
	}
	m.o.Log.Info("the messages' file was read again", "receivers", len(c.Receivers))
	m.config = c
	select {
	case m.changed <- struct{}{}:
	default:
	}
	return c
}

// receiver is one by name, as it is configured now.
func (m *Messenger) receiver(name string) (*Config, *Receiver) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.config.Receivers, func(r Receiver) bool { return r.Name == name })
	if i < 0 {
		return m.config, nil
	}
	return m.config, &m.config.Receivers[i]
}

// wake has workers look into their outboxes.
func (m *Messenger) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.wakers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Run delivers until ctx is done, and then waits a moment for what is under way.
func (m *Messenger) Run(ctx context.Context, projects *project.Projects) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for {
		m.mu.Lock()
		for i := range m.config.Receivers {
			name := m.config.Receivers[i].Name
			if m.wakers[name] != nil {
				continue
			}
			wake := make(chan struct{}, 1)
			m.wakers[name] = wake
			workers.Go(func() { m.work(ctx, projects, name, wake) })
		}
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-m.changed:
		}
	}
}
