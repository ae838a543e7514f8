package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleElements is of loops of C++ and Go that copy each element.
const RuleElements = "element-copied"

// element is a loop of C++ or Go that copies each element it goes through.
type element struct {
	spot

	declared string // the loop's variable, as it is declared
	over     string
	pair     bool      // a reference to a pair of another type than the elements have
	whole    *returned // what it goes through is a copy, too
}

var (
	// rangeFor is the header of a loop of C++ over a collection.
	rangeFor = regexp.MustCompile(`\bfor\s*\(\s*([^:;()]*(?:::[^:;()]+)*[^:;()]*?)\s+(&{0,2}\s*)(\w+|\[[^\]]*\])\s*:\s*([^;]+?)\)\s*\{?\s*$`)
	// otherPair is a reference to a pair whose first part can change: those of a map cannot.
	otherPair = regexp.MustCompile(`^const\s+(?:std::)?pair\s*<\s*`)
	// copying are functions that make copies of objects and their memory.
	copying = regexp.MustCompile(`basic_string|::(vector|map|set|pair|list|deque|shared_ptr|unordered_\w+)$|_Construct|construct|uninitialized_copy|^operator new|^_?_?mem(cpy|move)|malloc|_Rb_tree.*::_M_copy|_M_clone_node|allocate|free|::~\w+$`)
	// small are types that cost nothing to copy.
	small = regexp.MustCompile(`^(const\s+)?(unsigned\s+|signed\s+|std::)?(int|char|short|long|bool|float|double|size_t|u?int\d+_t|char\d*_t|string_view|auto\s*\*|.*\*)(\s+(int|long|const))*$`)
)

// elements gives them, the dearest first.
func (r *reader) elements() []element {
	byLine := map[profile.Line]*element{}
	for _, h := range r.hottest {
		f := r.file(h.line.Function)
		if f == nil || f.Language() != "C" || !h.calls || !r.isCopying(h) {
			continue
		}
		m := rangeFor.FindStringSubmatch(strings.TrimSpace(f.Code(int(h.line.Line))))
		if m == nil || small.MatchString(m[1]) || strings.Contains(m[4], "(") && !r.makesElement(h) {
			continue
		}
		reference := strings.Contains(m[2], "&")
		pair := reference && otherPair.MatchString(m[1]) && !strings.Contains(strings.ReplaceAll(m[1], " ", ""), "<const")
		if reference && !pair {
			continue
		}
		x := byLine[h.line]
		if x == nil {
			x = &element{spot: spot{line: h.line}, declared: strings.TrimSpace(m[1] + " " + m[2] + m[3]), over: strings.TrimSpace(m[4]), pair: pair}
			byLine[h.line] = x
		}
		x.rows = joinRows(x.rows, h.rows)
	}
	var out []element
	for _, x := range byLine {
		x.rows = joinRows(x.rows, r.freedAtTheEnd(x.line))
		if x.share = r.p.Share(x.rows); x.share >= leastShare*r.part {
			out = append(out, *x)
		}
	}
	sortDearest(out)
	return out
}

// freed are functions that take an object away, or its memory.
var freed = regexp.MustCompile(`::~\w+$|_M_dispose|_Destroy|^operator delete|^free$`)

// freedAtTheEnd are the samples in which the copies of a loop are taken away: compilers give the
// calls of destructors the line of the bracket that closes it.
func (r *reader) freedAtTheEnd(line profile.Line) (rows []int32) {
	f := r.file(line.Function)
	l, begins := f.Begins(int(line.Line))
	end := l.Last + 1
	if !begins || !strings.HasPrefix(strings.TrimSpace(f.Code(end)), "}") {
		return nil
	}
	for _, h := range r.hottest {
		if h.calls && h.line.Function == line.Function && int(h.line.Line) == end && freed.MatchString(ownline.WithoutTypes(r.p.Function(h.callee).Name)) {
			rows = joinRows(rows, h.rows)
		}
	}
	return rows
}

