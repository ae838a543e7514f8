package text

import (
	"regexp"
	"slices"
	"strings"
)

// Call is one in a statement.
type Call struct {
	// Name is what is called, with what it is called on: json.loads, self.tpl.render, new Foo.
	Name string
	// On is the first word of the name where there are several, "" for none.
	On string
	// Args are its arguments, as code.
	Args string
	// At is where it begins in the statement.
	At int
}

// Last is the last word of what is called.
func (c Call) Last() string {
	name := strings.TrimPrefix(c.Name, "new ")
	if at := strings.LastIndexAny(name, ".:>"); at >= 0 {
		name = name[at+1:]
	}
	return strings.TrimLeft(name, "$@&")
}

// New says whether an object is made.
func (c Call) New() bool { return strings.HasPrefix(c.Name, "new ") }

var callName = regexp.MustCompile(`(?:\bnew\s+)?[$@&]*[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*[?!]?(?:<[\w\s,.:<>]*>)?\s*\(`)

// notCalls are words before a parenthesis that call nothing.
var notCalls = []string{"if", "for", "while", "switch", "return", "catch", "function", "def", "fn", "func", "fun", "sub", "elif", "elsif", "and", "or", "not", "in", "sizeof", "foreach", "until", "match", "with", "synchronized", "typeof", "await", "yield", "assert", "print", "unless", "when", "case", "my", "local", "let", "var", "const"}

// withoutParentheses is a call on a value in languages where one without arguments has none.
var withoutParentheses = regexp.MustCompile(`(?:[$@]*[A-Za-z_]\w*)(?:(?:\.|->)[A-Za-z_]\w*[?!]?)+`)

// Calls are those of a statement, in the order in which they are written.
func (f *File) Calls(statement string) []Call {
	out := Calls(statement)
	if f.lang != &ruby && f.lang != &perl && f.lang != &elixir && f.lang != &java {
		return out
	}
	for _, m := range withoutParentheses.FindAllStringIndex(statement, -1) {
		name := statement[m[0]:m[1]]
		if strings.HasPrefix(strings.TrimLeft(statement[m[1]:], " "), "(") || m[0] > 0 && strings.ContainsRune(".>:)]", rune(statement[m[0]-1])) {
			continue
		}
		c := Call{Name: name, At: m[0]}
		c.On = name[:strings.IndexAny(name, ".-")]
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Call) int { return a.At - b.At })
	return out
}

// Calls are those of a statement that have parentheses.
func Calls(statement string) []Call {
	var out []Call
	for _, m := range callName.FindAllStringIndex(statement, -1) {
		name := strings.TrimSpace(strings.TrimSuffix(statement[m[0]:m[1]], "("))
		if at := strings.IndexByte(name, '<'); at > 0 {
			name = name[:at]
		}
		if slices.Contains(notCalls, name) {
			continue
		}
		args, _ := Inside(statement, m[1])
		c := Call{Name: name, Args: args, At: m[0]}
		if at := strings.IndexAny(strings.TrimPrefix(name, "new "), ".:-?"); at > 0 && !c.New() {
			c.On = name[:at]
		}
		// A call on what another call or an element gives is a call on what is not known.
		if m[0] > 0 && strings.ContainsRune(".>:)]", rune(statement[m[0]-1])) && !strings.HasSuffix(statement[:m[0]], "=>") {
			c.On = ")"
		}
		out = append(out, c)
	}
	return out
}

// Inside is what is between the bracket before a place and the one that closes it; closed is
// false where none does, and it is all that follows.
func Inside(s string, from int) (inside string, closed bool) {
	depth := 1
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return s[from:i], true
			}
		}
	}
	return s[from:], false
}

var (
	word = regexp.MustCompile(`[$@%&]*(?:\b(?:self|this)(?:\.|->)|\$this->|@)?[A-Za-z_]\w*`)
	// words of languages that are no names of values.
	words = regexp.MustCompile(`^(and|or|not|in|is|if|else|for|of|new|true|false|True|False|TRUE|FALSE|None|nil|null|NULL|nullptr|undefined|self|this|lambda|func|function|do|return|await|async|const|static|int|long|float|double|char|bool|size_t|unsigned|sizeof|var|let|my|auto|as|typeof|instanceof|mut|NA|range|_)$`)
)

// Names are the values that an expression uses: not what it calls by name, nor members of
// other values, nor names of arguments.
func Names(expression string) []string {
	var out []string
	for _, m := range word.FindAllStringIndex(expression, -1) {
		name := strings.TrimLeft(expression[m[0]:m[1]], "&%")
		before := strings.TrimRight(expression[:m[0]], " ")
		after := strings.TrimLeft(expression[m[1]:], " ")
		switch {
		case words.MatchString(name) && !isOperand(name, before, after), m[0] > 0 && isWordByte(expression[m[0]-1]):
			continue
		case strings.HasSuffix(before, ".") && !strings.HasSuffix(before, ".."), strings.HasSuffix(before, "->"), strings.HasSuffix(before, "::"):
			continue
		case strings.HasPrefix(after, "(") && !strings.ContainsAny(name, "$@"), strings.HasPrefix(after, "::"):
			continue // what is called
		case strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") && !strings.HasPrefix(after, "=>") && strings.ContainsAny(lastOf(before), "(,"), strings.HasPrefix(after, ":") && strings.ContainsAny(lastOf(before), "{,") && !strings.HasPrefix(after, "::") && !strings.HasPrefix(after, ":="):
			continue // the name of an argument or a key
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// operators are words that other languages have names of, and that stand between values or before one.
var operators = regexp.MustCompile(`^(and|or|not|in|is|of|as|let|my|var|func|function|range|lambda|async|await)$`)

// isOperand says whether a word stands where a value does, so that it is a name: EdgeWeight(in),
// f(a, is), of->next.
func isOperand(name, before, after string) bool {
	return operators.MatchString(name) &&
		(before == "" || strings.ContainsRune("(,=[{!&|+-*/<>?:;", rune(before[len(before)-1]))) &&
		(after == "" || strings.ContainsRune("),].;+*/<>=?:&|", rune(after[0])) || strings.HasPrefix(after, "-"))
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func lastOf(s string) string {
	if s == "" {
		return "("
	}
	return s[len(s)-1:]
}
