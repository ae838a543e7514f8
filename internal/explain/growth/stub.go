package growth

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/growth/primitive"
)

// stubFrame is code that V8 has of its own and does not name.
var stubFrame = regexp.MustCompile(`^V8::(Stub|Builtin)\w*Frame$`)

// stubs finds functions of a program in whose built-in operations most time is, without a
// name, and which of the table's the function writes. lines gives the text of a file.
//
// Optimised code does not say which of its lines runs: the profiler gives the first one. So
// the operation is looked for from there to the end of the function.
//
// Example. 87% of a program is in V8::StubFrame below distinct at line 3; the only operation
// of the table between there and the function's end is `seen.includes(name)` in line 6.
func stubs(f *frames, table *primitive.Table, lines func(path string) ([]string, bool)) []Through {
	p := f.p
	at := map[step]*Through{}
	for i := range p.Samples() {
		s := &p.Samples()[i]
		path := f.path(s.Stack)
		if !path.own || !stubFrame.MatchString(leafName(p, s.Stack)) {
			continue
		}
		own := path.steps[len(path.steps)-1]
		if at[own] == nil {
			at[own] = &Through{Place: f.place(own), Name: "a built-in of V8 without a name"}
		}
		at[own].Samples = append(at[own].Samples, int32(i)) //nolint:gosec // rows are numbered so
	}
	var out []Through
	for _, w := range at {
		w.Share = p.Share(w.Samples)
		if w.Share < unknownShare || w.Line == 0 {
			continue
		}
		text, ok := lines(w.File)
		if !ok || int(w.Line) > len(text) {
			continue
		}
		if found, ok := w.writtenIn(bodyFrom(text[w.Line-1:]), table); ok {
			out = append(out, found)
		}
	}
	slices.SortFunc(out, func(a, b Through) int { return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Line, b.Line)) })
	return out
}

// writtenIn is the first operation of JavaScript that the lines of a function write, with the
// others. false where there is none.
func (w *Through) writtenIn(body []string, table *primitive.Table) (first Through, ok bool) {
	for i := range table.Rows {
		r := &table.Rows[i]
		if r.Language != "JavaScript" {
			continue
		}
		at := r.Written(body)
		if len(at) == 0 {
			continue
		}
		for i := range at {
			at[i] += int(w.Line) - 1
		}
		one := *w
		one.Row = r
		if one.Line = 0; len(at) == 1 {
			one.Line = int32(at[0]) //nolint:gosec // a line of a file
		} else {
			one.Lines = at
		}
		if ok {
			first.OrElse = append(first.OrElse, one)
		} else {
			first, ok = one, true
		}
	}
	return first, ok
}

// bodyFrom is what is left of a function from one of its lines on: to the next line that
// closes a brace further to the left.
func bodyFrom(text []string) []string {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
	first := indent(text[0])
	for i, line := range text[1:] {
		if at := indent(line); (at < first || at == first && strings.Contains(text[0], "function")) && strings.HasPrefix(line[at:], "}") {
			return text[:i+1]
		}
	}
	return text
}
