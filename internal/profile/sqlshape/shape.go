package sqlshape

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxText is how many bytes of a text are looked at.
	MaxText = 4 << 10
	// MaxShape bounds the text of a shape, in bytes.
	MaxShape = 1 << 10
	// deep is the offset from which pages are far from the first.
	deep = 1000
	// mostColumns bounds the names in facts.
	mostColumns = 8
)

// Unreadable is the shape of a text that could be read in two ways, or that ends within a
// string: what is a value in it is not known.
const Unreadable = "(unreadable statement)"

// cut is at the end of a shape whose text goes on, and within it where lists were.
const cut = "…"

// Shape is a statement without its values.
type Shape struct {
	Text  string
	Facts Facts
}

// Facts are what the values of a text said, without one of them.
type Facts struct {
	// Numbers are columns that conditions compare with a number.
	Numbers []string `json:"numbers,omitempty"`
	// Wildcard: a LIKE whose pattern begins with one.
	Wildcard bool `json:"wildcard,omitempty"`
	// Deep: an OFFSET of thousands.
	Deep bool `json:"deep,omitempty"`
	// List is how many elements the longest IN list had.
	List int `json:"list,omitempty"`
	// Values: there are values in the text, where there could be parameters.
	Values bool `json:"values,omitempty"`
	// ForeignKeys are those whose checks the database made for it: orders (customer_id).
	ForeignKeys []string `json:"foreign_keys,omitempty"`
}

// Add takes over what another text of the same shape said.
func (f *Facts) Add(more Facts) {
	union := func(all *[]string, more []string) {
		for _, one := range more {
			if !slices.Contains(*all, one) && len(*all) < mostColumns {
				*all = append(slices.Clip(*all), one)
			}
		}
	}
	union(&f.Numbers, more.Numbers)
	union(&f.ForeignKeys, more.ForeignKeys)
	f.Wildcard = f.Wildcard || more.Wildcard
	f.Deep = f.Deep || more.Deep
	f.List = max(f.List, more.List)
	f.Values = f.Values || more.Values
}

// Of gives the shape of a text. goesOn says that only its begin is here.
func Of(s string, d Dialect, goesOn bool) Shape {
	if len(s) > MaxText {
		s, goesOn = s[:MaxText], true
	}
	s = strings.ToValidUTF8(s, "?")
	tokens, readable := tokensOf(s, d, goesOn)
	if !readable {
		return Shape{Text: Unreadable}
	}
	if goesOn && len(tokens) > 0 {
		tokens = tokens[:len(tokens)-1] // it may be the begin of something else
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].op(";") {
		tokens = tokens[:len(tokens)-1]
	}
	tokens = unsigned(prepared(tokens))
	facts := factsOf(tokens)
	out := write(lists(tokens, &facts, goesOn))
	if goesOn {
		out += " " + cut
	}
	if len(out) > MaxShape {
		at := MaxShape - len(cut)
		for !utf8.RuneStart(out[at]) {
			at--
		}
		out = out[:at] + cut
	}
	return Shape{Text: out, Facts: facts}
}

// tokensOf reads a text. What backslashes mean is a setting of MariaDB's: where both
// readings are sound and differ, one of them takes a value for a name.
func tokensOf(s string, d Dialect, goesOn bool) (tokens []token, readable bool) {
	escapes := d == MariaDB
	tokens, open := scan(s, d, escapes)
	readable = isSound(tokens, open && !goesOn)
	if !escapes || !strings.Contains(s, `\'`) && !strings.Contains(s, `\"`) {
		return tokens, readable
	}
	others, open := scan(s, d, false)
	switch otherwise := isSound(others, open && !goesOn); {
	case readable && otherwise && len(tokens) != len(others):
		return nil, false
	case !readable && otherwise:
		return others, true
	}
	return tokens, readable
}

