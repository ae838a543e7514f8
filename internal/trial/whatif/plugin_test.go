package whatif

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/elfinfo/mark"
	"whyhot/internal/host/tool"
)

// tools are clang 19 and the plug-in; both come with the packages that the
// analyser's tests need.
func tools(t *testing.T) (clang, plugin string) {
	t.Helper()
	clang, err := FindClang(t.Context())
	if err != nil {
		t.Skip(err)
	}
	plugin, err = filepath.Abs("../../../bin/" + pluginName)
	if err != nil || !exists(plugin) {
		if plugin, err = FindPlugin(); err != nil {
			t.Skip(err)
		}
	}
	return clang, plugin
}

// lineOf finds the line of a fixture that ends in a comment.
func lineOf(t *testing.T, file, comment string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// "+comment) {
			return i + 1
		}
	}
	t.Fatalf("%s has no line with // %s", file, comment)
	return 0
}

func place(t *testing.T, file, comment string) []Point {
	t.Helper()
	return []Point{{File: file, Line: lineOf(t, file, comment)}}
}

func install(t *testing.T, plugin string, p *Plan) *World {
	t.Helper()
	w, err := Install(filepath.Join(t.TempDir(), "world"), plugin, p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func compile(t *testing.T, clang string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), clang, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", clang, strings.Join(args, " "), err, stderrOf(err))
	}
	return out
}

func stderrOf(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Output gives it
		return e.Stderr
	}
	return nil
}

var instruction = regexp.MustCompile(`(?m)^\t([a-z][^.#\n]*)`)

// body is the machine code of a function, without names and directives.
func body(t *testing.T, assembly []byte, function string) []string {
	t.Helper()
	_, rest, ok := bytes.Cut(assembly, []byte("\n"+function+":"))
	if !ok {
		t.Fatalf("no function %s in the assembly", function)
	}
	text, _, _ := bytes.Cut(rest, []byte("\n.Lfunc_end"))
	// Labels and mangled names differ between two sources of one meaning.
	text = regexp.MustCompile(`\.L\w+|_Z\w+|\s+#.*`).ReplaceAll(text, []byte("L"))
	var out []string
	for _, m := range instruction.FindAllSubmatch(text, -1) {
		out = append(out, strings.TrimSpace(string(m[1])))
	}
	return out
}

var fixtures = []struct {
	name, file, function string
	world                string
	loop                 string
	writes               []string
}{
	{"retyped", "split.cpp", "_ZN8Splitter5splitERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", Retyped, "loop", []string{"low", "high"}},
	{"hoisted", "hoist.cpp", "_ZN4Text6rotateEv", Hoisted, "loop", []string{"write"}},
}

// The world's machine code is that of the source which was edited by hand, and
// neither the placebo's nor the original's.
func TestWorldIsTheEditedSource(t *testing.T) {
	clang, plugin := tools(t)
	for _, level := range []string{"-O2", "-O3"} {
		for _, f := range fixtures {
			t.Run(f.name+level, func(t *testing.T) {
				file := filepath.Join("testdata", f.file)
				e := Edit{Finding: "f-1", Predicate: "char", World: f.world, Loops: [][]Point{place(t, file, f.loop)}}
				for _, w := range f.writes {
					e.Accesses = append(e.Accesses, place(t, file, w))
				}
				base := []string{level, "-std=c++20", "-S", "-o", "-", "-Wall", "-Werror", "-xc++", file}
				loops := func(extra ...string) []string {
					return body(t, compile(t, clang, slices.Concat(base, BaselineFlags(), extra)...), f.function)
				}
				world := install(t, plugin, &Plan{Edits: []Edit{e}})
				placebo := install(t, plugin, &Plan{Edits: []Edit{e}, Placebo: true})
				written, edited := loops(), loops("-DEDITED")
				got, unedited := loops(world.Flags()...), loops(placebo.Flags()...)
				if slices.Equal(written, edited) {
					t.Fatal("the edit changes nothing: the fixture tests nothing")
				}
				if reduced(got) != reduced(edited) {
					t.Errorf("the world is not the edited source\nworld:  %s\nedited: %s", reduced(got), reduced(edited))
				}
				if f.world == Retyped && !slices.Equal(got, edited) {
					t.Errorf("the world is %d instructions, the edited source %d, and they are not the same", len(got), len(edited))
				}
				if f.world == Retyped && !slices.Equal(unedited, written) {
					t.Error("a placebo without a second pipeline is not what it was")
				}
				checkAccount(t, world, file)
				checkAccount(t, placebo, file)
			})
		}
	}
}

// reduced is the shape of a loop: what it loads, stores and how wide, in the
// order of the code, without the registers.
func reduced(code []string) string {
	vector, stores := 0, 0
	for _, c := range code {
		op, operands, _ := strings.Cut(c, "\t")
		if strings.HasPrefix(op, "mov") && strings.HasSuffix(operands, ")") {
			stores++
		}
		if strings.Contains(operands, "%xmm") || strings.Contains(operands, "%ymm") {
			vector++
		}
	}
	return fmt.Sprintf("vector code: %t, stores: %t", vector > 0, stores > 0)
}

func checkAccount(t *testing.T, w *World, file string) {
	t.Helper()
	a, err := w.Account()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Check(a); err != nil {
		t.Error(err)
	}
	if a.Units != 1 || len(a.Edits) != 1 || !slices.Equal(a.Edits[0].Units, []string{file}) {
		t.Errorf("account: %+v", a)
	}
	if made := a.Edits[0].Made; (made > 0) == w.plan.Placebo {
		t.Errorf("%d edits in a plan with placebo %t", made, w.plan.Placebo)
	}
}

