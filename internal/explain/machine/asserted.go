package machine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const ruleAssert = "machine-assert"

// asserted are the samples in functions that a loop calls for the sake of an assertion
// alone: assert(memcmp(a, b, n) == 0). Without the assertion there is no call.
type asserted struct {
	value, count int64
	name         string
}

func (a *asserted) add(c callee) {
	a.value += c.value
	a.count += c.count
	a.name = comparison.FindStringSubmatch(c.name)[1]
}

// comparison are functions that do nothing but compute their result; the C library calls
// its variants by the processor: __memcmp_evex_movbe, __strlen_avx2.
var comparison = regexp.MustCompile(`^_*(memcmp|bcmp|strcmp|strncmp|strcasecmp|strncasecmp|strlen|strnlen|memchr|strchr)(_|$)`)

func isComparison(name string) bool { return comparison.MatchString(name) }

// isAsserted says that instruction n is a call whose result nothing but an assertion
// asks for: it is compared, the branch on that ends in the failure, and behind it the
// register of the result is set anew.
func (l *Loop) isAsserted(n int) bool {
	const near = 12 // instructions up to the branch; what the call saved is loaded again between
	at := slices.IndexFunc(l.Matches, func(m analyzer.MachineMatch) bool { return m.Rule == ruleAssert })
	if at < 0 || !strings.HasPrefix(l.Instructions[n].Text, "call") {
		return false
	}
	compared, checked := false, false
	for k := 1; k < len(l.Instructions); k++ { // around the loop
		if !checked && (k > near || n+k == len(l.Instructions)) {
			return false
		}
		in := l.Instructions[(n+k)%len(l.Instructions)]
		name, _, _ := strings.Cut(in.Text, " ")
		compares := strings.HasPrefix(name, "test") || strings.HasPrefix(name, "cmp")
		switch asks := result.MatchString(in.Text); {
		case checked && strings.HasPrefix(name, "j"):
		case strings.HasPrefix(name, "j"):
			if !compared || !slices.Contains(l.Matches[at].At, in.Address) {
				return false
			}
			checked = true
		case checked && asks:
			return setsResult(in.Text)
		case checked && strings.HasPrefix(name, "call"):
			return true // which sets it
		case checked:
		case compares && asks:
			compared = true
		case asks || !keepsFlags(name):
			return false // kept, or something else is compared
		}
	}
	return checked
}

func keepsFlags(name string) bool {
	return strings.HasPrefix(name, "mov") || strings.HasPrefix(name, "lea") || strings.HasPrefix(name, "nop")
}

// result is the register of a function's result.
var result = regexp.MustCompile(`%(rax|eax|ax|al)\b`)

// setsResult says that an instruction writes the register and does not read it.
func setsResult(text string) bool {
	at := strings.LastIndex(text, ", ")
	if at < 0 {
		return false
	}
	from, to := text[:at], text[at+2:]
	whole := to == "%eax" || to == "%rax"
	copies := strings.HasPrefix(text, "mov") || strings.HasPrefix(text, "lea")
	return whole && copies && !result.MatchString(from) || text == "xorl %eax, %eax"
}

// check is the cost of assertions: what their own instructions wait for, and what is
// called for them.
func check(l *Loop, m analyzer.MachineMatch) (value, events int64) {
	value, events = l.waits(m)
	return value + l.asserted.value, events + l.asserted.count
}

func inAssertions(p *profile.Profile, l *Loop, _ analyzer.MachineMatch) []finding.Evidence {
	if l.asserted.count == 0 {
		return nil
	}
	share := float64(l.asserted.value) / float64(max(p.Total(), 1))
	return []finding.Evidence{{Kind: evidenceKind, Share: &share, Text: fmt.Sprintf("in %s, which is called for an assertion alone", l.asserted.name)}}
}
