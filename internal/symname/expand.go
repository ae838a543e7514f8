package symname

import (
	"regexp"
	"strings"
)

var typeStart = regexp.MustCompile(`([< &(,])([\pL_])`)

// Expand gives the pattern of the names that Shorten may have written as short,
// so that people may give back what they read. A name with nothing dropped
// stands for itself with any signature.
func Expand(short string) *regexp.Regexp {
	parts := strings.Split(short, ellipsis)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	pattern := strings.Join(parts, `.*`)
	if strings.HasPrefix(short, "<") {
		pattern = typeStart.ReplaceAllString(pattern, `$1(?:[\pL_][\pL_0-9]*::)*$2`)
	}
	// Shorten takes these without a mark: a return type in front, a signature or
	// a version behind.
	return regexp.MustCompile(`^(?s:.* )?` + pattern + `(?:[(@\[ ].*)?$`)
}
