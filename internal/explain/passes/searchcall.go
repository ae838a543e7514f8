package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// searchCalls are functions that ask each element of a collection, with what they are called
	// on; what a stream or iterator is made of is the collection.
	searchCalls = regexp.MustCompile(`([$@]?[A-Za-z_][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*(?:\(\))?)*?)(?:\.(?:stream|iter|into_iter|lazy|values|AsEnumerable|asSequence)\(\)|\.lazy)?\s*(?:\.|->|\?\.)(?:filter|find(?:Last)?(?:Index)?|find_?[aA]ll|find_index|some|any\??|none\??|one\??|detect|select|count|position|rposition|indexOfFirst|first|firstOrNull|single|Where|First(?:OrDefault)?|Single(?:OrDefault)?|Last(?:OrDefault)?|Any|Count|(?:any|none)Match|grep)\s*(\(|\{|do\b)`)
	// blockOf is how the function that is given to such a call begins, with its parameter.
	blockOf = regexp.MustCompile(`^\s*(?:async\s*)?(?:\(\s*([\w$]+)[^)]*\)|([\w$]+))\s*(?:=>|->)|^\s*(?:move\s*)?\|\s*[&(]*\s*(?:ref\s+|mut\s+)?([\w$]+)[^|]*\||^\s*function\s*\w*\(\s*([\w$]+)|^\s*\{\s*([\w$]+)\s*->`)
)

// otherForms are searches that are written in other ways: comprehensions of Python, PHP's
// array_filter, algorithms of C++. Each has the collection, the element and the condition, or
// the element and what follows it.
var otherForms = []struct {
	form                *regexp.Regexp
	over, element, body int
}{
	{regexp.MustCompile(`\bfor\s+(\w+)\s+in\s+([A-Za-z_][\w.]*)(?:\.values\(\))?\s+if\s+(.*)`), 2, 1, 3},
	{regexp.MustCompile(`\barray_(?:filter|find|any)\s*\(\s*(\$[\w>-]+)\s*,\s*(?:static\s+)?(?:fn|function)\s*\(\s*(?:\??\w+\s+)?(\$\w+)\s*\)(.*)`), 1, 2, 3},
	{regexp.MustCompile(`\b(?:find|count|any|none|all|copy|remove)_(?:if|of)(?:_not)?\s*\(\s*(?:std::)?(?:c?begin\()?([A-Za-z_]\w*)[^\[]*\[[^\]]*\]\s*\(\s*(?:const\s+)?[\w:<>]+\s*[&*]*\s*(\w+)\s*\)(.*)`), 1, 2, 3},
	{regexp.MustCompile(`([A-Za-z_]\w*)(?:\.asSequence\(\))?\.(?:filter|find|first|firstOrNull|any|none|count|single|indexOfFirst|last|sumOf)\s*\{([^>]*\bit\b[^}]*)`), 1, 0, 2},
}

// question is a search in a statement.
type question struct{ before, over, element, body string }

// searchesOf are those that may be in a statement, by their form.
func searchesOf(statement string) []question {
	var out []question
	for _, m := range searchCalls.FindAllStringSubmatchIndex(statement, -1) {
		inside, _ := text.Inside(statement, m[5])
		if given := blockOf.FindStringSubmatch(inside); given != nil {
			out = append(out, question{statement[:m[2]], statement[m[2]:m[3]], strings.Join(given[1:], ""), inside[len(given[0]):]})
		}
	}
	for _, o := range otherForms {
		if m := o.form.FindStringSubmatchIndex(statement); m != nil {
			part := func(n int) string { return statement[m[2*n]:m[2*n+1]] }
			element := "it"
			if o.element > 0 {
				element = part(o.element)
			}
			out = append(out, question{statement[:m[0]], part(o.over), element, part(o.body)})
		}
	}
	return out
}

// searchIn finds the search of a collection that a line makes by a function given to a call,
// on each pass of a loop around it.
//
// Example. For each customer, orders.filter(o => o.customer === c.id) asks all orders.
func (r *reader) searchIn(f *text.File, line profile.Line) (x scan, l text.Loop, ok bool) {
	statement, lines := f.Statement(int(line.Line))
	for _, a := range searchesOf(statement) {
		sought := soughtBy(a.body, a.element)
		if sought == "" {
			continue
		}
		x = scan{spot: lineOf(line.Function, lines.First), over: rootOf(strings.TrimLeft(a.over, "$@")), nested: true}
		l = text.Loop{Range: lines, Header: statement, Within: true}
		if isEachOf(a.before, sought) {
			x.loop, x.loopIn = l, f.Path
			return x, l, true
		}
		if x, ok = r.around(f, l, x, sought, line); ok {
			return x, l, true
		}
	}
	return x, l, false
}

// soughtBy is what the element of a search is compared with, "" where it is no search.
func soughtBy(body, element string) string {
	has := func(side string) bool { return slices.Contains(text.Names(side), element) }
	for _, m := range equals.FindAllStringSubmatch(body, -1) {
		a, b := afterWord(m[1]), beforeWord(m[3])
		if m[4] != "" {
			a, b = m[4], m[5]
		}
		switch {
		case has(a) && !has(b) && len(text.Names(b)) > 0:
			return b
		case has(b) && !has(a) && len(text.Names(a)) > 0:
			return a
		}
	}
	return ""
}

// isEachOf says whether what stands before a search in its statement goes through something
// whose elements are what is looked for: customers.map(c => orders.filter(o => o.of === c.id)).
func isEachOf(before, sought string) bool {
	names := text.Names(sought)
	for _, m := range eachOf.FindAllStringSubmatchIndex(before, -1) {
		inside, closed := text.Inside(before, m[1])
		if closed {
			continue
		}
		if given := blockOf.FindStringSubmatch(inside); given != nil && slices.Contains(names, strings.Join(given[1:], "")) {
			return true
		}
	}
	return false
}

// eachOf are calls that are given a function for each element.
var eachOf = regexp.MustCompile(`(?:\.|->)(?:forEach|for_each|each\w*|map\w*|flat_?[mM]ap|filter\w*|reduce|select|Select\w*|Where|ForEach|sum\w*|Sum|some|every)\s*(?:\(|\{|do\b)`)

// givenBlock is a block that a call is given behind its arguments, as in Ruby and Kotlin.
var givenBlock = regexp.MustCompile(`^(\([^()]*\))?\s*(\{|do\b)`)

// blockNames are the values that the block of a call uses; whole is false where the block goes
// on in other lines.
func blockNames(f *text.File, statement string, c text.Call) (names []string, whole bool) {
	after := statement[min(len(statement), c.At+len(c.Name)):]
	m := givenBlock.FindString(after)
	if m == "" || f.Language() != "Ruby" && f.Language() != "Java" {
		return nil, true
	}
	if strings.HasSuffix(m, "do") {
		return nil, false
	}
	inside, closed := text.Inside(after, len(m))
	return text.Names(inside), closed
}
