// Package golang reads what Go's compiler reports: the JSON of -gcflags=-json=0,DIR,
// and the text of -gcflags='-m=2 -d=ssa/check_bce'.
//
// It takes a stream and gives remarks; in the JSON form the lines of one file, in the
// text form those of a whole build. It must never open a file.
//
// Formats: cmd/compile/internal/logopt (log_opts.go) for the JSON, which follows the
// diagnostics of the Language Server Protocol; the texts are those of escape, inline
// and ssa in cmd/compile/internal.
package golang

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// MaxLine bounds a line: an escape's explanation may be long.
const MaxLine = 16 << 20

type header struct {
	Version *int   `json:"version"`
	Package string `json:"package"`
	File    string `json:"file"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
}

type related struct {
	Location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

type diagnostic struct {
	Range   span      `json:"range"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Related []related `json:"relatedInformation"`
}

// IsJSON tells whether a file begins as the JSON form does.
func IsJSON(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"version":`)) && bytes.Contains(line, []byte(`"gc_version":`))
}

// ReadJSON reads the remarks on one source file.
func ReadJSON(r io.Reader, take func(remark.Remark)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxLine)
	var h header
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.Version == nil {
				return errors.New("line 1: not the heading of a report of Go's compiler")
			}
			if *h.Version != 0 {
				return fmt.Errorf("line 1: version %d of the report; version 0 is known: build with -gcflags=-json=0,DIR", *h.Version)
			}
			continue
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var d diagnostic
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if m, ok := d.remark(h); ok {
			take(m)
		}
	}
	return lines.Err()
}

// kinds are by the code of the JSON.
var kinds = map[string]remark.Kind{
	"escape": remark.Escape, "escapes": remark.Escape,
	"isInBounds": remark.Bounds, "isSliceInBounds": remark.Bounds,
	"nilcheck":             remark.NilCheck,
	"cannotInlineFunction": remark.CannotInline,
}

func (d *diagnostic) remark(h header) (remark.Remark, bool) {
	kind, ok := kinds[d.Code]
	if !ok || kind == remark.Escape && d.Message == "" { // it is said with its reason, too
		return remark.Remark{}, false
	}
	m := remark.Remark{Compiler: remark.Go, Kind: kind, Name: d.Code, Package: h.Package, Message: d.Message}
	outer := remark.Position{File: profile.LocalFile(h.File), Line: d.Range.Start.Line, Column: d.Range.Start.Character}
	// Places of inlined code come first, each before what it was inlined into; steps
	// of the explanation may have such of their own.
	var inlined []remark.Position
	for i, r := range d.Related {
		text, explains := strings.CutPrefix(r.Message, "escflow:")
		if explains {
			text = strings.TrimSpace(text)
			at := profile.LocalFile(r.Location.URI)
			m.Why = append(m.Why, fmt.Sprintf("%s at %s:%d", text, at[strings.LastIndexByte(at, '/')+1:], r.Location.Range.Start.Line))
			continue
		}
		if r.Message == "inlineLoc" && i == len(inlined) {
			inlined = append(inlined, remark.Position{File: profile.LocalFile(r.Location.URI), Line: r.Location.Range.Start.Line, Column: r.Location.Range.Start.Character})
		}
	}
	for _, at := range slices.Backward(inlined) {
		m.Where = append(m.Where, at)
	}
	m.Where = append(m.Where, outer)
	return m, true
}

// place is FILE:LINE:COLUMN: TEXT.
var place = regexp.MustCompile(`^(.+?\.go):(\d+):(?:(\d+):)? (.*)$`)

// IsText tells whether a text has lines of the compiler's.
func IsText(head []byte) bool {
	for line := range bytes.Lines(head) {
		if p := place.FindSubmatch(bytes.TrimRight(line, "\r\n")); p != nil {
			if _, known := sentence(string(p[4])); known {
				return true
			}
		}
	}
	return false
}

// sentence is what a line of text says; known is also true of what is no remark.
func sentence(text string) (m remark.Remark, known bool) {
	m = remark.Remark{Compiler: remark.Go, Message: text}
	switch {
	case strings.HasPrefix(text, "cannot inline "):
		name, why, ok := strings.Cut(strings.TrimPrefix(text, "cannot inline "), ": ")
		m.Kind, m.Function, m.Message = remark.CannotInline, name, why
		return m, ok
	case text == "Found IsInBounds":
		m.Kind, m.Name, m.Message = remark.Bounds, "isInBounds", ""
		return m, true
	case text == "Found IsSliceInBounds":
		m.Kind, m.Name, m.Message = remark.Bounds, "isSliceInBounds", ""
		return m, true
	case text == "generated nil check":
		m.Kind, m.Name, m.Message = remark.NilCheck, "nilcheck", ""
		return m, true
	case strings.HasPrefix(text, "moved to heap: "):
		m.Kind, m.Message = remark.Escape, strings.TrimPrefix(text, "moved to heap: ")+" escapes to heap"
		return m, true
	}
	if what, function, ok := strings.Cut(text, " escapes to heap"); ok {
		m.Kind, m.Message = remark.Escape, what+" escapes to heap"
		m.Function = strings.TrimSuffix(strings.TrimPrefix(function, " in "), ":")
		return m, true
	}
	for _, other := range []string{"can inline ", "inlining call to ", "leaking param", "removed nil check", "parameter "} {
		if strings.HasPrefix(text, other) {
			return m, true
		}
	}
	return m, strings.HasSuffix(text, " does not escape")
}

// ReadText reads what a build wrote with -m. The explanation of an escape stands
// before its verdict; both are one remark.
func ReadText(r io.Reader, take func(remark.Remark)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, MaxLine)
	pkg, some := "", false
	var open *remark.Remark
	flush := func() {
		if open != nil {
			take(*open)
		}
		open = nil
	}
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "# "); ok {
			flush()
			pkg, _, _ = strings.Cut(name, " ")
			continue
		}
		p := place.FindStringSubmatch(line)
		if p == nil {
			continue // of the build, not of the compiler
		}
		if strings.HasPrefix(p[4], " ") {
			if open != nil {
				open.Why = append(open.Why, strings.TrimSpace(p[4]))
			}
			some = true
			continue
		}
		m, known := sentence(p[4])
		some = some || known
		if !known || m.Kind == "" {
			flush()
			continue
		}
		at := remark.Position{File: p[1], Line: number(p[2]), Column: number(p[3])}
		if open != nil && m.Kind == remark.Escape && open.Kind == m.Kind && open.At() == at && open.Message == m.Message {
			continue // the verdict behind its explanation
		}
		flush()
		m.Package, m.Where = pkg, []remark.Position{at}
		open = &m
	}
	flush()
	if err := lines.Err(); err != nil {
		return err
	}
	if !some {
		return errors.New("no line of it is a remark of Go's compiler: build with -gcflags='-m=2 -d=ssa/check_bce' and keep its standard error")
	}
	return nil
}

// number is 0 for what is no number that a source has.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