// copiedElements are loops that copy each element, joined with the function that gives them a
// copy of the collection that they go through.
func (r *reader) copiedElements() []element {
	loops, _ := r.copyings()
	return append(loops, r.goElements()...)
}

// returnedCopies are functions that give copies, but for those of copiedElements.
func (r *reader) returnedCopies() []returned {
	_, alone := r.copyings()
	return alone
}

// withWholes joins a loop with the function that gives it a copy of the collection that it goes
// through, and gives the other functions that give copies.
func (r *reader) withWholes() (loops []element, alone []returned) {
	loops, given := r.elements(), r.returned()
	for i := range given {
		y := &given[i]
		at := slices.IndexFunc(loops, func(x element) bool { return x.line == y.caller && strings.Contains(x.over, "(") })
		if at < 0 {
			alone = append(alone, *y)
			continue
		}
		x := &loops[at]
		x.whole, x.rows = y, joinRows(x.rows, y.rows)
		x.share = r.p.Share(x.rows)
	}
	sortDearest(loops)
	return loops, alone
}

// isCopying says whether what a step calls makes copies.
func (r *reader) isCopying(h *hot) bool {
	return !walks.MatchString(r.p.Function(h.callee).Name) && r.runs(h, func(name string) bool { return copying.MatchString(ownline.WithoutTypes(name)) })
}

// wholesOfStd are the standard library's collections.
var wholesOfStd = regexp.MustCompile(`^(vector|deque|list|forward_list|array|(unordered_)?(multi)?(map|set))$`)

// makesElement says whether a step makes one object, by its constructor. What a call in the
// header of the loop gives is made below the same line, but by that call, or is a collection.
func (r *reader) makesElement(h *hot) bool {
	_, name := ownline.Parts(r.p.Function(h.callee).Name)
	return r.isConstructor(h) && !wholesOfStd.MatchString(name)
}

// isConstructor says whether a step calls a constructor.
func (r *reader) isConstructor(h *hot) bool {
	owner, name := ownline.Parts(r.p.Function(h.callee).Name)
	return name != "" && owner == name
}

// walks are functions that go to the next element.
var walks = regexp.MustCompile(`_increment|operator\+\+|operator!=|::(begin|end)\b`)

func (r *reader) elementFinding(s judge.Subject, x element) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleElements, place, x.rows, saving{share: x.share, least: 0.6, likely: 0.95,
		why: "makes and frees the copies"}, x.over)
	f.Title = fmt.Sprintf("Loop copies each element of %s; go by reference (%s)", x.over, at(place.File, place.Line))
	f.Fix.Steps = []string{fmt.Sprintf("for (const auto &x : %s), where the loop does not change its copy", x.over)}
	if x.whole != nil {
		f.Title = fmt.Sprintf("Loop copies all of %s, and each element; go by reference (%s)", x.over, at(place.File, place.Line))
		given := ownline.Place(r.p, x.whole.line)
		f.Fix.Steps = append(f.Fix.Steps, fmt.Sprintf("%s gives a copy of %s: return a const reference", at(given.File, given.Line), x.whole.what))
	}
	why := fmt.Sprintf("%s is a copy of each element: objects and memory are made for it below this line", x.declared)
	if x.pair {
		why = fmt.Sprintf("%s is no reference to the elements: a map's are pair<const Key, Value>, so each is converted, that is copied", x.declared)
	}
	if r.file(x.line.Function).Language() == "Go" {
		f.Title = fmt.Sprintf("Loop copies each element of %s; go by index (%s)", x.over, at(place.File, place.Line))
		f.Fix.Steps = []string{
			fmt.Sprintf("for i := range %s { %s := &%s[i]; … }, where the loop does not change its copy", x.over, x.declared, x.over),
			"Where loops read two fields of large structs: keep these in slices of their own",
		}
		why = x.declared + " is a copy of each element: most samples of this line are in instructions that copy memory"
	}
	f.Evidence = []finding.Evidence{r.quoted(place), {Kind: "repetition", Share: &x.share, Text: why}}
	return f
}
