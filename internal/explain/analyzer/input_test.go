package analyzer

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

const splitSource = `#include <string>
#include <vector>
void split(const std::string &in, std::vector<unsigned char> &out) {
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = in[i] >> 5;
}
`

func writeFileOf(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run analyses command lines, each a unit, in dir.
func run(t *testing.T, cache *Cache, dir string, lines ...string) []Outcome {
	t.Helper()
	units := make([]compdb.Unit, 0, len(lines))
	for _, l := range lines {
		u, err := compdb.FromCommand(dir, "", strings.Fields(l))
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
	var out []Outcome
	opts := Options{Binary: analyzertest.Path(t), Workers: 1, Cache: cache, AST: ASTRequest{Layers: []string{LayerAST, LayerIR}}}
	if err := Run(t.Context(), units, opts, func(o Outcome) { out = append(out, o) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// What a command line written for another compiler holds is left out, and the
// notes say so; the unit is analysed all the same.
func TestFlagsOfOtherCompilers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFileOf(t, filepath.Join(dir, "split.cc"), splitSource)
	// A precompiled header of gcc beside the header: clang cannot read it.
	writeFileOf(t, filepath.Join(dir, "all.h"), "#include <vector>\n")
	writeFileOf(t, filepath.Join(dir, "all.h.gch"), "gpch.014")
	long := "g++-99 -O2 -c split.cc"
	for i := range 100 {
		long += " -DM" + strconv.Itoa(i) + "=1 -Inone" + strconv.Itoa(i)
	}
	for name, c := range map[string]struct{ line, note string }{
		"a flag that nobody knows":     {"g++ -O2 -fno-such-thing -mno-such-thing=3 -c split.cc", "-fno-such-thing -mno-such-thing=3"},
		"a processor of tomorrow":      {"g++ -O2 -march=tomorrow -mtune=later -c split.cc", "-march=tomorrow -mtune=later"},
		"a standard of tomorrow":       {"g++ -O2 -std=gnu++99z -c split.cc", "-std=gnu++99z"},
		"gcc's own":                    {"g++ -O2 -fipa-pta -fvar-tracking-assignments -c split.cc", "-fipa-pta"},
		"a compiler that is not there": {"/opt/none/bin/g++-99 -O2 -c split.cc", ""},
		"a hundred arguments":          {long, ""},
		"precompiled by gcc":           {"g++ -O2 -Winvalid-pch -include all.h -c split.cc", ""},
		"hardening of Debian": {"x86_64-linux-gnu-g++ -g -O2 -ffile-prefix-map=/build=. -fstack-protector-strong -fstack-clash-protection " +
			"-fcf-protection -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2 -specs=/none.specs -fPIE -c split.cc", ""},
		"hardening of gcc 14": {"g++ -O2 -fhardened -c split.cc", "-fhardened"},
		"two sources":         {"g++ -O2 split.cc other.cc -o prog", ""},
	} {
		o := run(t, nil, dir, c.line)[0]
		if o.Err != nil || len(o.Reply.Errors) > 0 || len(o.Reply.Candidates) == 0 {
			t.Errorf("%s: %v %v, %d candidates", name, o.Err, o.Reply.Errors, len(o.Reply.Candidates))
			continue
		}
		notes := strings.Join(Notes([]Outcome{o}), "\n")
		if c.note == "" && notes != "" {
			t.Errorf("%s: a note without need: %s", name, notes)
		}
		if !strings.Contains(notes, c.note) {
			t.Errorf("%s: the notes do not name %s: %q", name, c.note, notes)
		}
	}
}

func TestUnitsThatCannotBeCompiled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFileOf(t, filepath.Join(dir, "needs.c"), "#include \"sub/generated.h\"\n")
	writeFileOf(t, filepath.Join(dir, "builtin.c"), "int f(void) { return __builtin_of_gcc_alone(1); }\n")
	writeFileOf(t, filepath.Join(dir, "wide.c"), "\xff\xfei\x00n\x00t\x00")
	for line, want := range map[string][]string{
		"gcc -O2 -c gone.c":                           {"gone.c", "removed or renamed"},
		"gcc -O2 -c needs.c":                          {"needs.c:1:10", "sub/generated.h", "run the build first"},
		"gcc -O2 -include config.h -c builtin.c":      {"config.h", "run the build first"},
		"gcc -O2 -c builtin.c":                        {"builtin.c:1:22", "__builtin_of_gcc_alone", "does not have this builtin"},
		"gcc -O2 --target=nothing-of-sorts -c wide.c": {"nothing-of-sorts"},
		"gcc -O2 -c wide.c":                           {"wide.c"},
		"gcc -O2 -arch x86_64 -arch arm64 -c wide.c":  {},
	} {
		o := run(t, nil, dir, line)[0]
		if o.Err != nil || len(o.Reply.Errors) == 0 {
			t.Errorf("%s: %v, no message", line, o.Err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(o.Reply.Errors[0], w) {
				t.Errorf("%s: the message %q lacks %q", line, o.Reply.Errors[0], w)
			}
		}
		if len(o.Reply.Errors[0]) > 500 {
			t.Errorf("%s: a message of %d characters", line, len(o.Reply.Errors[0]))
		}
	}
	gone := run(t, nil, filepath.Join(dir, "gone"), "gcc -c needs.c")[0]
	if len(gone.Reply.Errors) != 1 || !strings.Contains(gone.Reply.Errors[0], "cannot enter the build's directory") {
		t.Errorf("a missing directory: %v %v", gone.Err, gone.Reply.Errors)
	}
}

func TestSourceOutsideUTF8(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFileOf(t, filepath.Join(dir, "latin1.cc"), strings.Replace(splitSource, "in[i] >> 5", "in[i] /* caf\xe9 */ >> (\"\xe9t\xe9\"[0] & 7)", 1))
	o := run(t, nil, dir, "g++ -O2 -c latin1.cc")[0]
	if o.Err != nil || len(o.Reply.Errors) > 0 || len(o.Reply.Candidates) == 0 || len(o.Reply.Matches) == 0 {
		t.Errorf("%v %v, %d candidates, %d matches", o.Err, o.Reply.Errors, len(o.Reply.Candidates), len(o.Reply.Matches))
	}
}

// What the user told the passes not to do is done in no world.
func TestPassesThatTheUserTurnedOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFileOf(t, filepath.Join(dir, "split.cc"), splitSource)
	vectorised := func(line string) (vector, unrolled bool) {
		for _, c := range run(t, nil, dir, line)[0].Reply.Candidates {
			for _, w := range c.Worlds {
				vector = vector || w.Vectorised
				unrolled = unrolled || w.Unroll > 1
			}
		}
		return vector, unrolled
	}
	if yes, _ := vectorised("g++ -O3 -c split.cc"); !yes {
		t.Error("-O3 vectorises in no world: the test cannot tell anything")
	}
	for _, flag := range []string{"-fno-vectorize", "-O1", "-Oz"} {
		if yes, _ := vectorised("g++ -O3 " + flag + " -c split.cc"); yes {
			t.Errorf("vectorised in spite of %s", flag)
		}
	}
	if _, yes := vectorised("g++ -O3 -fno-vectorize -c split.cc"); !yes {
		t.Error("-fno-vectorize alone unrolls in no world: the test cannot tell anything")
	}
	if _, yes := vectorised("g++ -O3 -fno-vectorize -fno-unroll-loops -c split.cc"); yes {
		t.Error("unrolled in spite of -fno-unroll-loops")
	}
}

func cachedFiles(outcomes []Outcome) []string {
	var out []string
	for _, o := range outcomes {
		if o.Cached {
			out = append(out, filepath.Base(o.Unit.File))
		}
	}
	slices.Sort(out)
	return out
}

// Every answer is kept until something it depends on changes: a file that was
// read, or one that was looked for and not found.
func TestCacheHoldsUntilSomethingChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeFileOf(t, in("a.h"), "inline int a() { return 1; }\n")
	writeFileOf(t, in("b.h"), "inline int b() { return 1; }\n")
	writeFileOf(t, in("a.cc"), "#include \"a.h\"\nint x = a();\n")
	writeFileOf(t, in("b.cc"), "#include \"b.h\"\nint y = b();\n")
	writeFileOf(t, in("both.cc"), "#include \"a.h\"\n#include \"b.h\"\nint z = a() + b();\n")
	writeFileOf(t, in("lacks.cc"), "#include \"generated.h\"\n")
	writeFileOf(t, in("wrong.cc"), "int f( { }\n")
	binary := analyzertest.Path(t)
	units := []string{"c++ -c a.cc", "c++ -c b.cc", "c++ -c both.cc", "c++ -Igen -c lacks.cc", "c++ -c wrong.cc", "c++ -c gone.cc"}
	if err := os.Mkdir(in("gen"), 0o755); err != nil {
		t.Fatal(err)
	}
	all := []string{"a.cc", "b.cc", "both.cc", "gone.cc", "lacks.cc", "wrong.cc"}
	for i, step := range []struct {
		change func()
		cached []string
	}{
		{func() {}, nil},
		{func() {}, all},
		{func() { writeFileOf(t, in("a.h"), "inline int a() { return 2; }\n") }, []string{"b.cc", "gone.cc", "lacks.cc", "wrong.cc"}},
		{func() { writeFileOf(t, in("gen/generated.h"), "") }, []string{"a.cc", "b.cc", "both.cc", "gone.cc", "wrong.cc"}},
		{func() { writeFileOf(t, in("wrong.cc"), "int f() { return 1; }\n") }, []string{"a.cc", "b.cc", "both.cc", "gone.cc", "lacks.cc"}},
		{func() { writeFileOf(t, in("gone.cc"), "") }, []string{"a.cc", "b.cc", "both.cc", "lacks.cc", "wrong.cc"}},
		{func() {}, all},
	} {
		step.change()
		cache, err := OpenCache(in("cache"), binary)
		if err != nil {
			t.Fatal(err)
		}
		if got := cachedFiles(run(t, cache, dir, units...)); !slices.Equal(got, step.cached) {
			t.Errorf("step %d: answered from the cache: %v, want %v", i, got, step.cached)
		}
	}
}

// Cycles are modelled for processors of the unit's own architecture alone: code
// made for another one says nothing about them.
func TestCyclesOfTheUnitsArchitecture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFileOf(t, filepath.Join(dir, "fill.c"), `struct buf { unsigned char *data; unsigned long n; };
void fill(struct buf *b, int x) {
  for (unsigned long i = 0; i < b->n; i++)
    b->data[i] = x;
}
`)
	for target, want := range map[string]struct{ has, lacks string }{
		"x86_64-linux-gnu":    {"skylake", "neoverse-v1"},
		"aarch64-linux-gnu":   {"neoverse-v1", "skylake"},
		"riscv64-linux-gnu":   {"", "skylake"},
		"powerpc64le-linux":   {"", "skylake"},
		"wasm32-unknown-wasi": {"", "skylake"},
	} {
		u, err := compdb.FromCommand(dir, "", []string{"clang", "--target=" + target, "-O2", "-ffreestanding", "-c", "fill.c"})
		if err != nil {
			t.Fatal(err)
		}
		var r Reply
		opts := Options{Binary: analyzertest.Path(t), Workers: 1, Cycles: true}
		if err := Run(t.Context(), []compdb.Unit{u}, opts, func(o Outcome) { r = o.Reply }); err != nil {
			t.Fatal(err)
		}
		if len(r.Errors) > 0 && strings.Contains(r.Errors[0], "built without the target") {
			continue // such an LLVM exists
		}
		if len(r.Errors) > 0 || len(r.Candidates) != 1 {
			t.Errorf("%s: %v, %d candidates", target, r.Errors, len(r.Candidates))
			continue
		}
		cycles := r.Candidates[0].Worlds[WorldWritten].Cycles
		if _, ok := cycles[want.lacks]; ok || (want.has != "" && cycles[want.has] <= 0) {
			t.Errorf("%s: cycles %v", target, cycles)
		}
	}
}
