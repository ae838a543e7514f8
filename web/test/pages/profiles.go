package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/profile/view"
)

// small has known shares: of 1000 samples, parse 600 (of them malloc 200, half
// of it in the kernel), render 300 through a recursion, two hostile names 100.
func small() *profile.Profile {
	b := profile.NewBuilder()
	app := b.Mapping(profile.Mapping{Path: "/opt/demo/bin/demo", BuildID: "c0ffee"})
	libc := b.Mapping(profile.Mapping{Path: "/usr/lib/x86_64-linux-gnu/libc.so.6"})
	kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
	frame := func(name, file string, line int32, m profile.MappingID, k profile.Kind) profile.LocationID {
		f := b.Function(profile.Function{Name: name, File: file, StartLine: line, Mapping: m, Kind: k})
		return b.Location(m, 0, k, profile.Line{Function: f, Line: line})
	}
	start := frame("main", "demo.cc", 90, app, profile.KindNative)
	parse := frame("demo::parse(std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > > const&)", "demo.cc", 20, app, profile.KindNative)
	malloc := frame("malloc", "malloc.c", 3300, libc, profile.KindNative)
	fault := frame("asm_exc_page_fault", "", 0, kernel, profile.KindKernel)
	render := frame("demo::render", "demo.cc", 50, app, profile.KindNative)
	script := frame("</script><script>window.hacked=1</script>", "</title>", 1, app, profile.KindNative)
	image := frame("<img src=x onerror=\"window.hacked=1\">", "", 0, app, profile.KindNative)
	add := func(n int64, rootFirst ...profile.LocationID) {
		leafFirst := make([]profile.LocationID, len(rootFirst))
		for i, l := range rootFirst {
			leafFirst[len(leafFirst)-1-i] = l
		}
		b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Count: n, Value: n * 1_000_000})
	}
	add(400, start, parse)
	add(100, start, parse, malloc)
	add(100, start, parse, malloc, fault)
	add(100, start, render)
	add(200, start, render, render, render)
	add(60, start, script)
	add(40, start, image)
	return b.Build(profile.Meta{
		Source: "perf.data", ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Command: []string{program, "--input", "</title><script>window.hacked=1</script>"},
	})
}

