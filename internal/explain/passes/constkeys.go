package passes

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleConstKey is of lookups whose keys are written in the program, on each pass of a loop.
const RuleConstKey = "constant-key-per-pass"

// constKeys are the lines that look constant keys up in one object.
type constKeys struct {
	spot

	call   text.Call
	on     string // what is asked
	loop   text.Loop
	loopIn string
	others []profile.Line
	most   int64 // samples of the line with most of them
}

// leastConstKeys is the share of the CPU from which they are told.
const leastConstKeys = 0.15

var (
	// looksUp is the first word of a function that gives the value of a key.
	looksUp = set(`get at lookup value setting param parameter opt option property prop flag require int bool double float
		string str num number cfg config conf tunable tuning knob env`)
	// literalKey is a text that is written in the program, among what a call is given.
	literalKey = regexp.MustCompile(`^\s*["'][^"']*["']\s*$`)
	// plainValue is a number or a word for one.
	plainValue = regexp.MustCompile(`^\s*(?:-?[\d.]+[fFuUlL]*|true|false|True|False|None|null|nullptr|NULL|nil|[A-Z][A-Z0-9_]+)\s*$`)
	// changesOften are names of what has other content from time to time.
	changesOften = regexp.MustCompile(`(?i)row|record|result|cursor|doc|node|elem|item|entry|obj|json|msg|message|event|req|resp|match|group|form|header|attr|cache|store|redis|session|state|count|stat|metric|total|queue|data|body|payload|query|http|client|axios|api|conn|db|rest|web|remote|service|pool|^(rs|rec|m|ctx|res|r|e|x|it|d|o)_?$`)
)

// constKeys gives the objects that are asked for constant keys on each pass, the dearest first.
//
// Example. double limit = tune.get("speed_limit"), drag = tune.get("drag"); in a function that is
// called for each unit.
func (r *reader) constKeys() []constKeys {
	type group struct{ file, on, call string }
	groups := map[group]*constKeys{}
	found := map[profile.Line]*constKeys{}
	rowsOf := map[profile.Line][]int32{}
	read := make([]bool, len(r.numbered.lines))
	var lines []profile.Line
	var numbers []int32
	for id, s := range r.stacks() {
		if s.events == 0 {
			continue
		}
		lines, numbers = lines[:0], numbers[:0]
		for _, loc := range r.p.Stack(profile.StackID(id)) { //nolint:gosec // stacks are numbered so
			lines = append(lines, r.p.Lines(loc)...)
			numbers = append(numbers, r.numbered.of[r.numbered.first[loc]:r.numbered.first[loc+1]]...)
		}
		for at := len(lines) - 1; at > 0; at-- { // the innermost calls nothing
			n := numbers[at]
			if n < 0 {
				continue
			}
			if !read[n] {
				read[n] = true
				if x := r.constKey(lines[at]); x != nil {
					found[lines[at]] = x
				}
			}
			if x := found[lines[at]]; x != nil && r.isKeyOrLookUp(lines[at], x, lines[at-1]) {
				rowsOf[lines[at]] = append(rowsOf[lines[at]], s.rows...)
				break
			}
		}
	}
	for line, rows := range rowsOf {
		x := found[line]
		slices.Sort(rows)
		if !r.repeatsKey(line, rows, x) {
			continue
		}
		k := group{r.p.Function(line.Function).File, x.on, x.call.Last()}
		g, n := groups[k], r.p.Weight(rows)
		switch {
		case g == nil:
			x.spot, x.most = spot{line: line, rows: rows}, n
			groups[k] = x
		case n > g.most || n == g.most && line.Line < g.line.Line:
			g.others = append(g.others, g.line)
			g.line, g.most, g.loop, g.loopIn = line, n, x.loop, x.loopIn
			g.rows = joinRows(g.rows, rows)
		default:
			g.others = append(g.others, line)
			g.rows = joinRows(g.rows, rows)
		}
	}
	var out []constKeys
	for _, x := range groups {
		var events int64
		for _, row := range x.rows {
			events += r.p.Samples()[row].Count
		}
		if x.share = r.p.Share(x.rows); !r.isSure(x.share, leastConstKeys) || !r.isOften(events) {
			continue
		}
		if n, known := turns(r.p, x.rows); !known || n >= leastTurns {
			slices.SortFunc(x.others, func(a, b profile.Line) int {
				return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line))
			})
			out = append(out, *x)
		}
	}
	sortDearest(out)
	return out
}

