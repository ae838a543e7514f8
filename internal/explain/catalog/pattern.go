package catalog

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Pattern is an RE2 expression as written in an entry. It is compiled when it is asked for the
// first time: most of the catalogue's are about programs that a profile is not of.
type Pattern struct {
	text string
	re   func() *regexp.Regexp
}

// Expression is the pattern of an expression, which must be one.
func Expression(text string) Pattern {
	return Pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (p Pattern) String() string { return p.text }

// Regexp is the compiled expression.
func (p Pattern) Regexp() *regexp.Regexp { return p.re() }

// MatchString says whether s has a match.
func (p Pattern) MatchString(s string) bool { return p.re().MatchString(s) }

// MarshalText and UnmarshalText are for a catalogue that is kept: what is read was checked.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText takes an expression that was checked before.
func (p *Pattern) UnmarshalText(text []byte) error {
	if len(text) > 0 {
		*p = Expression(string(text))
	}
	return nil
}

// UnmarshalYAML checks the expression; an error points at its line.
func (p *Pattern) UnmarshalYAML(node ast.Node) error {
	var s string
	if err := yaml.NodeToValue(node, &s); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if s == "" {
		return syntaxError(node, "empty pattern: it would match everything")
	}
	if _, err := syntax.Parse(s, syntax.Perl); err != nil {
		return syntaxError(node, fmt.Sprintf("pattern %q: %v", s, err))
	}
	*p = Expression(s)
	return nil
}

// About compiles a pattern of a Source with $1 as a literal text.
func About(pattern, text string) (*regexp.Regexp, error) {
	return regexp.Compile(strings.ReplaceAll(pattern, "$1", regexp.QuoteMeta(text)))
}

func syntaxError(node ast.Node, msg string) error {
	return &yaml.SyntaxError{Message: msg, Token: node.GetToken()}
}

// MatchAny says whether one of the patterns matches s.
func MatchAny(ps []Pattern, s string) bool {
	for _, p := range ps {
		if p.MatchString(s) {
			return true
		}
	}
	return false
}
