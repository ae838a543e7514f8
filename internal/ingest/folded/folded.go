package folded

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"whyhot/internal/profile"
)

// maxLine bounds one line; the deepest real stacks are far below it.
const maxLine = 64 << 20

// badShare is the share of lines that may be no stacks before the whole file is
// taken for something else: one in a hundred.
const badShare = 100

// fewBad is the share of lines that may be no stacks where the others have several frames: a
// count behind frames with semicolons between them is in no other text.
const fewBad = 2

// ErrEmpty is wrapped when the input has no stack at all.
var ErrEmpty = errors.New("no stacks")

// Detect tells whether head, the first bytes of a file, looks like folded
// stacks. When it does not, line and text are the first line that is no stack.
func Detect(head []byte) (ok bool, line int, text string) {
	head = bytes.TrimPrefix(head, utf8BOM)
	stacks, deep, others := 0, 0, 0
	for n := 1; len(head) > 0; n++ {
		l, rest, whole := bytes.Cut(head, []byte{'\n'})
		if !whole && stacks+others > 0 {
			break // the last line of head may be cut
		}
		head = rest
		switch kind, stack, _ := splitLine(l); {
		case kind == lineStack, kind == lineBad && !whole && bytes.IndexByte(l, ';') > 0:
			stacks++
			if bytes.IndexByte(stack, ';') > 0 {
				deep++
			}
		case kind == lineBad:
			others++
			if line == 0 {
				line, text = n, excerpt(l)
			}
		}
	}
	return stacks > 0 && (others*10 <= stacks || others*fewBad <= deep), line, text
}

var utf8BOM = []byte("\xef\xbb\xbf")

// Read parses folded stacks up to the end of r.
func Read(ctx context.Context, r io.Reader) (*profile.Profile, error) {
	return ReadMost(ctx, r, 0)
}

// ReadMost is Read of at most so many different frames, and different stacks; 0 does not
// bound them.
func ReadMost(ctx context.Context, r io.Reader, most int) (*profile.Profile, error) {
	t := newTable()
	br := bufio.NewReaderSize(r, 1<<20)
	var long []byte
	for n := 1; ; n++ {
		if n%8192 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := readLine(br, &long)
		if n == 1 {
			line = bytes.TrimPrefix(line, utf8BOM)
		}
		if len(line) > 0 {
			t.line(n, line)
			if err := t.size().Check(most); err != nil {
				return nil, fmt.Errorf("folded stacks, line %d: %w", n, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("folded stacks, line %d: %w", n, err)
		}
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.build()
}

// readLine returns the next line without its end; it is valid until the next
// call. long is scratch space for lines that do not fit the reader's buffer.
func readLine(br *bufio.Reader, long *[]byte) ([]byte, error) {
	l, err := br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		*long = append((*long)[:0], l...)
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(*long) > maxLine {
				return nil, fmt.Errorf("longer than %d MB: this is no folded file", maxLine>>20)
			}
			l, err = br.ReadSlice('\n')
			*long = append(*long, l...)
		}
		l = *long
	}
	return bytes.TrimRight(l, "\r\n"), err
}

type lineKind uint8

const (
	lineBlank lineKind = iota
	lineComment
	lineStack
	lineBad
)

// splitLine takes the count off the end of a line. Only the stack of a
// lineStack is meaningful; its count is still text.
func splitLine(l []byte) (kind lineKind, stack, count []byte) {
	l = bytes.TrimRight(l, " \t\r\n\x00")
	if len(bytes.TrimLeft(l, " \t")) == 0 {
		return lineBlank, nil, nil
	}
	if l[0] == '#' && (len(l) == 1 || l[1] == ' ' || l[1] == '!' || l[1] == '#') {
		return lineComment, nil, nil
	}
	i := bytes.LastIndexAny(l, " \t")
	if i < 0 || !isNumber(l[i+1:]) {
		return lineBad, nil, nil
	}
	return lineStack, bytes.Trim(l[:i], " \t"), l[i+1:]
}

// isNumber accepts unsigned integers and decimals, with or without exponent.
func isNumber(s []byte) bool {
	digits := 0
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.', (c == 'e' || c == 'E') && digits > 0, (c == '+' || c == '-') && i > 0 && (s[i-1]|0x20) == 'e':
		default:
			return false
		}
	}
	return digits > 0
}

// parseCount reads a count; whole is false for a decimal one.
func parseCount(s []byte) (n int64, f float64, whole bool, err error) {
	if v, ierr := strconv.ParseInt(string(s), 10, 64); ierr == nil {
		return v, float64(v), true, nil
	}
	f, err = strconv.ParseFloat(string(s), 64)
	if err != nil || f > math.MaxInt64/4 {
		return 0, 0, false, fmt.Errorf("the count %q is out of range", s)
	}
	return int64(f), f, f == math.Trunc(f), nil
}

// excerpt is a line as an error message quotes it.
func excerpt(l []byte) string {
	const most = 60
	l = bytes.TrimSpace(l)
	if len(l) > most {
		return strconv.Quote(string(bytes.ToValidUTF8(l[:most], nil))) + "…"
	}
	return strconv.Quote(string(bytes.ToValidUTF8(l, []byte("\uFFFD"))))
}
