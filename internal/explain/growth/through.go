package growth

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/growth/primitive"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/profile"
	"whyhot/internal/profile/origin"
)

// Through is a line of the program under which an operation goes through a whole container
// for so long that it shows, whether or not the container grows during the recording.
type Through struct {
	Place
	*primitive.Row

	Binary  string  // where no function of the program is known
	Name    string  // of the function by which the operation is known
	Share   float64 // of the profile
	Samples []int32
	Callers []Place
	Lines   []int     // of the script, where several write the operation
	Beside  []int     // other lines of the function that do the same
	Turns   int       // how often it begins anew, at least, where that is known
	OrElse  []Through // other operations that the script writes, where it may be either
}

// What it must take to be told. Of a short container, what surrounds the operation costs
// more than the operation: the search in a list of eight is half of its line in an
// interpreter, and little of a loop in compiled code.
const (
	throughEvents = 50
	throughShare  = 0.1  // of the profile, where the line is interpreted
	compiledShare = 0.25 // where it is compiled: a call costs next to nothing
	unknownShare  = 0.4  // where no function of the program is known
	scriptShare   = 0.25 // and the script writes the operation
	ofLine        = 0.8  // of what its line takes, where the line is interpreted, or
	bulkAlone     = 0.3  // of the profile, of what moves memory: little of it is short
	loopAlone     = 0.5  // of the profile, of what goes from element to element
)

// bulk moves or clears memory; of what a short operation costs it is little.
var bulk = regexp.MustCompile(`^(__)?(mem(cpy|move|set|move_chk|cpy_chk))(_\w+)?$|^runtime\.(memmove|memclr\w*)$|arraycopy|^clear_page\w*$|^(asm_)?exc_page_fault$`)

// freesContainer frees a list, a text or the like of Python.
var freesContainer = regexp.MustCompile(`^(list|tuple|bytes|unicode|dict|set)_?dealloc$`)

// throughsIn finds the lines of the program that pay for such operations.
func throughsIn(f *frames, table *primitive.Table) []Through {
	p := f.p
	known := rowsOf(p, table)
	type key struct {
		at  step
		own bool
		row int
	}
	type tallied struct {
		events int64
		with   int64
		beside int64
		leaves map[int]map[uint64]int64 // by where they are called from
		names  map[string]float64
		rows   []int32
		path   *ownPath
		binary string
	}
	found := map[key]*tallied{}
	lines := map[step]int64{}
	freed := map[step]*tallied{} // what Python frees below a line: the containers that copies take the place of
	frees := p.StacksWith(freesContainer.MatchString)
	for i := range p.Samples() {
		s := &p.Samples()[i]
		path := f.path(s.Stack)
		var at step
		if path.own {
			at = path.steps[len(path.steps)-1]
			lines[at] += s.Count
		}
		binary := f.program(s.Stack)
		row, name := known.of(f, s.Stack, binary)
		if row < 0 {
			if path.own && frees(s.Stack) {
				if freed[at] == nil {
					freed[at] = &tallied{}
				}
				freed[at].events += s.Count
				freed[at].rows = append(freed[at].rows, int32(i)) //nolint:gosec // rows are numbered so
			}
			continue
		}
		k := key{at, path.own, row}
		t := found[k]
		if t == nil {
			t = &tallied{leaves: map[int]map[uint64]int64{}, names: map[string]float64{}, path: path, binary: binary}
			found[k] = t
		}
		t.events += s.Count
		with, beside := below(p, s.Stack, &table.Rows[row])
		if with {
			t.with += s.Count
		}
		if beside {
			t.beside += s.Count
		}
		t.names[name] += float64(s.Count)
		if leaf := table.Rows[row].Leaf(leafName(p, s.Stack)); leaf >= 0 {
			if t.leaves[leaf] == nil {
				t.leaves[leaf] = map[uint64]int64{}
			}
			t.leaves[leaf][caller(p, s.Stack)] += s.Count
		}
		t.rows = append(t.rows, int32(i)) //nolint:gosec // rows are numbered so
	}
	var out []Through
	for k, t := range found {
		r := &table.Rows[k.row]
		if (r.Language == "C" || r.Language == "C++") && k.own && isInterpreted(f.language[k.at.function]) {
			continue // of the interpreter
		}
		if r.Flat && k.own {
			if float64(t.events) < ofFlat*float64(lines[k.at]) {
				continue
			}
			t.events, t.rows = lines[k.at], onLine(p, f, k.at)
		}
		if frees := freed[k.at]; k.own && frees != nil {
			t.events += frees.events
			t.rows = append(t.rows, frees.rows...)
			slices.Sort(t.rows)
		}
		share := p.Share(t.rows)
		least, part := unknownShare, 0.0
		if len(r.Source) > 0 {
			least = scriptShare
		}
		if k.own {
			least, part = compiledShare, 0
			if isInterpreted(f.language[k.at.function]) {
				least, part = throughShare, ofLine
			}
		}
		if t.events < throughEvents || share < max(least, r.Least) || float64(t.events) < part*float64(lines[k.at]) && share < alone(r) {
			continue
		}
		if !isMix(r, t.leaves, t.events) || !isEngine(r, t.events, t.with, t.beside) {
			continue
		}
		w := Through{Row: r, Name: heaviest(t.names), Share: share, Samples: t.rows, Binary: t.binary}
		if k.own {
			w.Place, w.Binary = f.place(k.at), ""
			for _, c := range slices.Backward(t.path.steps[:len(t.path.steps)-1]) {
				w.Callers = append(w.Callers, f.place(c))
			}
		}
		out = append(out, w)
	}
	out = ofOneFunction(out)
	slices.SortFunc(out, func(a, b Through) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Operation, b.Operation))
	})
	return out
}

