package remarks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whyhot/internal/explain/missed"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/remark"
)

const (
	// ofItsOwn is the part of a function's own time that its entry has to take: below,
	// calls are not what it costs.
	ofItsOwn   = 0.15
	leastEntry = 0.005
)

// entered is a function with the samples of its entry, and of all of its own code.
type entered struct {
	cost

	m   *remark.Remark
	own int64
}

// entries are functions that Go cannot inline and that are called so often that
// entering them shows: the line of the declaration holds the check of the stack's size,
// and the spilling of arguments.
func entries(j *joined) []Found {
	wanted := false
	for i := range j.Remarks {
		wanted = wanted || j.Remarks[i].Kind == remark.CannotInline && j.Remarks[i].Compiler == remark.Go
	}
	if !wanted {
		return nil
	}
	byFunction := map[string]*entered{}
	own := map[string]int64{}
	samples := j.Profile.Samples()
	for row := range samples {
		s := &samples[row]
		stack := j.Profile.Stack(s.Stack)
		if len(stack) == 0 {
			continue
		}
		lines := j.Profile.Lines(stack[0])
		l := lines[len(lines)-1]
		fn := j.Profile.Function(l.Function)
		own[fn.Name] += s.Value
		if len(lines) > 1 {
			continue
		}
		for _, i := range j.remarksAt(fn.File, l.Line) {
			m := &j.Remarks[i]
			if m.Kind != remark.CannotInline || m.Compiler != remark.Go {
				continue
			}
			if byFunction[fn.Name] == nil {
				byFunction[fn.Name] = &entered{m: m}
			}
			byFunction[fn.Name].add(row, s, l.Function)
			break
		}
	}
	var out []Found
	for name, c := range byFunction {
		c.own = own[name]
		if !j.pays(&c.cost, leastEntry) || float64(c.value) < ofItsOwn*float64(c.own) {
			continue
		}
		p := c.m.At()
		f := j.finding("go-not-inlined", "entering "+name+" takes a good part of it, and it is not inlined", &c.cost, p.File, p.Line, "")
		f.Evidence = []finding.Evidence{
			said(c.m),
			j.measured("its entry (the line of its declaration: stack check, arguments)", c.value),
			j.measured("all of its own code", c.own),
		}
		f.Gain = &finding.Gain{High: min(2*j.share(c.value), j.share(c.own)), Basis: "the samples of its entry, and as much for the return; calls with another outcome stay"}
		f.Fix = finding.Fix{Kind: "code", Steps: []string{
			"split it: a short function with the common, early case (cost at most 80), which is inlined and calls the rest; go build -gcflags=-m=2 shows the cost",
			"a profile in the main package's directory (default.pgo) raises the budget to 2000 for hot calls: go build -pgo=cpu.pprof",
		}, Caveats: []string{"where it is called through an interface or a function value, inlining it changes nothing before the call is direct"}}
		out = append(out, Found{Finding: f, Samples: c.rows})
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.Place.Function, b.Place.Function))
	})
	return out
}

// calls are functions that an optimising compiler did not inline into a caller, and
// whose entry shows in the profile: the line that they begin on.
func calls(j *joined) []Found {
	byCallee := map[string]*remark.Remark{}
	for i := range j.Remarks {
		m := &j.Remarks[i]
		if m.Callee == "" || m.Kind != remark.Missed || byCallee[m.Callee] != nil {
			continue
		}
		if _, _, ok := inlineCause(m); ok {
			byCallee[m.Callee] = m
		}
	}
	if len(byCallee) == 0 {
		return nil
	}
	byFunction := map[string]*entered{}
	own := map[string]int64{}
	samples := j.Profile.Samples()
	for row := range samples {
		s := &samples[row]
		stack := j.Profile.Stack(s.Stack)
		if len(stack) == 0 {
			continue
		}
		lines := j.Profile.Lines(stack[0])
		l := lines[len(lines)-1]
		fn := j.Profile.Function(l.Function)
		own[fn.Name] += s.Value
		m := byCallee[cmp.Or(fn.SystemName, fn.Name)]
		if m == nil || len(lines) > 1 || fn.StartLine == 0 || l.Line != fn.StartLine {
			continue
		}
		if byFunction[fn.Name] == nil {
			byFunction[fn.Name] = &entered{m: m}
		}
		byFunction[fn.Name].add(row, s, l.Function)
	}
	var out []Found
	for name, c := range byFunction {
		c.own = own[name]
		if !j.pays(&c.cost, leastEntry) || float64(c.value) < ofItsOwn*float64(c.own) {
			continue
		}
		cause, _, _ := inlineCause(c.m)
		fn := j.Profile.Function(c.function())
		f := j.finding(cause.Rule, "entering "+name+" takes a good part of it, and it is not inlined", &c.cost, fn.File, int(fn.StartLine), "")
		f.Evidence = []finding.Evidence{said(c.m), j.measured("its entry", c.value), j.measured("all of its own code", c.own)}
		f.Gain = &finding.Gain{High: min(2*j.share(c.value), j.share(c.own)), Basis: "the samples of its entry, and as much for the return"}
		f.Fix = finding.Fix{Kind: "code", Steps: cause.Steps}
		out = append(out, Found{Finding: f, Samples: c.rows})
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(-cmp.Compare(a.Share.Main(), b.Share.Main()), cmp.Compare(a.Place.Function, b.Place.Function))
	})
	return out
}

// inlineCause is why a call was not inlined. gcc and rustc say it in a sentence.
func inlineCause(m *remark.Remark) (missed.Cause, int, bool) {
	if m.Compiler == remark.Clang {
		c, rank, ok := missed.Of(m.Pass, string(m.Kind), m.Name, m.Message)
		return c, rank, ok && c.Rule == missed.Inline
	}
	name := "TooCostly"
	if strings.Contains(m.Message, "not available") || strings.Contains(m.Message, "unavailable") {
		name = "NoDefinition"
	}
	return missed.Of("inline", string(m.Kind), name, m.Callee+" ")
}

// atLines names lines for a sentence.
func atLines(file string, lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("%s:%d", base(file), lines[0])
	}
	text := base(file) + ", lines "
	for i, n := range lines {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}
