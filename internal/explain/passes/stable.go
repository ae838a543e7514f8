package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
)

var (
	// guard is a condition that asks whether something is there already.
	// A word behind a dot or an arrow is a method: re.match(s).
	guard = regexp.MustCompile(`(^|[^\w.>:])(if|unless|elif|elsif|elseif|else|case|catch|except|rescue|once|when|switch|match)\b`)
	// keeps is what shows that a result is kept.
	keeps = regexp.MustCompile(`(?i)\|\|=|\?\?=|\bstatic\b|\blazy|once|cache|memo|computed_property|\bkept\b`)
)

// isRepeated says whether a call in a statement with a loop in it is on each pass of that.
func isRepeated(f *text.File, statement string, c text.Call) bool {
	if f.Language() == "Python" {
		from := strings.Index(statement, " for ")
		return c.At < from
	}
	for _, begin := range []string{"=>", "->", "{", "|", "fn ", "fun ", "function"} {
		if at := strings.Index(statement, begin); at >= 0 && at < c.At {
			if _, closed := text.Inside(statement[:c.At], at+len(begin)); !closed {
				return true // not after the call that the function is given to
			}
		}
	}
	return strings.HasPrefix(strings.TrimLeft(statement, "} "), "while") || strings.Contains(statement, "until ")
}

// isGuarded says whether a condition is between a call in a line and the loop or function around
// it: it may hold once.
func isGuarded(f *text.File, line, around int, statement string, c text.Call) bool {
	for n := line; n > around; n-- {
		if n == line && isAsked(statement, c) {
			continue
		}
		if guard.MatchString(f.Code(n)) && (n == line || f.IsAround(n, line)) {
			return true
		}
	}
	return keeps.MatchString(f.Code(line))
}

// asksFirst is how a statement with a condition begins.
var asksFirst = regexp.MustCompile(`^[\s})]*(?:else\s+|els?)?(?:if|unless)\b\s*`)

// isAsked says whether a call is in the condition of its own statement, and made whatever stands
// before it there.
func isAsked(statement string, c text.Call) bool {
	m := asksFirst.FindStringIndex(statement)
	if m == nil || c.At < m[1] || shortCut.MatchString(statement[m[1]:c.At]) {
		return false
	}
	if statement[m[1]:m[1]+1] != "(" {
		return true
	}
	inside, _ := text.Inside(statement, m[1]+1)
	return c.At <= m[1]+len(inside)
}

// shortCut is what ends a condition, or a part of it behind which nothing need be asked.
var shortCut = regexp.MustCompile(`&&|\|\||\b(?:and|or|then)\b|[{;?]|:(?:\s|$)`)

// isKept says whether a function keeps what it makes: its text speaks of it.
func isKept(f *text.File, fn text.Function, line int) bool {
	for n := max(1, fn.First-2); n <= line; n++ {
		if keeps.MatchString(f.Code(n)) {
			return true
		}
	}
	return false
}

// isStable says whether a name of a file has one value, or none that the file gives it, and
// nothing of the file changes that.
func (r *reader) isStable(f *text.File, name string) bool {
	key := f.Path + "\x00" + name
	stable, known := r.stable[key]
	if !known {
		whole := text.Range{First: 1, Last: len(f.Lines)}
		at := f.Assignments(name, whole)
		switch len(at) {
		case 0:
			stable = !f.Changes(name, whole, text.Range{})
		case 1:
			_, lines := f.Statement(at[0])
			stable = !f.Changes(name, text.Range{First: 1, Last: lines.First - 1}, text.Range{}) &&
				!f.Changes(name, text.Range{First: lines.Last + 1, Last: len(f.Lines)}, text.Range{})
		}
		r.stable[key] = stable
	}
	return stable
}

// isLocal says whether a name is a function's own, or may change between its calls.
func (r *reader) isLocal(f *text.File, fn text.Function, name string, own text.Range, depth int) bool {
	_, header := f.Statement(fn.First)
	if slices.Contains(f.Parameters(fn), name) || f.Changes(name, header, text.Range{}) {
		return true
	}
	if !f.Changes(name, fn.Range, own) {
		return !r.isStable(f, name)
	}
	at := f.Assignments(name, fn.Range)
	if depth >= mostSteps || len(at) != 1 || own.Has(at[0]) {
		return true
	}
	of, lines, ok := madeOf(f, name, at[0])
	return !ok || slices.ContainsFunc(of, func(n string) bool { return r.isLocal(f, fn, n, lines, depth+1) })
}
