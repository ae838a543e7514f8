package passes

import (
	"regexp"
	"slices"

	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

// comparators are methods by which a class puts its objects in order; of Ruby's <=> the names of
// functions leave <=.
var comparators = regexp.MustCompile(`^(<=>?|spaceship|__(lt|gt|le|ge|cmp)__|[cC]ompare(To|_to)?|(partial_)?cmp|vcmp|Less|operator(<|<=>))$`)

// kept is what a function has that computes a value on its first call alone.
var kept = regexp.MustCompile(`\|\|=|//=|\?\?=|(?i:cache|memo|lazy)`)

// ownComparisons are comparisons of a class that compute a key of both objects each time, the
// dearest first.
//
// Example. def <=>(other) has left = segments and right = other.segments, and segments splits the
// object's text: a sort of the objects by anything that compares them takes each apart again.
func (r *reader) ownComparisons() []keyed {
	var out []keyed
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || !h.calls || !r.lines.IsOwn(h.callee) || h.callee == h.line.Function {
			continue
		}
		fn, in := f.Function(int(h.line.Line))
		_, own := ownline.Parts(r.p.Function(h.line.Function).Name)
		if !in || !comparators.MatchString(fn.Own()) && !comparators.MatchString(own) {
			continue
		}
		_, key := ownline.Parts(r.p.Function(h.callee).Name)
		if at := slices.IndexFunc(out, func(k keyed) bool { return k.line.Function == h.line.Function && k.call.Name == key }); at >= 0 {
			out[at].join(h)
			continue
		}
		if asksBoth(f, fn, key) && !r.keepsResult(h.callee, key) {
			joined := *h
			own := len(withoutReceiver(f, fn)) == 1 || f.Language() == "Perl"
			out = append(out, keyed{hot: &joined, call: text.Call{Name: key}, own: own})
		}
	}
	return out
}

// asksBoth says whether a comparison asks both of its objects for a key.
func asksBoth(f *text.File, fn text.Function, key string) bool {
	if !word.MatchString(key) {
		return false
	}
	key = regexp.QuoteMeta(key)
	asks := func(form string) bool {
		is := regexp.MustCompile(form)
		for n := fn.First; n <= fn.Last; n++ {
			if (n > fn.First || fn.First == fn.Last) && is.MatchString(f.Code(n)) {
				return true
			}
		}
		return false
	}
	of := func(name string) string {
		name = regexp.QuoteMeta(name)
		return `[$@&*]?\b` + name + `\s*(?:\.|->)\s*` + key + `\b|\b` + key + `\s*\(\s*[$@&*]*` + name + `\s*\)`
	}
	names := withoutReceiver(f, fn)
	for i, n := range names {
		names[i] = word.FindString(n)
		for len(names[i]) > 0 && !isWord(rune(names[i][0])) {
			names[i] = names[i][1:]
		}
	}
	switch len(names) {
	case 1:
		return asks(of(names[0])) && asks(`\b(?:self|this)\s*(?:\.|->)\s*`+key+`\b|(?:^|[^\w.>@$:])`+key+`(?:\s*\(\s*\)|\s*(?:$|[^\w\s(.=]))`)
	case 2, 3: //nolint:mnd // both objects, and in Perl whether they are swapped
		return asks(of(names[0])) && asks(of(names[1]))
	}
	return false
}

// keepsResult says whether a function of the program keeps what it computed, as far as its text shows.
func (r *reader) keepsResult(id profile.FunctionID, name string) bool {
	f := r.file(id)
	if f == nil {
		return true
	}
	of := definitions(f, name)
	return len(of) == 0 || slices.ContainsFunc(of, func(d definition) bool {
		for n := max(1, d.fn.First-1); n <= d.fn.Last; n++ { // a decorator, too
			if kept.MatchString(f.Code(n)) {
				return true
			}
		}
		return false
	})
}

// isElsewhere says whether most of a step is below a function of the program that is not the key:
// what takes the time is not the key then, but how two of them are compared.
//
// Example. sort { |a, b| b.version <=> a.version } with a <=> of the class Version.
func (r *reader) isElsewhere(h *hot, key string) bool {
	f := r.file(h.line.Function)
	_, lines := f.Statement(int(h.line.Line))
	var elsewhere int64
	for _, row := range h.rows {
		s := &r.p.Samples()[row]
		if name := r.calledBelow(s.Stack, h.line, f, lines); name != "" && name != key {
			elsewhere += s.Value
		}
	}
	return 2*elsewhere > h.value
}

// calledBelow is the name of the program's function that a statement calls in a stack, "" for
// none: blocks of the statement itself have frames of their own.
func (r *reader) calledBelow(id profile.StackID, line profile.Line, f *text.File, lines text.Range) string {
	var below []profile.Line // from the leaf to the line
	for _, loc := range r.p.Stack(id) {
		all := r.p.Lines(loc)
		if at := slices.Index(all, line); at >= 0 {
			below = append(below, all[:at]...)
			break
		}
		below = append(below, all...)
	}
	for _, l := range slices.Backward(below) {
		if !r.lines.IsOwn(l.Function) || r.file(l.Function) == f && lines.Has(int(l.Line)) {
			continue
		}
		_, name := ownline.Parts(r.p.Function(l.Function).Name)
		return name
	}
	return ""
}

// keptCures are the usual ways to compute a key once for each object.
var keptCures = map[string]string{
	"Perl":       "$self->{KEY} //= … in KEY",
	"Ruby":       "@KEY ||= … in KEY",
	"Python":     "@functools.cached_property before KEY, or an attribute that __init__ sets",
	"JavaScript": "A field that the constructor sets, or this.KEY ??= … in KEY",
	"PHP":        "$this->KEY ??= … in KEY",
	"Rust":       "A field that new() sets",
	"Go":         "A field that is set where the value is made",
	"Java":       "A final field that the constructor sets",
}
