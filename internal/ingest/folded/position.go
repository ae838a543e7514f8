package folded

import (
	"strings"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// positioned reads a frame that names its source file. ok is false when the
// frame does not, or when the file's language is not known.
func positioned(text string) (p codename.Parsed, ok bool) {
	if strings.HasPrefix(text, "RegExp:") {
		return codename.Parsed{Name: text, Kind: profile.KindJS}, true
	}
	if !strings.ContainsAny(text, ".:(") {
		return p, false
	}
	for _, form := range [...]func(string) (codename.Parsed, bool){parenthesised, dashed, trailing, leading} {
		if p, ok = form(text); ok {
			return p, true
		}
	}
	return p, false
}

// parenthesised is py-spy's "f (a.py:12)" and "f (a.py)", and a stack trace's
// "C.m(C.java:12)".
func parenthesised(text string) (codename.Parsed, bool) {
	open := strings.LastIndexByte(text, '(')
	if open <= 0 || !strings.HasSuffix(text, ")") {
		return codename.Parsed{}, false
	}
	file, line, hasLine := codename.SplitPosition(text[open+1 : len(text)-1])
	kind := codename.OfFile(file)
	if kind == profile.KindUnknown && hasLine && strings.HasPrefix(file, "<") {
		kind = profile.KindPython
	}
	if kind == profile.KindUnknown || !hasLine && text[open-1] != ' ' || !hasLine && kind == profile.KindNative {
		return codename.Parsed{}, false
	}
	return codename.Parsed{Name: codename.Display(strings.TrimRight(text[:open], " ")), File: file, Line: line, Kind: kind}, true
}

// dashed is rbspy's "m - a.rb:12"; C functions have no file there.
func dashed(text string) (codename.Parsed, bool) {
	i := strings.LastIndex(text, " - ")
	if i <= 0 {
		return codename.Parsed{}, false
	}
	file, line, hasLine := codename.SplitPosition(text[i+3:])
	name := text[:i]
	switch {
	case file == "(unknown)" || strings.HasSuffix(name, " [c function]"):
		return codename.Parsed{Name: strings.TrimSuffix(name, " [c function]"), Kind: profile.KindRuby}, true
	case !hasLine:
		return codename.Parsed{}, false
	}
	kind := codename.OfFile(file)
	if kind == profile.KindUnknown && strings.HasPrefix(file, "/") {
		kind = profile.KindRuby // scripts such as bin/rails have no suffix
	}
	return codename.Parsed{Name: name, File: file, Line: line, Kind: kind}, kind != profile.KindUnknown
}

// trailing is "f a.mjs:17" and "f a.js:17:3", as converters of V8's CPU
// profiles write it.
func trailing(text string) (codename.Parsed, bool) {
	i := strings.LastIndexByte(text, ' ')
	file, line, ok := codename.SplitPosition(text[i+1:])
	if !ok || strings.ContainsAny(file, "()<>,") {
		return codename.Parsed{}, false
	}
	kind := codename.OfFile(file)
	if kind == profile.KindUnknown && (strings.HasPrefix(file, "file://") || strings.HasPrefix(file, "http://") || strings.HasPrefix(file, "https://")) {
		kind = profile.KindJS
	}
	if kind == profile.KindUnknown || kind == profile.KindNative || strings.HasSuffix(strings.TrimRight(text[:max(i, 0)], " "), " -") {
		return codename.Parsed{}, false
	}
	if _, isJIT := codename.JIT(text); isJIT {
		return codename.Parsed{}, false
	}
	name := strings.TrimRight(text[:max(i, 0)], " ")
	if name == "" {
		name = "(anonymous)"
	}
	return codename.Parsed{Name: name, File: file, Line: line, Kind: kind}, true
}

// leading is austin's "a.py:f:12".
func leading(text string) (codename.Parsed, bool) {
	head, line, ok := codename.SplitPosition(text)
	if !ok {
		return codename.Parsed{}, false
	}
	i := strings.LastIndexByte(head, ':')
	if i <= 0 || i == len(head)-1 {
		return codename.Parsed{}, false
	}
	file, name := head[:i], head[i+1:]
	kind := codename.OfFile(file)
	if kind != profile.KindPython {
		return codename.Parsed{}, false
	}
	return codename.Parsed{Name: name, File: file, Line: line, Kind: kind}, true
}
