package digest

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// splitter takes lines apart; its buffers are used again for the next line.
type splitter struct {
	line   []byte   // the last line, with placeholders for measured numbers
	shape  []byte   // with placeholders for all words that have a digit
	hashes []uint64 // of the words of line
	kept   []int    // bytes of each that are no placeholder

	text, lineKept, shapeKept int // bytes of all words, and those that are no placeholders

	bounds [][2]int
	kinds  map[uint64]kind // of words seen before
}

// kind is what a word says of a number beside it.
type kind uint8

const (
	unit  kind = 1 << iota // it follows a measured number
	topic                  // it announces one
)

var placeholder = []byte("#")

// split takes a line apart.
func (s *splitter) split(line []byte) {
	s.line, s.shape, s.hashes, s.kept, s.bounds = s.line[:0], s.shape[:0], s.hashes[:0], s.kept[:0], s.bounds[:0]
	s.text, s.lineKept, s.shapeKept = 0, 0, 0
	for at := 0; at < len(line); {
		if !inWord(line, at) {
			at++
			continue
		}
		from := at
		for at < len(line) && inWord(line, at) {
			at++
		}
		s.bounds = append(s.bounds, [2]int{from, at})
	}
	done := 0
	for i, b := range s.bounds {
		s.between(line[done:b[0]])
		done = b[1]
		word := line[b[0]:b[1]]
		asIs, shaped := word, word
		kept := len(word)
		s.text += len(word)
		if isNumeric(word) {
			shaped = placeholder
		} else {
			s.shapeKept += kept
		}
		if s.measured(line, i) {
			asIs, kept = placeholder, 0
		}
		s.lineKept += kept
		s.hashes, s.kept = append(s.hashes, maphash.Bytes(seed, asIs)), append(s.kept, kept)
		s.line, s.shape = append(s.line, asIs...), append(s.shape, shaped...)
	}
	s.between(line[done:])
}

// between keeps what separates words, any white space as one blank.
func (s *splitter) between(text []byte) {
	for _, c := range text {
		if c == ' ' || c == '\t' {
			c = ' '
			if n := len(s.line); n == 0 || s.line[n-1] == ' ' {
				continue
			}
		}
		s.line, s.shape = append(s.line, c), append(s.shape, c)
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// inWord says that the byte belongs to a word. A colon does between two digits,
// as in 12:03:59.
func inWord(line []byte, i int) bool {
	switch c := line[i]; c {
	case ':':
		return i > 0 && i+1 < len(line) && isDigit(line[i-1]) && isDigit(line[i+1])
	case ' ', '\t', ',', ';', '=', '(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '|':
		return false
	default:
		return c > ' '
	}
}

// isNumeric says that a word has a digit, or is a hexadecimal number that
// happens to have none.
func isNumeric(word []byte) bool {
	const longHex = 8
	hex := len(word) >= longHex
	for _, c := range word {
		if isDigit(c) {
			return true
		}
		hex = hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	return hex
}

// The words that tell a measured number: the unit behind it, or what is measured
// in front of it. Times, rates and memory are what a change is meant to change,
// or what it may; they are no work that was done.
var (
	units = []string{
		"s", "sec", "secs", "second", "seconds", "ms", "msec", "msecs", "millis", "milliseconds", "us", "µs", "μs", "usec", "usecs",
		"microseconds", "ns", "nsec", "nsecs", "nanoseconds", "min", "mins", "minutes", "fps", "hz", "khz", "mhz", "ghz", "mips", "flops", "mflops", "gflops",
	}
	topics = []string{
		"time", "times", "elapsed", "took", "duration", "runtime", "latency", "wall", "cpu", "user", "sys", "real", "rate", "throughput", "speed", "speedup",
		"memory", "mem", "rss", "maxrss", "heap", "resident", "peak", "usage", "utilization",
	}
)

// measured says that a word is a number that was measured: of time, of speed or
// of memory. Only such a number is, not its whole line: "500 items in 2.1 ms"
// still says 500.
func (s *splitter) measured(line []byte, i int) bool {
	b := s.bounds[i]
	word := line[b[0]:b[1]]
	n := numberLength(word)
	if n == 0 {
		return false
	}
	if isClock(word) {
		return true
	}
	if rest := word[n:]; len(rest) > 0 {
		return s.kindOf(rest)&unit != 0
	}
	if i+1 < len(s.bounds) && s.kindOf(line[s.bounds[i+1][0]:s.bounds[i+1][1]])&unit != 0 {
		return true
	}
	const near = 3 // words
	for k := i - 1; k >= 0 && k >= i-near; k-- {
		before := line[s.bounds[k][0]:s.bounds[k][1]]
		if numberLength(before) > 0 {
			return false
		}
		if s.kindOf(before)&topic != 0 {
			return true
		}
	}
	return false
}

// kindOf looks a word up.
func (s *splitter) kindOf(word []byte) kind {
	const most = 1 << 14
	key := maphash.Bytes(seed, word)
	k, known := s.kinds[key]
	if known {
		return k
	}
	if isUnit(word) {
		k |= unit
	}
	if isTopic(word) {
		k |= topic
	}
	if s.kinds == nil || len(s.kinds) > most {
		s.kinds = map[uint64]kind{}
	}
	s.kinds[key] = k
	return k
}

// numberLength is how much of the beginning of a word is a decimal number.
func numberLength(word []byte) int {
	i := 0
	if len(word) > 0 && (word[0] == '-' || word[0] == '+' || word[0] == '~') {
		i++
	}
	first := i
	for i < len(word) && (isDigit(word[i]) || word[i] == '.') {
		i++
	}
	if i == first || i == first+1 && word[first] == '.' {
		return 0
	}
	if i+1 < len(word) && (word[i] == 'e' || word[i] == 'E') {
		k := i + 1
		if word[k] == '-' || word[k] == '+' {
			k++
		}
		if k < len(word) && isDigit(word[k]) {
			for i = k; i < len(word) && isDigit(word[i]); i++ { //nolint:revive // the loop is its own body
			}
		}
	}
	return i
}

// isClock knows 12:03, 12:03:59.125 and 0m1.25s.
func isClock(word []byte) bool {
	digits, colons := 0, 0
	for _, c := range word {
		switch {
		case c == ':':
			colons++
		case isDigit(c):
			digits++
		case c != '.':
			colons = -len(word)
		}
	}
	if colons > 0 && digits >= 3 {
		return true
	}
	minutes, seconds, ok := bytes.Cut(word, []byte("m"))
	n := numberLength(seconds)
	return ok && len(minutes) > 0 && numberLength(minutes) == len(minutes) && n > 0 && string(seconds[n:]) == "s"
}

func isUnit(word []byte) bool {
	text := strings.ToLower(strings.Trim(string(word), ".!"))
	if strings.HasSuffix(text, "/s") || strings.HasSuffix(text, "/sec") || strings.HasSuffix(text, "/second") || strings.HasSuffix(text, "ps") && len(text) == len("mbps") {
		return true
	}
	return slices.Contains(units, text)
}

func isTopic(word []byte) bool {
	text := strings.ToLower(strings.Trim(string(word), ":._-!#*/"))
	if slices.Contains(topics, text) {
		return true
	}
	// elapsed_ms, cpu-time, wallTime
	for _, t := range []string{"time", "elapsed", "duration", "latency", "throughput", "_seconds", "_secs", "_ms", "_us", "_ns", "_rss", "memory"} {
		if strings.Contains(text, t) {
			return true
		}
	}
	return false
}
