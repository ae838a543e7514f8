package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// areGivenSame says whether the function of a repeated call is given the same for all that the
// call uses of it, on each pass of the loop that calls the function.
//
// Example. In distance(a, b) the call a.to_lowercase(), below: for k in known { distance(typed, k) }
func (r *reader) areGivenSame(f *text.File, fn text.Function, x *repeated) bool {
	return !slices.ContainsFunc(x.given, func(name string) bool { return !r.isGivenSame(f, fn, name, x.caller, x.loop) })
}

// isGiven says whether a name is a parameter of a function which nothing changes before a
// statement of it, and of which nothing moves on behind it what the statement uses.
func isGiven(f *text.File, fn text.Function, name string, statement text.Range) bool {
	_, header := f.Statement(fn.First)
	return slices.Contains(withoutReceiver(f, fn), name) &&
		!f.Changes(name, text.Range{First: header.Last + 1, Last: statement.First - 1}, text.Range{}) &&
		!movesOn(f, fn, name, statement)
}

// movesOn says whether a function changes, in a statement or behind it, a part of a parameter that
// the statement uses: the next call is given the same object, which has something else by then.
//
// Example. n = sscanf(c->p, "%d %n", &id, &used); c->p += used;
func movesOn(f *text.File, fn text.Function, name string, statement text.Range) bool {
	part := regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimLeft(name, "$@&*")) + `(?:(?:->|\.|::)\w+)+`)
	code, _ := f.Statement(statement.First)
	for _, used := range part.FindAllString(code, -1) {
		changes := regexp.MustCompile(`(?:^|[^\w.>&])` + regexp.QuoteMeta(used) + `\s*(?:(?:[-+*/%|&^]|<<|>>)?=[^=>]|\+\+|--)|(?:\+\+|--)\s*` + regexp.QuoteMeta(used) + `\b`)
		for n := statement.First; n <= fn.Last; n++ {
			if changes.MatchString(f.Code(n)) {
				return true
			}
		}
	}
	return false
}

// givesPlainly says whether no call that may give another value each time is among what a line
// gives a function.
func givesPlainly(cf *text.File, fn text.Function, caller profile.Line) bool {
	statement, _ := cf.Statement(int(caller.Line))
	return !slices.ContainsFunc(cf.Calls(statement), func(c text.Call) bool {
		return c.Last() == fn.Own() && slices.ContainsFunc(cf.Calls(c.Args), func(inner text.Call) bool { return !givesOn(cf, inner) })
	})
}

// repeatsFurtherOut decides a call whose function is given the element of the calling loop: what
// is made of each element is made again where that loop goes through the same collection on
// each pass of a loop around it, or around the line that calls its function.
//
// Example. b.to_lowercase() in distance(a, b), below: for k in known { distance(typed, k) }, in a
// function that is called for each word that was typed.
func (r *reader) repeatsFurtherOut(f *text.File, fn text.Function, x *repeated) bool {
	cf, line := r.file(x.caller.Function), int(x.caller.Line)
	_, own := cf.Statement(line)
	var names []string
	for _, name := range x.given {
		value, _, _ := r.argument(f, fn, name, x.caller)
		names = append(names, text.Names(value)...)
	}
	changing := changingIn(cf, names, x.loop, own)
	if len(changing) == 0 || !boundBy(cf, x.loop, changing, x.fixed) {
		return false
	}
	names = append(slices.DeleteFunc(names, func(n string) bool { return slices.Contains(changing, n) }), wentThrough(cf, x.loop, changing)...)
	x.again = true
	around := slices.DeleteFunc(cf.Loops(x.loop.First), func(l text.Loop) bool { return l.First >= x.loop.First })
	if len(around) > 0 && !x.loop.Within {
		x.loop = around[0]
		return len(changingIn(cf, names, x.loop, own)) == 0 && isOver(cf, x.loop)
	}
	outer, in := cf.Function(line)
	caller, ok := r.callerBeyond(x, cf, outer)
	if !ok || !in {
		return false
	}
	if x.loop, x.loopIn, ok = r.loopAt(caller); !ok || !isOver(r.file(caller.Function), x.loop) || !givesPlainly(r.file(caller.Function), outer, caller) {
		return false
	}
	return !slices.ContainsFunc(names, func(n string) bool {
		return r.isLocal(cf, outer, n, own, 0) && !(isGiven(cf, outer, n, own) && r.isGivenSame(cf, outer, n, caller, x.loop))
	})
}

