// Package printable makes text from others safe to print.
//
// It owns which characters may reach a terminal. It takes text and gives text. It must
// never import another package of this module.
package printable

import (
	"strconv"
	"strings"
	"unicode"
)

// Text shows control characters escaped, so that a name in a profile cannot drive the
// terminal: an escape becomes the four characters \x1b.
func Text(s string) string {
	if strings.IndexFunc(s, unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafe(r) {
			b.WriteString(strings.Trim(strconv.QuoteToASCII(string(r)), `"`))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unsafe(r rune) bool {
	return unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r)
}
