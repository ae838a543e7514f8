// Package project keeps the data directory of a server: what each project has, each in
// a directory of its own.
//
// It owns DATA/projects/NAME and the lock that keeps a second server away. It takes how
// a store is opened and gives stores, opened when they are first asked for and closed
// when nobody has used them for a while (idle.go). It must never know who may ask.
//
//	DATA/lock                        one server at a time
//	DATA/tokens                      internal/server/access
//	DATA/audit.log                   internal/server/audit
//	DATA/projects/NAME/              the store's: journal and db
//	DATA/projects/NAME/debuginfo/    debug information, as debuggers look for it
package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	debuginfo "whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/host/dirlock"
	"whyhot/internal/profile"
	"whyhot/internal/server/access"
	"whyhot/internal/store"
	"whyhot/internal/store/batch"
)

// Store is what a server asks of internal/store.
type Store interface {
	// Ready says why nothing can be taken now, and why nothing can be answered.
	Ready() (taking, answering error)
	// Readable says why questions about samples cannot be answered, of which a server that
	// does not write answers some.
	Readable() error
	// Behind says what was taken and cannot be asked for, since it cannot be written.
	Behind() store.Behind
	Append(ctx context.Context, b *batch.Batch) (store.Receipt, error)
	Labels(ctx context.Context, s store.Selection, by store.Dimension) ([]store.LabelValue, error)
	LabelKeys() []store.LabelKey
	LabelSets(ctx context.Context, s store.Selection, keys []store.Dimension) ([][]string, error)
	Timeline(ctx context.Context, s store.Selection, by store.Dimension, step time.Duration, lines int) (*store.Timeline, error)
	Top(ctx context.Context, s store.Selection, o store.TopOptions) (*store.Top, error)
	History(ctx context.Context, s store.Selection, functions []store.FunctionID, total bool, step time.Duration) (*store.History, error)
	Tree(ctx context.Context, s store.Selection, o store.TreeOptions) (*store.Tree, error)
	Callgraph(ctx context.Context, s store.Selection, f store.FunctionID) (*store.Callgraph, error)
	Lines(ctx context.Context, s store.Selection, f store.FunctionID) (*store.Lines, error)
	Groups(ctx context.Context, s store.Selection, number func(f *store.Function) int) (*store.Groups, error)
	FindFunctions(ctx context.Context, s store.Selection, match *regexp.Regexp) ([]store.Function, error)
	Function(id store.FunctionID) (store.Function, error)
	Profile(ctx context.Context, s store.Selection) (*profile.Profile, store.Basis, error)
	ProfileBy(ctx context.Context, s store.Selection, more []store.Dimension) (*profile.Profile, store.Basis, error)
	Documents(kind string) []store.Document
	PutDocument(ctx context.Context, kind, key string, body []byte) error
	Stats(ctx context.Context) (store.Stats, error)
	Compact(ctx context.Context) error
	// Backup is a file with all that there is, for store.Import.
	Backup(ctx context.Context) (*os.File, error)
	// Recovered waits until what a crash left in the journal can be asked for.
	Recovered(ctx context.Context) error
	// Flush waits until what was taken before can be asked for.
	Flush(ctx context.Context) error
	DebugInfoArrived(buildID string)
	// HardlyNamed are the binaries of whose addresses less than half have a name.
	HardlyNamed() map[string]bool
	// DebugInfoFrom has debug information be brought before names are looked up.
	DebugInfoFrom(bring func(ctx context.Context, buildID string) bool)
	// Keeping is what the project says of what is kept, SetKeeping sets it.
	Keeping() store.Keep
	SetKeeping(ctx context.Context, k store.Keep) error
	// HasBinary says whether a sample is kept of the binary of a build ID.
	HasBinary(buildID string) bool
	// Holder is the URL of the server that writes to the database, "" where it is this one or
	// none is known; Shared says whether there are others and whether it is this one.
	Holder() string
	Shared() (shared, writes bool)
	// Receive takes records that another server hands over.
	Receive(ctx context.Context, records []byte) error
	// Waiting is how many bytes were taken and wait to be written or handed over.
	Waiting() int64
	Close() error
}

// Project is an open one.
type Project struct {
	Store

	Name      string
	DebugInfo *debuginfo.Store
	DebugDir  string // where it lies
	// Documents that are read, changed and written back are changed by one at a time.
	Changing sync.Mutex

	slot *slot
}

