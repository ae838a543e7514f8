package unexplained

import (
	"cmp"
	"slices"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// linesOfV8 is what to know of lines of JavaScript.
const linesOfV8 = " Of code that V8 has optimised the line is that of its function or loop."

// calls says what was counted of a function.
func calls(c *profile.FunctionCalls) string {
	switch {
	case c == nil:
		return ""
	case c.Different == 0:
		return judge.CallsOf(c) + " times"
	case c.Looked > 0 && c.Looked < c.Count:
		return judge.CallsOf(c) + " times, the " + judge.Times(c.Looked) + " that were looked at with " + judge.Times(c.Different) + " different arguments"
	}
	return judge.CallsOf(c) + " times with " + judge.Times(c.Different) + " different arguments"
}

func (in *Input) describe(f *function) finding.Unexplained {
	p := in.Profile
	fn := p.Function(f.id)
	share := in.share(f.open)
	margin := finding.ShareError(share, p.Count())
	if !f.own {
		return in.throughLibrary(f, finding.Share{Exclusive: &share, Error: &margin})
	}
	lines, machine := in.lines(f)
	u := finding.Unexplained{
		Place:   placeOfFunction(p, f.id),
		Share:   finding.Share{Exclusive: &share, Error: &margin},
		Lines:   lines,
		Machine: machine,
		Looked:  in.Looked,

		Calls:      calls(p.CallsOf(f.id)),
		Statements: in.statements(f),
	}
	if len(lines) > 0 && fn.Kind == profile.KindJS {
		u.Looked += linesOfV8
	}
	if len(lines) == 0 && fn.Kind == profile.KindNative { // others have their lines from their runtime, or none
		u.Looked += " There are no line numbers for it: build with -g (it changes no code) and record again."
	}
	return u
}

func placeOfFunction(p *profile.Profile, id profile.FunctionID) finding.Place {
	fn := p.Function(id)
	m := p.Mapping(fn.Mapping)
	return finding.Place{Binary: m.Path, BuildID: m.BuildID, Function: fn.Name, File: fn.File, Line: int(fn.StartLine)}
}

// throughLibrary is a function of a library: its place is the hottest line of the program
// that leads there, its lines are those lines. Where no stack has one, the function stands
// for itself. Its instructions are nobody's to change.
func (in *Input) throughLibrary(f *function, share finding.Share) finding.Unexplained {
	p := in.Profile
	fn := p.Function(f.id)
	m := p.Mapping(fn.Mapping)
	library := finding.Place{Binary: m.Path, BuildID: m.BuildID, Function: fn.Name}
	u := finding.Unexplained{Place: library, Share: share, Looked: in.Looked, Statements: in.statements(f)}
	byPlace := make(map[place]*hot, len(f.from))
	for at, l := range f.from {
		byPlace[at] = &hot{place: at, value: l.value}
	}
	for _, h := range hottest(byPlace, f.open) {
		l := in.line(f.id, h)
		if len(u.Lines) == 0 {
			user := p.Function(h.function)
			of := p.Mapping(user.Mapping)
			u.Into = &library
			u.Place = finding.Place{Binary: of.Path, BuildID: of.BuildID, Function: user.Name, File: l.File, Line: l.Line}
			if user.Kind == profile.KindJS {
				u.Looked += linesOfV8
			}
		}
		u.Lines = append(u.Lines, l)
	}
	// Only compilers keep lines to themselves, and what a server executes is led to by no line.
	if len(u.Lines)+len(u.Statements) == 0 && fn.Kind == profile.KindNative && origin.Of(p, f.id) == origin.Library {
		u.Looked += " No line of the program leads there: the stacks are cut, or it was built without -g."
	}
	return u
}

// statements are the hottest that a function executes.
func (in *Input) statements(f *function) []finding.HotStatement {
	var out []finding.HotStatement
	for text, v := range f.statements {
		if float64(v) >= leastLine*float64(f.open) {
			out = append(out, finding.HotStatement{Text: text, Share: in.share(v)})
		}
	}
	slices.SortFunc(out, func(a, b finding.HotStatement) int {
		return cmp.Or(-cmp.Compare(a.Share, b.Share), cmp.Compare(a.Text, b.Text))
	})
	return out[:min(mostLines, len(out))]
}

func (in *Input) share(v int64) float64 { return float64(v) / float64(in.Profile.Total()) }

// place is a line in one function.
type place struct {
	file     string
	line     int32
	function profile.FunctionID
}

// hot is what ran at a place, by the text of the instruction.
type hot struct {
	place

	value        int64
	instructions map[string]int64
	called       map[profile.FunctionID]int64 // what of the value was in calls of functions of others
}

// lines are the hottest lines of a function with their hottest instructions, and
// the kinds of instructions of all of it.
func (in *Input) lines(f *function) ([]finding.HotLine, []finding.Activity) {
	byPlace := map[place]*hot{}
	kinds := map[string]int64{}
	for loc, v := range f.at {
		at, known := in.placeOf(loc)
		text, kind, decoded := in.instruction(loc)
		if decoded {
			kinds[kind] += v
		}
		if !known {
			continue
		}
		h := byPlace[at]
		if h == nil {
			h = &hot{place: at, instructions: map[string]int64{}}
			byPlace[at] = h
		}
		h.value += v
		if decoded {
			h.instructions[text] += v
		}
	}
	for at, l := range f.from {
		h := byPlace[at]
		if h == nil {
			h = &hot{place: at}
			byPlace[at] = h
		}
		h.value += l.value
		h.called = l.called
	}
	out := make([]finding.HotLine, 0, mostLines)
	for _, h := range hottest(byPlace, f.open) {
		out = append(out, in.line(f.id, h))
	}
	return out, in.activities(kinds, f.open)
}

// hottest are the places that are worth showing of a whole.
func hottest(byPlace map[place]*hot, whole int64) []*hot {
	sorted := make([]*hot, 0, len(byPlace))
	for _, h := range byPlace {
		if float64(h.value) >= leastLine*float64(whole) {
			sorted = append(sorted, h)
		}
	}
	slices.SortFunc(sorted, func(a, b *hot) int {
		return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.function, b.function))
	})
	return sorted[:min(mostLines, len(sorted))]
}

