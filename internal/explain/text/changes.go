package text

import (
	"regexp"
	"strings"
)

// changing are methods that change what they are called on, whatever stands around the call.
var changing = regexp.MustCompile(`^((\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\])|(\.|->)\w+)*(\.|->)(push\w*|pop\w*|add\w*|append\w*|extend|insert\w*|remove\w*|delete\w*|discard|erase|poll\w*|shift|unshift|splice|take\w*|put\w*|set|set_\w+|set[A-Z]\w*|next\w*|read\w*|recv\w*|fill\w*|clear|sort|reverse|swap\w*|update\w*|step|advance|move\w*|emplace\w*|enqueue|dequeue|write\w*|reset|consume\w*|fetch\w*|shuffle|rotate|merge!|<<)[!?]?\s*[\s(]`)

// begins is what stands before a statement that is not the first of its line.
var begins = regexp.MustCompile(`(^|[;{}]|\)|&&|\|\||=>|\belse|\bthen|\bdo)\s*(await\s+)?$`)

// Changes says whether a name may have another value, or another content, from one pass of
// some lines to the next: the lines bind it, assign to it or to a part of it, or call
// something that may change it. What calls on it in the lines of except do is not looked at.
func (f *File) Changes(name string, lines, except Range) bool {
	for n := max(lines.First, 1); n <= min(lines.Last, len(f.code)); n++ {
		for _, at := range occurrences(f.code[n-1], name) {
			own := except.Has(n)
			if at.isChanged() || !own && at.mayBeChanged() || own && strings.TrimSpace(at.before) == "" && changing.MatchString(at.after) {
				return true
			}
		}
	}
	return false
}

// Rebinds says whether a name may stand for something else, or for a collection of other
// elements, from one pass of some lines to the next. A change within an element is none.
func (f *File) Rebinds(name string, lines, except Range) bool {
	for n := max(lines.First, 1); n <= min(lines.Last, len(f.code)); n++ {
		for _, at := range occurrences(f.code[n-1], name) {
			if at.isBound() || assigns.MatchString(at.after) || at.isDeclared() || !except.Has(n) && at.mayBeChanged() {
				return true
			}
		}
	}
	return false
}

// Declares says whether some lines declare a name, or bind it.
func (f *File) Declares(name string, lines Range) bool {
	for n := max(lines.First, 1); n <= min(lines.Last, len(f.code)); n++ {
		for _, at := range occurrences(f.code[n-1], name) {
			if at.isBound() || at.isDeclared() || strings.HasPrefix(strings.TrimSpace(at.after), ":=") {
				return true
			}
		}
	}
	return false
}

