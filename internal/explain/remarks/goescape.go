package remarks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// allocation is how Go's code asks its runtime for memory, and which remarks explain
// that: those whose text has one of the words.
type allocation struct {
	entries []string // functions of the runtime, without "runtime."
	prefix  bool     // the entries begin so
	words   []string
	not     []string // of other allocations
	steps   []string
}

const (
	wordMake     = "make("
	wordString   = "string("
	wordBytes    = "[]byte)("
	wordRunes    = "[]rune)("
	wordAppend   = "append("
	wordClosure  = "func literal"
	wordVariadic = "... argument"
)

// allocations, the most particular first. Entries are those of Go 1.18 to 1.26
// (cmd/compile/internal/typecheck/_builtin/runtime.go).
var allocations = []allocation{
	{entries: []string{"concatstring"}, prefix: true, words: []string{" + "}, steps: []string{
		"append the parts to a []byte or a strings.Builder that is kept from call to call; where the sum is a key of a map, use a struct of the parts as the key",
	}},
	{entries: []string{"slicebytetostring", "slicerunetostring", "intstring"}, words: []string{wordString}, steps: []string{
		"keep the bytes: bytes has the functions of strings, m[string(b)] and comparisons copy nothing; where the same few texts come again, intern them in a map",
	}},
	{entries: []string{"stringtoslicebyte", "stringtoslicerune"}, words: []string{wordBytes, wordRunes}, steps: []string{
		"take the string as it is: index it, range over it, or append(buf[:0], s...) into a buffer that is kept",
	}},
	{entries: []string{"makeslice", "makeslice64", "makeslicecopy"}, words: []string{wordMake}, steps: []string{
		"keep the buffer from call to call: a field of what lives longer, an argument, or a sync.Pool; buf[:0] reuses it",
		"where the size has a small bound, a slice of a local array stays on the stack",
	}},
	{entries: []string{"makemap", "makemap64", "makemap_small", "makechan", "makechan64"}, words: []string{wordMake, "map["}, not: []string{"make([]"}, steps: []string{
		"make it once and clear() it; for a few keys a slice that is searched is faster than a map",
	}},
	{entries: []string{"convT"}, prefix: true, not: []string{wordMake, wordAppend, " + ", wordString, wordClosure}, steps: []string{
		"the value is put into an interface: take the concrete type (or a type parameter) in the callee, or pass a pointer that exists anyway; print with strconv.Append… rather than fmt on this path",
	}},
	{entries: []string{"newobject", "newarray", "mallocgc"}, prefix: true, not: []string{wordMake, wordAppend, " + ", wordString, wordBytes, wordRunes}, steps: nil},
}

// object are the steps for newobject, by the words of the remark.
var object = []struct {
	word  string
	steps []string
}{
	{wordClosure, []string{"the function literal is made on each call: take it out of the loop, or make it a method or a plain function that is given what it needs"}},
	{wordVariadic, []string{"the list of a variadic call is made on each call: give the callee a variant with fixed arguments for this path, or leave the call (of a logger, of fmt) out where nobody reads it"}},
	{"&", []string{"return it by value, or let the caller give the memory; where many live together, take them from a slice of them that grows in blocks; a free list or sync.Pool where they die one at a time"}},
	{"new(", []string{"use a value instead of a pointer, or memory that the caller gives"}},
	{"", []string{"its address is kept beyond the call (the explanation names where): work on a copy in a local variable and store that at the end, or keep it in the struct that lives as long"}},
}

// isRuntime also has what the allocator is made of.
func isRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/") || strings.HasPrefix(name, "runtime/internal/")
}

// allocationOf finds the allocation by the function that was called, nil for none.
func allocationOf(entry string) *allocation {
	name, ok := strings.CutPrefix(entry, "runtime.")
	if !ok {
		return nil
	}
	for i := range allocations {
		a := &allocations[i]
		for _, e := range a.entries {
			if name == e || a.prefix && strings.HasPrefix(name, e) {
				return a
			}
		}
	}
	return nil
}

func (a *allocation) explainedBy(m *remark.Remark) bool {
	has := func(w string) bool { return strings.Contains(m.Message, w) }
	return m.Kind == remark.Escape && !slices.ContainsFunc(a.not, has) && (len(a.words) == 0 || slices.ContainsFunc(a.words, has))
}

// site is a line that allocates.
type site struct {
	cost

	file    string
	line    int32
	entry   string
	how     *allocation
	remarks []*remark.Remark
}

