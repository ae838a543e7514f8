package where

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"whyhot/internal/profile/label"
)

// Bounds of a condition.
const (
	maxText  = 8000 // bytes
	maxDepth = 100  // parentheses and nots inside each other
	maxParts = 200  // comparisons
)

// Error says where a text does not follow the grammar.
type Error struct {
	Text     string
	Position int    // bytes before it
	Problem  string // what is wrong there
	Expected string // what could be there; "" where that is not the point
}

func (e *Error) Error() string {
	out := fmt.Sprintf("at character %d", utf8.RuneCountInString(e.Text[:e.Position])+1)
	if rest := e.Text[e.Position:]; rest != "" {
		const most = 20
		if runes := []rune(rest); len(runes) > most {
			rest = string(runes[:most]) + "…"
		}
		out += fmt.Sprintf(" (%q)", rest)
	}
	out += ": " + e.Problem
	if e.Expected != "" {
		out += "; expected " + e.Expected
	}
	return out
}

// Parse reads a condition. The error is an [Error].
func Parse(text string) (*Expr, error) {
	if len(text) > maxText {
		return nil, &Error{Problem: fmt.Sprintf("the condition has %d bytes; %d at most", len(text), maxText)}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Problem: "the condition is not UTF-8"}
	}
	p := &parser{text: text}
	root, err := p.condition(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(text) {
		return nil, p.wrong("the condition ends before this", `"and", "or", or the end`)
	}
	e := &Expr{root: root}
	root.keys(func(key string) { e.keys = append(e.keys, key) })
	slices.Sort(e.keys)
	e.keys = slices.Compact(e.keys)
	var out strings.Builder
	root.write(&out, bindOr)
	e.text = out.String()
	return e, nil
}

type parser struct {
	text  string
	at    int
	parts int
}

func (p *parser) wrong(problem, expected string) error {
	return &Error{Text: p.text, Position: p.at, Problem: problem, Expected: expected}
}

func (p *parser) skip() {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += size
	}
}

// word is the word at the place, "" where there is none.
func (p *parser) word() string {
	end := p.at
	for end < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-/:", r) {
			break
		}
		end += size
	}
	return p.text[p.at:end]
}

// take goes past one of the tokens.
func (p *parser) take(tokens ...string) bool {
	p.skip()
	word := p.word()
	for _, t := range tokens {
		if word != "" && strings.EqualFold(word, t) || !unicode.IsLetter(rune(t[0])) && strings.HasPrefix(p.text[p.at:], t) {
			p.at += len(t)
			return true
		}
	}
	return false
}

func (p *parser) condition(depth int) (node, error) {
	return list[anyOf](p, depth, (*parser).all, "or")
}

func (p *parser) all(depth int) (node, error) {
	return list[allOf](p, depth, (*parser).one, "and", ",")
}

// list reads parts with one of the tokens between them.
func list[T interface {
	~[]node
	node
}](p *parser, depth int, part func(*parser, int) (node, error), between ...string) (node, error) {
	var out T
	for {
		n, err := part(p, depth)
		if err != nil {
			return nil, err
		}
		if same, ok := n.(T); ok { // parentheses that change nothing
			out = append(out, same...)
		} else {
			out = append(out, n)
		}
		if p.take(between...) {
			continue
		}
		if len(out) == 1 {
			return out[0], nil
		}
		return out, nil
	}
}

func (p *parser) one(depth int) (node, error) {
	if depth > maxDepth {
		return nil, p.wrong(fmt.Sprintf("more than %d parentheses and nots inside each other", maxDepth), "")
	}
	switch {
	case p.take("not"):
		of, err := p.one(depth + 1)
		return not{of}, err
	case p.take("("):
		n, err := p.condition(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, p.wrong("a parenthesis is open", `"and", "or" or ")"`)
		}
		return n, nil
	}
	return p.match()
}

func (p *parser) match() (node, error) {
	const aKey = `a label such as service, "not" or "("`
	p.skip()
	key := p.word()
	switch {
	case p.at == len(p.text):
		return nil, p.wrong("the condition ends here", aKey)
	case key == "":
		return nil, p.wrong("no label", aKey)
	case !label.Valid(key), slices.ContainsFunc([]string{"and", "or"}, func(w string) bool { return strings.EqualFold(w, key) }):
		return nil, p.wrong(fmt.Sprintf("%q is no label", key), aKey)
	}
	if p.parts++; p.parts > maxParts {
		return nil, p.wrong(fmt.Sprintf("more than %d comparisons", maxParts), "")
	}
	m := &match{key: label.Name(key)}
	p.at += len(key)
	p.skip()
	for _, operator := range []string{"=~", "!~", "!=", "=="} {
		if strings.HasPrefix(p.text[p.at:], operator) {
			m.operator = operator
		}
	}
	if m.operator == "" && strings.HasPrefix(p.text[p.at:], "=") {
		m.operator = "="
	}
	if m.operator == "" {
		return nil, p.wrong("no comparison", "=, !=, =~ or !~")
	}
	p.at += len(m.operator)
	if m.operator == "==" {
		m.operator = "="
	}
	p.skip()
	began := p.at
	var err error
	if m.value, err = p.value(); err != nil {
		return nil, err
	}
	if m.operator == "=~" || m.operator == "!~" {
		_, err = regexp.Compile(m.value) // as it was written: for the message, and since it must be one without what is put around it
		if err == nil {
			m.re, err = regexp.Compile(`^(?s:` + m.value + `)$`)
		}
		if err != nil {
			p.at = began
			return nil, p.wrong("no regular expression: "+err.Error(), "")
		}
	}
	return m, nil
}

func (p *parser) value() (string, error) {
	const aValue = `a value such as "web"`
	if p.at == len(p.text) {
		return "", p.wrong("the condition ends here", aValue)
	}
	quote := p.text[p.at]
	if quote != '"' && quote != '\'' {
		word := p.word()
		if word == "" {
			return "", p.wrong("no value", aValue)
		}
		p.at += len(word)
		return word, nil
	}
	began := p.at
	var out strings.Builder
	for i := began + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == quote:
			p.at = i + 1
			return out.String(), nil
		case c == '\\' && i+1 < len(p.text) && (p.text[i+1] == quote || p.text[i+1] == '\\'):
			// Others stay as they are: a regular expression has many.
			i++
			out.WriteByte(p.text[i])
		default:
			out.WriteByte(c)
		}
	}
	p.at = began
	return "", p.wrong("the text does not end", "another "+string(quote))
}