// placeOf is the innermost line of a location in code that somebody edits; of
// installed headers alone, the innermost of all.
func (in *Input) placeOf(loc profile.LocationID) (place, bool) {
	var first place
	for _, l := range in.Profile.Lines(loc) {
		file := in.Profile.Function(l.Function).File
		if file == "" || l.Line <= 0 {
			continue
		}
		at := place{file, l.Line, l.Function}
		if !finding.IsInstalled(file, "") {
			return at, true
		}
		if first.line == 0 {
			first = at
		}
	}
	return first, first.line > 0
}

func (in *Input) instruction(loc profile.LocationID) (text, kind string, ok bool) {
	l := in.Profile.Location(loc)
	if in.Machine == nil || l.Address == 0 || l.Mapping == 0 {
		return "", "", false
	}
	return in.Machine(in.Profile.Mapping(l.Mapping), l.Address)
}

// line is a line of a function, or one that leads there.
func (in *Input) line(id profile.FunctionID, h *hot) finding.HotLine {
	out := finding.HotLine{File: h.file, Line: int(h.line), Share: in.share(h.value)}
	if h.function != id {
		out.Function = in.Profile.Function(h.function).Name
	}
	if in.Text != nil {
		if text, ok := in.Text(h.file); ok && int(h.line) <= len(text) {
			out.Text = text[h.line-1]
		}
	}
	for id, v := range h.called {
		if 2*v > h.value {
			out.Into = in.Profile.Function(id).Name
		}
	}
	for _, a := range in.activities(h.instructions, h.value) {
		if len(out.Instructions) < mostInstructions {
			out.Instructions = append(out.Instructions, finding.HotInstruction{Text: a.What, Share: a.Share})
		}
	}
	return out
}

// activities are the names with a tenth of the whole at least, largest first.
func (in *Input) activities(values map[string]int64, whole int64) []finding.Activity {
	var out []finding.Activity
	for what, v := range values {
		if float64(v) >= leastActivity*float64(whole) {
			out = append(out, finding.Activity{What: what, Share: in.share(v)})
		}
	}
	slices.SortFunc(out, func(a, b finding.Activity) int {
		return cmp.Or(-cmp.Compare(a.Share, b.Share), cmp.Compare(a.What, b.What))
	})
	return out
}
