package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// RuleSame is of calls that give the same result on each pass.
const RuleSame = "same-per-pass"

// repeated is a call that gives the same on each pass.
type repeated struct {
	*hot

	call text.Call
	// loop is around the line, or around the line that calls its function.
	loop   text.Loop
	loopIn string // the file of the loop
	// caller is the line that calls the function, where the loop is there; its function is
	// called for each pass.
	caller profile.Line
	// given are parameters of that function which the call uses, and which are given the same
	// on each pass.
	given []string
	// again: the arguments are those of an inner loop, which goes through the same each time.
	again bool
	// byCall: that loop is the function's own, over what its object keeps.
	byCall bool
	// part is the share of the line's calls of that name that are repeated, 0 for all.
	part float64
	// own: the program's own function is called.
	own bool
	// fixed: what is given cannot be changed, as keys of a cache cannot.
	fixed bool
}

// same decides whether what a step calls is the same on each pass.
func (r *reader) same(h *hot) (x repeated, ok bool) {
	f := r.file(h.line.Function)
	if f == nil || !h.calls {
		return x, false
	}
	line := int(h.line.Line)
	statement, _ := f.Statement(line)
	call, own, ok := r.called(f, h, statement)
	if !ok {
		if line, call, ok = r.inlined(f, h); !ok {
			return x, false
		}
		h = h.at(line)
		return r.repeats(f, h, call, true)
	}
	if !namesSame(f, call, own) {
		return x, false
	}
	if x, ok = r.repeatsOne(f, h, statement, call, own); !ok || !own {
		return x, ok
	}
	// The text of what is called comes last: it may be long.
	if !r.isPure(h.callee) || r.readsState(h.callee) && r.acts(f, &x) {
		return x, false
	}
	return x, true
}

// repeatsOne decides whether one of the calls of a name in a statement is the same on each pass.
//
// Example. strings.Contains(strings.ToLower(c.Name), strings.ToLower(query)), where query stays.
func (r *reader) repeatsOne(f *text.File, h *hot, statement string, call text.Call, own bool) (x repeated, ok bool) {
	if x, ok = r.repeats(f, h, call, own); ok {
		return x, true
	}
	all, found := 1, 0
	for _, c := range f.Calls(statement) {
		if c.At == call.At || c.Last() != call.Last() {
			continue
		}
		all++
		if one, is := r.repeats(f, h, c, own); is {
			x = one
			found++
		}
	}
	x.part = float64(found) / float64(all)
	return x, found > 0
}

// acts says whether something is called for its effect where a call repeats: between two calls,
// in the loop or in the function that the loop calls.
func (r *reader) acts(f *text.File, x *repeated) bool {
	_, own := f.Statement(int(x.line.Line))
	if x.caller == (profile.Line{}) {
		return acts(f, x.loop, own)
	}
	if fn, in := f.Function(int(x.line.Line)); in && actsBut(f, text.Loop{Range: fn.Range, Header: fn.Header}, own, func(code string) bool {
		return x.byCall && gathers(f, fn, code)
	}) {
		return true
	}
	cf := r.file(x.caller.Function)
	if x.again { // the function of the loop that is repeated
		_, own = cf.Statement(int(x.caller.Line))
		if fn, in := cf.Function(int(x.caller.Line)); in && acts(cf, text.Loop{Range: fn.Range, Header: fn.Header}, own) {
			return true
		}
	}
	around := r.fileAt(x.loopIn)
	return around == nil || acts(around, x.loop, text.Range{})
}

