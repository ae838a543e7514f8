package candidate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/trial/rebuild/wrapper"

	"whyhot/internal/explain/build"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/finding"
	"whyhot/internal/host/allocator"
)

// shelf has some libraries.
type shelf map[string]string

func (s shelf) Find(name string) (allocator.Library, error) {
	if path, ok := s[name]; ok {
		return allocator.Library{Name: name, Path: path}, nil
	}
	return allocator.Library{}, errors.New(name + " is not installed")
}

func share(x float64) finding.Share { return finding.Share{Inclusive: &x} }

func input(t *testing.T, fs ...finding.Finding) Input {
	t.Helper()
	c, err := catalog.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return Input{
		Report: finding.Report{Findings: fs}, Catalog: c, Program: Program{Runtime: Native},
		Find: shelf{"mimalloc": "/lib/libmimalloc.so.2", "jemalloc": "/lib/libjemalloc.so.2"}, TryAs: "whyhot try --profile p",
	}
}

func named(cs []Candidate) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

func find(t *testing.T, cs []Candidate, name string) *Candidate {
	t.Helper()
	i := slices.IndexFunc(cs, func(c Candidate) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no %s among %s", name, named(cs))
	}
	return &cs[i]
}

var (
	malloc = finding.Finding{ID: "glibc-malloc-1", Rule: "glibc-malloc", Title: "malloc", Share: share(0.3), Gain: &finding.Gain{Low: 0.05, Likely: 0.15, High: 0.3}}
	debug  = finding.Finding{ID: "debug-build-1", Rule: "debug-build", Title: "no -O", Share: share(0.9), Gain: &finding.Gain{Low: 0.3, High: 0.7}}
	loop   = finding.Finding{
		ID: "alias-char-write-1", Rule: "alias-char-write", Title: "a loop", Certainty: finding.Confirmed, Share: share(0.2),
		Place: finding.Place{File: "a.c", Line: 7}, Gain: &finding.Gain{Low: 0.05, High: 0.15}, Fix: finding.Fix{Kind: "code", Steps: []string{"copy n to a local"}},
	}
)

// A finding and the usual list propose the same allocator: it is tried once, ranked
// by the finding.
func TestTheSameChangeIsOneCandidate(t *testing.T) {
	cs, untried := List(input(t, malloc, malloc))
	if got := named(cs); got != "mimalloc, jemalloc, GLIBC_TUNABLES=glibc.malloc.hugetlb=1" {
		t.Errorf("%s", got)
	}
	c := find(t, cs, "mimalloc")
	if c.Expected < 0.1 || !slices.Equal(c.Findings, []string{"glibc-malloc-1"}) || c.How != "LD_PRELOAD=/lib/libmimalloc.so.2" {
		t.Errorf("%+v", c)
	}
	if len(untried) != 0 {
		t.Errorf("%+v", untried)
	}
	in := input(t)
	in.Program.Static = true
	if cs, _ := List(in); len(cs) != 0 {
		t.Errorf("preloaded into a static program: %s", named(cs))
	}
}

// A build that is not optimised gets a level first: what else can be built is tried on
// top of it, and one of all of them is used.
func TestLowLevelsComeFirst(t *testing.T) {
	in := input(t)
	in.Build, in.BOLT, in.Level = true, true, "-O0"
	cs, _ := List(in)
	if cs[0].Group != levelGroup {
		t.Errorf("first is %+v", cs[0])
	}
	for _, name := range []string{"-O2", "-O3", "-O2+lto", "-O2+pgo", "-O2+bolt", "-O2 -march=native"} {
		if c := find(t, cs, name); c.Group != levelGroup || c.Expected < 0.5 {
			t.Errorf("%+v", c)
		}
	}
	if how := find(t, cs, "-O2+pgo").How; how != "build with profile-guided optimisation and -O2" {
		t.Error(how)
	}
	in.Level = "-O3"
	cs, _ = List(in)
	for _, c := range cs {
		if c.Group == levelGroup || c.Name == "-DNDEBUG" {
			t.Errorf("a program with -O3 and without assertions: %+v", c)
		}
	}
	in.Assertions = true
	if cs, _ = List(in); find(t, cs, "-DNDEBUG").Caveats == nil {
		t.Error("nothing is said of what -DNDEBUG takes away")
	}
}

// Where a build takes as long as many measurements, what needs none comes first; where
// it takes no time, what gains most does.
func TestSlowBuildsComeLast(t *testing.T) {
	in := input(t)
	in.Build, in.Level, in.BuildCost = true, "-O2", 50
	cs, _ := List(in)
	for i, c := range cs {
		if c.Built() && slices.ContainsFunc(cs[i:], func(o Candidate) bool { return !o.Built() }) {
			t.Fatalf("%s before what needs no build: %s", c.Name, named(cs))
		}
	}
	in.BuildCost = 0.01
	if cs, _ = List(in); cs[0].Name != "pgo" {
		t.Errorf("%s", named(cs))
	}
}

