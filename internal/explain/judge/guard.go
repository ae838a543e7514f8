package judge

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Guard runs a part of a judge. What it panics with becomes a note: a fault in one rule, which
// some program's source may bring out, does not cost the reader what all others found.
func Guard(part string, notes *[]string, run func()) {
	defer func() {
		if v := recover(); v != nil {
			*notes = append(*notes, fmt.Sprintf("An internal error left %s out: %v (%s). Please report it", part, v, panickedAt()))
		}
	}()
	run()
}

// panickedAt is the innermost place of ours on the stack of a panic that is being recovered from.
func panickedAt() string {
	const most = 32
	pcs := make([]uintptr, most)
	const own = 4 // runtime.Callers, this function, the deferred one, and the runtime's panic
	frames := runtime.CallersFrames(pcs[:runtime.Callers(own, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "whyhot/") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "no place"
		}
	}
}
