package folded

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// marks are the annotations behind a symbol.
type marks struct {
	text    string // the frame without them
	mapping string // as "[kernel.kallsyms]", "[jit]" or the name of a file
	inlined bool
	java    bool // compiled by, or interpreted in, a JVM
}

func (m *marks) marked() bool { return m.mapping != "" || m.inlined || m.java }

// Mapping names that the marks stand for, as the rest of the program knows them.
const (
	kernelMapping = "[kernel.kallsyms]"
	jitMapping    = "[jit]"
)

// splitMarks takes "_[…]" off the end of a frame, repeatedly.
func splitMarks(frame string) marks {
	m := marks{text: frame}
	for {
		open := strings.LastIndex(m.text, "_[")
		if open < 0 || !strings.HasSuffix(m.text, "]") || strings.HasPrefix(m.text, "RegExp:") {
			return m
		}
		mark := m.text[open+2 : len(m.text)-1]
		if strings.HasPrefix(mark, "[") != strings.HasSuffix(mark, "]") || mark == "" || strings.ContainsAny(strings.Trim(mark, "[]"), "[]<>\\") {
			return m
		}
		switch mark {
		case "k":
			m.mapping = kernelMapping
		case "j":
			m.mapping = jitMapping
		case "i":
			m.inlined = true
		case "0", "1":
			m.java = true
		case "vdso", "anon", "heap", "stack", "kernel.kallsyms", "vsyscall", "jit":
			m.mapping = "[" + mark + "]"
		default:
			m.mapping = mark
		}
		m.text = m.text[:open]
	}
}

// frame is one parsed frame text.
type frame struct {
	fn      profile.Function // without its mapping ID
	mapping string
	line    int32
	addr    uint64
	inlined bool
}

// parse reads one frame text.
func (d *dialect) parse(text string) frame {
	m := splitMarks(clean(text))
	f := frame{mapping: m.mapping, inlined: m.inlined}
	body, stripped := cutOffset(m.text)
	f.fn.Kind = codename.OfMapping(m.mapping)
	switch {
	case isUnknown(body):
		return f
	case hexAddress.MatchString(body) && m.mapping != "":
		return f
	case hexAddress.MatchString(body):
		f.addr, _ = strconv.ParseUint(strings.TrimPrefix(body, "0x"), 16, 64)
		return f
	case m.mapping == "" && d.isMappingFrame(body):
		f.mapping = mappingName(body)
		f.fn.Kind = codename.OfMapping(f.mapping)
		return f
	}
	if p, ok := positioned(body); ok && !stripped {
		f.position(p)
		return f
	}
	if at := methodLine.FindStringSubmatch(body); at != nil && d.methods {
		f.named(at[1], &m)
		if line, err := strconv.ParseInt(at[2], 10, 32); err == nil {
			f.line = int32(line)
		}
		if f.fn.Kind == profile.KindUnknown || f.fn.Kind == profile.KindJIT {
			f.fn.Kind, f.mapping = profile.KindJava, ""
		}
		return f
	}
	if name, lib, ok := cutLibrary(body); ok && m.mapping == "" && (d.python || strings.Contains(lib, ".so") || strings.ContainsAny(lib, "/[")) {
		if !isUnknown(lib) {
			f.mapping = lib
		}
		body, _ = cutOffset(name)
		if isUnknown(body) || hexAddress.MatchString(body) {
			// Where the library lay is not told, so the address means nothing.
			f.fn.Kind = codename.OfMapping(f.mapping)
			return f
		}
	}
	f.named(body, &m)
	if f.fn.Kind == profile.KindUnknown && d.js && f.mapping == "" {
		f.fn.Kind = profile.KindJS
	}
	return f
}

// position takes over a name with its place in the source. V8 reports the line
// where a function starts, all others the line that was running.
func (f *frame) position(p codename.Parsed) {
	f.fn.Name, f.fn.File, f.fn.Kind = p.Name, p.File, p.Kind
	if p.Kind == profile.KindJS {
		f.fn.StartLine = p.Line
	} else {
		f.line = p.Line
	}
}

// named sets the name of a frame that has no source position.
func (f *frame) named(symbol string, m *marks) {
	if f.mapping == "" || codename.OfMapping(f.mapping) == profile.KindJIT {
		if j, ok := codename.JIT(symbol); ok {
			f.fn.Name, f.fn.File, f.fn.StartLine, f.fn.Kind = j.Name, j.File, j.Line, j.Kind
			if j.Name != symbol {
				f.fn.SystemName = symbol
			}
			if j.Kind == profile.KindJava {
				f.mapping = ""
			}
			return
		}
	}
	f.fn.Name = codename.Display(symbol)
	if f.fn.Name != symbol {
		f.fn.SystemName = symbol
	}
	f.fn.Kind = codename.Of(f.fn.Name, "", f.mapping)
	if m.java && f.fn.Kind == profile.KindUnknown {
		f.fn.Kind = profile.KindJava
	}
}

// methodLine is async-profiler's "com/corp/Svc.handle:42", with its option for lines.
var methodLine = regexp.MustCompile(`^([A-Za-z_$][\w$]*(?:[/.][\w$]+)*\.[\w$<>]+):(\d+)$`)

var hexAddress = regexp.MustCompile(`^0x[0-9a-f]{1,16}$`)

// isUnknown tells whether a frame has no name.
func isUnknown(text string) bool {
	switch text {
	case "", "[unknown]", "??", "?", "<unknown>", "unknown", "(unknown)", "[Unknown]":
		return true
	}
	return false
}

// isMappingFrame recognises "[libc.so.6]", as FlameGraph's scripts write
// code without a symbol.
func (d *dialect) isMappingFrame(text string) bool {
	if len(text) < 3 || text[0] != '[' || text[len(text)-1] != ']' || strings.ContainsAny(text[1:len(text)-1], "[]= ") {
		return false
	}
	inner := text[1 : len(text)-1]
	switch k := codename.OfMapping(inner); {
	case d.commFirst, strings.Contains(inner, ".so"), strings.HasSuffix(inner, ".ko"), k == profile.KindVDSO:
		return true
	}
	return strings.HasPrefix(inner, "kernel.") || codename.OfMapping(text) == profile.KindJIT
}

func mappingName(text string) string {
	inner := text[1 : len(text)-1]
	if strings.HasPrefix(inner, "kernel") || codename.OfMapping(text) != profile.KindKernel && codename.OfMapping(text) != profile.KindNative {
		return text
	}
	return inner
}

var offset = regexp.MustCompile(`\+(0x[0-9a-f]+|\d+)$`)

// cutOffset takes "+0x1f" or bpftrace's "+31" off a symbol.
func cutOffset(text string) (symbol string, cut bool) {
	if strings.IndexByte(text, '+') <= 0 {
		return text, false
	}
	if loc := offset.FindStringIndex(text); loc != nil && loc[0] > 0 && !strings.HasSuffix(text[:loc[0]], "operator") {
		return text[:loc[0]], true
	}
	return text, false
}

// cutLibrary splits "symbol (library)".
func cutLibrary(text string) (name, lib string, ok bool) {
	open := strings.LastIndex(text, " (")
	if open <= 0 || !strings.HasSuffix(text, ")") {
		return "", "", false
	}
	lib = text[open+2 : len(text)-1]
	if lib == "" || strings.ContainsAny(lib, "()*&<>, ") {
		return "", "", false
	}
	return text[:open], lib, true
}

// clean replaces what no terminal and no page should print.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
