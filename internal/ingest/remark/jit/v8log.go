package jit

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// IsV8Log tells whether a text is V8's log (--logfile).
func IsV8Log(head []byte) bool {
	return bytes.HasPrefix(head, []byte("v8-version,"))
}

// place is a function by its declaration.
type place struct {
	function, file string
	line, column   int
}

// undone is a reason why the code of a function was given up, and how often.
type undone struct {
	place

	reason string
}

// v8log is the state of reading. Addresses are as they are written.
type v8log struct {
	code    map[string]place       // optimised code that is loaded
	columns map[place]map[int]bool // by function without its column
	count   map[undone]int64       // deoptimisations
	ics     accesses
}

// ReadV8Log counts deoptimisations by function, reason and place. The log is that of
// --log-deopt --log-code: the first tells code and reason, the second whose code it is.
// Code is counted once: of a recursive function every frame of it is deoptimised, a
// thousand lines of the log for one compilation that was in vain. With --log-ic, too, the
// accesses to properties that are megamorphic are told.
//
// Format: V8 9 to 13, src/logging/log.cc; fields are separated by commas, and a comma in
// one is \x2C:
//
//	code-creation,JS,13,375115,0x7f93f1fc6640,180,fns /a/deo.js:1:20,0x392eb3c0c388,*
//	code-deopt,985425,256,0x7f93f1fc6640,-1,32,deopt-eager,</a/deo.js:1:33>,wrong map
func ReadV8Log(r io.Reader, take func(remark.Remark)) error {
	l := &v8log{code: map[string]place{}, columns: map[place]map[int]bool{}, count: map[undone]int64{}, ics: accesses{map[uint64][]bytecode{}, map[access]*seen{}, map[spot][]access{}}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	deopts := 0
	for lines.Scan() {
		switch f := strings.Split(lines.Text(), ","); {
		case f[0] == "code-creation" && len(f) >= 9:
			l.created(f)
		case f[0] == "code-move" && len(f) == 3:
			if p, ok := l.code[f[1]]; ok {
				l.code[f[2]] = p
				delete(l.code, f[1])
			}
			l.ics.moved(f[1], f[2])
		case does[f[0]] != "" && len(f) >= 9:
			l.ics.missed(f)
		case f[0] == "code-deopt" && len(f) >= 9:
			deopts++
			if p, ok := l.code[f[3]]; ok {
				l.count[undone{p, where(unescape(f[7]), unescape(f[8]))}]++
				delete(l.code, f[3])
			}
		default:
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if deopts > 0 && len(l.columns) == 0 {
		return fmt.Errorf("%d deoptimisations, but nothing says of which functions: run with --log-code as well as --log-deopt", deopts)
	}
	l.report(take)
	l.ics.report(take)
	return nil
}

func (l *v8log) created(f []string) {
	p, ok := declared(unescape(f[6]))
	if !ok {
		return
	}
	line := p
	line.column = 0
	if l.columns[line] == nil {
		l.columns[line] = map[int]bool{}
	}
	l.columns[line][p.column] = true
	l.code[f[4]] = p
	l.ics.loaded(f, p)
}

// report leaves out functions that share name and line with another: a profile has no
// columns, and in minified code one line has hundreds.
func (l *v8log) report(take func(remark.Remark)) {
	order := func(a, b undone) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.function, b.function), cmp.Compare(a.reason, b.reason))
	}
	for _, u := range slices.SortedFunc(maps.Keys(l.count), order) {
		m := remark.Remark{Compiler: remark.V8, Kind: remark.Deoptimized, Message: u.reason, Count: l.count[u]}
		line := u.place
		line.column = 0
		if len(l.columns[line]) == 1 {
			m.Function = cmp.Or(u.function, anonymous)
			m.Where = []remark.Position{{File: u.file, Line: u.line, Column: u.column}}
		}
		take(m)
	}
}

// declaration is "NAME FILE:LINE:COLUMN"; names may have a space (get x), and so may
// files.
var declaration = regexp.MustCompile(`^(.*?) ((?:file:|node:|/|[A-Za-z]:\\).*|[^ ]*):(\d+):(\d+)$`)

func declared(text string) (place, bool) {
	p := declaration.FindStringSubmatch(text)
	if p == nil {
		return place{}, false
	}
	line, _ := strconv.Atoi(p[3]) // digits; one that is too long is no line, as is 0
	column, _ := strconv.Atoi(p[4])
	return place{p[1], profile.LocalFile(p[2]), line, column}, true
}

// where adds to a reason the innermost place that V8 names: of
// "</a/b.js:1:33> inlined at </a/c.js:3:95>" that is b.js:1:33.
func where(at, reason string) string {
	at, _, _ = strings.Cut(at, "> inlined at <")
	at = path.Base(strings.Trim(at, "<>"))
	if !strings.Contains(at, ":") {
		return reason
	}
	return reason + " at " + at
}

// unescape undoes what V8 does to commas, quotes and ends of lines.
func unescape(field string) string {
	if !strings.Contains(field, `\`) {
		return field
	}
	if s, err := strconv.Unquote(`"` + strings.ReplaceAll(field, `"`, `\"`) + `"`); err == nil {
		return s
	}
	return field
}
