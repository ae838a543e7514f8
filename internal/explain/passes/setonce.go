package passes

import (
	"regexp"
	"strings"

	"whyhot/internal/explain/text"
)

// constructs begins a function that makes an object.
var constructs = regexp.MustCompile(`\bdef\s+(__init__|__post_init__|initialize)\b|\bconstructor\s*\(`)

// isSetOnce says whether a name is a part of an object which only its constructor sets: the same for
// all calls of the object's methods.
//
// Example. self.frame, of a class whose __init__ has self.frame = frame
func isSetOnce(f *text.File, name string) bool {
	if !strings.HasPrefix(name, "self.") {
		return false
	}
	at := f.Assignments(name, text.Range{First: 1, Last: f.Len()})
	for _, line := range at {
		if fn, in := f.Function(line); !in || !constructs.MatchString(fn.Header) {
			return false
		}
	}
	return len(at) > 0
}
