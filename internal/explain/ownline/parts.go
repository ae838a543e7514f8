package ownline

import (
	"regexp"
	"slices"
	"strings"
)

// Parts splits a function's name into what it belongs to and its own name: validator and
// New of github.com/x/validator/v10.New.
func Parts(name string) (owner, own string) {
	name = strings.TrimSuffix(name, " [clone .cold]")
	if at := strings.LastIndexByte(name, ' '); at >= 0 && !strings.Contains(name, "::") && strings.Contains(name, "(") && strings.LastIndexByte(name[:strings.IndexByte(name, '(')], ' ') >= 0 {
		name = name[strings.LastIndexByte(name[:strings.IndexByte(name, '(')], ' ')+1:] // Java's type
	}
	name = WithoutTypes(strings.Replace(name, ".<computed>", ".computed", 1)) // JavaScript's, of a name that is an expression
	fields := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".:#/$*()>-", r) && r != '_' })
	if strings.Contains(name, "<init>") {
		return last(strings.FieldsFunc(name[:strings.Index(name, "<init>")], func(r rune) bool { return strings.ContainsRune("./$", r) })), "<init>"
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return version.MatchString(f) })
	if len(fields) == 0 {
		return "", name
	}
	own = fields[len(fields)-1]
	if len(fields) > 1 {
		owner = fields[len(fields)-2]
	}
	return owner, own
}

var version = regexp.MustCompile(`^(v\d+|func\d+|\d+|abi0|h[0-9a-f]{16}|\{closure\}|<locals>)$`)

func last(of []string) string {
	if len(of) == 0 {
		return ""
	}
	return of[len(of)-1]
}

// WithoutTypes takes off parameters of types and arguments: a<b>(c) is a.
func WithoutTypes(name string) string {
	var out strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '<' && strings.HasPrefix(name[i:], "<init>"):
			out.WriteString("<init>")
			i += len("<init>") - 1
		case c == '<' && i > 0, c == '[':
			depth++
		case c == '>' && depth > 0, c == ']' && depth > 0:
			depth--
		case c == '(' && i > 0 && !strings.HasPrefix(name[i:], "(*") && depth == 0:
			return out.String()
		case depth == 0:
			out.WriteByte(c)
		}
	}
	return out.String()
}
