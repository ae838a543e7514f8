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
	// Shorten takes these without a mark: the paths of types in a leading bracket,
	// a return type in front, a signature or a version behind.
	pattern = typeStart.ReplaceAllString(pattern, `$1(?:[\pL_][\pL_0-9]*::)*$2`)
	return regexp.MustCompile(`^(?s:.* )?` + pattern + `(?:[(@\[ ].*)?$`)
}
