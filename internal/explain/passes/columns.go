package passes

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// RuleColumn is of inner loops that go down the columns of an array.
const RuleColumn = "column-per-pass"

// column is an inner loop that goes down the columns of an array that lies in rows.
type column struct {
	spot // the line that accesses it, or calls what does

	inner, outer text.Loop
	access       string // as it is written
	accessAt     string // where, if that is in another function
	others       []int  // where more such loops of the function begin
}

// leastColumns is the share of the CPU from which such a loop is told: small arrays lie in the
// cache, where nothing is gained.
const leastColumns = 0.2

// inRows are the languages whose arrays lie in rows and whose loops are compiled.
var inRows = []string{"C", "Rust", "Go", "Java", "JavaScript"}

// columns gives them, the dearest first.
//
// Example. for x in columns { for y in rows { sum += at(grid, x, y) } }, where at reads
// v[y * width + x].
func (r *reader) columns() []column {
	type key struct {
		file  string
		first int
	}
	byLoop := map[key]*column{}
	look := func(line profile.Line) {
		f := r.file(line.Function)
		if f == nil || !slices.Contains(inRows, f.Language()) {
			return
		}
		loops := slices.DeleteFunc(f.LoopsFrom(int(line.Line)), func(l text.Loop) bool { return l.Within })
		for k := range max(0, len(loops)-1) {
			at := key{f.Path, loops[k].First}
			if _, known := byLoop[at]; known {
				continue
			}
			byLoop[at] = nil
			if x, ok := r.columnsOf(f, loops[k], loops[k+1]); ok {
				x.line.Function = line.Function
				byLoop[at] = &x
			}
		}
	}
	for line := range r.innermost {
		look(line)
	}
	for _, h := range r.hottest {
		look(h.line)
	}
	var all []column
	for at, x := range byLoop {
		if x != nil {
			x.rows = r.runsIn(at.file, x.inner.Range)
			x.share = r.p.Share(x.rows)
			all = append(all, *x)
		}
	}
	sortDearest(all)
	// One function that goes through an array in each direction has a loop for each.
	var out []column
	for _, x := range all {
		if i := slices.IndexFunc(out, func(o column) bool { return o.line.Function == x.line.Function }); i >= 0 {
			out[i].rows = joinRows(out[i].rows, x.rows)
			out[i].share = r.p.Share(out[i].rows)
			out[i].others = append(out[i].others, x.inner.First)
			continue
		}
		out = append(out, x)
	}
	return slices.DeleteFunc(out, func(x column) bool { return !r.isSure(x.share, leastColumns) })
}

// runsIn are the samples whose stacks have a line of a range of a file.
func (r *reader) runsIn(file string, lines text.Range) (rows []int32) {
	for id, s := range r.stacks() {
		if len(s.rows) > 0 && slices.ContainsFunc(r.p.Stack(profile.StackID(id)), func(loc profile.LocationID) bool { //nolint:gosec // stacks are numbered so
			return slices.ContainsFunc(r.p.Lines(loc), func(l profile.Line) bool {
				return lines.Has(int(l.Line)) && r.p.Function(l.Function).File == file
			})
		}) {
			rows = append(rows, s.rows...)
		}
	}
	slices.Sort(rows)
	return rows
}

var (
	// shortBound is a loop to a number, and around is one about a place: its radius is small.
	shortBound = regexp.MustCompile(`(?:[<>]=?|!=|\.\.=?)\s*(\d+)\b`)
	around     = regexp.MustCompile(`=\s*-|\bin\s*-[^>]`)
)

// counter is the header of a loop over numbers, with what counts.
var counter = regexp.MustCompile(`\bfor\s*\(\s*(?:[\w:]+\s+)*(\w+)\s*=[^=]|\bfor\s+(?:mut\s+)?(\w+)\s+in\b.*(?:\.\.|\brev\b)|\bfor\s+(\w+)\s*:=`)

// hasFewPasses says whether a loop has few passes.
func hasFewPasses(l text.Loop) bool {
	const few = 64
	if m := shortBound.FindStringSubmatch(l.Header); m != nil {
		n, err := strconv.Atoi(m[1])
		if err == nil && n > 0 && n < few {
			return true
		}
	}
	return around.MatchString(l.Header)
}

