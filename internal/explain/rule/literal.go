package rule

import (
	"regexp/syntax"
	"strings"
	"sync"
)

// maxLiterals bounds the alternatives worth following in one expression.
const maxLiterals = 64

// requiredLiterals returns strings of which at least one is in every text that
// the expression matches, or nil when it asks for no literal of three bytes.
// They let an index skip nearly all expressions for nearly all names. The
// literals are in lower case, to be looked for in lower-case text.
//
// What an expression needs is remembered: a process reads one catalogue, and applies it
// to one profile after another, a server to thousands.
func requiredLiterals(expr string) []string {
	if known, ok := required.Load(expr); ok {
		return known.([]string) //nolint:forcetypeassert // only this function stores there
	}
	var out []string
	if re, err := syntax.Parse(expr, syntax.Perl); err == nil {
		out = literals(re.Simplify())
	}
	required.Store(expr, out)
	return out
}

var required sync.Map // by expression

func literals(re *syntax.Regexp) []string {
	switch re.Op { //nolint:exhaustive // every other operator needs no literal
	case syntax.OpLiteral:
		lit := strings.ToLower(string(re.Rune))
		if len(lit) < gramSize {
			return nil
		}
		return []string{lit}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0])
		}
		return nil
	case syntax.OpConcat:
		return bestOf(re.Sub)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			lits := literals(sub)
			if lits == nil || len(all)+len(lits) > maxLiterals {
				return nil
			}
			all = append(all, lits...)
		}
		return all
	default:
		return nil
	}
}

// bestOf picks, of the parts of a concatenation, the one whose shortest literal
// is longest: the rarest in names.
func bestOf(subs []*syntax.Regexp) []string {
	var best []string
	bestLen := 0
	for _, sub := range subs {
		lits := literals(sub)
		if lits == nil {
			continue
		}
		shortest := len(lits[0])
		for _, l := range lits {
			shortest = min(shortest, len(l))
		}
		if shortest > bestLen {
			best, bestLen = lits, shortest
		}
	}
	return best
}
