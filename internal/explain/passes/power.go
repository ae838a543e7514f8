package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RulePower is of powers with constants.
const RulePower = "power-constant"

// power is a general power whose exponent or base is a constant of which a few operations give
// the same.
type power struct {
	spot

	calls []text.Call
}

// powers are functions of C's library and of runtimes that compute any power.
var powers = regexp.MustCompile(`^(_*(ieee754_)?powf?l?(_\w+)?|math\.[pP]ow|math\.pow|.*\bMath\.[pP]ow|.*ieee754::pow|Builtins_MathPow|float_pow|StrictMath\.pow|.*FdLibm\.Pow\.compute|System\.Math\.Pow)$`)

// roots are what gives a power with a constant exponent.
var roots = map[string]string{
	"2": "x*x", "3": "x*x*x", "4": "y = x*x; y*y", "-1": "1/x", "-2": "1/(x*x)", "0.5": "sqrt(x)", ".5": "sqrt(x)", "-0.5": "1/sqrt(x)",
	"1.5": "x*sqrt(x)", "2.5": "x*x*sqrt(x)", "-1.5": "1/(x*sqrt(x))", "0.25": "sqrt(sqrt(x))", "0.75": "sqrt(x)*sqrt(sqrt(x))", "1/3": "cbrt(x)", "1.0/3.0": "cbrt(x)", "1.0/3": "cbrt(x)",
}

// bases are what gives a power of a constant base.
var bases = map[string]string{
	"2": "exp2 or ldexp(1, n), of whole numbers a shift", "-1": "(n & 1) ? -1 : 1", "10": "a table of the powers that occur, or exp10",
}

// powersIn gives them, the dearest first.
func (r *reader) powersIn() []power {
	byFunction := map[profile.FunctionID]*power{}
	dearest := map[profile.FunctionID]int64{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.runs(h, powers.MatchString) {
			continue
		}
		statement, _ := f.Statement(int(h.line.Line))
		var calls []text.Call
		for _, c := range f.Calls(statement) {
			if replaced(c) != "" {
				calls = append(calls, c)
			}
		}
		if len(calls) == 0 {
			continue
		}
		id := h.line.Function
		x := byFunction[id]
		if x == nil {
			x = &power{}
			byFunction[id] = x
		}
		if h.value > dearest[id] {
			x.line, dearest[id] = h.line, h.value
		}
		x.calls = append(x.calls, calls...)
		x.rows = joinRows(x.rows, h.rows)
	}
	var out []power
	for _, x := range byFunction {
		x.share = r.p.Share(x.rows)
		out = append(out, *x)
	}
	sortDearest(out)
	return out
}

// replaced is what gives the same as a call of a power, "" for any other call.
func replaced(c text.Call) string {
	switch strings.ToLower(c.Last()) {
	case "pow", "powf", "powl":
	default:
		return ""
	}
	arguments := text.Arguments(c.Args)
	if len(arguments) != 2 { //nolint:mnd // base and exponent
		return ""
	}
	return cmp.Or(roots[constantOf(arguments[1])], bases[constantOf(arguments[0])])
}

// constantOf is a number without the forms in which it may be written.
func constantOf(s string) string {
	s = strings.TrimRight(strings.Trim(strings.ReplaceAll(s, " ", ""), "()"), "fFdDlL")
	if whole, is := strings.CutSuffix(s, ".0"); is {
		return whole
	}
	return strings.TrimSuffix(s, ".")
}

func (r *reader) powerFinding(s judge.Subject, x power) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RulePower, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.85, why: "computes powers; a few multiplications stay"}, "pow")
	f.Title = fmt.Sprintf("Power with a constant exponent; multiply (%s)", at(place.File, place.Line))
	for _, c := range x.calls {
		arguments := text.Arguments(c.Args)
		base, exponent := "x", arguments[1]
		if bases[constantOf(arguments[0])] != "" {
			base, exponent = arguments[0], "n"
		}
		if step := fmt.Sprintf("%s(%s, %s): %s", c.Name, base, exponent, replaced(c)); !slices.Contains(f.Fix.Steps, step) {
			f.Fix.Steps = append(f.Fix.Steps, step)
		}
	}
	f.Fix.Caveats = []string{"The last digit of a result may differ"}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "samples", Share: &x.share, Text: "below this line a power of any exponent is computed: some 50 to 200 cycles each"}}
	return f
}
