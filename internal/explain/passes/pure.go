package passes

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// isObject says whether a call is on a value of the program, and not on a module or a class.
func isObject(f *text.File, c text.Call) bool {
	if c.On == "" || c.New() {
		return false
	}
	if c.On == ")" || c.On == "self" || c.On == "this" || c.On == "$this" || strings.HasPrefix(c.On, "@") || strings.HasPrefix(c.On, "$") {
		return true
	}
	return len(f.Assignments(c.On, text.Range{First: 1, Last: len(f.Lines)})) > 0 || f.Declares(c.On, text.Range{First: 1, Last: len(f.Lines)})
}

// givesOn is gives, for a call in a file.
func givesOn(f *text.File, c text.Call) bool {
	return gives(c) && (!isObject(f, c) || onObject[firstWord(c.Last())] || wholes.MatchString(c.Last()))
}

// namesSame says whether a call may give the same for the same, by its name: of the program's own
// functions, whose text says more, those that step are left out.
func namesSame(f *text.File, c text.Call, own bool) bool {
	if own {
		return !stepping[firstWord(c.Last())]
	}
	return givesOn(f, c)
}

// gives says whether a call is one that gives the same for the same, by its name.
func gives(c text.Call) bool {
	last := c.Last()
	if wholes.MatchString(last) {
		return true
	}
	if c.New() || last != "" && unicode.IsUpper(rune(last[0])) && c.On == "" || last == "new" || strings.HasPrefix(last, "make_") {
		name := last
		if last == "new" || last == "New" {
			name = c.On
		}
		if name == "" || containers.MatchString(name) {
			return false
		}
	}
	return last != "" && !doing[firstWord(last)] && !strings.HasSuffix(last, "!")
}

// firstWord is that of a name in any of the usual spellings: of readLine, read_line and
// ReadLine it is read.
func firstWord(name string) string {
	name = strings.TrimLeft(name, "_$@")
	for i, c := range name {
		if c == '_' || i > 0 && unicode.IsUpper(c) && !unicode.IsUpper(rune(name[i-1])) {
			return strings.ToLower(name[:i])
		}
	}
	return strings.ToLower(strings.TrimRight(name, "0123456789?"))
}

// isValue says whether a statement does something with what a call gives.
func isValue(statement string, c text.Call) bool {
	before := strings.TrimSpace(statement[:c.At])
	after := strings.TrimSpace(statement[c.At+len(c.Name):])
	if before != "" && !strings.HasSuffix(before, ";") && !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, "await") && !strings.HasSuffix(before, "|") && !strings.HasSuffix(before, "do") {
		return !isExcluded(before)
	}
	// A call by which more is called: Foo(a).bar()
	end := len(c.Args) + 2
	return len(after) > end && strings.ContainsAny(after[end:end+1], ".-[:")
}

// isExcluded says whether what stands before a call keeps or drops what it gives.
func isExcluded(before string) bool {
	return keeps.MatchString(before) || strings.HasSuffix(before, "go") || strings.HasSuffix(before, "defer") || strings.HasSuffix(before, "except") || strings.HasSuffix(before, "raise") || strings.HasSuffix(before, "throw")
}

var (
	// writes are lines of a function that change what is not its own.
	writes = regexp.MustCompile(`^\s*(global|nonlocal)\b|(\bself|\bthis|\$this)(\.|->)[\w.\[\]>'" -]*\s*([-+*/|&^%]|<<|>>)?=[^=]|(^|[^\w@])@\w+\s*([-+*/|&]|\|\|)?=[^=]|->\w+(\[[^\]]*\])?\s*([-+*/|&^]|<<|>>)?=[^=]|^\s*\*+\w+\s*=[^=]|<<-`)
	// returns is what gives a value.
	returns = regexp.MustCompile(`\breturn\s+[^;\s]|=>\s*[^{\s]`)
)

// isPure says whether a function of the program only gives a value, as far as its text shows.
func (r *reader) isPure(id profile.FunctionID) bool {
	f := r.file(id)
	if f == nil {
		return false
	}
	in, ok := r.definition(f, id)
	return ok && isPureText(f, in)
}