// columnsOf says whether the inner one of two loops goes down columns, and nothing in it along
// rows: a transposition goes both ways, whichever loop is inside.
func (r *reader) columnsOf(f *text.File, inner, outer text.Loop) (x column, ok bool) {
	if hasFewPasses(inner) || hasFewPasses(outer) {
		return x, false
	}
	row, element := counter.FindStringSubmatch(inner.Header), counter.FindStringSubmatch(outer.Header)
	if row == nil || element == nil {
		return x, false
	}
	rows, over := []string{strings.Join(row[1:], "")}, []string{strings.Join(element[1:], "")}
	if rows[0] == over[0] {
		return x, false
	}
	_, header := f.Statement(inner.First)
	w := &walked{reader: r}
	if header.First == header.Last {
		w.readCode(f, header.First, behindHeader(f.Code(header.First)), &rows, &over, 0)
	}
	w.read(f, text.Range{First: header.Last + 1, Last: inner.Last}, rows, over, 0)
	if w.down == 0 || w.along {
		return x, false
	}
	x = column{spot: lineOf(0, w.down), inner: inner, outer: outer, access: w.access}
	if w.downIn != f.Path || w.deep {
		x.accessAt = at(w.downIn, w.downAt)
	}
	return x, true
}

// behindHeader is what a line has behind the parentheses of its loop: a body in one line.
func behindHeader(code string) string {
	at := strings.Index(code, "(")
	if at < 0 {
		return ""
	}
	inside, closed := text.Inside(code, at+1)
	if !closed {
		return ""
	}
	return code[at+1+len(inside)+1:]
}

// walked is how two counters reach elements.
type walked struct {
	*reader

	down   int    // the line of the loop that goes down a column, or calls what does
	along  bool   // something goes along a row
	access string // the access
	downIn string // file of it
	downAt int
	deep   bool // it is in a function that is called
}

// mostCalls is how many functions inwards an access is looked for.
const mostCalls = 2

// read looks for accesses in some lines. inner and outer are names that move with the inner
// loop alone, and with the outer one alone; names that are given values of these join them.
func (w *walked) read(f *text.File, lines text.Range, inner, outer []string, depth int) {
	inner, outer = slices.Clone(inner), slices.Clone(outer)
	for n := lines.First; n <= lines.Last; n++ {
		w.readCode(f, n, f.Code(n), &inner, &outer, depth)
	}
}

func (w *walked) readCode(f *text.File, n int, code string, inner, outer *[]string, depth int) {
	code = plainly(code)
	derive(code, inner, outer)
	if access := goes(code, *inner, *outer); access != "" && w.down == 0 {
		w.down, w.downAt, w.downIn, w.access = n, n, f.Path, access
	}
	w.along = w.along || goes(code, *outer, *inner) != ""
	if depth == mostCalls {
		return
	}
	for _, c := range f.Calls(code) {
		args := text.Arguments(c.Args)
		in, out := position(args, *inner, *outer), position(args, *outer, *inner)
		if in < 0 || out < 0 {
			continue
		}
		before := w.down
		w.follow(f, c.Last(), len(args), in, out, depth+1)
		if before == 0 && w.down != 0 {
			w.down, w.deep = n, true
		}
	}
}

// follow reads a function that is given both counters.
func (w *walked) follow(from *text.File, name string, args, inner, outer, depth int) {
	for _, f := range w.filesWith(from, name) {
		for _, d := range definitions(f, name) {
			parameters := f.Parameters(d.fn)
			skip := len(parameters) - args // a receiver
			if skip < 0 || skip > 1 {
				continue
			}
			in, out := []string{parameters[inner+skip]}, []string{parameters[outer+skip]}
			if d.code != "" {
				w.readCode(f, d.fn.First, d.code, &in, &out, depth)
			} else {
				_, header := f.Statement(d.fn.First)
				w.read(f, text.Range{First: header.Last + 1, Last: d.fn.Last}, in, out, depth)
			}
			return
		}
	}
}

// included is a header of C that a file includes by a path of its own.
var included = regexp.MustCompile(`^\s*#\s*include\s+"([^"]+)"`)