// What explain finds out about a build is tried where there is one to change.
func TestFindingsAboutTheBuild(t *testing.T) {
	of := func(rule string) finding.Finding {
		return finding.Finding{ID: rule + "-1", Rule: rule, Share: share(0.9), Gain: &finding.Gain{Low: 0.3, High: 0.9}, Fix: finding.Fix{Kind: "build"}}
	}
	in := input(t, of(build.RuleUnoptimised), of(build.RuleSanitizer), of(build.RuleInstrumented), of("machine-generic"))
	in.Build, in.Level = true, "-O0"
	cs, untried := List(in)
	for name, id := range map[string]string{
		"-O2": "build-unoptimised-1", "-fno-sanitize=all": "build-sanitizer-1", "-march=native": "machine-generic-1",
		"-fno-profile-arcs -fno-test-coverage -fno-instrument-functions": "build-instrumented-1",
	} {
		if c := find(t, cs, name); !slices.Equal(c.Findings, []string{id}) || c.Expected < 0.5 {
			t.Errorf("%+v", c)
		}
	}
	// Whichever level is best, it is about the same finding.
	for _, name := range []string{"-O3", "-O2+pgo"} {
		if c := find(t, cs, name); !slices.Equal(c.Findings, []string{"build-unoptimised-1"}) {
			t.Errorf("%+v", c)
		}
	}
	if len(untried) != 0 {
		t.Errorf("%+v", untried)
	}
	in.Build = false
	if cs, untried = List(in); len(untried) != 4 || !strings.Contains(untried[0].Why, "--build") {
		t.Errorf("%+v, %+v", untried, cs)
	}
}

func TestWithoutABuildNothingIsBuilt(t *testing.T) {
	cs, untried := List(input(t, debug, loop))
	for _, c := range cs {
		if c.Built() {
			t.Errorf("%+v", c)
		}
	}
	if len(untried) != 2 || !strings.Contains(untried[0].Why, "--build") || untried[0].Command == "" {
		t.Errorf("%+v", untried)
	}
}

func TestBuilds(t *testing.T) {
	in := input(t, debug, loop)
	in.Build, in.BuildDir, in.WhatIf, in.BOLT = true, ".", true, true
	cs, untried := List(in)
	if cs[0].Name != "-O2" {
		t.Errorf("what gains most for its cost is %s", cs[0].Name)
	}
	for _, name := range []string{"-O3", "-march=native", "lto", "pgo", "bolt", "what-if alias-char-write-1"} {
		find(t, cs, name)
	}
	if how := find(t, cs, "what-if alias-char-write-1").How; how != "edit a.c:7: copy n to a local" {
		t.Error(how)
	}
	if len(untried) != 0 {
		t.Errorf("%+v", untried)
	}
	// The patch of the same finding is the change itself: nothing is predicted then.
	in.Diffs = []Diff{{Finding: loop.ID, Path: "/state/alias-char-write-1.diff", Assumptions: []string{"the buffers do not overlap"}}}
	cs, _ = List(in)
	c := find(t, cs, "alias-char-write-1.diff")
	if c.Kind != Patch || len(c.Caveats) == 0 || !strings.Contains(c.Caveats[0], "overlap") {
		t.Errorf("%+v", c)
	}
	if slices.ContainsFunc(cs, func(c Candidate) bool { return c.Kind == WhatIf }) {
		t.Error("patch and prediction of one finding are both tried")
	}
	// Two kinds of patch compete: each is tried, and one can be used.
	in.Diffs = append(in.Diffs, Diff{Finding: loop.ID, Path: "/state/alias-char-write-1-retype.diff", What: "gives the bytes a type of their own", Covers: "3 of 5% of the CPU"})
	cs, _ = List(in)
	first, second := find(t, cs, "alias-char-write-1.diff"), find(t, cs, "alias-char-write-1-retype.diff")
	if first.Group == "" || first.Group != second.Group {
		t.Errorf("%q and %q could be used together", first.Group, second.Group)
	}
	if !strings.Contains(second.How, "a type of their own") || !strings.Contains(second.How, "covers 3 of 5%") {
		t.Error(second.How)
	}
}

func TestRuntimes(t *testing.T) {
	for runtime, want := range map[Runtime]string{
		Go:     "GOGC=400",
		Node:   "NODE_OPTIONS=--max-semi-space-size=64, mimalloc, jemalloc",
		Python: "mimalloc+PYTHONMALLOC=malloc, jemalloc+PYTHONMALLOC=malloc",
	} {
		in := input(t)
		in.Program.Runtime = runtime
		if cs, _ := List(in); named(cs) != want {
			t.Errorf("%s: %s", runtime, named(cs))
		}
	}
	in := input(t)
	in.Program.Runtime = JVM
	cs, _ := List(in)
	for _, c := range cs {
		if c.Group != "JAVA_TOOL_OPTIONS" {
			t.Errorf("%+v", c)
		}
	}
}