// large is a tree of n nodes, shaped like a big program's: depth up to 60, 20
// thousand functions, weights that fall off quickly.
func large(n int) (*profile.Profile, *view.Tree) {
	const (
		functions = 20_000
		returns   = 6
		period    = 10_000_000 // nanoseconds
	)
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same tree each time is the point
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/opt/large/bin/large"})
	lib := b.Mapping(profile.Mapping{Path: "/usr/lib/liblarge.so.1"})
	locs := make([]profile.LocationID, functions)
	for i := range locs {
		mapping := m
		if i%3 == 0 {
			mapping = lib
		}
		f := b.Function(profile.Function{
			Name:    fmt.Sprintf("large::module_%d::Class%d::method_%d", i%97, i%1009, i),
			Mapping: mapping, Kind: profile.KindNative,
		})
		locs[i] = b.Location(mapping, 0, profile.KindNative, profile.Line{Function: f})
	}
	stack := []profile.LocationID{locs[0]}
	for made := 1; made < n; {
		keep := len(stack) - r.IntN(min(len(stack), 4))
		if r.IntN(returns) == 0 { // now and then a program comes back to its main loop
			keep = r.IntN(len(stack))
		}
		stack = stack[:max(1, keep)]
		for grow := 1 + r.IntN(5); grow > 0 && len(stack) < 60 && made < n; grow-- {
			stack = append(stack, locs[int(float64(functions)*r.Float64()*r.Float64())])
			made++
		}
		leafFirst := make([]profile.LocationID, len(stack))
		for i, l := range stack {
			leafFirst[len(leafFirst)-1-i] = l
		}
		weight := int64(1 + r.ExpFloat64()*4)
		b.Sample(profile.Sample{Stack: b.Stack(leafFirst), Count: weight, Value: weight * period})
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	p := b.Build(profile.Meta{Source: "synthetic", ValueType: cpu, PeriodType: cpu, Period: period})
	return p, view.BuildTree(p, view.TreeOptions{})
}

// program is the command of the trials.
const program = "demo"

func findings() []finding.Finding {
	share := func(v float64) *float64 { return &v }
	hostile := "</script><img src=x onerror=\"window.hacked=1\">"
	return []finding.Finding{
		{
			ID: "replace-malloc-1a2b3c4d", Rule: "replace-malloc", Certainty: finding.Proved,
			Title: "Memory management takes a fifth of the CPU; another allocator is faster",
			Place: finding.Place{Binary: "/usr/lib/x86_64-linux-gnu/libc.so.6", Function: "malloc"},
			Share: finding.Share{Exclusive: share(0.1), Inclusive: share(0.2), Error: share(0.025)},
			Gain:  &finding.Gain{Low: 0.02, High: 0.12, Basis: "10 – 60 % of the allocator's share, from trials of four programs"},
			Evidence: []finding.Evidence{
				{Kind: "symbol", Text: "malloc in libc.so.6", Share: share(0.2)},
				{Kind: "caller", Text: "called from one place: demo::parse", Share: share(0.2)},
				{Kind: "claim", Text: "mimalloc's authors report 1.1× on allocation-heavy programs"},
			},
			Fix: finding.Fix{
				Kind: "preload", Steps: []string{"Install libmimalloc2.0", "Start the program with LD_PRELOAD=libmimalloc.so.2"},
				Caveats: []string{"Memory use may grow: the trial shows it beside the time"}, Licence: "MIT",
			},
			Next: finding.Command{Verb: "try", Args: []string{"--preload", "mimalloc,jemalloc"}, Program: []string{"demo", "--input", "big file"}},
			Trials: []finding.Trial{
				{Variant: "mimalloc", Command: []string{program}, Runs: 20, SpeedUp: finding.Interval{Estimate: 1.09, Low: 1.07, High: 1.11}, Verdict: "faster, same output"},
				{Variant: "jemalloc", Command: []string{program}, Runs: 20, SpeedUp: finding.Interval{Estimate: 0.97, Low: 0.94, High: 1.004}, Verdict: "no difference that 20 runs can tell"},
			},
			Links: []string{"https://github.com/microsoft/mimalloc"},
		},
		{
			ID: "reserve-2b3c4d5e", Rule: "vector-reserve", Certainty: finding.Confirmed, Title: "A vector grows step by step " + hostile,
			Place:    finding.Place{Binary: "/opt/demo/bin/demo", Function: "demo::render", File: "demo.cc", Line: 50, EndLine: 58},
			Share:    finding.Share{Exclusive: share(0.3), Error: share(0.03)},
			Evidence: []finding.Evidence{{Kind: "remark", Text: hostile}},
			Fix:      finding.Fix{Kind: "code", Steps: []string{"Reserve the size before the loop"}, Diff: "-  std::vector<int> v;\n+  std::vector<int> v;\n+  v.reserve(n); // </code>" + hostile},
		},
		{
			ID: "bare-3c4d5e6f", Rule: "bare", Certainty: finding.Suspected, Title: strings.Repeat("a-very-long-title-without-spaces", 5),
			Place: finding.Place{Binary: "/nowhere/libabsent.so", Function: "absent"},
		},
		{
			ID: "refuted-4d5e6f70", Rule: "refuted", Certainty: finding.Refuted, Title: "Larger pages were tried",
			Share:  finding.Share{Exclusive: share(0.1), Error: share(0.02)},
			Trials: []finding.Trial{{Variant: "thp=always", Command: []string{program}, Runs: 16, SpeedUp: finding.Interval{Estimate: 1, Low: 0.99, High: 1.01}, Verdict: "no difference"}},
		},
	}
}
