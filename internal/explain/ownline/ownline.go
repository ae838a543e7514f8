package ownline

import (
	"cmp"
	"regexp"
	"slices"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Lines gives the program's own lines of the stacks of a profile.
type Lines struct {
	p     *profile.Profile
	told  []uint8 // by function: 1 + its Origin, 0 where it was not asked
	known []at    // by stack

	source  func(path string) (lines []string, ok bool)
	special []uint8 // by function: what isSpecial said of it, 0 where it was not asked
}

type at struct {
	asked, found bool
	line         profile.Line
	depth        int
}

// Of is for the stacks of a profile. Whose a function is, is found out when it is asked.
func Of(p *profile.Profile) *Lines {
	return &Lines{p: p, told: make([]uint8, p.NumFunctions()), known: make([]at, p.NumStacks())}
}

// Reading is Of where the text of the program's files is known: what a compiler has made is then
// left out (IsImplicit).
func Reading(p *profile.Profile, source func(path string) (lines []string, ok bool)) *Lines {
	l := Of(p)
	l.source, l.special = source, make([]uint8, len(l.told))
	return l
}

var (
	specialMember = regexp.MustCompile(`(^|::)(\w+)(?:<.*>)?::(~?(\w+)|operator=)(?:\(|$)`)
	classBegins   = regexp.MustCompile(`^\s*(template\s*<.*>\s*)?(struct|class)\s+\w`)
)

// IsImplicit says whether a line of C++ is that of a class, whose constructor, destructor or
// assignment the compiler has made: nobody wrote it, and who copies the object is further out.
//
// Example. struct Order { std::string id; }; applies(rule, order) copies an Order by value: its
// copy constructor has the line of the struct.
func (l *Lines) IsImplicit(line profile.Line) bool {
	if l.source == nil || line.Line <= 0 || !l.isSpecial(line.Function) {
		return false
	}
	text, ok := l.source(l.p.Function(line.Function).File)
	return ok && int(line.Line) <= len(text) && classBegins.MatchString(text[line.Line-1])
}

// isSpecial says whether a function is one that a C++ compiler makes where nobody has written it.
// Of most functions nobody asks.
func (l *Lines) isSpecial(id profile.FunctionID) bool {
	const yes, no = 1, 2
	if l.special[id] == 0 {
		l.special[id] = no
		fn := l.p.Function(id)
		if m := specialMember.FindStringSubmatch(fn.Name); fn.Kind == profile.KindNative && m != nil && (m[4] == "" || m[4] == m[2]) {
			l.special[id] = yes
		}
	}
	return l.special[id] == yes
}

// Origin is whose code a function is, as Origin says: found out once, for those that are asked.
func (l *Lines) Origin(id profile.FunctionID) origin.Origin {
	if l.told[id] == 0 {
		l.told[id] = 1 + uint8(Origin(l.p, id))
	}
	return origin.Origin(l.told[id] - 1)
}

// IsOwn says whether a function is the program's own.
func (l *Lines) IsOwn(id profile.FunctionID) bool { return l.Origin(id) == origin.Own }

// Outside is the name of the frame that stands for a stack in which nothing is the program's own.
const Outside = "[outside of the program's own code]"

// Only is a profile with the program's own frames alone: what libraries, runtimes, interpreters
// and the kernel did counts for the function of the program that called them.
func Only(p *profile.Profile) *profile.Profile {
	return p.OnlyFrames(Of(p).IsOwn, profile.Function{Name: Outside})
}

// Below is the weight of the samples that were taken in what the program's own functions call.
func (l *Lines) Below() int64 {
	var sum int64
	for in := range l.p.Innermosts() {
		if _, _, ok := l.Innermost(in.Sample.Stack); ok && !l.IsOwn(in.Lines[0].Function) {
			sum += in.Sample.Value
		}
	}
	return sum
}

// Innermost is the program's own line nearest to what ran, and the index of its location
// in the stack. ok is false where no frame is the program's own.
func (l *Lines) Innermost(id profile.StackID) (line profile.Line, location int, ok bool) {
	k := &l.known[id]
	if !k.asked {
		k.asked = true
		for i, loc := range l.p.Stack(id) {
			for _, line := range l.p.Lines(loc) {
				if l.IsOwn(line.Function) && !l.IsImplicit(line) {
					k.line, k.depth, k.found = line, i, true
					return line, i, true
				}
			}
		}
	}
	return k.line, k.depth, k.found
}

// Paid is a line with what it pays.
type Paid struct {
	finding.Place

	Kind  profile.Kind
	Value int64
}

// Place is a line of a profile.
func Place(p *profile.Profile, line profile.Line) finding.Place {
	f := p.Function(line.Function)
	m := p.Mapping(f.Mapping)
	return finding.Place{Binary: m.Path, BuildID: m.BuildID, Function: f.Name, File: f.File, Line: int(line.Line)}
}

// Heaviest is the line that has most, the first of the profile where several have; ok is false
// where none has anything.
func Heaviest(of map[profile.Line]int64) (line profile.Line, ok bool) {
	var most int64
	for l, n := range of {
		if n > most || n == most && (l.Function < line.Function || l.Function == line.Function && l.Line < line.Line) {
			line, most, ok = l, n, true
		}
	}
	return line, ok
}

// wraps are functions of a program that do nothing but allocate or free: who asks them pays.
var wraps = regexp.MustCompile(`(?i)^[a-z_]{0,12}(malloc|calloc|realloc|zalloc|strdup|strndup|memdup)[a-z0-9_]{0,6}$|^(x|e|my_?|safe_?|mem_?|checked_?)free$`)

// payer is the innermost own line that does more than to pass on what it is asked for.
func (l *Lines) payer(id profile.StackID) (line profile.Line, ok bool) {
	line, at, ok := l.Innermost(id)
	if !ok || !wraps.MatchString(l.p.Function(line.Function).Name) {
		return line, ok
	}
	for _, loc := range l.p.Stack(id)[at:] {
		for _, out := range l.p.Lines(loc) {
			if l.IsOwn(out.Function) && !l.IsImplicit(out) && !wraps.MatchString(l.p.Function(out.Function).Name) {
				return out, true
			}
		}
	}
	return line, true
}

// Pay gives the lines that pay for samples of the profile, the dearest first. Lines of one
// function without line numbers are one.
func (l *Lines) Pay(samples []int32) []Paid {
	values := map[profile.Line]int64{}
	for _, row := range samples {
		s := &l.p.Samples()[row]
		if line, ok := l.payer(s.Stack); ok {
			values[line] += s.Value
		}
	}
	out := make([]Paid, 0, len(values))
	for line, v := range values {
		out = append(out, Paid{Place: Place(l.p, line), Kind: l.p.Function(line.Function).Kind, Value: v})
	}
	slices.SortFunc(out, func(a, b Paid) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function))
	})
	return out
}
