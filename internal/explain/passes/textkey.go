package passes

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleTextKey is of texts that are made to be keys.
const RuleTextKey = "text-as-key"

// textKey is a text that is made of values to be the key of a table.
type textKey struct {
	spot

	made  text.Range // the statement
	table string
	asked []int // lines that look it up, besides the statement itself
}

// Places of a key, in what stands before it.
var (
	keyOfIndex  = regexp.MustCompile(`([A-Za-z_$@][\w.$>-]*)(?:\(\))?(?:\[[^\[\]]*\])*\[$`)
	keyOfBraces = regexp.MustCompile(`([$@]\w+)(?:(?:->)?[{\[][^{}\[\]]*[}\]])*(?:->)?\{$`)
	keyOfCall   = regexp.MustCompile(`([A-Za-z_$@][\w.$>-]*?)(?:\(\))?(?:\.|->|::)(?:get|set|has|put|add|Add|contains|contains_key|containsKey|ContainsKey|Contains|TryGetValue|TryAdd|insert|entry|getOrDefault|getOrElse|getOrPut|merge|compute\w*|putIfAbsent|find|count|emplace|try_emplace|fetch|key\?|has_key\?|include\?|member\?|at|setdefault|pop|discard|delete|remove|erase|Load|Store|LoadOrStore)\(\s*(?:&\s*)?$`)
	keyOfQuery  = regexp.MustCompile(`\b(?:isset|array_key_exists|Map\.(?:get|put|has_key\?|update|fetch)|MapSet\.(?:member\?|put))\((?:\s*\w+\s*,)?\s*$`)
	keyOfIn     = regexp.MustCompile(`^(?:not\s+)?in\s+([A-Za-z_][\w.]*)`)
	ofName      = regexp.MustCompile(`([$@]?[A-Za-z_]\w*)\s*:?=$`)
	oneLine     = regexp.MustCompile(`([A-Za-z_]\w*)\s*(?:=\s*)?\([^()]*\)[^()={}]*(?:=>|=|\{\s*return|\{)$`)
	ofReturn    = regexp.MustCompile(`(?:^|[^\w$])return\s*\(?$|=>$|^$`)
)

// elsewhere are names of what takes texts as keys because they leave the program, and of what
// is no table.
var elsewhere = regexp.MustCompile(`(?i)(redis|memcached?|storage|headers?|params|query|session|cookies?|client|conn(ection)?|db|database|env|environ|request|req|response|res|config|settings|log(ger)?|writer|stream|file|attributes|attrs|labels|metrics|path|el|element|document|classList|builder|sb|lines|out|output|errors?|messages?|list|parts|rows|results?)$`)

// leastText is the part of the CPU that making the texts takes at least; looking them up is
// added to that, and is often more.
const leastText = 0.02

// textKeys gives them, the dearest first.
//
// Example. const key = `${x},${y}`; if (seen.has(key)) continue; for each cell of a grid.
func (r *reader) textKeys() []textKey {
	found := map[string][]textKey{} // by file
	for line := range r.innermost {
		file := r.p.Function(line.Function).File
		if f := r.file(line.Function); f != nil && found[file] == nil {
			found[file] = textKeysIn(f)
		}
	}
	maps.DeleteFunc(found, func(_ string, all []textKey) bool { return len(all) == 0 })
	known := map[profile.Line]*textKey{}
	for file, lines := range r.linesOf(found) {
		for _, x := range found[file] {
			r.addLines(&x, lines)
			if x.line.Line == 0 {
				r.addOptimised(r.fileAt(file), &x, lines)
			}
			if x.line.Line > 0 {
				known[x.line] = &x
			}
		}
	}
	return enough(r, known)
}

// addLines adds the samples of the lines that make a text, and of those that look it up.
func (r *reader) addLines(x *textKey, lines map[profile.Line][]int32) {
	var most int64
	for line, rows := range lines {
		if x.made.Has(int(line.Line)) {
			x.rows = joinRows(x.rows, rows)
			if v := r.p.Weight(rows); v > most || v == most && line.Function < x.line.Function {
				most, x.line = v, lineOf(line.Function, x.made.First).line
			}
		}
	}
	if r.p.Share(x.rows) < leastText {
		x.line = profile.Line{}
		return
	}
	for line, rows := range lines {
		if slices.Contains(x.asked, int(line.Line)) {
			x.rows = joinRows(x.rows, rows)
		}
	}
}

// addOptimised adds samples of code that V8 has optimised: they have the line at which the
// function or a loop begins. Those are meant that are in strings, or in a table, below it.
func (r *reader) addOptimised(f *text.File, x *textKey, lines map[profile.Line][]int32) {
	if f.Language() != "JavaScript" {
		return
	}
	var most int64
	for line, rows := range lines {
		fn, in := functionOf(f, int(line.Line))
		if !in || fn.Last-fn.First > longFunction {
			continue
		}
		first := fn.Last + 1
		for _, n := range append(slices.Clone(x.asked), x.made.First) {
			if fn.Has(n) {
				first = min(first, n)
			}
		}
		if int(line.Line) >= first || first > fn.Last {
			continue
		}
		rows = slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return !r.isKeyWork(row) })
		x.rows = joinRows(x.rows, rows)
		if v := r.p.Weight(rows); v > most || v == most && line.Function < x.line.Function {
			most, x.line = v, lineOf(line.Function, x.made.First).line
		}
	}
}

