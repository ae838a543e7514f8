package waits

import (
	"fmt"
	"path/filepath"
	"regexp"
	"time"

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
	return r.under(line, r.p.Waits(), false)
}

// computedHeld is the line that threads compute most below which have the lock that others wait for
// at a line, and for how long. What the line itself computes counts: lock and work may be on one.
//
// Example. std::lock_guard g(m); table.find(key)->second += n;
func (r *program) computedHeld(line profile.Line) (at profile.Line, nanoseconds int64) {
	if r.p.Meta.ValueType.Unit != "nanoseconds" {
		return at, 0
	}
	return r.under(line, r.p.Samples(), true)
}

// under adds up what is in stacks that have a line for which the lock of a line is held, by the
// innermost line of the program's own.
func (r *program) under(line profile.Line, all []profile.Sample, itself bool) (at profile.Line, sum int64) {
	if !r.takesLock(line) {
		return at, 0
	}
	path := r.p.Function(line.Function).File
	isHeld := held(r.files.At(path), int(line.Line))
	by := map[profile.Line]int64{}
	for i := range all {
		innermost, _, ok := r.lines.Innermost(all[i].Stack)
		if !ok || innermost == line && !itself {
			continue
		}
		if innermost == line || holds(r.p, all[i].Stack, path, isHeld) {
			by[innermost] += all[i].Value
			sum += all[i].Value
		}
	}
	at, _ = ownline.Heaviest(by)
	return at, sum
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

// queued is for how long threads that had a lock waited for something else while others waited for
// the lock, by the line of it where that was longest.
func (r *program) queued() (longest time.Duration) {
	asked := map[profile.Line]bool{}
	for _, w := range r.p.Waits() {
		line, _, ok := r.lines.Innermost(w.Stack)
		if k := r.kind(w.Stack).name; !ok || asked[line] || k != lock && k != condition {
			continue
		}
		asked[line] = true
		_, held := r.whileHeld(line)
		longest = max(longest, time.Duration(held))
	}
	return longest
}

// leastHeld is the part of the time that is waited for a lock in which its holder waits, too, from
// which that is told: as many threads as wait share it.
const leastHeld = 0.5

// blame is what to change at a line that waits: by its text, what its lock is held for meanwhile or that
// it asks again and again; else what is known of waiting so often for the same.
func (r *program) blame(w *waiting) string {
	switch w.kind {
	case lock:
		each := leastHeld * float64(w.nanoseconds) / float64(max(1, w.together()))
		if at, waited := r.whileHeld(w.line); at.Line > 0 && float64(waited) >= each {
			return fmt.Sprintf("Meanwhile the thread that has the lock waits at %s: do that without the lock, and take the lock to read and to store only", r.nameOf(at))
		}
		if at, used := r.computedHeld(w.line); at.Line > 0 && float64(used) >= each {
			return fmt.Sprintf("Meanwhile the thread that has the lock computes, most of it at %s: do what needs no lock before or after it, and give parts of the data locks of their own", r.nameOf(at))
		}
	case sleep:
		f := r.files.At(r.p.Function(w.line.Function).File)
		if f == nil {
			break
		}
		if loop, ok := polls(f, int(w.line.Line)); ok {
			return fmt.Sprintf("The loop at %s:%d asks again only after each sleep, so that it learns late what is there: wait for an event, a channel, a condition or a future instead, or begin with short sleeps", filepath.Base(f.Path), loop)
		}
	}
	if w.count < oftenWaited {
		return ""
	}
	return often[w.kind]
}

// nameOf is a line as a reader finds it.
func (r *program) nameOf(line profile.Line) string {
	place := ownline.Place(r.p, line)
	_, name := ownline.Parts(place.Function)
	return fmt.Sprintf("%s (%s:%d)", name, filepath.Base(place.File), place.Line)
}

// oftenWaited is how many waits for the same at one line are many.
const oftenWaited = 20

// often is what to change where a line waits for the same many times.
var often = map[string]string{
	network: "Each answer is waited for before the next is asked for: ask for many in one request, keep connections open, or let some requests run at a time",
	synced:  "Each waits until the disk has it: write several and sync once",
	disk:    "Each waits for the disk alone: read larger pieces, in their order, or ahead (posix_fadvise, several at a time)",
	lock:    "Threads queue for one lock: hold it for less, or give parts of the data locks of their own",
	child:   "Each program is started and waited for alone: give one call several items, run some at a time, or use a library in the process",
}