// Keep counts as a use: there is something left to do with it.
func (p *Project) Keep() {
	p.slot.mu.Lock()
	defer p.slot.mu.Unlock()
	p.slot.last = time.Now()
}

// nearFull is the part of the bound of debug information from which on it is told of.
const nearFull = 0.8

// DebugInfoBound says how near the bound of debug information is.
func (p *Project) DebugInfoBound() store.Bound {
	_, used := p.DebugInfo.Stats()
	most, _ := p.DebugInfo.Bound()
	if p.DebugInfo.Cached() { // it is filled, and what goes is elsewhere
		return store.Bound{Name: "debug information cache bytes", Used: used, Limit: most}
	}
	b := store.Bound{Name: "debug information bytes", Used: used, Limit: most}
	if float64(used) >= nearFull*float64(most) {
		b.Warning = fmt.Sprintf("%d of %d bytes of debug information are in use; at the bound the files go that were not used for longest; --debuginfo-size makes room", used, most)
	}
	return b
}

func (p *Project) close() error { return errors.Join(p.Close(), p.DebugInfo.Close()) }

type key struct{}

// With puts into a context the project that a request is about.
func With(ctx context.Context, p *Project) context.Context { return context.WithValue(ctx, key{}, p) }

// Of is the project that a request is about, nil where it is about none.
func Of(ctx context.Context) *Project {
	p, _ := ctx.Value(key{}).(*Project)
	return p
}

// Options say how projects are opened.
type Options struct {
	// Open opens the store in a directory. Debug information lies in debugDir.
	Open func(ctx context.Context, dir, debugDir string) (Store, error)
	// DebugInfo bounds the debug information of each project. Arrived and InUse are ours.
	DebugInfo debuginfo.Options
	// Idle is how long nobody has used a project that is closed; 1 h. Negative: none is.
	Idle time.Duration
	// Fill makes the store of a directory of a backup: all of it or nothing. Nil where projects
	// are not restored.
	Fill func(ctx context.Context, dir string, from io.Reader, progress func(rows int64)) error
	// Elsewhere says that rows are in a database that is not in the project's directory.
	Elsewhere bool
	Log       *slog.Logger // nil: nothing is logged
}

var _ Store = (*store.Store)(nil)

// maxProjects bounds how many projects requests alone can make, where no token says
// which there are.
const maxProjects = 100

// Errors of Get.
var (
	// ErrUnknown says that there is no such project.
	ErrUnknown = errors.New("no such project")
	// ErrMany says that no more projects are made by themselves.
	ErrMany = fmt.Errorf("there are %d projects already", maxProjects)
	// ErrClosed says that the server is about to end.
	ErrClosed = errors.New("the server is shutting down")
)

// Projects is an open data directory. Several goroutines may use it.
type Projects struct {
	dir  string
	o    Options
	lock *os.File

	mu     sync.Mutex
	closed bool
	slots  map[string]*slot
	// restoring are the projects that are made of a backup.
	restoring map[string]bool
}

// slot is one project, which somebody may be opening or closing.
type slot struct {
	mu      sync.Mutex
	removed bool // another slot is that of the name by now
	project *Project
	users   int
	last    time.Time // that it was used, or closed
	awake   time.Time // until when it is not closed, to be looked after
	opened  time.Time
	looked  time.Time // that the object store was looked at
	forgot  time.Time // that debug information of what is not kept was looked for
}