// functionOf is the innermost function that has a line, its first one among them.
func functionOf(f *text.File, line int) (fn text.Function, ok bool) {
	for _, x := range f.Functions() {
		if x.Has(line) {
			fn, ok = x, true
		}
	}
	return fn, ok
}

// keyWork are functions of V8 for texts and tables; what its own code in machine language does
// has one name.
var keyWork = regexp.MustCompile(`^(?:V8::(?:Stub|Exit)Frame|add|has|get|set|delete|join)$|String|Hash|Internaliz|Number`)

// isKeyWork says whether what the program's own function calls in a sample makes a text or asks
// a table.
func (r *reader) isKeyWork(row int32) bool {
	id := r.p.Samples()[row].Stack
	_, at, ok := r.lines.Innermost(id)
	if !ok || at == 0 {
		return false
	}
	below := r.p.Lines(r.p.Stack(id)[at-1])
	return len(below) > 0 && keyWork.MatchString(r.p.Function(below[len(below)-1].Function).Name)
}

// linesOf are the samples of the lines of some files that are the innermost own ones, by file, of
// all of their functions: the one that makes a key may be small.
func (r *reader) linesOf(files map[string][]textKey) map[string]map[profile.Line][]int32 {
	out := map[string]map[profile.Line][]int32{}
	if len(files) == 0 {
		return out
	}
	for id, of := range r.stacks() {
		if len(of.rows) == 0 {
			continue
		}
		line, _, ok := r.lines.Innermost(profile.StackID(id)) //nolint:gosec // stacks are numbered so
		if !ok {
			continue
		}
		file := r.p.Function(line.Function).File
		if _, asked := files[file]; !asked {
			continue
		}
		if out[file] == nil {
			out[file] = map[profile.Line][]int32{}
		}
		out[file][line] = append(out[file][line], of.rows...)
	}
	return out
}

// longestRead is the length of files that are read whole for texts that are keys: longer ones are
// bundles.
const longestRead = 20_000

// textKeysIn are those of a file.
func textKeysIn(f *text.File) []textKey {
	out := []textKey{}
	made := madeTexts[f.Language()].forms
	if len(made) == 0 || f.Len() > longestRead {
		return out
	}
	for n := 1; n <= f.Len(); n++ {
		if !slices.ContainsFunc(made, func(form *regexp.Regexp) bool { return form.MatchString(f.Lines[n-1]) }) {
			continue
		}
		if x, ok := textKeyAt(f, n); ok && (len(out) == 0 || out[len(out)-1].made != x.made) {
			out = append(out, x)
		}
	}
	return out
}

// textKeyAt reads the statement of a line.
func textKeyAt(f *text.File, line int) (x textKey, ok bool) {
	_, lines := f.Statement(line)
	if lines.First < 1 || f.Code(line) == "" {
		return x, false
	}
	statement := f.Written(lines)
	for _, form := range madeTexts[f.Language()].forms {
		for _, m := range form.FindAllStringIndex(statement, -1) {
			begin, end := m[0], m[1]
			if statement[end-1] == '(' {
				inside, _ := text.Inside(statement, end)
				end = min(len(statement), end+len(inside)+1)
			}
			before, after := strings.TrimRight(statement[:begin], " "), strings.TrimLeft(statement[end:], " ")
			if table, is := keyPlace(before, after); is {
				if isAllOf(f, statement[:begin]+statement[end:]) {
					return textKey{made: lines, table: table}, true
				}
				continue
			}
			if x := usedAsKey(f, lines, before, after); len(x.asked) > 0 {
				x.made = lines
				return x, true
			}
		}
	}
	return x, false
}

// keyPlace says which table an expression is a key of, by what stands around it.
func keyPlace(before, after string) (table string, is bool) {
	m := keyOfIndex.FindStringSubmatch(before)
	if m == nil || !strings.HasPrefix(after, "]") {
		if m = keyOfBraces.FindStringSubmatch(before); m != nil && !strings.HasPrefix(after, "}") {
			m = nil
		}
	}
	if m == nil && (strings.HasPrefix(after, ")") || strings.HasPrefix(after, ",")) {
		m = keyOfCall.FindStringSubmatch(before)
	}
	if m == nil {
		m = keyOfIn.FindStringSubmatch(after)
	}
	switch {
	case m != nil:
		return m[1], !elsewhere.MatchString(m[1])
	case keyOfQuery.MatchString(before):
		return "", true
	}
	return "", false
}

// little is what takes no time beside a look-up.
var little = regexp.MustCompile(`^(?:or_insert\w*|or_default|or_else|and_modify|unwrap\w*|expect|is_\w+|cloned|copied|push|push_back|append|abs|min|max|floor|int|len|size|Number|parseInt|Some|Ok)$`)

