package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"whyhot/internal/collect/count"
	"whyhot/internal/collect/count/inside"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

// mostInside bounds how many functions are counted inside of interpreters.
const mostInside = 64

// countable are the functions of a recording that are worth counting: those that make
// something, and those that are hot. left says of which ones that is not
// possible.
func countable(p *profile.Profile) (functions []count.Function, left []string) {
	seen := map[profile.FunctionID]bool{}
	within, native := 0, 0
	machine := javaMachine(p)
	add := func(id profile.FunctionID) {
		fn := p.Function(id)
		if !seen[id] && within < mostInside {
			within++
			functions = append(functions, count.Function{Name: fn.Name, Inside: &inside.Function{Name: fn.Name, File: fn.File, Line: fn.StartLine, Kind: fn.Kind, Machine: machine}})
		}
		seen[id] = true
	}
	for _, c := range repetition.Candidates(p) {
		fn := p.Function(c.Function)
		switch {
		case inside.Counts(fn.Kind):
			add(c.Function)
		case fn.Kind == profile.KindNative || fn.Kind == profile.KindGo:
			if native++; native <= count.MostFunctions {
				functions = append(functions, count.Function{Name: fn.Name, Symbol: cmp.Or(fn.SystemName, fn.Name), Binary: p.Mapping(fn.Mapping).Path, Texts: c.Texts, Filled: c.Filled})
			}
		default:
			left = append(left, fmt.Sprintf("%s: functions of %s cannot be counted", fn.Name, fn.Kind))
		}
	}
	timed := 0
	for _, id := range repetition.HotCandidates(p) {
		fn := p.Function(id)
		named := func(f count.Function) bool { return f.Name == fn.Name && f.Inside == nil }
		switch {
		case inside.Counts(fn.Kind):
			add(id)
		case timed < count.MostTimed && !slices.ContainsFunc(functions, named):
			timed++
			functions = append(functions, count.Function{Name: fn.Name, Symbol: cmp.Or(fn.SystemName, fn.Name), Binary: p.Mapping(fn.Mapping).Path, Timed: true, Go: fn.Kind == profile.KindGo})
		}
	}
	return functions, left
}

// javaMachine is the file of the JVM that a recording has, whose JDK can make the counter.
func javaMachine(p *profile.Profile) string {
	for id := range p.NumMappings() {
		if path := p.Mapping(profile.MappingID(id)).Path; filepath.Base(path) == "libjvm.so" { //nolint:gosec // few
			return path
		}
	}
	return ""
}

func printFunctions(p *term.Printer, r *count.Result) {
	if len(r.Functions) > 0 {
		t := term.Table{Columns: []term.Column{
			{Title: "calls", Right: true}, {Title: "different arguments", Right: true}, {Title: "same result", Right: true}, {Title: "a call", Right: true}, {Title: "function"},
		}}
		for i := range r.Functions {
			c := &r.Functions[i]
			different, same := "–", "–"
			if c.Different > 0 {
				different = quantity.Count(int64(c.Different)) //nolint:gosec // a count
			}
			if c.Repeated > 0 && c.Results > 0 && c.Nothing < c.Looked {
				same = percent.Text(float64(c.Same) / float64(c.Repeated))
			}
			calls := quantity.Count(int64(c.Count)) //nolint:gosec // a count
			if c.Stopped {
				calls += "+"
			}
			t.Add(term.Cell{Text: calls}, term.Cell{Text: different}, term.Cell{Text: same}, term.Cell{Text: each(c)}, term.Cell{Text: c.Name})
		}
		t.Print(p)
	}
	for _, why := range r.NotCounted {
		p.Line("not counted: " + why)
	}
	if slices.Contains(r.Ways, "sys.setprofile") {
		p.Line("counted by sys.setprofile, which makes each call in Python slower; Python 3.12 and later do without it")
	}
}

// each is what one call took on the clock while it was counted.
func each(c *profile.FunctionCalls) string {
	var sum time.Duration
	for _, t := range c.Times {
		sum += time.Duration(t) //nolint:gosec // nanoseconds
	}
	if sum == 0 || c.Count == 0 {
		return "–"
	}
	return quantity.Duration(sum / time.Duration(c.Count)) //nolint:gosec // a count
}
