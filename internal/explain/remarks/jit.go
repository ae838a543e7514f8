package remarks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
	"whyhot/internal/profile"
)

// again is how often a function has to be deoptimised before that is more than its
// warming up: the compiler guesses, and guesses again with what it learnt. HotSpot does
// so up to four times for each place of a method (PerBytecodeTrapLimit), and a hot one
// has several.
var again = map[string]int64{remark.V8: 3, remark.HotSpot: 20}

// warming are V8's reasons that say of code that it met something for the first time, or
// that what it was compiled for changed elsewhere. They count as evidence, but make no
// finding: what had them and nothing else was no faster without (bench/remarks.md).
var warming = []string{"Insufficient type feedback", "code dependencies", "weak objects", "(unknown)"}

func isWarming(m *remark.Remark) bool {
	return m.Compiler == remark.V8 && slices.ContainsFunc(warming, func(w string) bool { return strings.HasPrefix(m.Message, w) })
}

// longCallee is the size of a method in bytes of bytecode from which the call is next to
// nothing beside its own work.
const longCallee = 1000

// jitRules say what each kind of remark of a just-in-time compiler means.
var jitRules = map[remark.Kind]struct {
	rule, title string
	high        float64
	basis       string
	steps       map[string][]string // by the compiler
}{
	remark.Deoptimized: {"jit-deoptimised", "is compiled and deoptimised repeatedly", 0.5, "the samples of the function; each deoptimisation has it interpreted for a while", map[string][]string{
		remark.V8: {
			"wrong map: give all objects that come here one shape: the same properties in the same order, set in the constructor, none deleted or added later; a Map for names that are data",
			"not a Smi, overflow, not a number: keep the kinds of numbers apart; | 0 where integers are meant, no mixing of undefined and numbers in one array",
		},
		remark.HotSpot: {
			"class_check, bimorphic, null_check: the call sees more classes than it was compiled for: split it by class, or make the common one final and test for it first",
			"unstable_if: data changes which branch is taken: warm up with data like that of production; intrinsic, range_check: check bounds before the loop",
		},
	}},
	remark.NotCompiled: {"jit-not-compiled", "is not compiled with all optimisations", 0.8, "the samples of the function; compiled, it may take a fraction of them", map[string][]string{
		remark.V8:      {"split the function: the hot loop in one of its own, without what the reason names"},
		remark.HotSpot: {"out of nodes: split the method; -XX:MaxNodeLimit=160000 -XX:NodeLimitFudgeFactor=4000 for a test"},
	}},
	remark.Interpreted: {"jit-not-compiled", "is only interpreted", 0.95, "the samples of the method; compiled, it may take a twentieth of them", map[string][]string{
		remark.HotSpot: {
			"-XX:-DontCompileHugeMethods has methods of more than 8000 bytes compiled, without a change to the program",
			"or split the method: what a generator wrote may have an option for smaller ones",
		},
	}},
	remark.CannotInline: {"jit-not-inlined", "is called on a hot path and not inlined", 0.2, "the samples of the callee's own code; a call, and what knowing its arguments would allow", map[string][]string{
		remark.HotSpot: {
			"hot method too big (over 325 bytes of bytecode), callee is too large (over 35, where it is not hot): move the rare part into a method of its own",
			"-XX:FreqInlineSize= and -XX:MaxInlineSize= raise the limits for a test",
		},
	}},
}

// worthInlining says whether somebody can do something about HotSpot's reason, and may
// gain by it: "too big (172 bytes of bytecode)".
func worthInlining(m *remark.Remark) bool {
	reason, size, _ := strings.Cut(m.Message, " (")
	switch reason {
	case "hot method too big", "too big", "already compiled into a big method":
	default:
		return false
	}
	size, _, _ = strings.Cut(size, " ")
	bytes, err := strconv.Atoi(size)
	return err == nil && bytes < longCallee
}

