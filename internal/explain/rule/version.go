package rule

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareVersions orders dotted version numbers by their numbers: a Debian
// epoch ("1:") and everything behind the first character that is neither digit
// nor dot do not count, and a missing part is zero.
func CompareVersions(a, b string) int {
	x, y := versionParts(a), versionParts(b)
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(part(x, i), part(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(v []int, i int) int {
	if i < len(v) {
		return v[i]
	}
	return 0
}

func versionParts(v string) []int {
	if i := strings.IndexByte(v, ':'); i >= 0 {
		v = v[i+1:]
	}
	if end := strings.IndexFunc(v, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		v = v[:end]
	}
	var out []int
	for s := range strings.SplitSeq(v, ".") {
		n, err := strconv.Atoi(s)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}
