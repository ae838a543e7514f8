package waits

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// takesUntilEnd are locks that are given back at the end of their block, and withBlock those
	// that have one of their own.
	takesUntilEnd = regexp.MustCompile(`\b(?:lock_guard|unique_lock|scoped_lock|shared_lock)\b|\.lock\(\)\s*(?:\.(?:unwrap|expect)\(|;)|\.(?:[rR]?[lL]ock|acquire|lockInterruptibly)\(\)|\bpthread_(?:mutex|rwlock)_\w*lock\(|\bmtx_lock\(`)
	withBlock     = regexp.MustCompile(`\bsynchronized\b|^\s*(?:async\s+)?with\b|(?:^|[^.\w>])lock\s*\(\s*\w|\.withLock\s*\{|\.synchronize\b`)
	// givesBack are what unlocks before that.
	givesBack = regexp.MustCompile(`(?i)unlock|\brelease\(|\bdrop\(`)
	// postponed is what unlocks when the function ends.
	postponed = regexp.MustCompile(`\b(?:defer|finally)\b`)
	// inTime are kinds of waits that end whether or not other threads go on.
	inTime = []string{sleep, "the disk", "the network", "a pipe", "a child process"}
)

// holding is a line that waits while a function around it has a lock that others wait for.
type holding struct {
	line, lock  profile.Line
	kind        string
	nanoseconds int64
}

// held names the lines that wait for something else than a lock while their callers have one for
// which other threads wait.
//
// Example. record locks, and calls flush, which sends: all threads wait for the network.
func held(s judge.Subject) []string {
	p := s.Profile
	if len(p.Waits()) == 0 || p.Meta.Duration <= 0 || s.Facts == nil {
		return nil
	}
	lines, files, of := ownline.Reading(p, s.Facts.Source), text.NewFiles(s.Facts.Source), kindsOf(p)
	locks := map[profile.Line]int64{}
	for _, w := range p.Waits() {
		if line, _, ok := lines.Innermost(w.Stack); ok && line.Line > 0 && of(w.Stack).name == "a lock" {
			locks[line] += w.Value
		}
	}
	for line, n := range locks {
		if float64(n) < leastOfBusy*float64(p.Meta.Duration) {
			delete(locks, line)
		}
	}
	known := map[holding]int64{}
	for _, w := range p.Waits() {
		line, _, ok := lines.Innermost(w.Stack)
		kind := of(w.Stack).name
		if !ok || len(locks) == 0 || !slices.Contains(inTime, kind) {
			continue
		}
		if lock, is := holds(p, files, locks, w.Stack); is {
			known[holding{line: line, lock: lock, kind: kind}] += w.Value
		}
	}
	var all []holding
	for h, n := range known {
		if h.nanoseconds = n; float64(n) >= leastOfBusy*float64(p.Meta.Duration) {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b holding) int {
		return cmp.Or(cmp.Compare(b.nanoseconds, a.nanoseconds), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line))
	})
	var out []string
	for _, h := range all[:min(len(all), mostWaiting)] {
		at, lock := ownline.Place(p, h.line), ownline.Place(p, h.lock)
		does := "waits for " + h.kind
		if h.kind == sleep {
			does = "sleeps"
		}
		_, name := ownline.Parts(at.Function)
		_, holder := ownline.Parts(lock.Function)
		out = append(out, fmt.Sprintf("%s (%s:%d) %s while %s has the lock of %s:%d, for which other threads wait. Under the lock take out what it needs, unlock, and call it then",
			name, filepath.Base(at.File), at.Line, does, holder, filepath.Base(lock.File), lock.Line))
	}
	return out
}

// holds is the lock that a function of a stack has taken before the line that the stack is at.
func holds(p *profile.Profile, files *text.Files, locks map[profile.Line]int64, stack profile.StackID) (lock profile.Line, is bool) {
	for _, loc := range p.Stack(stack) {
		for _, line := range p.Lines(loc) {
			for l := range locks {
				if l.Function == line.Function && l.Line < line.Line && l.Line > lock.Line && isLocked(files.At(p.Function(line.Function).File), int(l.Line), int(line.Line)) {
					lock, is = l, true
				}
			}
			if is {
				return lock, true
			}
		}
	}
	return lock, false
}

// isLocked says whether a line runs with the lock that one above it takes: in the same block or
// within it, with nothing between that gives the lock back.
func isLocked(f *text.File, lock, line int) bool {
	if f == nil || lock < 1 || line > f.Len() {
		return false
	}
	code := f.Code(lock)
	if withBlock.MatchString(code) {
		return f.IsAround(lock, line)
	}
	if !takesUntilEnd.MatchString(code) {
		return false
	}
	deep := indent(code)
	for n := lock + 1; n <= line; n++ {
		code := f.Code(n)
		if strings.TrimSpace(code) == "" {
			continue
		}
		if indent(code) < deep || n < line && givesBack.MatchString(code) && !postponed.MatchString(code) {
			return false
		}
	}
	return true
}

// indent is how far a line is from the left.
func indent(code string) int { return len(code) - len(strings.TrimLeft(code, " \t")) }