// isSound says whether SQL can look like that: a string ends, and nothing but an operator
// touches its end.
func isSound(tokens []token, open bool) bool {
	for i, t := range tokens {
		touches := i > 0 && tokens[i-1].kind == text && t.attached && t.kind != operator
		if touches || t.op(`\`) {
			return false
		}
	}
	return !open
}

// prepared is the statement that PREPARE name(types) AS prepares: it is executed later.
func prepared(tokens []token) []token {
	if len(tokens) == 0 || !tokens[0].is("prepare") {
		return tokens
	}
	for i, t := range tokens {
		if t.is("as") && i+1 < len(tokens) {
			return tokens[i+1:]
		}
	}
	return tokens
}

// unsigned makes a sign part of the number behind it.
func unsigned(in []token) []token {
	out := in[:0:0]
	for _, t := range in {
		if n := len(out); t.kind == number && n > 0 && (out[n-1].op("-") || out[n-1].op("+")) && (n == 1 || startsValue(out[n-2])) {
			t.text, t.attached = out[n-1].text+t.text, out[n-1].attached
			out = out[:n-1]
		}
		out = append(out, t)
	}
	return out
}

// startsValue says whether a value, and no operator, follows a token.
func startsValue(t token) bool {
	return t.kind == operator && t.text != ")" && t.text != "]" || t.is("select", "where", "and", "or", "not", "in", "between", "values", "limit", "offset", "then", "else", "when", "return", "by", "on", "set", "like")
}

// factsOf reads what values say.
func factsOf(tokens []token) (f Facts) {
	condition := false
	for i, t := range tokens {
		switch {
		case t.is("where", "on", "having"):
			condition = true
		case t.is("limit") && i+3 < len(tokens) && tokens[i+2].op(","):
			f.Deep, condition = f.Deep || isDeep(tokens[i+1]), false
		case t.is("select", "set", "values", "order", "group", "limit", "from"):
			condition = false
		case t.is("like", "ilike", "glob"):
			f.Wildcard = f.Wildcard || leading(tokens[i+1:])
		case t.is("offset") && i+1 < len(tokens):
			f.Deep = f.Deep || isDeep(tokens[i+1])
		case t.kind == text, t.kind == number:
			f.Values = f.Values || condition
		}
		if condition && i > 0 && i+1 < len(tokens) && isComparison(t) && tokens[i+1].kind == number && isName(tokens[i-1]) {
			f.Add(Facts{Numbers: []string{tokens[i-1].text}})
		}
	}
	return f
}

// leading says whether a pattern begins with a wildcard, also where it is put together.
func leading(rest []token) bool {
	for i, t := range rest {
		switch {
		case t.kind == text:
			at := strings.IndexAny(t.text, `'"`)
			return at >= 0 && at+1 < len(t.text) && (t.text[at+1] == '%' || t.text[at+1] == '*')
		case i > 2 || !t.op("(") && !t.is("concat"):
			return false
		}
	}
	return false
}

func isDeep(t token) bool {
	n, err := strconv.ParseInt(t.text, 10, 64)
	return t.kind == number && err == nil && n >= deep
}

func isComparison(t token) bool {
	if t.kind != operator {
		return false
	}
	switch t.text {
	case "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>":
		return true
	}
	return false
}

func isName(t token) bool { return t.kind == quoted || t.kind == word && !isKeyword(t) }

// lists makes one of the elements of lists of values, and of rows of values.
func lists(in []token, f *Facts, goesOn bool) []token {
	var out []token
	for i := 0; i < len(in); i++ {
		t := in[i]
		n, end := values(in[i:], goesOn)
		last := token{}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		isIn := last.is("in") || len(out) > 1 && last.op("(") && out[len(out)-2].is("in")
		isRow := last.is("values", "value", "row")
		isArray := t.op("[")
		again := len(out) > 3 && last.op(",") && out[len(out)-2].op(")") && out[len(out)-3].text == cut
		switch {
		case end == 0 || !isIn && !isRow && !isArray && !again:
			out = append(out, t)
			continue
		case isIn, isArray:
			f.List = max(f.List, n)
		}
		i += end
		if again {
			out = out[:len(out)-1]
			continue
		}
		out = append(out, t, token{kind: word, text: cut, attached: true}, token{kind: operator, text: closing[t.text], attached: true})
	}
	return out
}

var closing = map[string]string{"(": ")", "[": "]"}

// values counts those of a list that has nothing else, from its opening parenthesis on; end is
// the index of the closing one, or the last where the text goes on, 0 for none.
func values(in []token, goesOn bool) (n, end int) {
	if !in[0].op("(") && !in[0].op("[") {
		return 0, 0
	}
	for i := 1; i < len(in); i++ {
		t := in[i]
		switch {
		case i%2 == 1 && (t.isLiteral() || t.is("null", "true", "false", "default")):
			n++
		case i%2 == 0 && t.op(","):
		case i%2 == 0 && (t.op(")") || t.op("]")):
			return n, i
		default:
			return 0, 0
		}
	}
	if goesOn && n > 1 {
		return n, len(in) - 1
	}
	return 0, 0
}

// write puts tokens together, with one space between two that have none in usual writing.
func write(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && isSpaced(tokens[i-1], t) {
			b.WriteByte(' ')
		}
		switch {
		case t.isLiteral():
			b.WriteByte('?')
		default:
			b.WriteString(printable(t.text))
		}
	}
	return b.String()
}

func isSpaced(before, t token) bool {
	switch {
	case t.op(","), t.op(")"), t.op("."), t.op(";"), t.op("]"), t.op("["), t.op("::"):
		return false
	case before.op("("), before.op("."), before.op("["), before.op("::"), before.text == cut && before.attached:
		return false
	case t.op("("):
		return !t.attached || before.op(",") || before.is("in", "values", "and", "or", "where", "on", "not", "exists", "any", "all", "as", "from", "select")
	case t.text == cut && t.attached:
		return false
	}
	return true
}

// printable keeps a name on one line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