// repeats decides whether a call at the line of a step is the same on each pass.
func (r *reader) repeats(f *text.File, h *hot, call text.Call, own bool) (x repeated, ok bool) {
	line := int(h.line.Line)
	statement, lines := f.Statement(line)
	if !isValue(statement, call) || f.Defines(lines.First, call.Last()) {
		return x, false
	}
	if movesArgument(call) {
		return x, false
	}
	names := namesOf(f, call)
	if call.On == ")" { // what another call gave: it rests on all that stands before it
		before := statement[:call.At]
		if value, is := cutAssignment(before); is {
			before = value
		}
		names = append(names, text.Names(before)...)
	}
	inBlock, whole := blockNames(f, statement, call)
	if !whole {
		return x, false
	}
	names = append(names, inBlock...)
	state := slices.ContainsFunc(names, isMember)
	for _, inner := range f.Calls(call.Args) {
		if !givesOn(f, inner) {
			return x, false // what is given to it may be another each time
		}
	}
	x = repeated{hot: h, call: call, own: own}
	if chance.MatchString(call.Name) || slices.ContainsFunc(names, func(n string) bool { return goesOn.MatchString(strings.TrimLeft(n, "$@")) }) || r.isHeld(f, call, own) {
		return x, false
	}
	loops := f.Loops(line)
	if len(loops) > 0 && loops[0].Within && !isRepeated(f, statement, call) {
		loops = loops[1:]
	}
	if len(loops) > 0 && loops[0].Within && !isBounded(f, loops[0]) {
		return x, false
	}
	fn, inFunction := f.Function(line)
	for i := range loops {
		if isGuarded(f, lines.First, loops[i].First, statement, call) || f.Language() == "awk" {
			return x, false
		}
		changing := changingIn(f, names, loops[i], lines)
		if len(changing) == 0 {
			x.loop, x.loopIn = loops[i], f.Path
			return x, isOver(f, loops[i]) && !(state && r.acts(f, &x))
		}
		// The names that change are bound by this loop alone: over the same collection, the
		// next loop around repeats all of it.
		only := i == len(loops)-1 && converts.MatchString(call.Last())
		if i > 0 || !boundBy(f, loops[i], changing, only) {
			return x, false
		}
		names, x.again = append(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(changing, n) }), over(loops[i], append(boundIn(f, loops[i]), changing...))...), true
	}
	if !inFunction || isGuarded(f, lines.First, fn.First, statement, call) || isKept(f, fn, line) {
		return x, false
	}
	if x.again {
		return r.repeatsByCall(f, fn, h, x, names)
	}
	// The function is called for each pass of a loop elsewhere: what it uses must not be its
	// own, and if it is given to it, be the same each time.
	for _, name := range names {
		if !r.isLocal(f, fn, name, lines, 0) {
			continue
		}
		if !isGiven(f, fn, name, lines) {
			return x, false
		}
		x.given = append(x.given, name)
	}
	if x.loop, x.loopIn, x.caller, ok = r.callingLoop(f, fn, h); !ok {
		return x, false
	}
	if usesObject(f, call, names) && r.isOnAnother(fn, x.caller, x.loop) {
		return x, false
	}
	if len(x.given) > 0 && (!givesPlainly(r.file(x.caller.Function), fn, x.caller) || !r.areGivenSame(f, fn, &x) && !r.repeatsFurtherOut(f, fn, &x)) {
		return x, false
	}
	return x, !(state && r.acts(f, &x))
}

// restsOn says whether all of a line rests on what a repeated call in it does: the steps behind
// the call are made again with it.
//
// Example. The line let a: Vec<char> = a.to_lowercase().chars().collect();
func (r *reader) restsOn(h *hot, x *repeated) bool {
	f := r.file(h.line.Function)
	statement, _ := f.Statement(int(h.line.Line))
	value, is := cutAssignment(statement)
	if !is || !h.calls || !strings.HasPrefix(strings.TrimSpace(value), x.call.Name) {
		return false
	}
	names := namesOf(f, x.call)
	return !slices.ContainsFunc(text.Names(value), func(n string) bool { return !slices.Contains(names, n) })
}

// isOver says whether a loop goes through something: a loop that only counts repeats all of
// its work, on purpose, as a benchmark does.
func isOver(f *text.File, l text.Loop) bool {
	if l.Within {
		return true
	}
	if rounds.MatchString(l.Header) {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(l.Header, " }"), "while") || strings.HasPrefix(strings.TrimLeft(l.Header, " }"), "until") {
		return true
	}
	_, header := f.Statement(l.First)
	for _, n := range boundIn(f, l) {
		for line := header.Last + 1; line <= l.Last; line++ {
			if slices.Contains(text.Names(f.Code(line)), n) {
				return true
			}
		}
	}
	return false
}

// isHeld says whether a name that is called holds a function: an object that may remember, such
// as a model that is trained.
func (r *reader) isHeld(f *text.File, c text.Call, own bool) bool {
	if own || c.On != "" || c.New() {
		return false
	}
	for _, n := range f.Assignments(c.Name, text.Range{First: 1, Last: len(f.Lines)}) {
		if code := f.Code(n); !strings.Contains(code, "require") && !strings.Contains(code, "import") {
			return true
		}
	}
	return false
}

// bound is a comparison with a bound.
var bound = regexp.MustCompile(`[^-<=>][<>]=?[^<>=]|!=`)

// isBounded says whether the condition of a loop compares something that changes with what a
// call in it gives. Where it only asks the call, the call must give something else at times.
func isBounded(f *text.File, l text.Loop) bool {
	header := strings.TrimLeft(l.Header, " }")
	if !strings.HasPrefix(header, "while") && !strings.HasPrefix(header, "until") {
		return true
	}
	return bound.MatchString(header)
}

