package build_test

import (
	"slices"
	"strings"
	"testing"

	"whyhot/internal/elfinfo"
	"whyhot/internal/explain/build"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

const program = `#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int *a = malloc(40);
  for (int i = 0; i < 10; i++) a[i] = i * argc;
  assert(a[3] >= 0);
  int r = a[argc];
  free(a);
  return r & 1;
}
`

// of compiles the program and gives what is said of a profile that is all in it.
func of(t *testing.T, compiler string, flags ...string) (build.Quality, []string) {
	t.Helper()
	return ofSource(t, compiler, program, flags...)
}

func ofSource(t *testing.T, compiler, source string, flags ...string) (build.Quality, []string) {
	t.Helper()
	binary := tooltest.Compile(t, compiler, "x.c", source, flags...)
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: binary, Start: 0x1000, Limit: 0x9000})
	f := b.Function(profile.Function{Name: "main", Mapping: m, Kind: profile.KindNative})
	loc := b.Location(m, 0x1100, profile.KindNative, profile.Line{Function: f})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 100, Value: 100})
	p := b.Build(profile.Meta{})
	all := build.Of(p, func(*profile.Mapping) *elfinfo.Info {
		info, err := elfinfo.Read(binary)
		if err != nil {
			t.Fatal(err)
		}
		return info
	})
	if len(all) != 1 {
		t.Fatalf("%d mappings", len(all))
	}
	var rules []string
	for _, f := range build.Findings(p, all) {
		rules = append(rules, f.Rule)
		if !build.IsMoot(f.Rule) {
			t.Errorf("%s does not come first", f.Rule)
		}
		if last := f.Fix.Steps[len(f.Fix.Steps)-1]; !strings.Contains(last, "look again") {
			t.Errorf("%s ends with %q", f.Rule, last)
		}
	}
	return all[0], rules
}

func TestBuilds(t *testing.T) {
	for name, test := range map[string]struct {
		flags []string
		want  []string
		good  func(q build.Quality) bool
	}{
		"optimised": {[]string{"-O2", "-g", "-DNDEBUG"}, nil, func(q build.Quality) bool {
			return q.Level == "-O2" && len(q.Assertions) == 0 && len(q.Compilers) == 1 && strings.HasPrefix(q.Compilers[0], "gcc ")
		}},
		"not told": {[]string{"-g", "-gno-record-gcc-switches"}, nil, func(q build.Quality) bool { return q.Level == "" }},
		"not optimised": {[]string{"-g"}, []string{build.RuleUnoptimised}, func(q build.Quality) bool {
			return q.Level == "-O0" && slices.Equal(q.Assertions, []string{"assert (no -DNDEBUG)"})
		}},
		"without debug information": {[]string{"-O2"}, nil, func(q build.Quality) bool {
			return q.Level == "" && len(q.Compilers) > 0 // .comment says it
		}},
		"hardly optimised":  {[]string{"-O1", "-g"}, []string{build.RuleUnoptimised}, func(q build.Quality) bool { return q.Level == "-O1" }},
		"recorded switches": {[]string{"-O3", "-march=haswell", "-frecord-gcc-switches"}, nil, func(q build.Quality) bool { return q.Level == "-O3" && q.March == "haswell" }},
		"sanitizer":         {[]string{"-O2", "-fsanitize=address"}, []string{build.RuleSanitizer}, func(q build.Quality) bool { return slices.Equal(q.Sanitizers, []string{"AddressSanitizer"}) }},
		"gprof":             {[]string{"-O2", "-pg"}, []string{build.RuleInstrumented}, func(q build.Quality) bool { return slices.Equal(q.Instrumented, []string{"gprof (-pg)"}) }},
		"coverage":          {[]string{"-O2", "--coverage"}, []string{build.RuleInstrumented}, func(q build.Quality) bool { return len(q.Instrumented) == 1 }},
		"switches":          {[]string{"-O2", "-g", "-flto", "-fno-omit-frame-pointer", "-fno-semantic-interposition"}, nil, func(q build.Quality) bool { return q.LTO && q.FramePointers && q.Interposition == "off" }},
	} {
		q, rules := of(t, "gcc", test.flags...)
		if !slices.Equal(rules, test.want) || !test.good(q) {
			t.Errorf("%s: %v, %+v", name, rules, q)
		}
	}
}

// rustc says no -O in its debug information; its debug builds have functions that others
// have not. The names are those of rustc 1.95.
func TestDebugBuildOfRust(t *testing.T) {
	const checks = `void _ZN4core5slice13get_unchecked18precondition_check17h2d95672b4672ccd9E(void) {}
`
	const overflow = `void _RNvNtNtCsgEmfK2I1SDS_4core9panicking11panic_const24panic_const_add_overflow(void) {}
`
	for source, want := range map[string][]string{
		program + checks + overflow: {build.RuleUnoptimised},
		program + overflow:          nil, // a library that checks by itself
		program:                     nil,
	} {
		if q, rules := ofSource(t, "gcc", source, "-O2"); !slices.Equal(rules, want) || q.Debug != (want != nil) {
			t.Errorf("%v, %+v", rules, q)
		}
	}
}

// What holds for nearly every program is said of those alone whose flags are known.
func TestGeneralAdvice(t *testing.T) {
	for name, test := range map[string]struct {
		q    build.Quality
		want string
	}{
		"neither":   {build.Quality{Level: "-O2"}, "without link-time optimisation and counts"},
		"LTO alone": {build.Quality{Level: "-O2", LTO: true}, "without counts of a run"},
		"both":      {build.Quality{Level: "-O2", LTO: true, PGO: true}, ""},
		"silent":    {build.Quality{}, ""},
	} {
		test.q.Binary, test.q.Share = "/p/app", 0.5
		found := build.General(profile.NewBuilder().Build(profile.Meta{}), []build.Quality{test.q})
		if (len(found) == 1) != (test.want != "") || test.want != "" && !strings.Contains(found[0].Title, test.want) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestAnotherBinaryIsNotJudged(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/p/gone", Start: 0x1000, Limit: 0x9000})
	f := b.Function(profile.Function{Name: "main", Mapping: m, Kind: profile.KindNative})
	loc := b.Location(m, 0x1100, profile.KindNative, profile.Line{Function: f})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 100, Value: 100})
	p := b.Build(profile.Meta{})
	all := build.Of(p, func(*profile.Mapping) *elfinfo.Info { return nil })
	if len(all) != 1 || all[0].Problem == "" || len(build.Findings(p, all)) != 0 {
		t.Errorf("%+v", all)
	}
}
