package perfscript

import (
	"regexp"
	"strconv"
	"strings"
)

// header is the line that begins a sample.
type header struct {
	comm     string
	pid, tid int  // pid is -1 where the text has only one number
	hasPID   bool // the number is "pid/tid"
	period   int64
	event    string
	timed    bool
	bare     bool   // the name alone, as with "-F comm,ip,sym"
	rest     string // what follows the event: the only frame, where stacks are off
}

// parseHeader reads the line that begins a sample: the name of the thread, which
// may hold spaces and numbers, "pid", "tid" or "pid/tid", and the rest.
func parseHeader(line string) (header, bool) {
	text := strings.TrimLeft(line, " \t")
	for at := 0; ; {
		_, end := nextWord(text, at)
		word, next := nextWord(text, end)
		if word == "" {
			return header{}, false
		}
		h := header{comm: strings.TrimRight(text[:end], " \t"), pid: -1}
		if h.ids(word) && h.fields(text[next:]) {
			return h, true
		}
		at = end
	}
}

// parseBare reads the line before a stack of a text without IDs and times: a thread's name, of
// which the kernel keeps 15 bytes, at the begin of the line.
func parseBare(line string) (header, bool) {
	const most = 15
	comm := strings.TrimSpace(line)
	return header{comm: comm, pid: -1, bare: true}, comm != "" && len(comm) <= most && !isSpace(line[0])
}

// nextWord gives the word at or after a position and where it ends.
func nextWord(text string, at int) (word string, end int) {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	end = at
	for end < len(text) && !isSpace(text[end]) {
		end++
	}
	return text[at:end], end
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// ids reads "tid" or "pid/tid"; the kernel's own are -1.
func (h *header) ids(word string) bool {
	first, second, both := strings.Cut(word, "/")
	var err error
	if h.tid, err = strconv.Atoi(first); err != nil {
		return false
	}
	if !both {
		return true
	}
	h.pid, h.hasPID = h.tid, true
	h.tid, err = strconv.Atoi(second)
	return err == nil
}

// fields reads what stands behind the IDs: CPU, flags, time, period, event, all
// of which may be missing.
func (h *header) fields(text string) bool {
	for {
		word, end := nextWord(text, 0)
		rest := text[end:]
		switch {
		case word == "":
			return true
		case word[0] == '[' && strings.HasSuffix(word, "]") && isNumber(word[1:len(word)-1]):
		case isTime(word):
			h.timed = true
		case isNumber(word):
			h.period, _ = strconv.ParseInt(word, 10, 64) // one that does not fit is none
		case len(word) > 1 && word[0] != ':' && strings.HasSuffix(word, ":"):
			h.event, h.rest = word[:len(word)-1], strings.TrimSpace(rest)
			return true
		case !h.timed && len(word) >= 4 && len(word) <= 6 && startsWithTime(rest): // flags: "d..1."
		case h.timed:
			h.rest = strings.TrimSpace(text)
			return true
		default:
			return false
		}
		text = rest
	}
}

func startsWithTime(text string) bool {
	word, _ := nextWord(text, 0)
	return isTime(word)
}

// isTime recognises "1234.567890:".
func isTime(word string) bool {
	whole, part, ok := strings.Cut(word, ".")
	part, colon := strings.CutSuffix(part, ":")
	return ok && colon && isNumber(whole) && isNumber(part)
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// frame is one line of a stack.
type frame struct {
	addr    uint64
	symbol  string // "" where perf printed [unknown] or none
	dso     string // "" where it printed [unknown] or none
	inlined bool   // into the next frame
}

func parseFrame(line string) (frame, bool) {
	word, end := nextWord(line, 0)
	addr, err := strconv.ParseUint(word, 16, 64)
	if err != nil {
		return frame{}, false
	}
	f := frame{addr: addr}
	text := strings.TrimSpace(line[end:])
	if s, ok := strings.CutSuffix(text, "(inlined)"); ok {
		f.inlined, f.symbol = true, strings.TrimSpace(s)
	} else {
		f.symbol, f.dso = splitDSO(text)
	}
	f.symbol = withoutOffset(f.symbol)
	if f.symbol == "[unknown]" {
		f.symbol = ""
	}
	if f.dso == "[unknown]" {
		f.dso = ""
	}
	return f, true
}

// splitDSO takes "symbol (dso)" apart; both may hold spaces and parentheses.
func splitDSO(text string) (symbol, dso string) {
	if !strings.HasSuffix(text, ")") {
		return text, ""
	}
	from := len(text)
	if strings.HasSuffix(text, " (deleted))") {
		from -= len(" (deleted))")
	}
	open := strings.LastIndex(text[:from], "(")
	if open < 0 || open > 0 && text[open-1] != ' ' {
		return text, ""
	}
	return strings.TrimSpace(text[:open]), text[open+1 : len(text)-1]
}

// withoutOffset drops the "+0x1f" behind a symbol.
func withoutOffset(symbol string) string {
	i := strings.LastIndex(symbol, "+0x")
	if i < 0 {
		return symbol
	}
	if _, err := strconv.ParseUint(symbol[i+len("+0x"):], 16, 64); err != nil {
		return symbol
	}
	return symbol[:i]
}

// parseSource reads the line behind a frame that has its source position, which
// is "??:0" or "binary[offset]" where it is not known.
func parseSource(line string) (p position, inlined, ok bool) {
	text := strings.TrimSpace(line)
	text, inlined = strings.CutSuffix(text, " (inlined)")
	if i := strings.LastIndexByte(text, ':'); i > 0 && isNumber(text[i+1:]) {
		n, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil || n == 0 {
			return position{}, inlined, true
		}
		return position{text[:i], int32(n)}, inlined, true
	}
	i := strings.LastIndexByte(text, '[')
	return position{}, inlined, i > 0 && strings.HasSuffix(text, "]")
}

// mmap is one executable mapping of a process.
type mmap struct {
	pid                 int
	start, size, offset uint64
	path, buildID       string
}

var mmapRecord = regexp.MustCompile(
	`PERF_RECORD_MMAP2? (-?\d+)/-?\d+: \[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+)(?: <([0-9a-f]+)>| [^\]]*)?\]: (\S+) (.+)$`)

func parseMmap(line string) (mmap, bool) {
	if !strings.Contains(line, "PERF_RECORD_MMAP") {
		return mmap{}, false
	}
	m := mmapRecord.FindStringSubmatch(line)
	if m == nil || !strings.Contains(m[6], "x") {
		return mmap{}, false
	}
	var r mmap
	var err error
	if r.pid, err = strconv.Atoi(m[1]); err != nil {
		return mmap{}, false
	}
	for i, dst := range []*uint64{&r.start, &r.size, &r.offset} {
		if *dst, err = strconv.ParseUint(m[2+i], 16, 64); err != nil {
			return mmap{}, false
		}
	}
	r.buildID, r.path = m[5], m[7]
	return r, r.start+r.size >= r.start
}

var lostRecord = regexp.MustCompile(`PERF_RECORD_LOST(?:_SAMPLES)?:? (?:lost )?(\d+)`)
