package codename

import (
	"regexp"
	"strconv"
	"strings"

	"whyhot/internal/profile"
)

// Parsed is what the text of one frame says about its function.
type Parsed struct {
	Name string
	File string
	Line int32 // 0 when not known
	Kind profile.Kind
}

var (
	v8Code    = regexp.MustCompile(`^(?:LazyCompile|Function|Eval|Script|JS|Callback):[*~^+'-]?(.*)$`)
	v8Builtin = regexp.MustCompile(`^(?:Builtin|BytecodeHandler|Stub|Handler|RegExp|[A-Z]\w*IC|Wasm|WasmToJS\w*|JSToWasm\w*):`)
	dotnet    = regexp.MustCompile(`^(?:.*?\[[\w.+-]+\] |[^\[]*\[[\w.+-]+\])(\S.*::.*?)\[(?:PreJIT|MinOptJitted|Optimized\w*|QuickJitted\w*|Jitted|Unknown\w*|ReadyToRun\w*)\]$`)
	pyTramp   = regexp.MustCompile(`^py::(.+?):(/.*|<[^>]*>|[^:]*\.py)$`)
	phpJIT    = regexp.MustCompile(`^(?:JIT|TRACE-\d+)\$(.+)$`)
)

// JIT reads the names that runtimes give to the code they generate, as found
// in perf-PID.map files: V8 ("LazyCompile:*f /a.js:1:2"), CPython's trampoline
// ("py::f:/a.py"), .NET, Mono, Erlang, the JVM's agents and PHP. ok is false when the name
// follows none of these forms.
//
// Sources: V8 src/logging/log.cc (code tags and tier marks), CPython
// Python/perf_trampoline.c, dotnet/runtime PerfMap, PHP ext/opcache/jit.
func JIT(symbol string) (p Parsed, ok bool) {
	switch {
	case strings.HasPrefix(symbol, "py::"):
		if m := pyTramp.FindStringSubmatch(symbol); m != nil {
			return Parsed{Name: m[1], File: m[2], Kind: profile.KindPython}, true
		}
	case strings.HasSuffix(symbol, "]"):
		if m := dotnet.FindStringSubmatch(symbol); m != nil {
			return Parsed{Name: m[1], Kind: profile.KindDotNet}, true
		}
	case strings.HasPrefix(symbol, "$"):
		if p, ok = erlang(symbol); ok {
			return p, true
		}
	case strings.HasSuffix(symbol, ")"):
		if p, ok = mono(symbol); ok {
			return p, true
		}
	case strings.IndexByte(symbol, '$') > 0:
		if m := phpJIT.FindStringSubmatch(symbol); m != nil {
			return Parsed{Name: m[1], Kind: profile.KindPHP}, true
		}
	}
	if i := strings.IndexByte(symbol, ':'); i > 0 && !strings.HasPrefix(symbol[i+1:], ":") {
		if p, ok = v8(symbol); ok {
			return p, true
		}
	}
	if isJava(symbol) {
		return Parsed{Name: symbol, Kind: profile.KindJava}, true
	}
	return Parsed{}, false
}

func v8(symbol string) (Parsed, bool) {
	if v8Builtin.MatchString(symbol) {
		return Parsed{Name: symbol, Kind: profile.KindJS}, true
	}
	m := v8Code.FindStringSubmatch(symbol)
	if m == nil {
		return Parsed{}, false
	}
	name, pos := m[1], ""
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		name, pos = name[:i], name[i+1:]
	}
	if name == "" {
		name = "(anonymous)"
	}
	file, line, _ := SplitPosition(pos)
	return Parsed{Name: name, File: file, Line: line, Kind: profile.KindJS}, true
}

// SplitPosition splits "file:line" or "file:line:column". Without a line the
// whole text is the file and ok is false.
func SplitPosition(pos string) (file string, line int32, ok bool) {
	head, n, ok := cutNumber(pos)
	if !ok {
		return pos, 0, false
	}
	if head2, n2, ok2 := cutNumber(head); ok2 {
		return head2, n2, true
	}
	return head, n, true
}

func cutNumber(s string) (head string, n int32, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 || i == len(s)-1 {
		return "", 0, false
	}
	v, err := strconv.ParseInt(s[i+1:], 10, 32)
	if err != nil || v < 0 {
		return "", 0, false
	}
	return s[:i], int32(v), true
}
