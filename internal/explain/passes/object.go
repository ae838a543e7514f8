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
