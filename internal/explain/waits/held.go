package waits

import (
	"fmt"
	"path/filepath"
	"regexp"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// locks is a line that takes a lock; a runtime may wait for it by a condition.
var locks = regexp.MustCompile(`(?i)\.synchronize\b|\bsynchronized\b|^\s*(?:async\s+)?with\s+[\w.]*(?:lock|mutex|mtx|sem)\w*(?:\[[^\]]*\])?\s*:|(?:lock|mutex|mtx|mu)\w*(?:\.|->)(?:acquire|w?lock)\s*\(\s*\)|\block\s*\(\s*[\w.]+\s*\)\s*\{?\s*$|\b(?:lock_guard|unique_lock|scoped_lock)\b|\.lock\(\)\.unwrap\(\)`)

// unlocks ends what a lock that no block ends is held for.
var unlocks = regexp.MustCompile(`(?i)^\s*[\w.>-]*(?:\.|->)(?:release|w?unlock)\s*\(`)

// takesLock says whether the text of a line takes a lock.
func (r *program) takesLock(line profile.Line) bool {
	f := r.files.At(r.p.Function(line.Function).File)
	return f != nil && locks.MatchString(f.Code(int(line.Line)))
}

// held are the lines for which a lock is held that a line takes: its block, or what stands behind it
// until the lock is given back.
func held(f *text.File, line int) func(n int) bool {
	fn, in := f.Function(line)
	last := line
	for n := line + 1; in && n <= fn.Last && !unlocks.MatchString(f.Code(n)); n++ {
		last = n
	}
	hasBlock := f.IsAround(line, line+1)
	return func(n int) bool {
		if hasBlock {
			return f.IsAround(line, n)
		}
		return line < n && n <= last
	}
}

// whileHeld is the line at which threads wait most that have the lock which others wait for at a
// line, and for how long, in nanoseconds.
//
// Example. @mutex.synchronize { @answers[key] ||= client.region(key) }: seven threads wait for the
// mutex while the eighth waits for the network.
func (r *program) whileHeld(line profile.Line) (at profile.Line, nanoseconds int64) {
	if !r.takesLock(line) {
		return at, 0
	}
	path := r.p.Function(line.Function).File
	isHeld := held(r.files.At(path), int(line.Line))
	by := map[profile.Line]int64{}
	for _, w := range r.p.Waits() {
		innermost, _, ok := r.lines.Innermost(w.Stack)
		if !ok || innermost == line {
			continue
		}
		if holds(r.p, w.Stack, path, isHeld) {
			by[innermost] += w.Value
			nanoseconds += w.Value
		}
	}
	at, _ = ownline.Heaviest(by)
	return at, nanoseconds
}

// holds says whether a stack has a line for which a lock is held.
func holds(p *profile.Profile, id profile.StackID, path string, isHeld func(int) bool) bool {
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			if l.Line > 0 && p.Function(l.Function).File == path && isHeld(int(l.Line)) {
				return true
			}
		}
	}
	return false
}

// leastHeld is the part of the time that is waited for a lock in which its holder waits, too, from
// which that is told: as many threads as wait share it.
const leastHeld = 0.5

// blame is what a line's text adds to how long it waits: what its lock is held for meanwhile, or that
// it asks again and again.
func (r *program) blame(w *waiting) string {
	switch w.kind {
	case lock:
		at, waited := r.whileHeld(w.line)
		if each := w.nanoseconds / int64(max(1, len(w.threads))); at.Line == 0 || float64(waited) < leastHeld*float64(each) {
			return ""
		}
		place := ownline.Place(r.p, at)
		_, name := ownline.Parts(place.Function)
		return fmt.Sprintf(". Meanwhile the thread that has the lock waits at %s (%s:%d): do that without the lock, and take the lock to read and to store only", name, filepath.Base(place.File), place.Line)
	case sleep:
		f := r.files.At(r.p.Function(w.line.Function).File)
		if f == nil {
			return ""
		}
		if loop, ok := polls(f, int(w.line.Line)); ok {
			return fmt.Sprintf(". The loop at %s:%d asks again only after each sleep, so that it learns late what is there: wait for an event, a condition or a future instead, or begin with short sleeps", filepath.Base(f.Path), loop)
		}
	}
	return ""
}
