package rscript

import (
	"regexp"
	"strings"
)

// Script is the text of a script.
type Script struct {
	outside []string // lines without functions, comments and texts in quotes
	code    []string // lines without comments and quotation marks
	begins  []int    // where the outermost expression of each line begins
	calls   map[string]int
	defined map[string]int
}

// Read reads a text.
func Read(text string) *Script {
	s := &Script{calls: map[string]int{}, defined: map[string]int{}}
	s.scan(valid(text))
	return s
}

// valid is a text whose bytes are UTF-8, as expressions need it: R takes other encodings, in
// the script and in names alike.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// Calls is the line that calls a function and is in none itself; 0 where several do, or none
// is found. Within are the functions that it has called in turn, outermost first.
func (s *Script) Calls(function string, within ...string) int {
	function = valid(function)
	key := function
	if len(within) > 0 {
		key += "\n" + within[0]
	}
	line, known := s.calls[key]
	if !known {
		line = s.find(function, within)
		s.calls[key] = line
	}
	return line
}

// Base is where the outermost expression begins that a function is defined in; 0 where that
// cannot be told. The lines that R gives of such a function are counted from there.
func (s *Script) Base(function string) int {
	function = valid(function)
	line, known := s.defined[function]
	if known || function == "" {
		return line
	}
	e := regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(function) + "`?" + `\s*(<<?-|=)\s*function\b`)
	var found []int
	for n, text := range s.code {
		if e.MatchString(text) {
			found = append(found, s.begins[n])
		}
	}
	line = only(found)
	s.defined[function] = line
	return line
}

// BaseOf is where the outermost expression of a line begins.
func (s *Script) BaseOf(line int) int {
	if line < 1 || line >= len(s.begins) {
		return 0
	}
	return s.begins[line]
}

// Len is how many lines there are.
func (s *Script) Len() int { return len(s.begins) - 1 }

func (s *Script) find(function string, within []string) int {
	for _, e := range callsOf(function, within) {
		var found []int
		for n, text := range s.outside {
			if e.MatchString(text) {
				found = append(found, n)
			}
		}
		if line := only(found); line != 0 {
			return line
		}
		if len(found) > 0 && len(within) > 0 {
			return s.narrow(found, within[0])
		}
	}
	return 0
}

// narrow is the one of some lines that writes another call as well.
func (s *Script) narrow(lines []int, function string) int {
	e := written(function)
	if e == nil {
		return 0
	}
	var found []int
	for _, n := range lines {
		if e.MatchString(s.outside[n]) {
			found = append(found, n)
		}
	}
	return only(found)
}

// replacing are functions that assignments call, by what stands before the arrow.
var replacing = map[string]string{"[": `\]`, "[[": `\]\]`, "$": `\$\s*[\w.]+`, "@": `@\s*[\w.]+`}

// elementOfTable is how an element of a data frame is assigned: by row and column.
var elementOfTable = regexp.MustCompile(`\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*,[^=<]*\]\s*<?<-`)

// callsOf are the expressions for calls of a function, the first that any line has counts.
func callsOf(function string, within []string) (all []*regexp.Regexp) {
	if function == "[<-" && len(within) > 0 && within[0] == "[<-.data.frame" {
		all = append(all, elementOfTable)
	}
	if e := written(function); e != nil {
		all = append(all, e)
	}
	return all
}

// written is how a call of a function is written; nil where that cannot be told from other
// things.
func written(function string) *regexp.Regexp {
	name, method, replaces := strings.Cut(function, "<-")
	switch {
	case replaces && method == "" && replacing[name] != "":
		return regexp.MustCompile(replacing[name] + `\s*<?<-`)
	case replaces && method == "" && isName.MatchString(name):
		return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(name) + `\s*\(.*\)\s*<?<-`)
	case strings.HasPrefix(function, "%"):
		return regexp.MustCompile(regexp.QuoteMeta(function))
	case !isName.MatchString(function):
		return nil
	}
	return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(function) + `\s*\(`)
}

var isName = regexp.MustCompile(`^[A-Za-z.][\w.]*$`)