// What nobody can try by machine is told with the next command.
func TestUntried(t *testing.T) {
	by := finding.Finding{ID: "x-1", Rule: "python-json", Title: "json is slow", Next: finding.Command{Verb: "try", Args: []string{"x"}}, Share: share(0.4)}
	_, untried := List(input(t, by))
	if len(untried) != 1 || untried[0].Command != "whyhot try x" || untried[0].Name != "json is slow" {
		t.Errorf("%+v", untried)
	}
}

// What the build as it is has already is not tried.
func TestWhatTheBuildHasIsNotTried(t *testing.T) {
	generic := finding.Finding{ID: "machine-generic-1", Rule: "machine-generic", Share: share(0.9), Gain: &finding.Gain{Low: 0.3, High: 0.9}}
	in := input(t, generic)
	in.Build, in.Level, in.Has = true, "-O3", []string{"cflags=-march=native", "lto"}
	cs, _ := List(in)
	for _, c := range cs {
		if c.Name == "-march=native" || c.Name == "lto" || c.Name == "-O3" {
			t.Errorf("%+v", c)
		}
	}
	find(t, cs, "pgo")
	// Of builds that are slow, PGO goes before what gains little.
	in.Has, in.BuildCost, in.Level, in.Report = nil, 50, "-O2", finding.Report{}
	cs, _ = List(in)
	if first := cs[slices.IndexFunc(cs, func(c Candidate) bool { return c.Built() })]; first.Name != "pgo" {
		t.Errorf("the first build is %s: %s", first.Name, named(cs))
	}
}

func TestGoIsBuiltWithTheProfile(t *testing.T) {
	in := Input{Build: true, Compilers: []wrapper.Family{wrapper.Go}, Feedback: "/state/default.pgo", Program: Program{Runtime: Go}}
	names := func() (out []string) {
		found, _ := List(in)
		for i := range found {
			if found[i].Built() {
				out = append(out, found[i].Variant)
			}
		}
		return out
	}
	if got := names(); !slices.Equal(got, []string{"pgo=/state/default.pgo"}) {
		t.Errorf("built: %q", got)
	}
	// cgo's few files are no reason to try a C compiler's flags; hot ones are.
	in.Compilers, in.Level = []wrapper.Family{wrapper.GCC, wrapper.Go}, "-O2"
	if got := names(); !slices.Equal(got, []string{"pgo=/state/default.pgo"}) {
		t.Errorf("built with cgo: %q", got)
	}
	in.Native = 0.3
	if got := names(); !slices.Contains(got, "cflags=-O3") || !slices.Contains(got, "pgo=/state/default.pgo") {
		t.Errorf("built with much of cgo: %q", got)
	}
	in.Compilers, in.Feedback = []wrapper.Family{wrapper.Go}, ""
	if got := names(); len(got) > 0 {
		t.Errorf("without a profile: %q", got)
	}
}

func TestSamplesWhereNothingCounts(t *testing.T) {
	for compiler, want := range map[wrapper.Family]bool{wrapper.Clang: true, wrapper.GCC: false} {
		found, _ := List(Input{Build: true, Level: "-O2", Program: Program{Static: true}, Compilers: []wrapper.Family{compiler}, NoCounts: true})
		has := func(name string) bool {
			return slices.ContainsFunc(found, func(c Candidate) bool { return c.Variant == name })
		}
		if has("pgo") || has("pgo=sample") != want {
			t.Errorf("%s: %+v", compiler, found)
		}
	}
}

// A setting of the C library's malloc does nothing beside another allocator.
func TestWhatCannotBeUsedTogether(t *testing.T) {
	allocator := Candidate{Name: "mimalloc", Group: allocatorGroup, Variant: "preload=mimalloc"}
	set := func(assignment string) Candidate {
		c := environment(assignment)
		c.Name = assignment
		return c
	}
	for _, c := range []struct {
		a, b     Candidate
		excludes bool
	}{
		{allocator, set("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"), true},
		{set("MALLOC_ARENA_MAX=2"), allocator, true},
		{allocator, set("GLIBC_TUNABLES=glibc.pthread.rseq=0"), false},
		{set("MALLOC_ARENA_MAX=2"), set("MALLOC_TRIM_THRESHOLD_=1"), false},
		{set("GOGC=200"), set("GOGC=400"), true},
		{allocator, Candidate{Name: "pgo", Variant: "pgo"}, false},
	} {
		if got := c.a.Excludes(&c.b); got != c.excludes {
			t.Errorf("%s and %s: %t", c.a.Name, c.b.Name, got)
		}
		if got := c.b.Excludes(&c.a); got != c.excludes {
			t.Errorf("%s and %s: %t", c.b.Name, c.a.Name, got)
		}
	}
}
