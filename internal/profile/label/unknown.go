package label

import (
	"fmt"
	"strings"
)

// UnknownError is that of a key which no sample has: mostly one that was misspelt.
type UnknownError struct {
	Key   string
	Known []string // the keys that there are
}

func (e *UnknownError) Error() string {
	const most = 30
	known := e.Known
	if len(known) > most {
		known = append(known[:most:most], "…")
	}
	meant := ": "
	if close, ok := Closest(e.Key, e.Known); ok {
		meant = ": did you mean " + close + "? "
	}
	return fmt.Sprintf("unknown label %q%sthis project has %s", e.Key, meant, strings.Join(known, ", "))
}

// Closest is the one of some names that another was probably meant to be: that differs in the
// fewest letters, at most in a third of them.
func Closest(name string, names []string) (closest string, ok bool) {
	const part = 3
	least := max(1, len(name)/part)
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= least && n != name {
			if !ok || d < least {
				closest, least, ok = n, d, true
			}
		}
	}
	return closest, ok
}

// distance is how many bytes were left out, put in, changed or swapped with the next one (the
// optimal string alignment).
func distance(a, b string) int {
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
