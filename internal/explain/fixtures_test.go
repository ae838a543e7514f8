package explain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

// fixtures are small programs, before and after what a remark asked for. What the change
// came to is in bench/remarks.md. Reports are the compilers' own; profiles, too, where
// the language's runtime writes one, and else all samples are on the line that is marked
// as hot.
var fixtures = []struct {
	name, rule string
	make       func(t *testing.T, dir string) (*profile.Profile, string)
}{
	{"go", "go-escape", fixtureGo},
	{"node", "jit-deoptimised", fixtureNode},
	{"node-fields", "jit-megamorphic", fixtureNode},
	{"gcc", "missed-vectorize", func(t *testing.T, dir string) (*profile.Profile, string) {
		t.Helper()
		return fixtureC(t, dir, "gcc", "-O3", "fill")
	}},
	{"clang", "missed-vectorize", func(t *testing.T, dir string) (*profile.Profile, string) {
		t.Helper()
		return fixtureC(t, dir, "clang-19", "-O2", "sum")
	}},
	{"rust", "missed-hoist", fixtureRust},
}

func TestFixturesAreFoundBeforeTheChangeOnly(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			for when, want := range map[string]bool{"before": true, "after": false} {
				dir, err := filepath.Abs(filepath.Join("testdata", "remarks", f.name, when))
				if err != nil {
					t.Fatal(err)
				}
				p, report := f.make(t, dir)
				checkFixture(t, when, p, report, f.rule, want)
			}
		})
	}
}

// A state machine of 500 states in one method, which HotSpot only interprets, and in
// methods of 100.
func TestFixtureOfJava(t *testing.T) {
	for each, want := range map[int]bool{500: true, 100: false} {
		dir := t.TempDir()
		write(t, dir, "Machine.java", stateMachine(500, each))
		log := filepath.Join(dir, "compile.xml")
		tooltest.Run(t, "javac", "-d", dir, filepath.Join(dir, "Machine.java"))
		tooltest.Run(t, "java", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions", "-XX:+LogCompilation", "-XX:LogFile="+log, "-cp", dir, "Machine", "400")
		p := hotAt(profile.Function{Name: "int Machine.step0(int, int)", File: "Machine.java"}, 3)
		checkFixture(t, fmt.Sprint(each, " states a method"), p, log, "jit-not-compiled", want)
	}
}

func checkFixture(t *testing.T, name string, p *profile.Profile, report, rule string, want bool) {
	t.Helper()
	said, err := ReadReports(t.Context(), report)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Remarks(t.Context(), Request{Profile: p, Remarks: said})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range answer.Findings {
		found = append(found, f.Rule+": "+f.Title)
	}
	if got := strings.Contains(strings.Join(found, "\n"), rule+": "); got != want {
		t.Errorf("%s: %d remarks and %q; %s among them should be %v", name, len(said), found, rule, want)
	}
}

// hotAt is a profile with all samples on one line.
func hotAt(f profile.Function, line int32) *profile.Profile {
	b := profile.NewBuilder()
	at := b.Location(0, 0, profile.KindNative, profile.Line{Function: b.Function(f), Line: line})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at}), Count: 100, Value: 100})
	return b.Build(profile.Meta{})
}

// marked is the profile of a file's line that says "hot".
func marked(t *testing.T, file, function string) *profile.Profile {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), " hot")
	if !ok {
		t.Fatalf("%s: no line is marked as hot", file)
	}
	return hotAt(profile.Function{Name: function, File: file}, int32(strings.Count(before, "\n")+1))
}

func fixtureC(t *testing.T, dir, compiler, level, function string) (*profile.Profile, string) {
	t.Helper()
	source, out := filepath.Join(dir, "a.c"), t.TempDir()
	tooltest.Run(t, compiler, level, "-g", "-c", source, "-o", filepath.Join(out, "a.o"), "-fsave-optimization-record")
	return marked(t, source, function), out
}

func fixtureRust(t *testing.T, dir string) (*profile.Profile, string) {
	t.Helper()
	rustc, err := tool.Find("rustc")
	if err != nil {
		t.Skipf("no rustc here: %v", err)
	}
	source, out := filepath.Join(dir, "main.rs"), t.TempDir()
	text, err := exec.CommandContext(t.Context(), rustc, "-O", "-Cdebuginfo=1", "-Cremark=all", "--emit=obj", source, "-o", filepath.Join(out, "main.o")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	write(t, out, "remarks.txt", string(text))
	return marked(t, source, "invert"), filepath.Join(out, "remarks.txt")
}

func fixtureGo(t *testing.T, dir string) (*profile.Profile, string) {
	t.Helper()
	out := t.TempDir()
	program, pprof, report := filepath.Join(out, "app"), filepath.Join(out, "cpu.pprof"), filepath.Join(out, "report")
	tooltest.Run(t, "go", "build", "-gcflags=-json=0,"+report, "-o", program, filepath.Join(dir, "main.go"))
	tooltest.Run(t, program, pprof)
	return opened(t, pprof), report
}

// The profile and the log are of two runs: V8 stops its log where it makes a profile.
func fixtureNode(t *testing.T, dir string) (*profile.Profile, string) {
	t.Helper()
	app, out := filepath.Join(dir, "app.js"), t.TempDir()
	log := filepath.Join(out, "v8.log")
	tooltest.Run(t, "node", "--cpu-prof", "--cpu-prof-dir="+out, "--cpu-prof-name=app.cpuprofile", app)
	tooltest.Run(t, "node", "--log-deopt", "--log-ic", "--log-code", "--no-logfile-per-isolate", "--logfile="+log, app)
	return opened(t, filepath.Join(out, "app.cpuprofile")), log
}

func opened(t *testing.T, path string) *profile.Profile {
	t.Helper()
	p, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stateMachine is a Java program whose states are steps of a calculation: as a generator
// writes them, so many in each method.
func stateMachine(states, each int) string {
	var s strings.Builder
	s.WriteString("class Machine {\n")
	for first := 0; first < states; first += each {
		fmt.Fprintf(&s, "  static int step%d(int state, int x) {\n    switch (state) {\n", first/each)
		for i := first; i < min(first+each, states); i++ {
			fmt.Fprintf(&s, "      case %d: x = x * %d + %d; x ^= x >>> 3; return x;\n", i, 31+i, i)
		}
		s.WriteString("      default: return x;\n    }\n  }\n")
	}
	s.WriteString("  static int next(int state, int x) {\n")
	for first := 0; first < states; first += each {
		fmt.Fprintf(&s, "    if (state < %d) return step%d(state, x);\n", first+each, first/each)
	}
	fmt.Fprintf(&s, `    return x;
  }
  static int run(int x) {
    for (int i = 0; i < 1000; i++) x = next(i %% %d, x);
    return x;
  }
  public static void main(String[] args) {
    int x = 1;
    for (int i = 0; i < Integer.parseInt(args[0]); i++) x = run(x);
    System.out.println(x);
  }
}
`, states)
	return s.String()
}
