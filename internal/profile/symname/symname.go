// Package symname shortens the names of functions for places where the whole
// does not fit.
//
// It owns the rules of what of a C++, Rust, Go or Java name can go first. It
// takes a demangled name and a width and gives a name of at most that width. It
// must never import another package of this module.
//
// A name that fits stays as it is. Of others go, in this order and only as far
// as needed: symbol version, parameters and return type, template arguments from the innermost
// outwards, leading namespaces, and at last the middle of what is left. Each gap
// shows as an ellipsis.
package symname

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Shorten returns name in at most width characters.
func Shorten(name string, width int) string {
	if utf8.RuneCountInString(name) <= width {
		return name
	}
	if name = withoutVersion(name); utf8.RuneCountInString(name) <= width {
		return name
	}
	p := parse(name)
	if !p.balanced {
		return cut(name, width)
	}
	bare := p.withoutSignature()
	if utf8.RuneCountInString(bare) <= width {
		return bare
	}
	p = parse(bare)
	short := bare
	for depth := min(p.deepest, 3) - 1; depth >= 0; depth-- {
		if short = p.collapse(depth); utf8.RuneCountInString(short) <= width {
			return short
		}
	}
	if short = unqualifyComponent(short); utf8.RuneCountInString(short) <= width {
		return short
	}
	if unqualified, ok := unqualify(short, width); ok {
		return unqualified
	}
	return cut(short, width)
}

// withoutVersion drops the version of an ELF symbol: "memcpy@@GLIBC_2.14".
func withoutVersion(name string) string {
	if i := strings.LastIndexByte(name, '@'); i > 0 && !strings.ContainsAny(name[i:], " /:()<>") && !strings.HasSuffix(name, "@plt") {
		if bare := strings.TrimRight(name[:i], "@"); bare != "" {
			return bare
		}
	}
	return name
}

var path = regexp.MustCompile(`(?:[\pL_][\pL_0-9]*::)+`)

// unqualifyComponent drops the paths of the types in a leading bracket:
// "<a::b::T as c::U>::f" becomes "<T as U>::f".
func unqualifyComponent(name string) string {
	if name == "" || name[0] != '<' {
		return name
	}
	end := parse(name).match[0]
	if end < 0 {
		return name
	}
	return path.ReplaceAllString(name[:end], "") + name[end:]
}

// unqualify drops as few leading namespaces, packages or directories as make
// the name fit.
func unqualify(name string, width int) (string, bool) {
	p := parse(name)
	for i := 1; i < len(name)-1; i++ {
		if p.enclosed[i] || p.inOperator(i) {
			continue
		}
		var rest string
		switch {
		case strings.HasPrefix(name[i:], "::"):
			rest = name[i:]
			i++
		case name[i] == '/':
			rest = name[i:]
		case name[i] == '.':
			rest = name[i+1:]
		default:
			continue
		}
		if len(rest) > utf8.UTFMax*width {
			continue
		}
		if room := width - 1 - utf8.RuneCountInString(rest); room >= 0 {
			return ellipsis + endOf(name[:len(name)-len(rest)], room) + rest, true
		}
	}
	return "", false
}

// endOf is what fits of the component before a gap, where that is enough to
// recognise it by.
func endOf(dropped string, room int) string {
	const enough = 6
	runes := []rune(dropped)
	if room < enough || room >= len(runes) {
		return ""
	}
	return strings.TrimLeft(string(runes[len(runes)-room:]), ":…>), ")
}

// cut takes the middle out. More of the end stays: it tells more.
func cut(name string, width int) string {
	runes := []rune(name)
	switch {
	case len(runes) <= width:
		return name
	case width <= 0:
		return ""
	}
	head := (width - 1) / 3
	tail := width - 1 - head
	return string(runes[:head]) + ellipsis + string(runes[len(runes)-tail:])
}