func TestNothingEditedIsAnErrorWithTheReason(t *testing.T) {
	clang, plugin := tools(t)
	file := filepath.Join("testdata", "split.cpp")
	at := func(line int) Edit {
		return Edit{Finding: "f-1", Predicate: "char", World: Retyped, Accesses: [][]Point{{{File: mustAbs(t, file), Line: line}}}}
	}
	low := lineOf(t, file, "low")
	for _, c := range []struct {
		name  string
		edit  Edit
		flags []string
		want  string
	}{
		{"level", at(low), []string{"-O0"}, "without optimisation"},
		{"aliasing", at(low), []string{"-O2", "-fno-strict-aliasing"}, "-fno-strict-aliasing"},
		{"line", at(1), []string{"-O2"}, "compiles no code at"},
		{"positions", at(low), []string{"-O2", "-g0"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := install(t, plugin, &Plan{Edits: []Edit{c.edit}})
			compile(t, clang, slices.Concat([]string{"-std=c++20", "-xc++", "-c", "-o", filepath.Join(t.TempDir(), "x.o"), file}, c.flags, w.Flags())...)
			a, err := w.Account()
			if err != nil {
				t.Fatal(err)
			}
			err = w.Check(a)
			if c.want == "" {
				if err != nil {
					t.Errorf("our flags come last and give positions back, but: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something with %q", err, c.want)
			}
		})
	}
	w := install(t, plugin, &Plan{Edits: []Edit{at(low)}})
	a, err := w.Account()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Check(a); err == nil || !strings.Contains(err.Error(), "compiled nothing") {
		t.Errorf("a build that compiled nothing: %v", err)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// The note survives every way of linking and stripping, and an ordinary program
// has none.
func TestMarkSurvives(t *testing.T) {
	clang, plugin := tools(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte("int main(int c, char **v) { for (int i = 0; i < c; i++) v[0][i] = 1; return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := Edit{Finding: "f-1", Predicate: "char", World: Retyped, Accesses: [][]Point{{{File: source, Line: 1}}}}
	ways := map[string][]string{
		"plain":       {"-O2"},
		"gc-sections": {"-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"},
		"stripped":    {"-O2", "-s"},
		"full LTO":    {"-O2", "-flto", "-fuse-ld=lld", "-s"},
		"thin LTO":    {"-O2", "-flto=thin", "-fuse-ld=lld", "-Wl,--gc-sections"},
	}
	for name, flags := range ways {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(strings.Join(flags, " "), "lld") {
				if _, err := tool.Find("ld.lld-19"); err != nil {
					t.Skip("needs lld-19: ", err)
				}
			}
			w := install(t, plugin, &Plan{Edits: []Edit{e}})
			program := filepath.Join(t.TempDir(), "program")
			compile(t, clang, slices.Concat([]string{"-o", program, source}, flags, w.Flags())...)
			m, ok, err := mark.Read(program)
			if err != nil || !ok || !slices.Equal(m.Findings, []string{"f-1"}) || m.Placebo {
				t.Errorf("got %+v, %t, %v", m, ok, err)
			}
			if !strings.Contains(m.String(), "counterfactual") || !strings.Contains(m.String(), "f-1") {
				t.Errorf("the mark says %q", m)
			}
			compile(t, clang, slices.Concat([]string{"-o", program, source}, flags)...)
			if m, ok, err := mark.Read(program); ok || err != nil {
				t.Errorf("an ordinary program: %+v, %v", m, err)
			}
			a, err := w.Account()
			if err != nil || w.Check(a) != nil {
				t.Errorf("%v, %v", err, w.Check(a))
			}
		})
	}
}

func TestBadPlanStopsTheCompiler(t *testing.T) {
	clang, plugin := tools(t)
	w := install(t, plugin, &Plan{Edits: []Edit{{Finding: "f-1", Predicate: "char", World: Retyped}}})
	for name, text := range map[string]string{"garbage": "{", "world": `{"placebo":false,"log":"","edits":[{"finding":"f","predicate":"char","world":"x","loops":[],"accesses":[]}]}`} {
		if err := os.WriteFile(w.path(planName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), clang, append([]string{"-O2", "-xc", "-c", "-o", os.DevNull, os.DevNull}, w.Flags()...)...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "whyhot what-if") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Every kind of access that can be blamed is edited, where it is, and the loop
// becomes another.
func TestEveryPredicateHasItsEdit(t *testing.T) {
	clang, plugin := tools(t)
	file := filepath.Join("testdata", "predicates.cpp")
	base := []string{"-O2", "-S", "-o", "-", file}
	for _, c := range []struct{ predicate, world, function string }{
		{"bitfield", Retyped, "_ZN4Work8bitfieldEv"},
		{"bitfield", Hoisted, "_ZN4Work8bitfieldEv"},
		{"pointer", Hoisted, "_ZN4Work7pointerEPv"},
		{"size", Hoisted, "_ZN4Work5sizesEv"},
		{"volatile", Retyped, "_ZN4Work5ticksEv"},
	} {
		t.Run(c.predicate+" "+c.world, func(t *testing.T) {
			w := install(t, plugin, &Plan{Edits: []Edit{{
				Finding: "f-1", Predicate: c.predicate, World: c.world,
				Loops: [][]Point{place(t, file, c.predicate+" loop")}, Accesses: [][]Point{place(t, file, c.predicate)},
			}}})
			written := compile(t, clang, slices.Concat(base, BaselineFlags())...)
			edited := compile(t, clang, slices.Concat(base, w.Flags())...)
			a, err := w.Account()
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Check(a); err != nil {
				t.Fatal(err)
			}
			if slices.Equal(body(t, written, c.function), body(t, edited, c.function)) {
				t.Errorf("%d edits, and the same machine code", a.Edits[0].Made)
			}
		})
	}
}