// Assignments are the lines that give a name a value, without those that only change parts.
func (f *File) Assignments(name string, lines Range) []int {
	var out []int
	for n := max(lines.First, 1); n <= min(lines.Last, len(f.code)); n++ {
		for _, at := range occurrences(f.code[n-1], name) {
			if at.isBound() || isAssignment(at.after) || typed.MatchString(at.before) && strings.HasPrefix(at.after, ":") {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// occurrence is a name in a line of code.
type occurrence struct{ before, name, after string }

// occurrences are those of a name, with or without what marks a variable in the language.
func occurrences(code, name string) []occurrence {
	bare := strings.TrimLeft(name, "$@%&")
	member := strings.ContainsAny(bare, ".>")
	var out []occurrence
	for from := 0; bare != ""; {
		n := strings.Index(code[from:], bare)
		if n < 0 {
			break
		}
		start, end := from+n, from+n+len(bare)
		from = end
		if start > 0 && isWordByte(code[start-1]) || end < len(code) && (isWordByte(code[end]) || code[end] == '\'') {
			continue
		}
		for start > 0 && strings.IndexByte("$@%", code[start-1]) >= 0 {
			start--
		}
		before := code[:start]
		if !member && (strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..") || strings.HasSuffix(before, "->") || strings.HasSuffix(before, "::")) {
			continue // a part of something else
		}
		out = append(out, occurrence{before, code[start:end], code[end:]})
	}
	return out
}

var (
	// parts are those of a value, which an assignment may be to.
	parts = regexp.MustCompile(`^(\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\{[^}]*\}|(\.|->|\$)\w+)*`)
	// assigns is an assignment, and not a comparison, an arrow or an argument's name.
	assigns = regexp.MustCompile(`^\s*(:\s*[\w\[\], .<>|]+)?\s*(=$|=[^=~>]|:=|<-|<<-|([-+*/%.|&^]|<<|>>|\*\*|//|\|\||&&|\?\?)=($|[^=>])|\+\+|--)`)
	// typed is what stands before a name that is declared.
	typed = regexp.MustCompile(`(^|[(,;{]|\b(const|mut|static|final|readonly|unsigned|struct|class)\b)\s*[A-Za-z_][\w:.]*(<[^;=]*>)?(\[\])?(\s*[*&]+\s*|\s+)$`)
	// product is a name and a star before another: a pointer that is declared, or a product.
	product = regexp.MustCompile(`\w\s*[*&]\s*$`)
	// declares is what follows it.
	declares = regexp.MustCompile(`^\s*(;|=[^=]|\{|\(|\[|,|\)|:[^:]|$)`)
	// noType are words that stand before a value.
	noType = regexp.MustCompile(`\b(return|new|else|case|in|of|not|and|or|if|while|until|unless|throw|await|yield|delete|print|puts|echo|goto|is|as|when|then|do|raise|assert|defer|go|export|import|from)\s+$`)
	// declaring words bind the names up to the next "=".
	declaring = regexp.MustCompile(`(?:^|[^\w.>])(my|our|let|var|val|const|local|auto|mut|lambda|and|rec|fun|fn|set|incr|lappend)\b\s*[\[({]?(\s*[\w$@%&*]+\s*,)*\s*([\w:<>]+[\s*&]+)?[\[({*&]*$|\bforeach\s+$`)
	// loopsOver begins a loop; what is before its separator is bound by it.
	loopsOver = regexp.MustCompile(`\b(for|foreach|each)\b`)
	separator = regexp.MustCompile(`\bin\b|\bof\b|<-|:=|=|\s:\s|:\s`)
	// bindsAfter are words after which names are bound.
	bindsAfter = regexp.MustCompile(`\b(as|read)\b[^;{]*$`)
	// arrow is what follows the parameters of a function without a name.
	arrow = regexp.MustCompile(`^(\s*:\s*[\w<>\[\]]+)?(\s*,\s*[\w$@]+(\s*:\s*[\w<>\[\]]+)?)*(\s*\))?(\s*:\s*[\w<>\[\]]+)?(\s*=>|\s+->|\)->)`)
	// pipes are around the parameters of a block.
	pipeBefore = regexp.MustCompile(`(\{|\bdo\b|\(|,)\s*\|[^|]*$`)
	// onIt is a call on a name, as a whole statement.
	onIt = regexp.MustCompile(`^((\s*\[[^\]]*\])|(\.|->)\w+)*(\.|->)\w+[!?]?\s*(\(|\s\w|$)`)
	// passes gives a name by reference; given is a call as a whole statement, with the name among
	// its arguments.
	passes = regexp.MustCompile(`([^&]|^)&(mut\s+)?$|\b(ref|out|inout)\s+$`)
	given  = regexp.MustCompile(`^\s*(await\s+)?[\w$@]+((\.|->|::)\w+)*!?\s*\([^=]*$`)
	closes = regexp.MustCompile(`^[^=]*\)\s*;?\s*$`)
	// operand is an element that is calculated with.
	operand = regexp.MustCompile(`^\s*\[[^\[\]]*\]\s*[-+*/%]\s*[\w(]`)
	onlyLog = regexp.MustCompile(`(?i)^\s*(await\s+)?(if|for|foreach|while|switch|return|elif|catch|print\w*|puts|echo|say|log\w*|assert\w*|(fmt|console|log|logger|logging|System\.(out|err)|std|io|sys\.stdout|\$stdout)\b[.:]+)`)
	changer = regexp.MustCompile(`^\s*(push|unshift|splice|pop|shift|delete|append|sort|array_push|array_shift|array_pop|table\.(insert|remove|sort)|swap|std::swap|read|lappend|incr|set|unset|lset)\b[^=;]*$`)
	// tuple is what stands around one of several names that are assigned at once.
	tupleBefore = regexp.MustCompile(`^\s*(\w+\s+)?[\[({]?(\s*[\w$@*&]+\s*,)*\s*\*?$`)
	tupleAfter  = regexp.MustCompile(`^(\s*,\s*[\w$@*&\s,]+|)\s*[\])}]?\s*(=[^=>]|:=)`)
)

// isAssignment says whether a name, or a part of it, is assigned to.
func isAssignment(after string) bool {
	return assigns.MatchString(after[len(parts.FindString(after)):]) || assigns.MatchString(after)
}

// isChanged says whether the name is bound or assigned to here.
func (o occurrence) isChanged() bool {
	return o.isBound() || isAssignment(o.after) ||
		strings.HasSuffix(o.before, "++") || strings.HasSuffix(o.before, "--") ||
		o.isDeclared()
}

// isDeclared says whether the name has a type before it.
func (o occurrence) isDeclared() bool {
	if product.MatchString(o.before) && (strings.Contains(o.before, "=") || strings.HasSuffix(strings.TrimRight(o.before, " *&"), o.name)) {
		return false // x = f(k * k)
	}
	return typed.MatchString(o.before) && declares.MatchString(o.after) && !noType.MatchString(o.before)
}

// isBound says whether the name is given to a value by a loop, a block, a function without a
// name or a declaration.
func (o occurrence) isBound() bool {
	if declaring.MatchString(o.before) || bindsAfter.MatchString(o.before) || arrow.MatchString(o.after) {
		return true
	}
	if pipeBefore.MatchString(o.before) && strings.Contains(o.after, "|") {
		return true
	}
	if tupleBefore.MatchString(o.before) && strings.Contains(o.before+o.after, ",") && tupleAfter.MatchString(o.after) {
		return true
	}
	at := loopsOver.FindAllStringIndex(o.before, -1)
	if at == nil {
		return false
	}
	rest := o.before[at[len(at)-1][1]:]
	return !strings.ContainsAny(rest, ";$@%") && !separator.MatchString(rest) && separator.MatchString(o.after) &&
		!strings.Contains(o.after, " as ") && !strings.HasPrefix(strings.TrimSpace(o.after), ".")
}

// mayBeChanged says whether something is called that may change what the name stands for.
func (o occurrence) mayBeChanged() bool {
	return passes.MatchString(o.before) || changing.MatchString(o.after) ||
		begins.MatchString(o.before) && onIt.MatchString(o.after) && !loopCall.MatchString(o.after) ||
		changer.MatchString(o.before) ||
		given.MatchString(o.before) && closes.MatchString(o.after) && !onlyLog.MatchString(o.before) && !operand.MatchString(o.after)
}

// harmless are calls that leave what they are given as it is.
var harmless = regexp.MustCompile(`^(if|while|for|switch|return|sizeof|assert|str(n?cmp|casecmp|n?len|r?chr|str|c?spn)|mem(cmp|chr)|[fs]?n?printf|puts|abs|f?(min|max)|size|length|count|find|at|get|is\w+|to_string|static_cast|const_cast)$`)

// acting are functions that, by their names, change what they are given.
var acting = regexp.MustCompile(`(?i)^_?(simulate|relax|solve|read|fill|update|step|run|move|apply|process|mutate|shuffle|sort|push|append|add|insert|remove|advance|train|fit|write|set|swap|exchange|evolve|propagate|init|reset|clear|load|parse_into|decode_into|next|pop|consume)(_|[A-Z]|\b|\d)`)

// OnlyLogs says whether a line of code only writes something out.
func OnlyLogs(code string) bool {
	t := strings.TrimSpace(code)
	return onlyLog.MatchString(t) && !control.MatchString(t)
}

// IsPassed says whether some lines give a name to a function that may change what it points
// at: in C and its kin any that is not known to leave it as it is, else one whose name says so.
// What calls on it in the lines of except do is not looked at.
func (f *File) IsPassed(name string, lines, except Range) bool {
	for n := max(lines.First, 1); n <= min(lines.Last, len(f.code)); n++ {
		if except.Has(n) {
			continue
		}
		for _, at := range occurrences(f.code[n-1], name) {
			after := strings.TrimLeft(at.after, " ")
			if after == "" || after[0] != ',' && after[0] != ')' {
				continue
			}
			if callee := enclosingCall(at.before); callee != "" && (f.lang == &cLike && !harmless.MatchString(callee) || acting.MatchString(callee)) {
				return true
			}
		}
	}
	return false
}

var lastWord = regexp.MustCompile(`(\w+)\s*$`)

// enclosingCall is the last word of the name of the call whose arguments an expression ends
// in, "" for none.
func enclosingCall(before string) string {
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')', ']':
			depth++
		case '[':
			depth--
		case '(':
			if depth == 0 {
				if m := lastWord.FindStringSubmatch(before[:i]); m != nil {
					return m[1]
				}
				return ""
			}
			depth--
		}
	}
	return ""
}