// called is the call of a statement that a step is: the one that has the name of a function
// below the line, or the only one.
func (r *reader) called(f *text.File, h *hot, statement string) (c text.Call, own, ok bool) {
	calls := f.Calls(statement)
	if len(calls) == 0 {
		return c, false, false
	}
	find := func(id profile.FunctionID) (text.Call, bool) {
		owner, name := ownline.Parts(r.p.Function(id).Name)
		for _, c := range calls {
			last := c.Last()
			if last == name || last == owner && (isConstructor(name) || c.New()) {
				return c, true
			}
		}
		return text.Call{}, false
	}
	if c, ok := find(h.callee); ok {
		return c, r.lines.IsOwn(h.callee), true
	}
	if r.lines.IsOwn(h.callee) {
		return c, false, false // a block or another function of the program that the line does not name
	}
	inner := make([]profile.FunctionID, 0, len(h.inner))
	for id := range h.inner {
		if id != h.callee && !r.lines.IsOwn(id) {
			inner = append(inner, id)
		}
	}
	slices.Sort(inner)
	for _, id := range inner {
		if c, ok := find(id); ok {
			return c, false, true
		}
	}
	return calls[0], false, len(calls) == 1
}

var constructorNames = regexp.MustCompile(`^(<init>|__init__|__new__|__call__|initialize|__construct|\.?c?ctor|new|constructor|New)$`)

func isConstructor(name string) bool { return constructorNames.MatchString(name) }

// namesOf are the values that a call rests on: what is called on, and its arguments.
func namesOf(f *text.File, c text.Call) []string {
	names := text.Names(c.Args)
	if c.On != "" && !c.New() {
		on := c.On
		if rest := strings.TrimPrefix(c.Name, on); on == "self" || on == "this" || on == "$this" || on == "cls" {
			parts := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(".->:?", r) })
			if len(parts) < 2 {
				return names // a method of the same object
			}
			sep := rest[:strings.Index(rest, parts[0])]
			on += sep + parts[0]
		}
		names = append(names, on)
	}
	return names
}

// changingIn are the names that may change from one pass to the next.
func changingIn(f *text.File, names []string, l text.Loop, own text.Range) []string {
	var out []string
	for _, n := range names {
		passed := f.IsPassed(n, l.Range, own)
		if passed || f.Changes(n, l.Range, own) && !isDerived(f, n, l, own, 0) {
			out = append(out, n)
		}
	}
	return out
}

// mostSteps bounds how far values are followed to what they are made of.
const mostSteps = 3

// isDerived says whether a name is given one value in a loop, from values that do not change.
func isDerived(f *text.File, name string, l text.Loop, own text.Range, depth int) bool {
	at := f.Assignments(name, l.Range)
	if depth >= mostSteps || l.Within || len(at) != 1 || own.Has(at[0]) || at[0] == l.First {
		return false
	}
	of, lines, ok := madeOf(f, name, at[0])
	if !ok || f.Changes(name, text.Range{First: l.First, Last: lines.First - 1}, own) || f.Changes(name, text.Range{First: lines.Last + 1, Last: l.Last}, own) {
		return false
	}
	return !slices.ContainsFunc(of, func(n string) bool {
		return f.Changes(n, l.Range, lines) && !isDerived(f, n, l, lines, depth+1)
	})
}

// madeOf are the names that the value is made of which a line gives a name; ok is false where it
// is made of itself, or by what may give another value each time.
func madeOf(f *text.File, name string, line int) (names []string, lines text.Range, ok bool) {
	statement, lines := f.Statement(line)
	value, ok := cutAssignment(statement)
	names = text.Names(value)
	return names, lines, ok && !slices.ContainsFunc(f.Calls(value), isOther) && !slices.Contains(names, name)
}

var assignment = regexp.MustCompile(`^([^=(]*?)(:=|<-|=)([^=>].*)$`)

// cutAssignment is the value of an assignment.
func cutAssignment(statement string) (value string, ok bool) {
	m := assignment.FindStringSubmatch(statement)
	if m == nil || strings.ContainsAny(lastByte(m[1]), "+-*/%.|&^<>!?") {
		return "", false
	}
	return m[3], true
}

func lastByte(s string) string {
	if s == "" {
		return ""
	}
	return s[len(s)-1:]
}

// boundBy says whether names change only because a loop binds them in its header.
func boundBy(f *text.File, l text.Loop, names []string, plainly bool) bool {
	if l.Within {
		return l.First == l.Last // not the condition of a loop with a body
	}
	_, header := f.Statement(l.First)
	for _, n := range names {
		body, except := text.Range{First: header.Last + 1, Last: l.Last}, text.Range{}
		if plainly {
			except = body
		}
		if !f.Changes(n, header, text.Range{}) || f.Changes(n, body, except) {
			return false
		}
	}
	return true
}

// over are the names in the header of a loop that it does not bind: what it goes through.
func over(l text.Loop, bound []string) []string {
	return slices.DeleteFunc(text.Names(l.Header), func(n string) bool { return slices.Contains(bound, n) })
}
