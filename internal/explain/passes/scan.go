package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleScan is of collections that are searched from their start on each pass.
const RuleScan = "scan-per-pass"

// scan is a collection that is searched on each pass of a loop.
type scan struct {
	spot // the line that searches

	over   string    // the collection
	key    string    // what is compared, as it is written
	loop   text.Loop // on each pass of which it is searched
	loopIn string
	nested bool           // by a loop of the program, not by a mask
	kept   bool           // the collection is an object's, which asks for the caller
	others []profile.Line // that search the same collection in the same loop
}

// leastNested is the share of the CPU from which a loop that searches is told: less may be a
// loop over a few.
const leastNested = 0.25

// scans gives the searches, the dearest first.
func (r *reader) scans() []scan {
	var out []scan
	lines := map[profile.Line]*hot{}
	for _, h := range r.hottest {
		if lines[h.line] == nil || h.value > lines[h.line].value {
			lines[h.line] = h
		}
	}
	for line, h := range lines {
		if x, ok := r.mask(line, h); ok {
			out = append(out, x)
		}
	}
	out = r.joined(append(out, r.nested()...))
	sortDearest(out)
	return out
}

// joined are searches with those of one collection in one loop as one: one look-up by key takes
// the place of all.
func (r *reader) joined(all []scan) []scan {
	sortDearest(all)
	var out []scan
next:
	for _, x := range all {
		for i := range out {
			o := &out[i]
			if o.over == x.over && o.loopIn == x.loopIn && o.loop.First == x.loop.First && r.sameFunction(o.line, x.line) {
				o.rows = joinRows(o.rows, x.rows)
				o.share = r.p.Share(o.rows)
				o.others = append(o.others, x.line)
				continue next
			}
		}
		out = append(out, x)
	}
	return out
}

// sameFunction says whether two lines are of one function as the text has it: generators and
// functions within it have frames of their own.
func (r *reader) sameFunction(a, b profile.Line) bool {
	if a.Function == b.Function {
		return true
	}
	f := r.file(a.Function)
	if f == nil || f != r.file(b.Function) {
		return false
	}
	in, ok := f.Function(int(a.Line))
	other, known := f.Function(int(b.Line))
	return ok && known && in.First == other.First
}

// masks are elements of a collection picked by comparing all of them: of pandas, numpy, R,
// Julia and Octave.
var masks = regexp.MustCompile(`([A-Za-z_][\w.$]*)\s*(?:\.loc)?([\[(])[\s(!~]*([^\[\]()]*(?:\[[^\]]*\])?[^\[\]()=<>!]*?)\s*(?:\.?==|%in%)\s*([^\],)&|]+)|\b(?:which|find|subset|filter)\s*\(\s*(?:([\w.$]+)\s*,\s*)?([\w.$\[\]" ]+?)\s*\.?==\s*([^\],)&|]+)`)

// mask finds one in a line.
func (r *reader) mask(line profile.Line, h *hot) (x scan, ok bool) {
	f := r.file(line.Function)
	if f == nil {
		return x, false
	}
	switch f.Language() {
	case "Python", "R", "Julia", "Octave":
	default:
		return x, false
	}
	statement, lines := f.Statement(int(line.Line))
	m := masks.FindStringSubmatch(statement)
	if m == nil {
		return x, false
	}
	base, compared, key := m[1], m[3], m[4]
	if base == "" {
		base, compared, key = cmp.Or(m[5], m[6]), m[6], m[7]
	}
	root := rootOf(base)
	if m[1] != "" && rootOf(compared) != root && (f.Language() == "Python" || m[2] == "(") {
		return x, false // an index that is compared, or a call
	}
	loop, in, ok := r.loopOf(f, line, h)
	if !ok && isSetOnce(f, root) {
		x.kept = true
		if caller, has := h.caller(); has {
			loop, in, ok = r.loopFurtherOut(root, r.innermost[line], caller)
		}
	}
	if !ok {
		return x, false
	}
	if in == f.Path && loop.Has(int(line.Line)) && (f.Changes(root, loop.Range, lines) || !r.varies(f, loop, key, lines)) {
		return x, false
	}
	if in != f.Path || !loop.Has(int(line.Line)) {
		fn, isIn := f.Function(int(line.Line))
		caller, _ := h.caller()
		if !isIn || f.Changes(root, text.Range{First: fn.First + 1, Last: fn.Last}, lines) || !r.isGivenSame(f, fn, root, caller, loop) {
			return x, false
		}
	}
	rows := r.innermost[line]
	share := r.p.Share(rows)
	return scan{spot: spot{line, rows, share}, over: root, key: closed(strings.TrimSpace(key)), loop: loop, loopIn: in, kept: x.kept}, share >= leastShare*r.part
}

