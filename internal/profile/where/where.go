package where

import (
	"regexp"
	"slices"
	"strings"
)

// Expr is a condition. It may be used by several goroutines.
type Expr struct {
	root node
	keys []string
	text string
}

// Keys are the labels that the condition is about, in order.
func (e *Expr) Keys() []string { return e.keys }

// String is the condition in its usual form: two that are written differently and say the
// same in the same order have the same one.
func (e *Expr) String() string { return e.text }

// Judge gives a function that says whether labels meet the condition; get gives the value
// of a key, "" for none. It remembers what regular expressions matched, and is for one
// goroutine.
func (e *Expr) Judge() func(get func(key string) string) bool { return e.root.judge() }

// node is a part of a condition.
type node interface {
	judge() func(get func(key string) string) bool
	write(to *strings.Builder, within int)
	keys(add func(string))
}

// How tightly operators bind.
const (
	bindOr = iota
	bindAnd
	bindNot
)

type (
	anyOf []node
	allOf []node
	not   struct{ of node }
	match struct {
		key, operator, value string
		re                   *regexp.Regexp
	}
)

func (n anyOf) judge() func(func(string) string) bool {
	list := judges(n)
	return func(get func(string) string) bool {
		return slices.ContainsFunc(list, func(j func(func(string) string) bool) bool { return j(get) })
	}
}

func (n allOf) judge() func(func(string) string) bool {
	list := judges(n)
	return func(get func(string) string) bool {
		return !slices.ContainsFunc(list, func(j func(func(string) string) bool) bool { return !j(get) })
	}
}

func judges(list []node) (out []func(func(string) string) bool) {
	for _, n := range list {
		out = append(out, n.judge())
	}
	return out
}

func (n not) judge() func(func(string) string) bool {
	of := n.of.judge()
	return func(get func(string) string) bool { return !of(get) }
}

func (n *match) judge() func(func(string) string) bool {
	wanted := n.operator == "=" || n.operator == "=~"
	if n.re == nil {
		return func(get func(string) string) bool { return (get(n.key) == n.value) == wanted }
	}
	known := map[string]bool{}
	return func(get func(string) string) bool {
		value := get(n.key)
		found, ok := known[value]
		if !ok {
			found = n.re.MatchString(value)
			known[value] = found
		}
		return found == wanted
	}
}

func (n anyOf) write(to *strings.Builder, within int) { join(to, n, " or ", bindOr, within) }
func (n allOf) write(to *strings.Builder, within int) { join(to, n, " and ", bindAnd, within) }

func join(to *strings.Builder, list []node, word string, own, within int) {
	if own < within {
		to.WriteByte('(')
		defer to.WriteByte(')')
	}
	for i, n := range list {
		if i > 0 {
			to.WriteString(word)
		}
		n.write(to, own+1)
	}
}

func (n not) write(to *strings.Builder, _ int) {
	to.WriteString("not ")
	n.of.write(to, bindNot)
}

func (n *match) write(to *strings.Builder, _ int) {
	to.WriteString(n.key)
	to.WriteString(n.operator)
	to.WriteString(Quote(n.value))
}

// Quote writes a value as conditions have it.
func Quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

func (n anyOf) keys(add func(string)) { each(n, add) }
func (n allOf) keys(add func(string)) { each(n, add) }

func each(list []node, add func(string)) {
	for _, n := range list {
		n.keys(add)
	}
}

func (n not) keys(add func(string))    { n.of.keys(add) }
func (n *match) keys(add func(string)) { add(n.key) }