// isAllOf says whether a statement calls nothing of others but what a table has: what else a
// library does there is no cost of the key.
func isAllOf(f *text.File, rest string) bool {
	for _, c := range text.Calls(rest) {
		if _, own := defined(f, c.Last()); !own && !keyOfCall.MatchString("t."+c.Last()+"(") && !little.MatchString(c.Last()) && !keyOfQuery.MatchString(c.Last()+"(") {
			return false
		}
	}
	return true
}

// usedAsKey follows a text that is given a name, or that a function returns, to the lines that
// look it up.
func usedAsKey(f *text.File, lines text.Range, before, after string) (x textKey) {
	if strings.HasPrefix(after, ".") || strings.HasPrefix(after, "+") {
		return x // more is done with it
	}
	fn, within := f.Function(lines.First)
	if !within {
		fn.Range = text.Range{First: max(1, lines.First-mostBelow), Last: min(f.Len(), lines.Last+mostBelow)}
	}
	if m := ofName.FindStringSubmatch(before); m != nil {
		x.keyNamed(f, m[1], text.Range{First: lines.First, Last: fn.Last})
		return x
	}
	if m := oneLine.FindStringSubmatch(before); m != nil {
		x.keyGiven(f, m[1])
	} else if within && fn.Name != "" && ofReturn.MatchString(before) {
		x.keyGiven(f, fn.Own())
	}
	return x
}

// keyGiven adds the lines where what a function gives is a key: where it is called, or by the
// name that it is given there.
func (x *textKey) keyGiven(f *text.File, function string) {
	called := regexp.MustCompile(`(?:[\w.$@>-]+(?:\.|->|::))?\b` + regexp.QuoteMeta(function) + `\b`)
	for n := 1; n <= f.Len(); n++ {
		code := f.Code(n)
		for _, m := range called.FindAllStringIndex(code, -1) {
			end := m[1]
			if strings.HasPrefix(code[end:], "(") {
				inside, closed := text.Inside(code, end+1)
				if !closed {
					continue
				}
				end += len(inside) + 2
			}
			before, after := strings.TrimRight(beforeOwner(code[:m[0]]), " "), strings.TrimLeft(code[end:], " ")
			x.ask(before, after, n)
			if name := ofName.FindStringSubmatch(before); name != nil && !strings.HasPrefix(after, ".") {
				if in, known := f.Function(n); known {
					x.keyNamed(f, name[1], text.Range{First: n, Last: in.Last})
				}
			}
		}
	}
}

// beforeOwner cuts off what a method is called of.
//
// Example. Of k := cellOf(v.X, v.Y).Key() is k := left, of cells[Cell{x, y}.Key()] cells[
func beforeOwner(code string) string {
	if !strings.HasSuffix(code, ".") && !strings.HasSuffix(code, "->") && !strings.HasSuffix(code, "::") {
		return code
	}
	code = strings.TrimRight(code, ".->:")
	depth := 0
	for at := len(code); at > 0; at-- {
		c := code[at-1]
		switch {
		case strings.IndexByte(")]}", c) >= 0:
			depth++
		case strings.IndexByte("([{", c) >= 0 && depth > 0:
			depth--
		case depth == 0 && !isWord(rune(c)) && c != '$' && c != '@':
			return beforeOwner(code[:at])
		}
	}
	return ""
}

// mostBelow are the lines that are read of a program that is in no function.
const mostBelow = 30

// keyNamed adds the lines where a name stands as a key.
func (x *textKey) keyNamed(f *text.File, name string, lines text.Range) {
	around := f.Loops(lines.First)
	at := regexp.MustCompile(`(?:^|[^\w$@])` + regexp.QuoteMeta(name) + `\b`)
	for n := lines.First; n <= lines.Last; n++ {
		code := f.Code(n)
		if loops := f.Loops(n); len(loops) > len(around) { // made once, and asked for on each pass
			continue
		}
		for _, m := range at.FindAllStringIndex(code, -1) {
			x.ask(strings.TrimRight(code[:m[1]-len(name)], " "), strings.TrimLeft(code[m[1]:], " "), n)
		}
	}
}

// ask adds a line where what stands around an expression looks it up.
func (x *textKey) ask(before, after string, line int) {
	table, is := keyPlace(before, after)
	if !is || slices.Contains(x.asked, line) {
		return
	}
	x.table = cmp.Or(x.table, table)
	x.asked = append(x.asked, line)
}

func (r *reader) textKeyFinding(s judge.Subject, x textKey) judge.Found {
	place := ownline.Place(r.p, x.line)
	of := madeTexts[r.file(x.line.Function).Language()]
	f := r.suspected(s, RuleTextKey, place, x.rows, saving{share: x.share, least: of.least, likely: of.likely, why: "makes texts and looks them up"}, x.table)
	f.Title = fmt.Sprintf("Text made for each key; use the values themselves (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{of.cure}
	f.Fix.Caveats = []string{"Where the text itself is printed, sent or kept in a file, it is still made there"}
	why := "The text is allocated, written, hashed and compared each time"
	if x.table != "" {
		why += ", to ask " + x.table
	}
	if len(x.asked) > 0 && !slices.Contains(x.asked, place.Line) {
		why += fmt.Sprintf(" (line %d)", x.asked[0])
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