// ofOneFunction joins the lines of one function that do the same: one change mends them, and
// they are one finding. The dearest line is the place.
func ofOneFunction(found []Through) []Through {
	slices.SortFunc(found, func(a, b Through) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Operation, b.Operation))
	})
	var out []Through
	for _, w := range found {
		at := slices.IndexFunc(out, func(o Through) bool {
			return w.Function != "" && o.Row == w.Row && o.Function == w.Function && o.File == w.File
		})
		if at < 0 {
			out = append(out, w)
			continue
		}
		o := &out[at]
		o.Share += w.Share
		o.Samples = append(slices.Clip(o.Samples), w.Samples...)
		slices.Sort(o.Samples)
		o.Beside = append(o.Beside, int(w.Line))
	}
	return out
}

// ofFlat is the part of its line's time that an operation itself takes whose blocks run beside
// it: those, and the operation for each element, are nearly all of a long list's.
const ofFlat = 0.35

// onLine are the rows whose innermost own line is this one.
func onLine(p *profile.Profile, f *frames, at step) (rows []int32) {
	for i := range p.Samples() {
		if path := f.path(p.Samples()[i].Stack); path.own && path.steps[len(path.steps)-1] == at {
			rows = append(rows, int32(i)) //nolint:gosec // rows are numbered so
		}
	}
	return rows
}

// alone is the part of a profile from which a row is told whatever else its line does.
func alone(r *primitive.Row) float64 {
	if r.Bulk {
		return bulkAlone
	}
	return loopAlone
}

// ofLeaf is the part of the time that each of the leaves of a row has at least, and
// nearCalls the bytes between the calls of two of them: a loop calls both.
const (
	ofLeaf    = 0.25
	nearCalls = 48
)

// isMix says whether the time is in each of the leaves of a row, called from one place.
func isMix(r *primitive.Row, leaves map[int]map[uint64]int64, events int64) bool {
	var first uint64
	for i := range r.Leaves {
		var n, most int64
		var from uint64
		for address, count := range leaves[i] {
			if n += count; count > most || count == most && address < from {
				most, from = count, address
			}
		}
		if float64(n) < ofLeaf*float64(events) {
			return false
		}
		if i == 0 {
			first = from
		} else if max(first, from)-min(first, from) > nearCalls {
			return false
		}
	}
	return true
}

// What a database's engine does where it scans: some of its time moves on from row to row,
// and hardly any goes to a row by its key, changes rows or adds them up: a report that groups a
// whole table needs all of it.
const (
	leastWith  = 0.03
	mostBeside = 0.01
)

func isEngine(r *primitive.Row, events, with, beside int64) bool {
	return len(r.With) == 0 || float64(with) >= cmp.Or(r.LeastWith, leastWith)*float64(events) && float64(beside) <= mostBeside*float64(events)
}