// constKey is the lookup of a constant key in a line, nil for none.
func (r *reader) constKey(line profile.Line) *constKeys {
	f := r.file(line.Function)
	if f == nil || !strings.ContainsAny(f.Code(int(line.Line)), `"'`) {
		return nil
	}
	statement, _ := f.Statement(int(line.Line))
	if keeps.MatchString(statement) {
		return nil
	}
	for _, c := range f.Calls(statement) {
		if !looksUp[firstWord(c.Last())] || c.New() || c.On == ")" {
			continue
		}
		on, keys := c.On, 0
		if full := strings.TrimSuffix(c.Name, c.Last()); on != "" {
			on = strings.TrimRight(full, ".->:?")
		}
		others := false
		for i, a := range text.Arguments(c.Args) {
			switch {
			case literalKey.MatchString(a):
				keys++
			case plainValue.MatchString(a):
			case i == 0 && on == "" && !strings.Contains(a, "("):
				on = strings.Trim(a, "&* ")
			default:
				others = true
			}
		}
		if keys == 0 || others || on == "" || strings.ContainsAny(on, "()[]{}") || changesOften.MatchString(lastPart(on)) || goesOn.MatchString(lastPart(on)) {
			continue
		}
		return &constKeys{call: c, on: on}
	}
	return nil
}

// lastPart is a name without what it is a part of.
func lastPart(name string) string {
	return name[strings.LastIndexAny(name, ".>:$@")+1:]
}

// isKeyOrLookUp says whether what a line calls belongs to a lookup: the function itself, or what
// makes its key, and not another one that the line names.
func (r *reader) isKeyOrLookUp(line profile.Line, x *constKeys, called profile.Line) bool {
	f := r.file(line.Function)
	statement, _ := f.Statement(int(line.Line))
	name := r.ownName(called.Function)
	if name == x.call.Last() {
		return true
	}
	return !slices.ContainsFunc(f.Calls(statement), func(c text.Call) bool { return c.Last() == name })
}

// repeatsKey says whether a line asks the same object for the same on each pass of a loop: around
// it, or around the calls of its function, a few calls out.
func (r *reader) repeatsKey(line profile.Line, rows []int32, x *constKeys) bool {
	f := r.file(line.Function)
	_, own := f.Statement(int(line.Line))
	root := strings.TrimLeft(strings.FieldsFunc(x.on, func(c rune) bool { return strings.ContainsRune(".->:", c) })[0], "$@")
	member := root == "self" || root == "this" || strings.HasPrefix(x.on, "@")
	name := lastPart(x.on)
	if member || root == name {
		root = name
	}
	fn, in := f.Function(int(line.Line))
	for _, l := range f.Loops(int(line.Line)) {
		if l.Within || f.Changes(root, l.Range, own) || assignsTo(f, root, l.Range) {
			return false
		}
		x.loop, x.loopIn = l, f.Path
	}
	if x.loopIn != "" {
		return isOver(f, x.loop)
	}
	if !in {
		return false
	}
	for n := fn.First + 1; n <= int(line.Line); n++ {
		if keeps.MatchString(f.Code(n)) {
			return false
		}
	}
	given := slices.Contains(f.Parameters(fn), root)
	if !given && (assignsTo(f, root, fn.Range) || f.Declares(root, fn.Range) || !staysSame(f, root)) {
		return false
	}
	at := line
	for range mostOut {
		caller, ok := r.callerIn(rows, at.Function)
		if !ok {
			return false
		}
		cf := r.file(caller.Function)
		if cf == nil {
			return false
		}
		l, loopIn, loops := r.loopCalling(caller, r.ownName(at.Function))
		over := loops && isOver(cf, l)
		if begun, is := cf.Begins(int(caller.Line)); is {
			if body := behindHeader(cf.Code(int(caller.Line))); strings.Contains(body, r.ownName(at.Function)+"(") { // in one line
				l, loopIn, loops = begun, cf.Path, true
				over = mentions(body, boundIn(cf, begun)) && !rounds.MatchString(begun.Header)
			}
		}
		if loops {
			x.loop, x.loopIn = l, loopIn
			return over && (!l.Within || isBounded(cf, l)) && !r.isOnAnother(fn, caller, l) && (!given || r.isGivenSame(f, fn, root, caller, l))
		}
		outer, is := cf.Function(int(caller.Line))
		if given || !is {
			return false
		}
		f, fn, at = cf, outer, caller
	}
	return false
}

