package machine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/host/tooltest"
)

// fixtures are compiled by both compilers; flags make what a rule looks for, where
// the compiler would not leave it.
var fixtures = []struct {
	file  string
	flags []string
}{
	{"scalar_code.c", []string{"-O2", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"}},
	{"vector_code.c", []string{"-O3"}},
}

// Each function of the fixtures says by its name whether a rule finds something in it.
func TestRulesOnFixtures(t *testing.T) {
	program := analyzertest.Use(t)
	for _, compiler := range []string{"gcc", "clang-19"} {
		for _, f := range fixtures {
			found := matchesIn(t, program, compiler, filepath.Join("testdata/rules", f.file), f.flags)
			yes := 0
			for name, rules := range found {
				wanted, is := strings.CutPrefix(name, "yes_")
				wanted, not := strings.CutPrefix(wanted, "no_")
				if !is && !not {
					continue
				}
				rule := ruleOf(wanted)
				has := slices.Contains(rules, rule)
				switch {
				case is && !has:
					t.Errorf("%s: %s has no %s, but %v", compiler, name, rule, rules)
				case not && has:
					t.Errorf("%s: %s has a %s", compiler, name, rule)
				case is:
					yes++
				}
			}
			if yes == 0 {
				t.Errorf("%s: no rule found anything in %s", compiler, f.file)
			}
		}
	}
}

// Of two ways that store nothing, the longer one does the work: one way alone skips.
func TestOneOfTwoWaysSkips(t *testing.T) {
	program := analyzertest.Use(t)
	for _, compiler := range []string{"gcc", "clang-19"} {
		rules := matchesIn(t, program, compiler, filepath.Join("testdata/rules", fixtures[0].file), fixtures[0].flags)["yes_skip_summed"]
		n := 0
		for _, r := range rules {
			if r == "machine-skip" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d ways skip: %v", compiler, n, rules)
		}
	}
}

// twoWords are the rules whose names have more than one.
var twoWords = []string{"own-call", "plt-call", "bit-set", "bit-copy", "few-iterations", "float-sum", "byte-compare"}

// ruleOf "division_modulo" is machine-division.
func ruleOf(function string) string {
	name := strings.ReplaceAll(function, "_", "-")
	for _, r := range twoWords {
		if strings.HasPrefix(name, r+"-") {
			return "machine-" + r
		}
	}
	word, _, _ := strings.Cut(function, "_")
	return "machine-" + word
}

func matchesIn(t *testing.T, program, compiler, file string, flags []string) map[string][]string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "x.so")
	if compiler != "gcc" { // which does not know gcc's name of it
		flags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == "-fno-tree-slp-vectorize" })
		flags = append(flags, "-fno-slp-vectorize", "-fsemantic-interposition")
		if slices.Contains(flags, "-fno-tree-vectorize") {
			flags = append(flags, "-fno-unroll-loops")
		}
	}
	tooltest.Run(t, compiler, append(flags, "-w", "-fPIC", "-shared", "-Wl,-z,lazy", file, "-o", library)...)
	out := map[string][]string{}
	for name, fn := range analysed(t, program, library) {
		out[name] = nil
		for _, l := range fn.Loops {
			for _, m := range l.Matches {
				out[name] = append(out[name], m.Rule)
			}
		}
	}
	return out
}