// below says whether a stack has functions that a row asks for, or has hardly any of.
func below(p *profile.Profile, id profile.StackID, r *primitive.Row) (with, beside bool) {
	if len(r.With) == 0 {
		return false, false
	}
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			name := p.Function(l.Function).Name
			with = with || r.IsWith(name)
			beside = beside || r.IsBeside(name)
		}
	}
	return with, beside
}

// caller is the address from which the innermost function of a stack was called.
func caller(p *profile.Profile, id profile.StackID) uint64 {
	if stack := p.Stack(id); len(stack) > 1 {
		return p.Location(stack[1]).Address
	}
	return 0
}

// leafName is the function in which a sample was taken.
func leafName(p *profile.Profile, id profile.StackID) string {
	if stack := p.Stack(id); len(stack) > 0 {
		return p.Function(p.Lines(stack[0])[0].Function).Name
	}
	return ""
}

// isInterpreted says whether calling a function of the runtime costs a line of this kind
// something.
func isInterpreted(k profile.Kind) bool { return k.IsScript() && k != profile.KindJS }

// program is the binary that a stack is of, as far as it shows: the runtime, else the
// outermost that is no library.
func (f *frames) program(id profile.StackID) (binary string) {
	if f.binaries == nil {
		f.binaries = binariesOf(f.p)
	}
	for _, loc := range slices.Backward(f.p.Stack(id)) {
		for _, l := range f.p.Lines(loc) {
			switch of := &f.binaries[l.Function]; {
			case of.runtime:
				return of.path
			case binary == "":
				binary = of.path
			}
		}
	}
	if binary == "" && len(f.p.Meta.Command) > 0 {
		return f.p.Meta.Command[0]
	}
	return binary
}

// binaryOf is the binary of a function; path is "" where it is a library.
type binaryOf struct {
	path    string
	runtime bool
}

// binariesOf asks about each function once: names of runtimes are told by expressions, and a profile
// has a thousand times as many frames.
func binariesOf(p *profile.Profile) []binaryOf {
	out := make([]binaryOf, p.NumFunctions())
	known := map[string]binaryOf{}
	for i := range out {
		m := p.Mapping(p.Function(profile.FunctionID(i)).Mapping).Path
		of, ok := known[m]
		if !ok {
			of.runtime = origin.IsRuntime(m)
			if of.runtime || strings.HasPrefix(m, "/") && !strings.Contains(m, ".so") {
				of.path = m
			}
			known[m] = of
		}
		out[i] = of
	}
	return out
}

// knownRows are the rows of the table that the functions of a profile show.
type knownRows struct {
	p         *profile.Profile
	table     *primitive.Table
	shows, no [][]int // by function
	moving    []bool
}

func rowsOf(p *profile.Profile, table *primitive.Table) knownRows {
	k := knownRows{p: p, table: table, shows: make([][]int, p.NumFunctions()), no: make([][]int, p.NumFunctions()), moving: make([]bool, p.NumFunctions())}
	for i := range k.shows {
		id := profile.FunctionID(i)
		fn := p.Function(id)
		k.moving[i] = bulk.MatchString(fn.Name)
		if ownline.Origin(p, id) != origin.Own || ownline.BuiltIn(fn) {
			k.shows[i], k.no[i] = table.Of(fn, p.Mapping(fn.Mapping).Path)
		}
	}
	return k
}

// of is the operation below the innermost own line of a stack, the outermost that the table
// knows for what runs in a binary: it is the one that the line calls.
func (k *knownRows) of(f *frames, id profile.StackID, binary string) (row int, name string) {
	row = -1
	moving := false
	var no []int
	for i, loc := range k.p.Stack(id) {
		for j, l := range k.p.Lines(loc) {
			element := f.isElement(id, i, j)
			if f.isOwn(l.Function) && !element {
				return allowed(row, no), name
			}
			moving = moving || element || k.moving[l.Function]
			no = append(no, k.no[l.Function]...)
			for _, r := range k.shows[l.Function] {
				if one := &k.table.Rows[r]; one.Runs(binary) && (moving || !one.Bulk) && (len(one.Leaves) == 0 || one.Leaf(leafName(k.p, id)) >= 0) {
					row, name = r, k.p.Function(l.Function).Name
				}
			}
		}
	}
	return allowed(row, no), name
}

// allowed is a row that is not ruled out, or -1.
func allowed(row int, no []int) int {
	if slices.Contains(no, row) {
		return -1
	}
	return row
}
