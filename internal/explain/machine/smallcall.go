package machine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/elfinfo"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
	"whyhot/internal/profile/origin"
)

// RuleSmallCall is the rule of functions that do little for each call, and that a compiler
// that sees one file at a time cannot inline: because their callers are in other files, or
// because they have one caller in their own file and are not static, so that a copy for
// others has to stay. (gcc and clang inline a static function with one call, however long.)
//
// What counts is the code of functions that are no longer than a cache line, loops in them
// left out, and of longer ones what each call pays before and after its work: the
// instructions that save and restore registers and return. A caller counts where its call
// instruction names the function: through a pointer, nothing could be inlined.
const RuleSmallCall = "machine-small-call"

const (
	smallCode        = 64   // bytes of code of a function that counts whole
	leastSmallCalls  = 0.05 // of all samples, for all functions of a binary
	leastSmallCall   = 0.01 // for each of them
	fewestSmallCalls = 30   // events
	mostSmallCalls   = 4    // functions that are named
	// A call that is inlined saves the call, and the work around it is optimised with it:
	// what was measured is in bench/machine.md.
	lowSmallCall, highSmallCall = 0.2, 1.6
)

// smallCall is what one function's calls from other files cost.
type smallCall struct {
	function     *Function
	file         string
	line         int
	value, count int64
	rows         []int32
	callers      map[asking]int64
	here         bool // called in its own file, from one place
}

// SmallCalls are findings about functions that are called from other files for little: one
// for each binary, since one flag mends them all.
func SmallCalls(p *profile.Profile, a Answer, binaries Binaries, info func(*profile.Mapping) *elfinfo.Info) []Found {
	byBinary := map[string][]*smallCall{}
	index := functionsByPath(a)
	found := map[*Function]*smallCall{}
	sites := callSites{}
	type pair struct {
		from profile.LocationID
		to   *Function
	}
	type reach struct {
		at       asking
		here, ok bool
	}
	known := map[pair]reach{} // many samples have the same caller
	for in := range p.Innermosts() {
		m := p.Mapping(in.Location.Mapping)
		stack := p.Stack(in.Sample.Stack)
		if len(stack) < 2 || in.Location.Address == 0 || isLibc(m.Path) {
			continue
		}
		_, vaddr, ok := binaries.Code(m, in.Location.Address)
		if !ok {
			continue
		}
		f := functionAt(index[m.Path], vaddr)
		if f == nil || !f.paysPerCall(vaddr) {
			continue
		}
		lines := p.Lines(stack[0])
		body := p.Function(lines[len(lines)-1].Function)
		call, seen := known[pair{stack[1], f}]
		if !seen {
			call.at, call.here, call.ok = sites.outOfReach(p, stack[1], m, body, f.Start, binaries)
			known[pair{stack[1], f}] = call
		}
		if !call.ok || origin.OfFunction(body, m.Path) != origin.Own || finding.IsInstalled(body.File, "") {
			continue
		}
		c := found[f]
		if c == nil {
			c = &smallCall{function: f, file: body.File, line: int(body.StartLine), here: call.here, callers: map[asking]int64{}}
			if c.line == 0 {
				c.line = int(lines[len(lines)-1].Line)
			}
			found[f] = c
			byBinary[m.Path] = append(byBinary[m.Path], c)
		}
		c.value += in.Sample.Value
		c.count += in.Sample.Count
		c.rows = append(c.rows, int32(in.Row)) //nolint:gosec // rows are int32
		c.callers[call.at] += in.Sample.Value
	}
	var out []Found
	for _, calls := range byBinary {
		calls = slices.DeleteFunc(calls, func(c *smallCall) bool { return float64(c.value) < leastSmallCall*float64(p.Total()) })
		var value, count int64
		for _, c := range calls {
			value += c.value
			count += c.count
		}
		if len(calls) == 0 || count < fewestSmallCalls || float64(value) < leastSmallCalls*float64(p.Total()) ||
			seesTheWhole(info(calls[0].function.Mapping)) {
			continue
		}
		slices.SortFunc(calls, func(a, b *smallCall) int {
			return cmp.Or(-cmp.Compare(a.value, b.value), cmp.Compare(a.function.Start, b.function.Start))
		})
		out = append(out, smallCallsFound(p, calls, value, count))
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.Place.Binary, b.Place.Binary) })
	return out
}

// functionsByPath are the functions that were looked at, by address in each binary.
func functionsByPath(a Answer) map[string][]*Function {
	out := map[string][]*Function{}
	for i := range a.Functions {
		f := &a.Functions[i]
		out[f.Mapping.Path] = append(out[f.Mapping.Path], f)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b *Function) int { return cmp.Compare(a.Start, b.Start) })
	}
	return out
}

func functionAt(list []*Function, vaddr uint64) *Function {
	n, _ := slices.BinarySearchFunc(list, vaddr, func(f *Function, at uint64) int {
		if f.End <= at {
			return -1
		}
		return 1 // the first that ends behind it
	})
	if n < len(list) && vaddr >= list[n].Start {
		return list[n]
	}
	return nil
}

