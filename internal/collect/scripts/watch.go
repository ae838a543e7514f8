package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"whyhot/internal/collect/scripts/moments"
)

// follower is one process that is followed.
type follower interface {
	// look is called repeatedly while the process runs, and tells after what time it
	// should be called next. It is false when the process has ended.
	look(now time.Time) (next time.Duration, running bool)
	// track is asked for once, at the end; nil where nothing came of it.
	track() *moments.Track
}

// runtime is an interpreter.
type runtime struct {
	name, title string // in names of files, and for people
	// variables are those that are set.
	variables []string
	// start is the text of the file that the interpreter runs, which announces a process by a
	// file of this name and its ID in a directory.
	start func(env []string, dir string) string
	// value is what the variables are set to, for that file.
	value func(file string) string
	// set are the variables that are set, of those.
	set func(env []string) []string
	// follow begins, when a process has announced itself.
	follow func(pid uint32, announced string) (follower, error)
}

var runtimes = []runtime{lua, rLanguage}

// Watch follows the interpreters that one command starts.
type Watch struct {
	dir  string
	done chan struct{}
	wait sync.WaitGroup

	mu        sync.Mutex
	followed  map[uint32]follower
	announced map[string]bool
	notes     []string
}

// Begin prepares a directory, gives what is to be set in the command's environment env, and
// waits for its interpreters until the end.
func Begin(env []string, dir string) (*Watch, []string, error) {
	w := &Watch{dir: dir, done: make(chan struct{}), followed: map[uint32]follower{}, announced: map[string]bool{}}
	if strings.ContainsAny(dir, "\"'\\\n") {
		return nil, nil, fmt.Errorf("the path %q cannot be given to an interpreter", dir)
	}
	var set []string
	for i := range runtimes {
		r := &runtimes[i]
		file := filepath.Join(dir, "start."+r.name)
		if err := os.WriteFile(file, []byte(r.start(env, dir)), 0o600); err != nil {
			return nil, nil, fmt.Errorf("preparing the recording of scripts: %w", err)
		}
		for _, name := range r.set(env) {
			set = append(set, name+"="+r.value(file))
		}
	}
	w.wait.Go(w.run)
	return w, set, nil
}

// note says in a line what is set in the command's environment.
func note() string {
	var names []string
	for i := range runtimes {
		names = append(names, runtimes[i].variables...)
	}
	return "the command's environment has " + strings.Join(names, " and ") + " set, so that lines of " + Names() + " are known; --plain leaves it unchanged"
}

// Names are those of the runtimes, for a sentence.
func Names() string { return "Lua and R" }

const (
	// seek is how often new interpreters are looked for.
	seek = 5 * time.Millisecond
	// shortest is between two looks at whatever is followed.
	shortest = 500 * time.Microsecond
)

// run looks for interpreters, and at those that it knows.
func (w *Watch) run() {
	due := map[uint32]time.Time{}
	next := time.Now()
	for {
		select {
		case <-w.done:
			return
		default:
		}
		now := time.Now()
		if !now.Before(next) {
			w.seek()
			next = now.Add(seek)
		}
		wake := next
		for pid, f := range w.running() {
			if at, known := due[pid]; known && now.Before(at) {
				wake = earlier(wake, at)
				continue
			}
			again, running := f.look(time.Now())
			if !running {
				again = seek * 4 // it may have become another program, with the same ID
			}
			due[pid] = time.Now().Add(max(again, shortest))
			wake = earlier(wake, due[pid])
		}
		time.Sleep(time.Until(wake))
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func (w *Watch) running() map[uint32]follower {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[uint32]follower, len(w.followed))
	for pid, f := range w.followed {
		out[pid] = f
	}
	return out
}

// seek looks for announcements: files NAME-PID.
func (w *Watch) seek() {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, id, isOne := strings.Cut(e.Name(), "-")
		at := slices.IndexFunc(runtimes, func(r runtime) bool { return r.name == name })
		pid, err := strconv.ParseUint(id, 10, 32)
		if !isOne || at < 0 || err != nil || w.announced[e.Name()] {
			continue
		}
		f, err := runtimes[at].follow(uint32(pid), filepath.Join(w.dir, e.Name()))
		if f == nil && err == nil {
			continue // not all of it is written
		}
		w.announced[e.Name()] = true
		w.mu.Lock()
		if err != nil {
			w.notes = append(w.notes, fmt.Sprintf("no lines of %s: %v", runtimes[at].title, err))
		} else {
			w.followed[uint32(pid)] = f
		}
		w.mu.Unlock()
	}
}

// Follows tells whether a process is followed: its samples need exact times.
func (w *Watch) Follows(pid uint32) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, is := w.followed[pid]
	return is
}

// End gives the tracks, and what is to be said of them.
func (w *Watch) End() (tracks []*moments.Track, notes []string) {
	close(w.done)
	w.wait.Wait()
	for _, f := range w.followed {
		if t := f.track(); t != nil && t.Len() > 0 {
			tracks = append(tracks, t)
		}
	}
	slices.Sort(w.notes)
	notes = slices.Compact(w.notes)
	if len(tracks) > 0 {
		notes = append(notes, note())
	}
	return tracks, notes
}