// escapes are the lines whose values the compiler could not keep on the stack, with
// the samples of the allocator that they called themselves. What the functions called
// on such a line allocate is not the line's.
func escapes(j *joined) []judge.Found {
	if !slices.ContainsFunc(j.Remarks, func(m remark.Remark) bool { return m.Kind == remark.Escape }) {
		return nil
	}
	type at struct {
		spot
		how *allocation
	}
	sites := map[at]*site{}
	var allocated, collected int64
	samples := j.Profile.Samples()
	for row := range samples {
		s := &samples[row]
		w := j.walk(s)
		if w.collector {
			collected += s.Value
		}
		if w.how == nil {
			continue
		}
		allocated += s.Value
		for _, l := range w.lines {
			fn := j.Profile.Function(l.Function)
			explained := j.explained(w.how, fn.File, l.Line)
			if len(explained) == 0 {
				continue
			}
			k := at{spot{fn.File, l.Line}, w.how}
			if sites[k] == nil {
				sites[k] = &site{file: fn.File, line: l.Line, entry: w.entry, how: w.how, remarks: explained}
			}
			sites[k].add(row, s, l.Function)
			break
		}
	}
	var out []judge.Found
	for _, s := range sites {
		if j.pays(&s.cost, least) {
			out = append(out, judge.Found{Finding: j.escape(s, allocated, collected), Samples: s.rows})
		}
	}
	slices.SortFunc(out, func(a, b judge.Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return out
}

func (j *joined) explained(how *allocation, file string, line int32) []*remark.Remark {
	var out []*remark.Remark
	for _, i := range j.remarksAt(file, line) {
		m := &j.Remarks[i]
		if how.explainedBy(m) && !slices.ContainsFunc(out, func(o *remark.Remark) bool { return o.Message == m.Message }) {
			out = append(out, m)
		}
	}
	return out
}

// walked is what a stack says of allocation.
type walked struct {
	collector bool // a worker of the garbage collector
	entry     string
	how       *allocation
	// lines are those that called the entry: several where functions are inlined there,
	// the innermost first.
	lines []profile.Line
}

// walk goes from the innermost frame to the first that is not of the runtime: the one
// before it is how the allocator was entered.
func (j *joined) walk(s *profile.Sample) (w walked) {
	for _, loc := range j.Profile.Stack(s.Stack) {
		lines := j.Profile.Lines(loc)
		for i, l := range lines {
			fn := j.Profile.Function(l.Function)
			switch {
			case fn.Kind == profile.KindKernel || fn.Kind == profile.KindVDSO:
			case isRuntime(fn.Name):
				w.entry = fn.Name
				if fn.Name == "runtime.gcBgMarkWorker" || fn.Name == "runtime.bgsweep" || fn.Name == "runtime.bgscavenge" {
					w.collector = true
				}
			default:
				if w.how = allocationOf(w.entry); w.how != nil {
					w.lines = lines[i:]
				}
				return w
			}
		}
	}
	return w
}

func (j *joined) escape(s *site, allocated, collected int64) finding.Finding {
	first := s.remarks[0]
	f := j.finding("go-escape", strings.TrimSuffix(first.Message, " escapes to heap")+" is allocated on the heap each time", &s.cost, s.file, int(s.line), first.Message)
	for _, m := range s.remarks[:min(3, len(s.remarks))] {
		f.Evidence = append(f.Evidence, said(m))
	}
	if why := reason(first); why != "" {
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "remark", Text: why})
	}
	f.Evidence = append(f.Evidence, j.measured(s.entry+", called by this line,", s.value))
	high := j.share(s.value)
	basis := "the allocator's samples below this line"
	if collected > 0 && allocated > 0 {
		part := int64(float64(collected) * float64(s.value) / float64(allocated))
		high += j.share(part)
		share := j.share(part)
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "samples", Share: &share,
			Text: fmt.Sprintf("it is %.0f%% of all allocation; as much of the collector's workers would be %.1f%%", 100*float64(s.value)/float64(allocated), 100*share)})
		basis += ", and as large a part of the garbage collector's"
	}
	f.Gain = &finding.Gain{Low: 0.2 * j.share(s.value), High: min(high, 1), Basis: basis + "; what replaces it is not free"}
	f.Fix = finding.Fix{Kind: "code", Steps: s.how.advice(first), Caveats: []string{
		"build again with the report: the remark has to be gone, and none new at the callers",
	}}
	return f
}

func (a *allocation) advice(m *remark.Remark) []string {
	if a.steps != nil {
		return a.steps
	}
	for _, o := range object {
		if strings.HasPrefix(m.Message, o.word) || o.word != "&" && strings.Contains(m.Message, o.word) {
			return o.steps
		}
	}
	return nil
}

// reason is the end of the compiler's explanation: by which step it left the function.
func reason(m *remark.Remark) string {
	for _, why := range slices.Backward(m.Why) {
		if strings.HasPrefix(why, "from ") {
			return "it leaves the function " + why
		}
	}
	return ""
}