// deepest is how far calls to other functions of a file are followed.
const deepest = 3

// isPureText says whether the text of a function shows that it only gives a value: neither it
// nor the functions of the same file that it calls write to what is not their own.
func isPureText(f *text.File, in text.Function) bool {
	return gaveValue(f, in) && isPureTo(f, in, map[int]bool{}, 0)
}

// gaveValue says whether a function gives a value: it returns one, or is of a language in
// which the last expression is one.
func gaveValue(f *text.File, in text.Function) bool {
	switch f.Language() {
	case "Ruby", "R", "Rust", "Elixir", "OCaml", "Haskell", "Perl":
		return true
	}
	return returns.MatchString(in.Header) || strings.Contains(in.Header, "= ") || returns.MatchString(body(f, in))
}

func isPureTo(f *text.File, in text.Function, seen map[int]bool, depth int) bool {
	if seen[in.First] || depth > deepest {
		return true
	}
	seen[in.First] = true
	args := f.Parameters(in)
	_, header := f.Statement(in.First)
	for n := header.Last + 1; n <= in.Last; n++ {
		code := f.Code(n)
		if writes.MatchString(code) || writesOutside(f, in, code) {
			return false
		}
		for _, c := range f.Calls(code) {
			local := c.On != "" && len(f.Assignments(c.On, in.Range)) > 0
			if !local && isOther(c) || chance.MatchString(c.Name) {
				return false
			}
		}
		for _, name := range mentioned(f, code) {
			if fn, is := defined(f, name); is && !isPureTo(f, fn, seen, depth+1) {
				return false
			}
		}
		if f.Language() == "Perl" && strings.Contains(code, "@_") {
			continue // it takes its parameters
		}
		for _, a := range args {
			if f.Changes(a, text.Range{First: n, Last: n}, text.Range{}) {
				return false
			}
		}
	}
	return true
}

var (
	assignedTo = regexp.MustCompile(`^\s*([$@%]?[A-Za-z_]\w*)(?:\[[^\]]*\]|\{[^}]*\})*\s*(?:=($|[^=~>])|[-+*/%.|&^]=[^=]|\+\+|--)|^\s*(?:\+\+|--)([A-Za-z_]\w*)`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w*[?!]?`)
)

// writesOutside says whether a line assigns to a variable that its function does not declare,
// in languages in which an assignment declares none.
func writesOutside(f *text.File, in text.Function, code string) bool {
	switch f.Language() {
	case "Python", "Ruby", "PHP", "R", "Octave", "Julia", "Elixir", "Erlang", "Haskell", "OCaml", "shell", "awk", "Tcl":
		return false
	}
	m := assignedTo.FindStringSubmatch(code)
	if m == nil {
		return false
	}
	name := m[1] + m[3]
	return !slices.Contains(f.Parameters(in), name) && !f.Declares(name, in.Range)
}

// mentioned are the names by which a line may call functions of its file.
func mentioned(f *text.File, code string) []string {
	if f.Language() == "Ruby" || f.Language() == "Perl" {
		return identifier.FindAllString(code, -1)
	}
	var out []string
	for _, c := range f.Calls(code) {
		out = append(out, c.Last())
	}
	return out
}

// definition is the function of a text in which a function of the profile runs. Where a
// recording has the file of what was inlined, that is another function.
func (r *reader) definition(f *text.File, id profile.FunctionID) (fn text.Function, ok bool) {
	_, name := ownline.Parts(r.p.Function(id).Name)
	if at := r.p.Function(id).StartLine; at > 0 {
		if fn, ok := f.Function(int(at) + 1); ok && fn.First == int(at) {
			return fn, isNamed(fn, name)
		}
	}
	for _, line := range r.numbered.lines {
		if line.Function != id || line.Line <= 0 {
			continue
		}
		if fn, ok = f.Function(int(line.Line)); ok && isNamed(fn, name) {
			return fn, true
		}
	}
	return text.Function{}, false
}

// isNamed says whether a function of a text has the own name of one of a profile.
func isNamed(fn text.Function, name string) bool {
	return fn.Own() == name || isConstructor(name)
}
