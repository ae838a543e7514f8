package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleWait is of loops that ask again until something is there.
const RuleWait = "busy-wait"

// waiting is a loop that asks again until something is there.
type waiting struct {
	line  profile.Line
	loop  text.Loop
	rows  []int32
	share float64
}

const (
	leastWaiting = 0.15 // of the CPU
	mostWaiting  = 8    // lines of such a loop
)

var (
	// asks are calls that give what is there, or nothing, at once.
	asks = `(poll|try\w*|get_nowait|recv_nowait|peek|pop_nowait|tryTake|TryDequeue|TryTake|TryPop|non_?block\w*|shift|dequeue|pop)\s*\([^()]*\)`
	// nothing is that there is none.
	nothing = `\s*\)*\s*(==|===|is)\s*(null|nullptr|NULL|None|nil|undefined|false|-1|empty)\b|\.is_none\(\)|\.is_err\(\)|\.isEmpty\(\)`
	// untilThere are conditions of loops that go on while there is nothing.
	untilThere = regexp.MustCompile(`\b(while|until|for)\b.*\b` + asks + `(` + nothing + `)` +
		`|\bwhile\s*\(?\s*[\w.>()-]*\b(is_?[eE]mpty|empty|IsEmpty)\s*(\(\))?\s*\)?\s*[:;{]?\s*$` +
		`|\bwhile\s*\(?\s*(!|not\s+)\s*[\w.>-]*(ready|done|finished|available|stop\w*|set|completed?|started)\w*(\.load\([^()]*\)|\.get\(\)|\(\))?\s*\)?\s*[:;{]?\s*$` +
		`|\bwhile\s*\(?\s*(!|not\s+)?\s*[\w.>-]+(\.(test_and_set|is_set|isDone|IsCompleted|exchange|compareAndSet|compare_exchange\w*|load)\s*\(|\.get\s*\(\s*\))`)
	// always are loops without an end.
	always = regexp.MustCompile(`\bwhile\s*\(?\s*(true|True|1|!\s*[\w.>-]*([sS]top|[dD]one|[qQ]uit|closed|shutdown|interrupted|finish)\w*(\(\)|\.load\(\)|\.get\(\))?|not\s+[\w.]*(stop|done|quit|closed)\w*(\.is_set\(\))?|[\w.>-]*([rR]unning|is_?[oO]pen|is_?[aA]live)\w*(\(\)|\.load\(\)|\.get\(\))?)\s*\)?\s*[:{]?\s*$|\bfor\s*(\(\s*;\s*;\s*\))?\s*\{|\bloop\s*(\{|do)|\bfor\s+[^;{]*[rR]unning[^;{]*\{`)
	// asked is a line in such a loop that takes what is there; gone one that goes on without.
	asked  = regexp.MustCompile(`=\s*(await\s+)?[\w.>()-]*\b` + asks + `|\bselect\s*\{|\b(is_?[eE]mpty|empty|IsEmpty)\b`)
	goneOn = regexp.MustCompile(`\bcontinue\b|\b(Thread\.)?(yield|onSpinWait|sched_yield|Gosched|spin_loop|_mm_pause|SpinWait|pass)\b|\bdefault\s*:\s*$`)
	// isThere is a test of whether something was taken; leaves ends the loop.
	isThere = regexp.MustCompile(`(==|===|\bis)\s*(null|nullptr|NULL|None|nil|undefined|false|-1)\b|\bif\s*\(?\s*(!|not\s)|\bdefault\s*:|\b(except|rescue|catch)\b|\b(is_?[eE]mpty|empty|IsEmpty|is_none|is_err)\b|\belse\b|\bErr\(|\bNone\s*=>`)
	leaves  = regexp.MustCompile(`\b(break|return|exit|last)\b`)
	// waits are calls that wait.
	waits    = regexp.MustCompile(`(?i)\b(sleep|usleep|nanosleep|wait\w*|park\w*|await|join|select\s*\(|epoll_wait|poll\s*\([^()]+,|take\s*\(\)|recv\s*\(\)|accept|delay|block\w*|acquire)\b`)
	ifLeaves = regexp.MustCompile(`^\s*(if|unless)\b`)
	// onlyIdles are lines that do nothing.
	onlyIdles = regexp.MustCompile(`(?i)^\s*[{})\];]*\s*(end|done|pass|continue;?|;)?\s*$|yield|onSpinWait|Gosched|spin_loop|_mm_pause|SpinWait|interrupted|throw\b|\bpause\b`)
)

