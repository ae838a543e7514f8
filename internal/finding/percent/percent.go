// Package percent writes shares for people.
//
// It owns how a share is written wherever people read one: in the terminal, on
// pages, in pictures and in the sentences of notes. web/src/format/number.ts says
// the same in the browser. It takes a share of 1, gives text without a space
// before the sign, and must never import another package of this module.
package percent

import (
	"fmt"
	"strings"
)

// Column writes a share with one decimal, so that columns of shares align. What
// would round to nothing says so.
func Column(share float64) string {
	p := share * 100
	switch {
	case p > 0 && p < 0.05:
		return "<0.1%"
	case p < 0 && p > -0.05:
		return ">-0.1%"
	}
	return fmt.Sprintf("%.1f%%", p)
}

// Text writes a share within a sentence: whole per cent where they say enough,
// otherwise as Column does.
func Text(share float64) string {
	if p := share * 100; p >= 9.95 || p <= -9.95 {
		return fmt.Sprintf("%.0f%%", p)
	}
	return strings.Replace(Column(share), ".0%", "%", 1)
}

// Error writes the sampling error that stands behind a share.
func Error(share float64) string { return "± " + strings.TrimSuffix(Column(share), "%") }
