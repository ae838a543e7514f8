package passes

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// at is a step with another line of its function.
func (h *hot) at(line int) *hot {
	out := *h
	out.line.Line = int32(line) //nolint:gosec // a line of a file
	return &out
}

// callsOf are the lines of a file that call a function of it, without those in the function.
func callsOf(f *text.File, fn text.Function) []int {
	if fn.Name == "" {
		return nil
	}
	re := regexp.MustCompile(`(^|[^\w.>:$@])&?` + regexp.QuoteMeta(fn.Name) + `\s*\(`)
	var out []int
	for n := range f.Lines {
		if !fn.Has(n+1) && re.MatchString(f.Code(n+1)) {
			out = append(out, n+1)
		}
	}
	return out
}

// callTo is the call to a function in the statement of a line.
func callTo(f *text.File, line int, name string) (c text.Call, ok bool) {
	statement, _ := f.Statement(line)
	for _, c := range f.Calls(statement) {
		if c.Last() == name && c.On != ")" {
			return c, true
		}
	}
	return c, false
}

// longFunction is one that is not searched: a bundle in one function, in which anything may be
// called.
const longFunction = 1000

// inlined finds what a step of JavaScript calls where the compiler has inlined the function
// that does: a recording then has the line at which the outer function begins, and below it
// what the inlined one calls. The call is the one to a function of the same file whose text
// has the name of what is below, and the outer function has not.
//
// Example. plan calls distances in a loop, which calls set on a Map: the stack has set below
// plan, line 13.
func (r *reader) inlined(f *text.File, h *hot) (line int, c text.Call, ok bool) {
	if f.Language() != "JavaScript" || r.lines.IsOwn(h.callee) {
		return 0, c, false
	}
	_, name := ownline.Parts(r.p.Function(h.callee).Name)
	fn, in := f.Function(int(h.line.Line))
	if !in || name == "" {
		return 0, c, false
	}
	if fn.Last-fn.First > longFunction {
		return 0, c, false
	}
	below := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	found := 0
	for n := fn.First; n <= fn.Last; n++ {
		if below.MatchString(f.Code(n)) {
			return 0, c, false
		}
		statement, lines := f.Statement(n)
		if lines.First != n {
			continue
		}
		calls := f.Calls(statement)
		if len(calls) == 0 || len(f.Loops(n)) == 0 {
			continue
		}
		for _, call := range calls {
			if at, is := defined(f, call.Name); is && below.MatchString(body(f, at)) && isPureText(f, at) {
				line, c, found = n, call, found+1
			}
		}
	}
	return line, c, found == 1
}

// defined is the function of a file that has a name.
func defined(f *text.File, name string) (fn text.Function, ok bool) {
	for _, fn := range f.Functions() {
		if fn.Name == name || strings.HasSuffix(fn.Name, "."+name) {
			return fn, true
		}
	}
	return fn, false
}

func body(f *text.File, fn text.Function) string {
	var out []byte
	for n := fn.First + 1; n <= fn.Last; n++ {
		out = append(append(out, f.Code(n)...), '\n')
	}
	return string(out)
}

// lonely gives steps of functions whose callers the stacks do not have, as of Perl: by the
// text, what the one line that calls the function pays.
func (r *reader) lonely() []*hot {
	type key struct {
		path  string
		first int
	}
	known := map[key]*hot{}
	functions := map[key]text.Function{}
	for line, rows := range r.innermost {
		if r.p.Function(line.Function).Kind != profile.KindPerl {
			continue
		}
		f := r.file(line.Function)
		if f == nil {
			continue
		}
		fn, in := f.Function(int(line.Line))
		if !in || fn.Name == "" {
			continue
		}
		k := key{f.Path, fn.First}
		h := known[k]
		if h == nil {
			h = &hot{step: step{line: line}, callers: map[profile.Line]int64{}}
			known[k], functions[k] = h, fn
		}
		h.rows = append(h.rows, rows...)
	}
	var out []*hot
	for k, h := range known {
		f := r.file(h.line.Function)
		at := callsOf(f, functions[k])
		for _, row := range h.rows {
			h.value += r.p.Samples()[row].Value
			h.events += r.p.Samples()[row].Count
		}
		h.share = float64(h.value) / float64(max(r.p.Total(), 1))
		if len(at) != 1 || !r.isOften(h.events) || !r.isSure(h.share, leastShare) {
			continue
		}
		slices.Sort(h.rows)
		out = append(out, h.at(at[0]))
	}
	slices.SortFunc(out, func(a, b *hot) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.line.Line, b.line.Line))
	})
	return out
}

// sameLonely decides whether a line repeats the call of a function whose callers are not in
// the stacks.
func (r *reader) sameLonely(h *hot) (x repeated, ok bool) {
	f := r.file(h.line.Function)
	fn, in := r.ran(f, h)
	if !in || stepping[firstWord(fn.Name)] || !isPureText(f, fn) {
		return x, false
	}
	c, ok := callTo(f, int(h.line.Line), fn.Name)
	if !ok {
		return x, false
	}
	return r.repeats(f, h, c, true)
}

// ran is the function in which the samples of a step are.
func (r *reader) ran(f *text.File, h *hot) (fn text.Function, ok bool) {
	line, _, ok := r.lines.Innermost(r.p.Samples()[h.rows[0]].Stack)
	if !ok {
		return fn, false
	}
	return f.Function(int(line.Line))
}