// jit are functions of which a just-in-time compiler says that it gave up, and that are
// hot themselves.
func jit(j *joined) []judge.Found {
	byName := j.ofJITs()
	if len(byName) == 0 {
		return nil
	}
	type hot struct {
		cost

		name string
		said []*remark.Remark
		kind remark.Kind
	}
	type function struct {
		kind       remark.Kind
		name, file string
		line       int32 // of a closure, all that tells it from the next
	}
	costs := map[function]*hot{}
	for in := range j.Profile.Innermosts() {
		l := in.Lines[0]
		fn := j.Profile.Function(l.Function)
		for _, m := range byName[bare(fn.Name)] {
			if !declaredAt(fn, m.At()) {
				continue
			}
			k := function{m.Kind, fn.Name, fn.File, fn.StartLine}
			if costs[k] == nil {
				costs[k] = &hot{name: fn.Name, kind: m.Kind}
			}
			if h := costs[k]; len(h.rows) == 0 || h.rows[len(h.rows)-1] != int32(in.Row) {
				h.add(in.Row, in.Sample, l.Function)
			}
			if h := costs[k]; !slices.Contains(h.said, m) {
				h.said = append(h.said, m)
			}
		}
	}
	var out []judge.Found
	for _, h := range costs {
		var times int64
		for _, m := range h.said {
			if !isWarming(m) {
				times += m.Count
			}
		}
		if !j.pays(&h.cost, leastLoop) || h.kind == remark.Deoptimized && times < again[h.said[0].Compiler] {
			continue
		}
		out = append(out, judge.Found{Finding: j.jit(h.kind, h.name, &h.cost, h.said), Samples: h.rows})
	}
	slices.SortFunc(out, func(a, b judge.Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (j *joined) jit(kind remark.Kind, name string, c *cost, remarks []*remark.Remark) finding.Finding {
	r := jitRules[kind]
	fn := j.Profile.Function(c.function())
	line := int(fn.StartLine)
	if line == 0 {
		line, _ = j.hottestLine(c)
	}
	extra := ""
	if bare(name) == "" { // its line is its name
		extra = strconv.Itoa(line)
	}
	f := j.finding(r.rule, cmp.Or(bare(name), name)+" "+r.title, c, fn.File, line, extra)
	f.Share = finding.Share{Exclusive: f.Share.Inclusive, Error: f.Share.Error}
	f.Evidence = sayings(kind, remarks)
	f.Evidence = append(f.Evidence, j.measured("its own code", c.value))
	reach := c.value
	if at, of := j.undisturbed(c, remarks); kind == remark.Deoptimized && of > 0 {
		reach -= of
		f.Evidence = append(f.Evidence, j.measured(fmt.Sprintf("line %d, at which no deoptimisation is reported,", at), of))
		f.Fix.Caveats = []string{"what V8's own functions do there, such as includes or sort, counts as that line's, and is not in the estimate: look at it first"}
	}
	f.Gain = &finding.Gain{High: r.high * j.share(reach), Basis: r.basis}
	f.Fix.Kind, f.Fix.Steps = "code", r.steps[remarks[0].Compiler]
	return f
}

// undisturbed is the line with half of a function's samples or more, where deoptimisations
// are reported of other lines and none of it: code that is interpreted for a while is slow
// on all of its lines, and a single one is rather something that V8 does there itself.
func (j *joined) undisturbed(c *cost, remarks []*remark.Remark) (line int, value int64) {
	fn := j.Profile.Function(c.function())
	disturbed := map[int]bool{}
	for _, m := range remarks {
		if p, ok := m.Happened(); ok && p.File == base(fn.File) {
			disturbed[p.Line] = true
		}
	}
	line, value = j.hottestLine(c)
	if len(disturbed) == 0 || line == 0 || disturbed[line] || 2*value < c.value {
		return 0, 0
	}
	return line, value
}

// ofJITs are the remarks of just-in-time compilers by the bare name of the function that
// they are about: the callee, where a call was not inlined.
func (j *joined) ofJITs() map[string][]*remark.Remark {
	byName := map[string][]*remark.Remark{}
	for i := range j.Remarks {
		m := &j.Remarks[i]
		if m.Compiler != remark.V8 && m.Compiler != remark.HotSpot || m.Kind == remark.Megamorphic {
			continue
		}
		name := m.Function
		if m.Kind == remark.CannotInline {
			if !worthInlining(m) {
				continue
			}
			name = m.Callee
		}
		if name = bare(name); name == "" && m.At().Line == 0 {
			continue // of a function without a name: which one?
		}
		byName[name] = append(byName[name], m)
	}
	return byName
}

// declaredAt says whether a function can be the one that is declared there. One without
// a name has to be; of others a profile may not know the line.
func declaredAt(fn *profile.Function, p remark.Position) bool {
	if p.Line == 0 || fn.StartLine == 0 {
		return bare(fn.Name) != ""
	}
	return int(fn.StartLine) == p.Line && base(fn.File) == base(p.File)
}

// sayings are the commonest remarks; one about several calls names some of the callers.
func sayings(kind remark.Kind, remarks []*remark.Remark) []finding.Evidence {
	slices.SortFunc(remarks, func(a, b *remark.Remark) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Message, b.Message))
	})
	callers := map[string][]string{}
	var first []*remark.Remark
	for _, m := range remarks {
		if kind != remark.CannotInline || callers[m.Message] == nil {
			first = append(first, m)
		}
		callers[m.Message] = append(callers[m.Message], m.Function)
	}
	first = first[:min(4, len(first))]
	out := make([]finding.Evidence, 0, len(first))
	for _, m := range first {
		e := said(m)
		if kind == remark.CannotInline {
			by := callers[m.Message]
			e.Text += ", called by " + strings.Join(by[:min(2, len(by))], ", ")
			if n := len(by) - 2; n > 0 {
				e.Text += fmt.Sprintf(" and %d more", n)
			}
		} else if m.Count > 1 {
			e.Text += fmt.Sprintf(", %d times", m.Count)
		}
		out = append(out, e)
	}
	return out
}

// hottestLine is the line of a function with the most samples, and these; 0 without lines.
func (j *joined) hottestLine(c *cost) (line int, value int64) {
	of := c.function()
	lines := map[int32]int64{}
	for in := range j.Profile.Innermosts() {
		if l := in.Lines[0]; l.Function == of {
			lines[l.Line] += in.Sample.Value
		}
	}
	var best int32
	for line, v := range lines {
		if b := lines[best]; v > b || v == b && line < best {
			best = line
		}
	}
	return int(best), lines[best]
}

// bare is the name by which a compiler and profilers agree: without type of the result
// and arguments, with dots, without the marks of a tier; "" for a function without one.
//
// Example: "long T.big(long, int)" and "T::big_[j]" are "T.big".
func bare(name string) string {
	switch {
	case name == "(anonymous)" || name == "<anonymous>":
		return ""
	case strings.HasPrefix(name, "("): // (garbage collector)
		return name
	}
	name, _, _ = strings.Cut(name, "(")
	name = strings.TrimSpace(name)
	name = name[strings.LastIndexByte(name, ' ')+1:]
	name = strings.ReplaceAll(name, "/", ".")
	name = strings.ReplaceAll(name, "::", ".")
	return strings.TrimSuffix(name, "_[j]")
}
