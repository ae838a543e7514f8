package passes

import (
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

var (
	// itself is the object of a method as a value: asdict(self).
	itself = regexp.MustCompile(`\b(?:self|this)\b`)
	// unnamed are languages in which a method names the parts of its object as it names values.
	unnamed = []string{"C", "Java", "Ruby"}
)

// usesObject says whether what a call rests on may be a part of the object whose method makes it.
func usesObject(f *text.File, c text.Call, names []string) bool {
	if itself.MatchString(c.Args) || slices.ContainsFunc(names, isMember) {
		return true
	}
	if on := c.On; on == "self" || on == "this" || on == "$this" {
		return true // a method of the same object
	}
	return slices.Contains(unnamed, f.Language()) && slices.ContainsFunc(names, func(n string) bool { return !constant.MatchString(n) })
}

// isOnAnother says whether a line calls a function on another object on each pass of a loop.
//
// Example. In to_row the call asdict(self), below: for order in orders: rows.append(order.to_row())
func (r *reader) isOnAnother(fn text.Function, caller profile.Line, l text.Loop) bool {
	cf := r.file(caller.Function)
	statement, own := cf.Statement(int(caller.Line))
	for _, c := range cf.Calls(statement) {
		if c.Last() != fn.Own() {
			continue
		}
		if c.On == ")" {
			return true // what another call gave
		}
		name := strings.TrimPrefix(c.Name, "new ")
		at := strings.LastIndexAny(name, ".>:")
		if at < 0 || c.New() {
			return false // of the same object, or of none
		}
		return len(changingIn(cf, text.Names(strings.TrimRight(name[:at], ".->:?")), l, own)) > 0
	}
	return true // handed to something that calls it
}

// converts are functions that give a text or a value in another form: of the same they give the
// same, and what they are given is seldom changed in place.
var converts = regexp.MustCompile(`(?i)(?:lower|upper|case|fold|strip|trim|normali[sz]e|parse|split|token|decode|encode|compile|format|strptime|hash|digest|stem|clean|sanitize|slug)`)

// repeatsByCall decides a call on each element of what an object keeps, in a method that is
// called for each pass of a loop elsewhere: it gives the same for each element each time.
//
// Example. for c in self.contacts: if query in c.name.lower(): …, below: for q in queries: book.find(q)
func (r *reader) repeatsByCall(f *text.File, fn text.Function, h *hot, x repeated, over []string) (repeated, bool) {
	on := receiver(f, fn)
	object := slices.ContainsFunc(over, func(n string) bool { return isMember(n) || n == on })
	if !object || !converts.MatchString(x.call.Last()) {
		return x, false
	}
	_, lines := f.Statement(int(h.line.Line))
	if slices.ContainsFunc(over, func(n string) bool { return n != on && r.isLocal(f, fn, n, lines, 0) }) {
		return x, false
	}
	var ok bool
	if x.loop, x.loopIn, x.caller, ok = r.callingLoop(f, fn, h); !ok || r.isOnAnother(fn, x.caller, x.loop) {
		return x, false
	}
	x.byCall = true
	return x, !r.acts(f, &x)
}

// gathers says whether a line adds to what the function makes itself: hits.append(c).
func gathers(f *text.File, fn text.Function, code string) bool {
	m := addsToName.FindStringSubmatch(code)
	return m != nil && len(f.Assignments(m[1], fn.Range)) > 0
}

var addsToName = regexp.MustCompile(`^\s*([$@]?[A-Za-z_]\w*)\s*(?:\.|->|<<)`)

// receiver is the name of the object in a method of Go, "" elsewhere.
func receiver(f *text.File, fn text.Function) string {
	if all := f.Parameters(fn); len(all) > len(withoutReceiver(f, fn)) && f.Language() == "Go" {
		return all[0]
	}
	return ""
}