// waits finds loops that wait for something by asking again, the dearest first. A loop whose
// condition goes on while there is nothing has nothing else to do; one without an end takes
// what is there, and goes on where there is nothing.
//
// Example. while ((job = jobs.poll()) == null) { Thread.onSpinWait(); }
func (r *reader) waits() []waiting {
	choose := func(f *text.File, line profile.Line) (l text.Loop, ok bool) {
		loops := slices.DeleteFunc(f.LoopsFrom(int(line.Line)), func(l text.Loop) bool { return l.Within })
		if len(loops) == 0 || !isWaiting(f, loops[0]) {
			return l, false
		}
		return loops[0], true
	}
	var out []waiting
	for _, t := range r.byLoop(choose) {
		if t.share >= leastWaiting && t.events >= leastEvents {
			out = append(out, waiting{line: t.best, loop: t.loop, rows: t.rows, share: t.share})
		}
	}
	slices.SortFunc(out, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line))
	})
	return out
}

// isWaiting says whether the text of a loop is one that waits by asking.
func isWaiting(f *text.File, l text.Loop) bool {
	_, header := f.Statement(l.First)
	body := text.Range{First: header.Last + 1, Last: l.Last}
	for n := l.First; n <= l.Last; n++ {
		if waits.MatchString(f.Code(n)) {
			return false
		}
	}
	if untilThere.MatchString(l.Header) && l.Last-l.First <= mostWaiting && isIdle(f, body) {
		return true
	}
	if !always.MatchString(l.Header) {
		return false
	}
	takes, goes, tests := 0, 0, false
	for n := body.First; n <= body.Last; n++ {
		code := f.Code(n)
		if asked.MatchString(code) && takes == 0 {
			takes = n
		}
		if takes == 0 || n-takes > 3 || goes > 0 {
			continue
		}
		if leaves.MatchString(code) {
			return false // it goes on until there is nothing, and then ends
		}
		tests = tests || isThere.MatchString(code)
		if goneOn.MatchString(code) {
			goes = n
		}
	}
	return takes > 0 && goes > 0 && tests
}

// isIdle says whether some lines do nothing but stand by, or leave the loop.
func isIdle(f *text.File, lines text.Range) bool {
	for n := lines.First; n <= lines.Last; n++ {
		code := f.Code(n)
		leaving := ifLeaves.MatchString(code) && (leaves.MatchString(code) || n < lines.Last && (leaves.MatchString(f.Code(n+1)) || onlyIdles.MatchString(f.Code(n+1))))
		if !onlyIdles.MatchString(code) && !leaving && !leaves.MatchString(code) {
			return false
		}
	}
	return true
}

func (r *reader) waitFinding(s judge.Subject, x waiting) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleWait, place, x.rows, saving{share: x.share, least: 0.4, likely: 0.9, why: "is in the loop; a thread that waits takes none"})
	f.Title = fmt.Sprintf("A loop asks again until something is there (%s)", at(place.File, x.loop.First))
	f.Fix.Steps = []string{
		"Wait for it: a blocking queue (take), a condition variable, a channel, a future, or the event loop's own notification",
		"Where it must be asked, sleep between, longer each time",
	}
	f.Fix.Caveats = []string{"Where it is there within microseconds and cores are free, asking has the shorter delay"}
	f.Evidence = []finding.Evidence{
		{Kind: "source", Text: fmt.Sprintf("Line %d: %s", x.loop.First, r.excerpt(place.File, x.loop.First))},
		{Kind: "repetition", Text: "nothing in the loop waits", Share: &x.share},
	}
	return f
}

// tellWaits tells loops that wait, whatever else is said of their samples.
func (r *reader) tellWaits(s judge.Subject, t *told) {
	for _, x := range r.waits() {
		t.Found = append(t.Found, r.waitFinding(s, x))
	}
}