// closed is an expression with the bracket that its index lacks.
func closed(key string) string {
	if strings.Count(key, "[") > strings.Count(key, "]") {
		return key + "]"
	}
	return key
}

// rootOf is the first word of a value with its parts.
func rootOf(value string) string {
	value = strings.TrimLeft(value, " (!~")
	if at := strings.IndexFunc(value, func(c rune) bool { return !isWord(c) }); at >= 0 {
		if rest := value[at:]; (value[:at] == "self" || value[:at] == "this") && strings.HasPrefix(rest, ".") {
			return "self." + rootOf(rest[1:])
		}
		return value[:at]
	}
	return value
}

func isWord(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// varies says whether an expression has a name that changes in a loop.
func (r *reader) varies(f *text.File, l text.Loop, expression string, own text.Range) bool {
	return slices.ContainsFunc(text.Names(expression), func(n string) bool { return f.Changes(n, l.Range, own) })
}

// withoutReceiver are the parameters of a function without what the method is called on.
func withoutReceiver(f *text.File, fn text.Function) []string {
	parameters := f.Parameters(fn)
	if len(parameters) > 0 && (parameters[0] == "self" || parameters[0] == "cls" || f.Language() == "Go" && strings.Contains(fn.Header, "func (")) {
		return parameters[1:]
	}
	return parameters
}

// loopOf is the loop around a line: in its function, or around the line that calls that most.
func (r *reader) loopOf(f *text.File, line profile.Line, h *hot) (l text.Loop, in string, ok bool) {
	if loops := f.Loops(int(line.Line)); len(loops) > 0 {
		return loops[0], f.Path, true
	}
	caller, ok := h.caller()
	if !ok {
		return l, "", false
	}
	return r.loopAt(caller)
}

// loopAt is the innermost loop around a line of the profile, and its file.
func (r *reader) loopAt(line profile.Line) (l text.Loop, in string, ok bool) {
	return r.loopCalling(line, "")
}

// loopCalling is loopAt for a line that calls a function: what that gives is gone through by a block
// of the same statement, which is no loop around the call.
//
// Example. history(sku).select { |m| m.sold? } calls history once.
func (r *reader) loopCalling(line profile.Line, function string) (l text.Loop, in string, ok bool) {
	f := r.file(line.Function)
	if f == nil {
		return l, "", false
	}
	loops := f.Loops(int(line.Line))
	if len(loops) > 0 && loops[0].Within && isBeforeBlock(loops[0].Header, function) {
		loops = loops[1:]
	}
	if len(loops) == 0 {
		return l, "", false
	}
	return loops[0], f.Path, true
}

// blockBegins is where a block begins that is called for each element.
var blockBegins = regexp.MustCompile(`=>|->|\{|\bdo\b|\bfn\b|\bfun\b|\bfunction\b|\|`)

// isBeforeBlock says whether a statement names a function before its block alone.
func isBeforeBlock(statement, function string) bool {
	at := blockBegins.FindStringIndex(statement)
	if at == nil || function == "" {
		return false
	}
	name := regexp.MustCompile(`(?:^|\W)` + regexp.QuoteMeta(function) + `(?:\W|$)`)
	return name.MatchString(statement[:at[0]]) && !name.MatchString(statement[at[1]:])
}

// ownName is a function's name without what it belongs to.
func (r *reader) ownName(id profile.FunctionID) string {
	_, own := ownline.Parts(r.p.Function(id).Name)
	return own
}

func (r *reader) scanFinding(s judge.Subject, x scan) judge.Found {
	place := ownline.Place(r.p, x.line)
	loopAt := at(x.loopIn, x.loop.First)
	how := "compares all of " + x.over + " with " + x.key
	if x.nested {
		how = "goes through " + x.over + " to find what is equal"
	}
	f := r.suspected(s, RuleScan, place, x.rows, saving{share: x.share, least: 0.5, likely: 0.9, why: "is in the search; a look-up by key stays"}, x.over)
	f.Title = fmt.Sprintf("Each pass searches all of %s (%s)", x.over, at(place.File, place.Line))
	unless := " and does not change it"
	f.Fix.Steps = []string{x.cure(r.file(x.line.Function).Language(), loopAt)}
	if r.grows(x) {
		unless = ", also for what passes before it have added"
		f.Fix.Steps = []string{fmt.Sprintf("Keep a map, or a set, of the keys of %s beside it, fill it where an element is added, and look there", x.over)}
	}
	f.Fix.Caveats = []string{"Of a collection of a few elements a search is as good as a look-up"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s %s; the loop at %s does so on each pass%s", at(place.File, place.Line), how, loopAt, unless)},
		{Kind: "source", Text: fmt.Sprintf("%s: %s", loopAt, r.excerpt(x.loopIn, x.loop.First))},
	}
	for _, o := range x.others {
		other := ownline.Place(r.p, o)
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s does the same: %s", at(other.File, other.Line), r.excerpt(other.File, other.Line))})
	}
	return f
}

// added is what a line has behind the name of a collection that it adds to.
const added = `(?:(?:\.|->)\w+)*\s*(?:=\s*append\(|(?:\.|->)(?:push\w*|append\w*|add\w*|emplace\w*|insert\w*|unshift|extend)!?\s*\(|<<|\[\]\s*=)`

// grows says whether the function that searches, or the loop, adds to the collection: to what is
// searched on later passes.
//
// Example. func (x *Index) Add(k K) { for _, o := range x.keys { if o == k { return } }; x.keys =
// append(x.keys, k) }, called in a loop: no map can be made before it.
func (r *reader) grows(x scan) bool {
	f := r.file(x.line.Function)
	if f == nil {
		return false
	}
	name := regexp.QuoteMeta(x.over)
	adds := regexp.MustCompile(`(?:^|[^\w.])[$@]?` + name + added + `|\bpush\s*\(?\s*@\{?\s*\$?` + name + `\b|\b` + name + `\[[^\[\]]*\+\+\s*\]\s*=[^=]`)
	in := func(lines text.Range) bool {
		for n := lines.First; n <= lines.Last; n++ {
			if adds.MatchString(f.Code(n)) {
				return true
			}
		}
		return false
	}
	fn, isIn := f.Function(int(x.line.Line))
	return isIn && in(fn.Range) || x.loopIn == f.Path && in(x.loop.Range)
}

// cure is the usual one of a language.
func (x *scan) cure(language, loop string) string {
	once := " once before the loop at " + loop
	switch language {
	case "Python":
		if x.nested {
			return fmt.Sprintf("Make a dict of %s by that key%s, and look it up", x.over, once)
		}
		if x.kept {
			return fmt.Sprintf("Index it where %s is set: %[1]s.set_index([the columns compared]).sort_index() and .loc[key], or dict(zip(the columns, rows)) for single rows; look up by it", x.over)
		}
		return fmt.Sprintf("Group it%s, for name, group in %s.groupby(…), or merge; of numpy, sort by the key and cut at the bounds (numpy.unique)", once, x.over)
	case "R":
		return fmt.Sprintf("Split it%s: split(%s, key), tapply or aggregate; or a keyed data.table", once, x.over)
	case "Julia":
		return fmt.Sprintf("groupby(%s, :key)%s, or a Dict", x.over, once)
	case "Octave":
		return "accumarray, or unique and sort by the key," + once
	case "JavaScript":
		return fmt.Sprintf("Make a Map of %s by that key%s, and get from it", x.over, once)
	case "Ruby", "Perl", "PHP":
		return fmt.Sprintf("Make a hash of %s by that key%s, and look it up", x.over, once)
	case "Go":
		return fmt.Sprintf("Make a map of %s by that key%s, and look it up", x.over, once)
	}
	return fmt.Sprintf("Make a hash map of %s by that key%s, and look it up; or keep it sorted and search by halves", x.over, once)
}