// paysPerCall says whether an instruction is run once for each call: of a short function
// each outside of loops, of another those that save and restore registers and return.
func (f *Function) paysPerCall(vaddr uint64) bool {
	n, exact := slices.BinarySearchFunc(f.Outside, vaddr, func(in Instruction, at uint64) int { return cmp.Compare(in.Address, at) })
	if !exact {
		n-- // an unwinder may have moved an address by a byte
	}
	if n < 0 || vaddr-f.Outside[n].Address > 1 {
		return false // of a loop
	}
	return f.End-f.Start <= smallCode || isFrameWork(f.Outside[n].Text)
}

// isFrameWork: the instructions of a function's beginning and end.
func isFrameWork(text string) bool {
	op, operands, _ := strings.Cut(text, " ")
	switch strings.TrimSuffix(op, "q") {
	case "push", "pop", "ret", "leave", "endbr64":
		return true
	case "sub", "add":
		return strings.HasPrefix(operands, "$") && strings.HasSuffix(operands, ",%rsp")
	}
	return false
}

// outOfReach says which line calls a function, where the call names the function and no
// compiler of single files may inline it; here where that is for want of `static`. A function
// that is defined in a header could be inlined anywhere.
func (c callSites) outOfReach(p *profile.Profile, from profile.LocationID, m *profile.Mapping, body *profile.Function, entry uint64, binaries Binaries) (at asking, here, ok bool) {
	loc := p.Location(from)
	lines := p.Lines(from)
	if p.Mapping(loc.Mapping).Path != m.Path || !isUnit(body.File) || len(lines) == 0 {
		return asking{}, false, false
	}
	around := p.Function(lines[len(lines)-1].Function)
	if around.File == "" || !isUnit(around.File) {
		return asking{}, false, false
	}
	here = filepath.Clean(around.File) == filepath.Clean(body.File)
	file, vaddr, ok := binaries.Code(m, loc.Address)
	if !ok || here && (around.Name == body.Name || c.of(file, entry) != 1) {
		return asking{}, false, false
	}
	calls := func(back uint64) bool { // a return address
		to, ok := target(file, back-relative, callOpcode)
		return ok && (to == entry || endsIn(file, to, entry))
	}
	if !calls(vaddr) && !calls(vaddr+1) { // readers name the return address, or the byte before it
		return asking{}, false, false
	}
	return asking{codename.Display(p.Function(lines[0].Function).Name), p.Function(lines[0].Function).File, int(lines[0].Line)}, here, true
}

// isUnit says whether a file is what a compiler is given, and no header.
func isUnit(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".c", ".cc", ".cpp", ".cxx", ".c++", ".cp":
		return true
	}
	return false
}

// seesTheWhole says whether the compiler saw all files at once: then it chose not to inline.
// Where nothing is known, nothing is said either.
func seesTheWhole(info *elfinfo.Info) bool {
	return info == nil || slices.ContainsFunc(info.Producers, elfinfo.Producer.SeesWhole)
}

func smallCallsFound(p *profile.Profile, calls []*smallCall, value, count int64) Found {
	total := float64(max(p.Total(), 1))
	share := float64(value) / total
	margin := finding.ShareError(share, p.Count())
	first := calls[0]
	m, name := first.function.Mapping, codename.Display(first.function.Name)
	l := &Loop{Function: first.function.Name, Mapping: m, File: first.file, Line: first.line, EndLine: first.line, Self: value, Count: count}
	callers := map[asking]int64{}
	var rows []int32
	var evidence []finding.Evidence
	for n, c := range calls {
		rows = append(rows, c.rows...)
		for at, v := range c.callers {
			callers[at] += v
		}
		if n < mostSmallCalls {
			part := float64(c.value) / total
			what := "all of its code"
			if c.function.End-c.function.Start > smallCode {
				what = "its entry and exit"
			}
			if c.here {
				what += "; it has one caller, and is not static"
			}
			evidence = append(evidence, finding.Evidence{Kind: evidenceKind, Share: &part,
				Text: fmt.Sprintf("%s (%s:%d), %d bytes: %s", codename.Display(c.function.Name), filepath.Base(c.file), c.line, c.function.End-c.function.Start, what)})
		}
	}
	slices.Sort(rows)
	title := fmt.Sprintf("%s does little per call and is not inlined", name)
	if n := len(calls) - 1; n > 0 {
		title = fmt.Sprintf("%s and %d more do little per call and are not inlined", name, n)
	}
	r := rules[RuleSmallCall]
	return Found{Loop: l, rows: rows, callers: callers, Finding: finding.Finding{
		Rule: RuleSmallCall, Title: title, Certainty: finding.Suspected,
		Place:    finding.Place{Binary: m.Path, BuildID: m.BuildID, Function: first.function.Name, File: first.file, Line: first.line, EndLine: first.line},
		ID:       finding.ID(RuleSmallCall, finding.Place{Binary: m.Path}),
		Share:    finding.Share{Exclusive: &share, Error: &margin},
		Gain:     &finding.Gain{Low: lowSmallCall * share, High: min(highSmallCall*share, 1), Basis: "the samples that each call pays; inlining also optimises what is around the call"},
		Evidence: evidence,
		Fix:      finding.Fix{Kind: r.kind, Steps: r.steps, Caveats: r.caveats},
	}}
}
