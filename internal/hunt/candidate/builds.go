package candidate

import (
	"cmp"
	"slices"
	"strings"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/machine"
	"whyhot/internal/finding"
	"whyhot/internal/trial/rebuild/wrapper"
)

// way is a way to build any C or C++ program.
type way struct {
	kind     Kind
	variant  string
	expected float64 // share of the time: the middle of what trials of whyhot saw
	builds   float64 // what it costs: PGO is built twice and trained between
	how      string
	caveats  []string
}

var ways = []way{
	{
		kind: Flags, variant: "cflags=-march=native", expected: 0.02, builds: 1,
		caveats: []string{"the program then runs on processors like this one only"},
	},
	{kind: LTO, variant: "lto", expected: 0.02, builds: 1.5, how: "build with link-time optimisation (gcc: -flto=auto, clang: -flto=thin)"},
	{
		kind: PGO, variant: "pgo", expected: 0.08, builds: 2.5, how: "build with profile-guided optimisation",
		caveats: []string{"the training has to be like the real load"},
	},
	{
		kind: BOLT, variant: "bolt", expected: 0.03, builds: 2, how: "re-lay the linked program out with llvm-bolt",
		caveats: []string{"the training has to be like the real load"},
	},
}

// low are the levels of optimisation below the usual one: what -O2 is expected to
// save, and how many times as long it takes to build.
var low = map[string]struct{ expected, longer float64 }{
	"-O0": {0.5, 2},
	"-O1": {0.1, 1.3}, "-Og": {0.1, 1.3}, "-Os": {0.1, 1.3}, "-Oz": {0.15, 1.3},
}

const (
	usualLevel = "-O2"
	highLevel  = "-O3"
)

// goPGO is the rule of Go programs that are built without a profile.
const goPGO = "go-pgo"

// ofGo is PGO for a Go program, by the profile that the hunt has.
func (l *list) ofGo() (Candidate, bool) {
	return Candidate{
		Kind: PGO, Variant: "pgo=" + l.in.Feedback, Expected: 0.05, Builds: 1.5,
		How:     "put " + l.in.Feedback + " beside package main as default.pgo, and build",
		Caveats: []string{"the profile has to be of the real load: whyhot profile export --format go-pgo writes one of production"},
	}, l.in.Feedback != ""
}

// BySamples is PGO that learns from samples, for programs whose counts nobody gets: a
// server that a signal ends writes none.
func BySamples() Candidate {
	return Candidate{
		Name: "pgo=sample", Kind: PGO, Variant: "pgo=sample", Expected: 0.03, Builds: 2.5,
		How:     "build with -fprofile-sample-use and a profile of whyhot profile export --format llvm-sample",
		Caveats: []string{"the profile has to be of the real load"},
	}
}

// allGo says that the program is of Go, whose toolchain has no other flags to try. Most
// builds of Go call a C compiler, too, for the few files of cgo: its flags are worth a build
// only where the program spends time in what it compiles.
func (l *list) allGo() bool {
	const little = 0.02
	return slices.Contains(l.in.Compilers, wrapper.Go) && (len(l.in.Compilers) == 1 || l.in.Native < little)
}

// builds adds the ways to build. A build below the usual level gets that first:
// feedback and link-time optimisation have little to work on in code that is not
// optimised, so there they are tried on top of it, and only the best of all is used.
func (l *list) builds() {
	if c, ok := l.ofGo(); ok {
		l.way(c)
	}
	if l.allGo() {
		return
	}
	under, isLow := low[l.in.Level]
	if !isLow {
		under.longer = 1
	}
	level := func(flag string, expected float64) {
		l.way(Candidate{Kind: Flags, Group: levelGroup, Variant: "cflags=" + flag, Expected: expected, Builds: under.longer, How: "build with " + flag})
	}
	const more = 0.02 // of the higher level over the usual one
	if isLow {
		level(usualLevel, under.expected)
	}
	if l.in.Level != highLevel && l.in.Level != "-Ofast" {
		level(highLevel, under.expected+more)
	}
	for i := range ways {
		w := &ways[i]
		if w.kind == BOLT && !l.in.BOLT || l.has(w.variant) {
			continue
		}
		if w.kind == PGO && l.in.NoCounts {
			if slices.Contains(l.in.Compilers, wrapper.Clang) {
				l.way(BySamples())
			}
			continue
		}
		c := Candidate{Kind: w.kind, Variant: w.variant, Expected: w.expected, Builds: w.builds, How: w.how, Caveats: w.caveats}
		if c.How == "" {
			c.How = "build with " + strings.TrimPrefix(w.variant, "cflags=")
		}
		if isLow {
			c.Group, c.Variant = levelGroup, "cflags="+usualLevel+"+"+w.variant
			c.Expected, c.Builds = under.expected+w.expected, w.builds*under.longer
			c.How += " and " + usualLevel
		}
		l.way(c)
	}
	l.creditLevels()
	if l.in.Assertions {
		l.way(Candidate{
			Kind: Flags, Variant: "cflags=-DNDEBUG", Expected: 0.01, Builds: 1, How: "build with -DNDEBUG",
			Caveats: []string{"assert() then checks nothing"},
		})
	}
}

// creditLevels has what is said of the lack of optimisation proved by whatever level
// turns out best, and not by the usual one alone.
func (l *list) creditLevels() {
	i := slices.IndexFunc(l.out, func(c Candidate) bool { return c.Group == levelGroup && c.Name == usualLevel })
	if i < 0 {
		return
	}
	for k := range l.out {
		if c := &l.out[k]; c.Group == levelGroup && k != i {
			c.Findings = append(c.Findings, l.out[i].Findings...)
		}
	}
}

func (l *list) way(c Candidate) { _ = l.add(c) } // its text is ours

// flagsFor are the flags that findings about the build as a whole advise, by rule.
var flagsFor = map[string]string{
	build.RuleUnoptimised: usualLevel,
	build.RuleSanitizer:   "-fno-sanitize=all",
	// What was built with -pg cannot be told so: its build has to be changed.
	build.RuleInstrumented: "-fno-profile-arcs -fno-test-coverage -fno-instrument-functions",
}

// fromBuild takes what a finding says of how the program was built.
func (l *list) fromBuild(f *finding.Finding, try func(Candidate)) (taken bool) {
	if c, ok := l.ofGo(); ok && f.Rule == goPGO {
		try(c)
		return true
	}
	flags := cmp.Or(flagsFor[f.Rule], machine.Flags(f.Rule))
	if flags == "" || !l.in.Build {
		return false
	}
	c := Candidate{Kind: Flags, Variant: "cflags=" + flags, Builds: 1, How: "build with " + flags}
	if strings.HasPrefix(flags, "-O") {
		c.Group = levelGroup
	}
	try(c)
	return true
}
