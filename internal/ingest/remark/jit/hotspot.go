package jit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/ingest/remark"
)

// IsHotSpot tells whether a document is a log of HotSpot's compilers.
func IsHotSpot(head []byte) bool {
	return bytes.Contains(head, []byte("<hotspot_log "))
}

// called is a method that a compilation looked at calling.
type called struct {
	caller, callee string
	bytes          string
	count          int64
}

// hotspot is the state of reading.
type hotspot struct {
	take    func(remark.Remark)
	types   map[string]string // of one compilation, by id
	methods map[string]called
	task    string
	level   string
	scopes  []string // methods that are being parsed, outermost first
	call    called
	traps   map[deopt]int64
	order   []deopt
	inner   []deopt // traps of which the frames follow
}

// ReadHotSpot reads the log of -XX:+LogCompilation: not inlined, as each compilation by
// C2 said; traps that were taken, counted; methods that were not compiled.
//
// Format: JDK 11 to 21, src/hotspot/share/compiler/compileLog.cpp and
// src/hotspot/share/runtime/deoptimization.cpp. The log is a document of its own, with
// the parts of each compiler's thread behind one another; one that was cut off at its
// end is read as far as it goes.
func ReadHotSpot(r io.Reader, take func(remark.Remark)) error {
	h := &hotspot{take: take, traps: map[deopt]int64{}}
	dec := xml.NewDecoder(r)
	dec.Strict = false
	elements := 0
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) || errors.As(err, new(*xml.SyntaxError)) && elements > 0 && strings.Contains(err.Error(), "unexpected EOF") {
			break
		}
		if err != nil {
			return fmt.Errorf("byte %d: %w", dec.InputOffset(), err)
		}
		switch e := t.(type) {
		case xml.StartElement:
			elements++
			h.start(e)
		case xml.EndElement:
			h.end(e.Name.Local)
		}
	}
	if elements == 0 {
		return errors.New("no element in it")
	}
	for _, d := range h.order {
		take(remark.Remark{Compiler: remark.HotSpot, Kind: remark.Deoptimized, Function: d.function, Message: d.reason, Count: h.traps[d]})
	}
	return nil
}

func (h *hotspot) start(e xml.StartElement) {
	a := func(name string) string {
		for _, x := range e.Attr {
			if x.Name.Local == name {
				return x.Value
			}
		}
		return ""
	}
	switch e.Name.Local {
	case "task":
		h.types, h.methods = map[string]string{}, map[string]called{}
		h.task, h.level = methodName(a("method")), a("level")
		h.scopes = nil
	case "klass", "type":
		if h.types != nil {
			h.types[a("id")] = a("name")
		}
	case "method":
		if h.methods != nil {
			h.methods[a("id")] = called{callee: strings.ReplaceAll(h.types[a("holder")], "/", ".") + "." + a("name"), bytes: a("bytes")}
		}
	case "parse":
		h.scopes = append(h.scopes, a("method"))
	case "call":
		if h.methods == nil {
			return
		}
		h.call = h.methods[a("method")]
		h.call.caller = h.task
		if n := len(h.scopes); n > 0 {
			h.call.caller = h.methods[h.scopes[n-1]].callee
		}
		h.call.count = numberOf(a("count"))
	case "inline_fail":
		// C1's answers are given up when C2 compiles; a level is C2's where there is none.
		if h.call.callee == "" || h.level != "" && h.level != "4" {
			return
		}
		h.take(remark.Remark{
			Compiler: remark.HotSpot, Kind: remark.CannotInline, Function: h.call.caller, Callee: h.call.callee,
			Message: fmt.Sprintf("%s (%s bytes of bytecode)", a("reason"), h.call.bytes), Count: h.call.count,
		})
		h.call = called{}
	case "uncommon_trap":
		if a("thread") != "" { // it was taken; those of a compilation may be
			reason := a("reason") + ", " + a("action")
			h.inner = append(h.inner, deopt{"", reason})
		}
	case "jvms":
		if n := len(h.inner); n > 0 && h.inner[n-1].function == "" {
			h.inner[n-1].function = methodName(a("method"))
		}
	case "failure":
		if h.task != "" {
			h.take(remark.Remark{Compiler: remark.HotSpot, Kind: remark.NotCompiled, Function: h.task, Message: a("reason")})
		}
	default:
	}
}

func (h *hotspot) end(name string) {
	switch name {
	case "parse":
		if n := len(h.scopes); n > 0 {
			h.scopes = h.scopes[:n-1]
		}
	case "task":
		h.task, h.types, h.methods, h.scopes = "", nil, nil, nil
	case "uncommon_trap":
		n := len(h.inner)
		if n == 0 {
			return
		}
		d := h.inner[n-1]
		h.inner = h.inner[:n-1]
		if d.function == "" {
			return
		}
		if h.traps[d]++; h.traps[d] == 1 && !slices.Contains(h.order, d) {
			h.order = append(h.order, d)
		}
	default:
	}
}

// methodName is "java.util.HashMap.get" of "java/util/HashMap get (Ljava…;)L…;".
func methodName(text string) string {
	parts := strings.Fields(text)
	if len(parts) < 2 {
		return ""
	}
	return strings.ReplaceAll(parts[0], "/", ".") + "." + parts[1]
}

func numberOf(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
