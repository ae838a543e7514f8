package waits

import (
	"regexp"

	"whyhot/internal/explain/text"
)

var (
	// goesOn is a loop that goes on as long as something holds, or for a number of attempts.
	goesOn = regexp.MustCompile(`^[\s})]*(?:while|until|loop|do|repeat|for\s*\(\s*;|for\s*\{|for\b.*(?:\brange\b|\battempts?\b|\btries\b|\bretr\w+)|\d+\.times\b)`)
	// over is a loop of Go over a collection or numbers.
	over = regexp.MustCompile(`\brange\b|;`)
	// exits leave a loop; tests are what they depend on.
	exits = regexp.MustCompile(`\b(?:return|break|last|leave)\b`)
	tests = regexp.MustCompile(`^\s*[})]*\s*(?:if|unless|elif|elsif|else if|case|when)\b|\b(?:if|unless)\b`)
	// fails are branches for what went wrong: what sleeps there waits before it tries again.
	fails = regexp.MustCompile(`\b(?:except|rescue|catch)\b`)
)

// polls finds the loop around a line that sleeps in which something is asked for until it is there:
// the loop does nothing but sleep, or leaves where a test holds. A loop that sleeps between pieces of
// work has no such test, and one that tries again after an error has its sleep below that.
//
// Example. while time() < deadline: if service.status(job) == DONE: return …; sleep(interval)
func polls(f *text.File, line int) (first int, ok bool) {
	loops := f.Loops(line)
	if len(loops) == 0 || loops[0].Within || !goesOn.MatchString(loops[0].Header) && !(f.Language() == "Go" && !over.MatchString(loops[0].Header)) {
		return 0, false
	}
	l := loops[0]
	_, header := f.Statement(l.First)
	lines, leaves := 0, false
	for n := header.Last + 1; n <= l.Last; n++ {
		code := f.Code(n)
		if fails.MatchString(code) && f.IsAround(n, line) {
			return 0, false
		}
		if !closes.MatchString(code) {
			lines++
		}
		if exits.MatchString(code) && (tests.MatchString(code) || n > header.Last+1 && tests.MatchString(f.Code(n-1))) {
			leaves = true
		}
	}
	return l.First, leaves || lines == 1
}

// closes is a line that ends a block, or has nothing.
var closes = regexp.MustCompile(`^[\s})\];]*(?:end|done)?\s*$`)