// callerBeyond is the own line outside of a function that calls it most, below which the calling
// line of a repeated call stands. What is inlined has functions of its own in a profile.
func (r *reader) callerBeyond(x *repeated, cf *text.File, fn text.Function) (profile.Line, bool) {
	callers := map[profile.Line]int64{}
	for _, row := range x.rows {
		inside := false
	stack:
		for _, loc := range r.p.Stack(r.p.Samples()[row].Stack) {
			for _, l := range r.p.Lines(loc) {
				switch {
				case l == x.caller:
					inside = true
				case inside && r.lines.IsOwn(l.Function) && l.Line > 0 && !(r.file(l.Function) == cf && fn.Has(int(l.Line))):
					callers[l]++
					break stack
				}
			}
		}
	}
	return ownline.Heaviest(callers)
}

// argument is what a line of a caller gives a function for a parameter; ok is false where it gives
// nothing for it, and known is false for what is no parameter.
func (r *reader) argument(f *text.File, fn text.Function, name string, caller profile.Line) (value string, known, ok bool) {
	at := slices.IndexFunc(withoutReceiver(f, fn), func(p string) bool { return strings.TrimLeft(p, "$@") == strings.TrimLeft(name, "$@&*") })
	if at < 0 {
		return "", false, false
	}
	cf := r.file(caller.Function)
	statement, _ := cf.Statement(int(caller.Line))
	for _, c := range cf.Calls(statement) {
		if c.Last() != fn.Own() {
			continue
		}
		arguments := text.Arguments(c.Args)
		for _, a := range arguments {
			if value, is := strings.CutPrefix(a, strings.TrimLeft(name, "$")+"="); is {
				return value, true, true
			}
		}
		if at < len(arguments) {
			return arguments[at], true, true
		}
		return "", true, false
	}
	return "", true, false
}

// isGivenSame says whether a function is given the same for a parameter on each pass of the
// loop that calls it. What is no parameter is not given.
func (r *reader) isGivenSame(f *text.File, fn text.Function, name string, caller profile.Line, l text.Loop) bool {
	value, known, ok := r.argument(f, fn, name, caller)
	if !known {
		return true
	}
	cf := r.file(caller.Function)
	_, lines := cf.Statement(int(caller.Line))
	return ok && !r.varies(cf, l, value, lines)
}

// wentThrough is over, for loops within a statement too: what stands behind "in", or before the
// function that is called for each.
func wentThrough(f *text.File, l text.Loop, bound []string) []string {
	if !l.Within {
		return over(l, append(boundIn(f, l), bound...)) // an index beside the element, too
	}
	if f.Language() == "Python" {
		_, l.Header, _ = strings.Cut(l.Header, " in ")
		return over(l, bound)
	}
	for _, begin := range []string{"=>", "->", "{", "|", "fn ", "fun ", "function"} {
		l.Header, _, _ = strings.Cut(l.Header, begin)
	}
	return over(l, bound)
}

// callingLoop is the loop around the line that calls the function of a step most; where the
// stacks have no callers, around the one line of the text that calls it.
func (r *reader) callingLoop(f *text.File, fn text.Function, h *hot) (l text.Loop, in string, caller profile.Line, ok bool) {
	if caller, ok = h.caller(); !ok {
		at := callsOf(f, fn)
		if len(at) != 1 {
			return l, "", caller, false
		}
		caller = profile.Line{Function: h.line.Function, Line: int32(at[0])} //nolint:gosec // a line of a file
	}
	if l, in, ok = r.loopAt(caller); !ok {
		return l, "", caller, false
	}
	cf := r.file(caller.Function)
	return l, in, caller, isOver(cf, l) && (!l.Within || isBounded(cf, l))
}

// movesArgument says whether a call is given a value and where to put that value's next one.
//
// Example. n = strtol(p, &p, 10)
func movesArgument(c text.Call) bool {
	args := text.Arguments(c.Args)
	return slices.ContainsFunc(args, func(a string) bool {
		place, is := strings.CutPrefix(strings.TrimSpace(a), "&")
		return is && slices.ContainsFunc(args, func(o string) bool { return o != a && strings.TrimSpace(o) == strings.TrimSpace(place) })
	})
}
