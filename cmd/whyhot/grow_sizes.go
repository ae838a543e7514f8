package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	xterm "golang.org/x/term"
)

// parseSizes reads --sizes.
func parseSizes(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var sizes []float64
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		const largest = 1 << 53 // of which every whole number is a float64
		if err != nil || n < 1 || n > largest || n != math.Trunc(n) {
			return nil, fmt.Errorf("invalid size %q in --sizes: must be a whole number above 0, as in --sizes 1000,2000,4000", word)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// sayProgress keeps one line of a terminal up to date; "" gives it back.
func sayProgress(w io.Writer, text string) {
	if f, ok := w.(*os.File); ok && xterm.IsTerminal(int(f.Fd())) {
		_, _ = fmt.Fprintf(w, "\r\x1b[K%s", text)
	}
}