// assignsTo says whether some lines give a name another value, or change what it has.
func assignsTo(f *text.File, name string, lines text.Range) bool {
	is := regexp.MustCompile(`(?:^|[^\w.>])(?:(?:this->|this\.|self\.|\$this->|@|\$)?)` + regexp.QuoteMeta(name) + `(?:\s*=[^=>]|\[[^\]]*\]\s*=[^=]|(?:\.|->)(?:set|put|add|insert|emplace|erase|remove|clear|load|reload|update|next|merge|push|assign|reset)\w*\s*\()`)
	for n := lines.First; n <= lines.Last; n++ {
		if is.MatchString(f.Code(n)) {
			return true
		}
	}
	return false
}

// setsUp are names of functions that run before the work: what they fill stays as it is.
var setsUp = regexp.MustCompile(`(?i)^(main|_?init\w*|initialize|setup\w*|new\w*|__init__|__construct|constructor|load\w*|open\w*|configure\w*|build\w*|create\w*|make\w*|start\w*|default\w*)$`)

// staysSame says whether a file gives a name a value, or changes what it has, only where the
// program is set up: in no function, in a constructor, or in main.
func staysSame(f *text.File, name string) bool {
	for n := 1; n <= f.Len(); n++ {
		if !assignsTo(f, name, text.Range{First: n, Last: n}) {
			continue
		}
		fn, in := f.Function(n)
		base := strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
		if in && !setsUp.MatchString(fn.Own()) && fn.Own() != base && !isUpper(fn.Own()) {
			return false
		}
	}
	return true
}

// isUpper says whether a name is written as that of a class, whose constructor has it.
func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

func (r *reader) constKeyFinding(s judge.Subject, x constKeys) judge.Found {
	place := ownline.Place(r.p, x.line)
	loopAt := at(x.loopIn, x.loop.First)
	f := r.suspected(s, RuleConstKey, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.95, why: "looks up keys that the program has written down"}, x.on, x.call.Last())
	f.Title = fmt.Sprintf("Constant keys looked up in %s on each pass (%s)", x.on, at(place.File, place.Line))
	f.Fix.Steps = []string{
		fmt.Sprintf("Look each key up once, before the loop at %s or where the object is made, and keep the values in variables or fields", loopAt),
		"Where values may change meanwhile: keep a reference to the entry, or look up again when they have changed",
	}
	if ext := filepath.Ext(place.File); slices.Contains([]string{".cc", ".cpp", ".cxx", ".hpp", ".hh", ".h"}, ext) {
		f.Fix.Steps = append(f.Fix.Steps, "Where the lookup stays: take the key as std::string_view, so that a literal is no std::string first")
	}
	f.Fix.Caveats = []string{"A value that is kept does not follow changes of the object"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s is asked for the same keys on each pass of the loop at %s, and nothing in the file changes it there", x.on, loopAt)},
	}
	for _, o := range x.others[:min(len(x.others), mostLesser)] {
		other := ownline.Place(r.p, o)
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "source", Text: fmt.Sprintf("%s does the same: %s", at(other.File, other.Line), r.excerpt(other.File, other.Line))})
	}
	return f
}
