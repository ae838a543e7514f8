package text

import (
	"regexp"
	"strings"
)

var (
	parameterName = regexp.MustCompile(`[$@%&]*[A-Za-z_]\w*`)
	// receiver is that of a method of Go.
	receiver = regexp.MustCompile(`^\s*func\s*\(\s*(\w+)`)
	// oneParameter is a function of JavaScript with one, without parentheses.
	oneParameter = regexp.MustCompile(`(?:^|[=(:,]\s*)(?:async\s+)?(\w+)\s*=>`)
	// fromList is how Perl takes them.
	fromList = regexp.MustCompile(`^\s*my\s*\(([^)]*)\)\s*=\s*@_`)
)

// Parameters are the names of a function's parameters, in their order; the receiver of a
// method of Go comes first. In languages in which the type comes first, a name is the last word
// of each.
func (f *File) Parameters(fn Function) []string {
	var out []string
	if m := receiver.FindStringSubmatch(fn.Header); m != nil && f.lang == &golang {
		out = append(out, m[1])
	}
	for _, arg := range Arguments(f.ParameterList(fn)) {
		arg, _, _ = strings.Cut(arg, "=")
		arg, _, typed := strings.Cut(strings.ReplaceAll(arg, "::", "__"), ":")
		words := parameterName.FindAllString(arg, -1)
		switch {
		case len(words) == 0:
		case typed || f.lang == &golang:
			out = append(out, words[0])
		default:
			out = append(out, words[len(words)-1])
		}
	}
	return out
}

// ParameterList is what is between the parentheses of a header.
func (f *File) ParameterList(fn Function) string {
	if f.lang == &perl {
		for n := fn.First + 1; n <= min(fn.Last, fn.First+3); n++ {
			if m := fromList.FindStringSubmatch(f.Code(n)); m != nil {
				return m[1]
			}
		}
		return ""
	}
	name := fn.Own()
	from := 0
	if at := strings.Index(fn.Header, name); name != "" && at >= 0 {
		from = at + len(name)
	}
	if at := strings.IndexByte(fn.Header[from:], '('); at >= 0 {
		list, _ := Inside(fn.Header, from+at+1)
		return list
	}
	if m := oneParameter.FindStringSubmatch(fn.Header); m != nil {
		return m[1]
	}
	return ""
}

// Arguments are those of a call, or the parameters of a list: what commas divide outside of
// brackets.
func Arguments(list string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		out = append(out, last)
	}
	return out
}