// Open opens the data directory, which it makes, with the default project.
func Open(ctx context.Context, dir string, o Options) (*Projects, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	lock, err := Lock(dir)
	switch {
	case errors.Is(err, dirlock.ErrTaken):
		return nil, fmt.Errorf("data directory: %s is in use by another server", dir)
	case err != nil:
		return nil, fmt.Errorf("data directory: %w", err)
	}
	sweep(dir)
	o.Idle = cmp.Or(o.Idle, time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Projects{dir: dir, o: o, lock: lock, slots: map[string]*slot{}, restoring: map[string]bool{}}
	// What is wrong with it is told at the start.
	_, done, err := p.Get(ctx, access.DefaultProject, true)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	done()
	return p, nil
}

// Lock keeps servers away from a data directory until it is closed. The error is
// dirlock.ErrTaken while there is one.
func Lock(dir string) (*os.File, error) { return dirlock.Take(filepath.Join(dir, "lock"), 0o600) }

// Dir is where a data directory has a project.
func Dir(data, name string) string { return filepath.Join(data, "projects", name) }

// Make makes the directory of a project in a data directory.
func Make(data, name string) error {
	if err := access.CheckProject(name); err != nil {
		return err
	}
	if err := os.MkdirAll(Dir(data, name), 0o700); err != nil {
		return fmt.Errorf("making the project: %w", err)
	}
	for _, dir := range []string{filepath.Dir(Dir(data, name)), Dir(data, name)} {
		if err := access.OwnedAs(data, dir); err != nil {
			return fmt.Errorf("making the project: %w", err)
		}
	}
	return nil
}

// Names lists the projects there are, by name.
func (p *Projects) Names() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(p.dir, "projects"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the projects: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && access.CheckProject(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Get gives a project, which stays open until done is called. create makes one that is
// not there.
func (p *Projects) Get(ctx context.Context, name string, create bool) (one *Project, done func(), err error) {
	if err := access.CheckProject(name); err != nil {
		return nil, nil, err
	}
	s, err := p.slot(name, create)
	for ; err == nil; s, err = p.slot(name, create) {
		s.mu.Lock()
		if !s.removed {
			break
		}
		s.mu.Unlock() // it was deleted in between
	}
	if err != nil {
		return nil, nil, err
	}
	defer s.mu.Unlock()
	if s.project != nil {
		return s.project, s.use(true), nil
	}
	// Others wait for it: it is not to fail because the first one went away.
	opened, err := p.open(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return nil, nil, errors.Join(ErrClosed, opened.close())
	}
	s.project, opened.slot, s.opened = opened, s, time.Now()
	return opened, s.use(true), nil
}

// IfOpen gives a project that is open until done is called, and nil for one that is not.
// It does not count as a use.
func (p *Projects) IfOpen(name string) (one *Project, done func()) {
	p.mu.Lock()
	s := p.slots[name]
	p.mu.Unlock()
	if s == nil {
		return nil, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.project == nil {
		return nil, func() {}
	}
	return s.project, s.use(false)
}

// use keeps the project open until its end is called. It is called with mu held.
func (s *slot) use(counts bool) (end func()) {
	s.users++
	if counts {
		s.last = time.Now()
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.users--
		if counts {
			s.last = time.Now()
		}
	})
}

func (p *Projects) slot(name string, create bool) (*slot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if s := p.slots[name]; s != nil {
		return s, nil
	}
	if _, err := os.Stat(Dir(p.dir, name)); errors.Is(err, fs.ErrNotExist) {
		if !create {
			return nil, ErrUnknown
		}
		if err := p.hasRoom(); err != nil {
			return nil, err
		}
		if err := Make(p.dir, name); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, fmt.Errorf("project %s: %w", name, err)
	}
	s := &slot{}
	p.slots[name] = s
	return s, nil
}

// hasRoom says why no project can be made now.
func (p *Projects) hasRoom() error {
	if names, err := p.Names(); err != nil || len(names) >= maxProjects {
		return errors.Join(ErrMany, err)
	}
	return nil
}

func (p *Projects) open(ctx context.Context, name string) (*Project, error) {
	dir := Dir(p.dir, name)
	debugDir := filepath.Join(dir, "debuginfo")
	s, err := p.o.Open(ctx, dir, debugDir)
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", name, err)
	}
	o := p.o.DebugInfo
	o.Arrived, o.InUse, o.Unnamed = s.DebugInfoArrived, s.HasBinary, s.HardlyNamed
	if o.Bucket != nil {
		o.Bucket = o.Bucket.In(name)
	}
	d, err := debuginfo.Open(debugDir, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("project %s: %w", name, err), s.Close())
	}
	if o.Bucket != nil {
		s.DebugInfoFrom(d.Bring)
	}
	return &Project{Store: s, Name: name, DebugInfo: d, DebugDir: debugDir}, nil
}

// Opened gives the projects that are open, until done is called.
func (p *Projects) Opened() (open []*Project, done func()) {
	var ends []func()
	for _, name := range p.known() {
		if one, end := p.IfOpen(name); one != nil {
			open, ends = append(open, one), append(ends, end)
		}
	}
	return open, func() {
		for _, end := range ends {
			end()
		}
	}
}

// known are the names of the projects that were ever open.
func (p *Projects) known() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.slots))
}

// Close closes all projects. Nobody may be using one.
func (p *Projects) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	var errs []error
	open, done := p.Opened()
	defer done()
	for _, one := range open {
		errs = append(errs, one.close())
	}
	p.mu.Lock()
	clear(p.slots)
	p.mu.Unlock()
	return errors.Join(append(errs, p.lock.Close())...)
}
