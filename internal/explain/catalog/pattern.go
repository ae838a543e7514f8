package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Pattern is an RE2 expression as written in an entry.
type Pattern struct {
	*regexp.Regexp
}

// UnmarshalYAML compiles the expression; an error points at its line.
func (p *Pattern) UnmarshalYAML(node ast.Node) error {
	var s string
	if err := yaml.NodeToValue(node, &s); err != nil {
		return fmt.Errorf("pattern: %w", err)
	}
	if s == "" {
		return syntaxError(node, "empty pattern: it would match everything")
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return syntaxError(node, fmt.Sprintf("pattern %q: %v", s, err))
	}
	p.Regexp = re
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
