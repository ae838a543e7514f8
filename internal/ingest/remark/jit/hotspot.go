package jit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
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

// hugeLimit is HotSpot's HugeMethodLimit: a method with more bytes of bytecode is never
// compiled, and the log has no word of that (src/hotspot/share/runtime/globals.hpp, JDK
// 8 to 21; it cannot be set in a release build).
const hugeLimit = 8000

// passing are failures that say nothing of the method: HotSpot tries again.
var passing = []string{"stale task", "retry ", "concurrent class loading", "Jvmti state invalidated dependencies"}

// refused is a call that was not inlined.
type refused struct{ caller, callee, reason string }

// hotspot is the state of reading.
type hotspot struct {
	types   map[string]string // of one compilation, by id
	methods map[string]called
	task    string
	level   string
	scopes  []string // methods that are being parsed, outermost first
	call    called
	traps   map[deopt]int64
	order   []deopt
	inner   []deopt // traps of which the frames follow
	refused map[refused]int64
	calls   []refused         // in the order of the log
	huge    map[string]int64  // methods that are too long to compile, with their bytes
	tasks   map[string]bool   // methods that were compiled by whatever compiler
	failed  map[string]string // by method that C2 did not compile, and not later either
}

// ReadHotSpot reads the log of -XX:+LogCompilation: not inlined, as each compilation by
// C2 said; traps that were taken, counted; methods that were not compiled. Methods that
// are too long are told by their size, where compiled code calls them.
//
// Format: JDK 11 to 21, src/hotspot/share/compiler/compileLog.cpp and
// src/hotspot/share/runtime/deoptimization.cpp. The log is a document of its own, with
// the parts of each compiler's thread behind one another; one that was cut off at its
// end is read as far as it goes.
func ReadHotSpot(r io.Reader, take func(remark.Remark)) error {
	h := &hotspot{
		traps: map[deopt]int64{}, refused: map[refused]int64{}, huge: map[string]int64{}, tasks: map[string]bool{}, failed: map[string]string{},
	}
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
	h.report(take)
	return nil
}

func (h *hotspot) report(take func(remark.Remark)) {
	for _, name := range slices.Sorted(maps.Keys(h.huge)) {
		if h.tasks[name] { // -XX:-DontCompileHugeMethods
			delete(h.huge, name)
			continue
		}
		take(remark.Remark{
			Compiler: remark.HotSpot, Kind: remark.Interpreted, Function: name,
			Message: fmt.Sprintf("%d bytes of bytecode: a method of more than %d is never compiled", h.huge[name], hugeLimit),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(h.failed)) {
		take(remark.Remark{Compiler: remark.HotSpot, Kind: remark.NotCompiled, Function: name, Message: h.failed[name]})
	}
	for _, r := range h.calls {
		if _, huge := h.huge[r.callee]; !huge {
			take(remark.Remark{Compiler: remark.HotSpot, Kind: remark.CannotInline, Function: r.caller, Callee: r.callee, Message: r.reason, Count: h.refused[r]})
		}
	}
	for _, d := range h.order {
		take(remark.Remark{Compiler: remark.HotSpot, Kind: remark.Deoptimized, Function: d.function, Message: d.reason, Count: h.traps[d]})
	}
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
		h.tasks[h.task] = true
	case "klass", "type":
		if h.types != nil {
			h.types[a("id")] = a("name")
		}
	case "method":
		if h.methods == nil {
			return
		}
		m := called{callee: strings.ReplaceAll(h.types[a("holder")], "/", ".") + "." + a("name"), bytes: a("bytes")}
		h.methods[a("id")] = m
		if n := numberOf(m.bytes); n > hugeLimit {
			h.huge[m.callee] = n
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
		if h.call.callee == "" || !h.byC2() {
			return
		}
		r := refused{h.call.caller, h.call.callee, fmt.Sprintf("%s (%s bytes of bytecode)", a("reason"), h.call.bytes)}
		if h.refused[r] += h.call.count; !slices.Contains(h.calls, r) {
			h.calls = append(h.calls, r)
		}
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
		reason := a("reason")
		passes := slices.ContainsFunc(passing, func(p string) bool { return strings.HasPrefix(reason, p) })
		if h.task != "" && h.byC2() && h.failed[h.task] == "" && !passes {
			h.failed[h.task] = reason
		}
	case "task_done":
		if h.byC2() && a("success") == "1" {
			delete(h.failed, h.task)
		}
	default:
	}
}

// byC2 says whether what is read is of C2: it gives no level, or the highest.
func (h *hotspot) byC2() bool { return h.level == "" || h.level == "4" }

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
