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

// leastLoop is the share of a loop's own lines from which a pass that gave up on it is
// worth a look.
const leastLoop = 0.02

// passes are loops in which a pass of an optimising compiler gave up, with the samples
// of the lines of the loop. Calls that were not inlined are judged by the callee, in
// calls.
func passes(j *joined) []judge.Found {
	type at struct {
		file string
		loop span
		rule string
	}
	type group struct {
		cause cause
		rank  int
		said  []*remark.Remark
	}
	lines := j.ownLines()
	groups := map[at]*group{}
	files := map[string][]span{}
	for s := range lines {
		for _, i := range j.fileRemarks(s.file) {
			m := &j.Remarks[i]
			cause, rank, ok := causeOf(m)
			if !ok || cause.Rule == ruleInline {
				continue
			}
			loops, known := files[s.file]
			if !known {
				if text, ok := j.text(s.file); ok {
					loops = loopsOf(text)
				}
				files[s.file] = loops
			}
			loop, ok := innermost(loops, m.At().Line)
			if !ok || int(s.line) < loop.line || int(s.line) > loop.end {
				continue
			}
			k := at{s.file, loop, cause.Rule}
			g := groups[k]
			if g == nil {
				g = &group{cause: cause, rank: rank}
				groups[k] = g
			}
			if rank < g.rank {
				g.cause, g.rank = cause, rank
			}
			if !slices.ContainsFunc(g.said, func(o *remark.Remark) bool { return o.Message == m.Message }) {
				g.said = append(g.said, m)
			}
		}
	}
	var out []judge.Found
	for k, g := range groups {
		var c cost
		for s, l := range lines {
			if s.file == k.file && int(s.line) >= k.loop.line && int(s.line) <= k.loop.end {
				c.join(l)
			}
		}
		if !j.pays(&c, leastLoop) {
			continue
		}
		f := j.finding(g.cause.Rule, g.cause.sentence(), &c, k.file, k.loop.line, nth(files[k.file], int(j.Profile.Function(c.function()).StartLine), k.loop.line))
		f.Place.EndLine = k.loop.end
		f.Share = finding.Share{Exclusive: f.Share.Inclusive, Error: f.Share.Error}
		slices.SortFunc(g.said, func(a, b *remark.Remark) int {
			return cmp.Or(cmp.Compare(a.At().Line, b.At().Line), cmp.Compare(a.Message, b.Message))
		})
		for _, m := range g.said[:min(4, len(g.said))] {
			f.Evidence = append(f.Evidence, said(m))
		}
		f.Evidence = append(f.Evidence, j.measured(fmt.Sprintf("the loop, lines %d to %d,", k.loop.line, k.loop.end), c.value))
		high := 0.3
		if g.cause.Rule == ruleVectorize {
			high = 0.75
		}
		f.Gain = &finding.Gain{High: high * j.share(c.value), Basis: "the samples of the loop; what the pass would have left of them is a guess"}
		f.Fix = finding.Fix{Kind: "code", Steps: stepsOf(g.cause, g.said[0].Compiler), Caveats: []string{"build again with the report: the remark has to be gone"}}
		out = append(out, judge.Found{Finding: f, Samples: c.rows})
	}
	slices.SortFunc(out, func(a, b judge.Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

func causeOf(m *remark.Remark) (cause, int, bool) {
	switch {
	case m.Kind != remark.Missed && m.Kind != remark.Analysis:
		return cause{}, 0, false
	case m.Compiler == remark.GCC:
		return ofSentence(m.Message)
	case m.Compiler == remark.Rust && m.Pass == "loop-vectorize":
		return ofSentence(m.Message)
	}
	return ofPass(m.Pass, string(m.Kind), m.Name, m.Message)
}

// rustSteps are what to change where C's advice does not fit.
var rustSteps = map[string][]string{
	ruleHoist: {"copy it into a local variable before the loop, or borrow the slice once: for x in &mut self.items"},
	ruleReuse: {"keep it in a local variable over the store or call"},
	ruleInline: {
		"a function of another crate without type parameters: #[inline] there; or [profile.release] lto = \"fat\", codegen-units = 1 in Cargo.toml, which changes no source",
	},
}

func stepsOf(cause cause, compiler string) []string {
	if steps := rustSteps[cause.Rule]; compiler == remark.Rust && steps != nil {
		return steps
	}
	return cause.Steps
}

func (c *cost) join(o *cost) {
	c.value += o.value
	c.events += o.events
	c.rows = append(c.rows, o.rows...)
	if c.functions == nil {
		c.functions = map[profile.FunctionID]int64{}
	}
	for f, v := range o.functions {
		c.functions[f] += v
	}
}

// ownLines is what ran on each line itself.
func (j *joined) ownLines() map[spot]*cost {
	out := map[spot]*cost{}
	for in := range j.Profile.Innermosts() {
		l := in.Lines[0]
		k := spot{j.Profile.Function(l.Function).File, l.Line}
		if k.file == "" || k.line == 0 {
			continue
		}
		if out[k] == nil {
			out[k] = &cost{}
		}
		out[k].add(in.Row, in.Sample, l.Function)
	}
	return out
}

// fileRemarks are those on a file of the profile.
func (j *joined) fileRemarks(file string) []int {
	found, known := j.byFile[file]
	if !known {
		for i := range j.Remarks {
			if m := &j.Remarks[i]; base(m.At().File) == base(file) && j.isOf(m, file) {
				found = append(found, i)
			}
		}
		j.byFile[file] = found
	}
	return found
}

func (j *joined) text(file string) (string, bool) {
	if j.Source == nil {
		return "", false
	}
	lines, ok := j.Source(file)
	return strings.Join(lines, "\n"), ok
}