// filesWith are the files in which a function may be: the one that calls it, headers beside
// it, and those of functions of its name in the profile. What is inlined and optimised may
// have no sample of its own.
func (w *walked) filesWith(from *text.File, name string) []*text.File {
	out := []*text.File{from}
	for _, l := range from.Lines {
		if m := included.FindStringSubmatch(l); m != nil {
			if f := w.fileAt(filepath.Join(filepath.Dir(from.Path), m[1])); f != nil {
				out = append(out, f)
			}
		}
	}
	for _, id := range w.named(name) {
		if f := w.file(id); f != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// definition is one of a function; code is its body where all of it is in one line.
type definition struct {
	fn   text.Function
	code string
}

// definitions are those of a name in a file.
func definitions(f *text.File, name string) (out []definition) {
	oneLine, err := regexp.Compile(`\b` + regexp.QuoteMeta(name) + `\s*(?:=\s*)?(?:<[^<>]*>)?\([^()]*\)[^;{]*(?:\{(.*)\}|=>\s*([^{]*))\s*;?\s*$|#\s*define\s+` + regexp.QuoteMeta(name) + `\([^()]*\)(.*)$`)
	if err != nil {
		return nil
	}
	for n := 1; n <= f.Len(); n++ {
		if m := oneLine.FindStringSubmatch(f.Code(n)); m != nil {
			out = append(out, definition{text.Function{Range: text.Range{First: n, Last: n}, Header: f.Code(n), Name: name}, m[1] + m[2] + m[3]})
		}
	}
	for _, fn := range f.Functions() {
		if fn.Own() == name {
			out = append(out, definition{fn: fn})
		}
	}
	return out
}

// position is that of the argument that names the ones and none of the others, -1 for none.
func position(args, names, others []string) int {
	return slices.IndexFunc(args, func(arg string) bool { return mentions(arg, names) && !mentions(arg, others) })
}

// mentions says whether code has one of some names.
func mentions(code string, names []string) bool {
	return slices.ContainsFunc(text.Names(code), func(n string) bool { return slices.Contains(names, n) })
}

func (r *reader) columnFinding(s judge.Subject, x column) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleColumn, place, x.rows, saving{share: x.share, least: 0.1, likely: 0.45,
		why: "is in that loop, much of it in waiting for memory where the array is larger than the cache"}, strconv.Itoa(x.inner.First))
	f.Gain.High = 0.8 * x.share
	if waits := r.onOneInstruction(x.rows); waits >= mostlyWaits {
		f.Gain.Low, f.Gain.Likely, f.Gain.High = 0.4*waits*x.share, 0.8*waits*x.share, 0.95*x.share
		f.Gain.Basis = fmt.Sprintf("%s of the CPU is in that loop, %s of it at one instruction, which waits for memory", percent.Text(x.share), percent.Text(waits))
	}
	f.Title = fmt.Sprintf("Inner loop goes down columns (%s); exchange the loops", at(place.File, x.inner.First))
	f.Fix.Steps = []string{
		fmt.Sprintf("Make the loop at %s the inner one: each row is then read from its beginning to its end", at(place.File, x.outer.First)),
		"A sum over each column becomes a row of sums, to which each row is added",
		"Where both directions are needed: go through blocks that fit the cache, or keep a transposed copy",
	}
	f.Fix.Caveats = []string{"An array that fits the cache gains little", "Sums of floating-point numbers in another order round differently"}
	what := fmt.Sprintf("%s: the loop at %s counts rows", x.access, at(place.File, x.inner.First))
	if len(x.others) > 0 {
		f.Fix.Steps = append(f.Fix.Steps, "The same in the loops of lines "+numbers(x.others))
	}
	if x.accessAt != "" {
		f.Fix.Steps = append(f.Fix.Steps, fmt.Sprintf("Or, where all loops go this way, store the array the other way round: its index is made at %s", x.accessAt))
		what = fmt.Sprintf("%s (%s): the loop at %s counts rows", x.access, x.accessAt, at(place.File, x.inner.First))
	}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "access", Share: &x.share, Text: what + ", so each pass is in another cache line, and of that one element is used"},
		{Kind: "source", Text: fmt.Sprintf("%s: %s", at(place.File, x.outer.First), r.excerpt(place.File, x.outer.First))},
	}
	return f
}

// mostlyWaits is the part of a loop's samples at one instruction from which the loop waits for what
// that loads: of a matrix of 40,000 × 2000 floats it was 0.9, and in the order of its rows the loop took
// a tenth.
const mostlyWaits = 0.5

// onOneInstruction is the part of some samples whose innermost frame is at one address, 0 where
// they have none.
func (r *reader) onOneInstruction(rows []int32) float64 {
	at, most := map[profile.LocationID]int64{}, int64(0)
	for _, row := range rows {
		s := &r.p.Samples()[row]
		leaf := r.p.Stack(s.Stack)[0]
		if r.p.Location(leaf).Address == 0 {
			continue
		}
		at[leaf] += s.Value
		most = max(most, at[leaf])
	}
	return float64(most) / float64(max(1, r.p.Weight(rows)))
}

// numbers are lines, in order, for a sentence.
func numbers(lines []int) string {
	slices.Sort(lines)
	words := make([]string, len(lines))
	for i, n := range lines {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}
