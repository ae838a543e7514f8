package referee

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
)

// slow is the line that an honest change leaves out.
const slow = "awk 'BEGIN {for (i = 0; i < 900000; i++) x += i}'\n"

const program = `#!/bin/sh
# Sums the numbers of a file.
unused() { echo never; }
awk 'BEGIN {for (i = 0; i < 900000; i++) x += i}'
awk '{s += $1} END {print s}' "$1"
`

// ear hears all that a trial says.
type ear struct{ text strings.Builder }

func (e *ear) Building(s rebuild.Step)    { e.text.WriteString(s.Name + s.What + "\n") }
func (e *ear) Benchmark(string, int, int) {}
func (e *ear) Measuring(p trial.Progress) { e.text.WriteString(p.Running + p.Remark + "\n") }
func (e *ear) Remark(t string)            { e.text.WriteString(t + "\n") }

var _ experiment.Listener = (*ear)(nil)

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// court is a tree with its baseline kept, and terms to try it by.
func court(t *testing.T) (root string, b *Baseline, terms Terms) {
	t.Helper()
	root = t.TempDir()
	put(t, root, map[string]string{
		"sum.sh": program, "data/known.txt": "1\n2\n3\n4\n", "data/test.txt": "1\n2\n3\n",
		"tests/run.sh": `test "$(sh sum.sh data/test.txt)" = 6`,
	})
	outside := t.TempDir()
	put(t, outside, map[string]string{"secret.txt": "7\n8\n"})
	terms = Terms{
		Workload: "sh sum.sh data/known.txt", Heldout: []string{"sh sum.sh " + filepath.Join(outside, "secret.txt")},
		Test: "sh tests/run.sh", Harness: []string{"data/**"}, Rounds: 7, Private: t.TempDir(),
	}
	b, err := Keep(t.Context(), root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return root, b, terms
}

// What authors of changes were seen to do, and what is said of it.
func TestWhatIsNotProved(t *testing.T) {
	fast := strings.Replace(program, slow, "", 1)
	cases := map[string]struct {
		files map[string]string
		want  []Verdict
		lacks string // a condition of proof that is missing
	}{
		"an honest change": {map[string]string{"sum.sh": fast}, []Verdict{Proved}, ""},
		"memoised output of the known workload": {
			map[string]string{"sum.sh": strings.Replace(program, slow, "case $1 in *known.txt) echo 10; exit;; esac\n"+slow, 1)},
			[]Verdict{OnlyHere, Faster}, "",
		},
		"memoised output on disk": {
			map[string]string{"sum.sh": "key=.sum.$(cksum <\"$1\" | tr ' ' -)\ntest -f $key && { cat $key; exit; }\n" + strings.Replace(program, `"$1"`, `"$1" | tee $key`, 1)},
			[]Verdict{LessWork}, "",
		},
		"a feature removed that is tested": {map[string]string{"sum.sh": "echo 10\n"}, []Verdict{FailsTests}, ""},
		"a feature removed that is not tested": {
			map[string]string{"sum.sh": "case $1 in *known.txt) echo 10;; *) echo 6;; esac\n"}, []Verdict{OutputDiffers}, "",
		},
		"a changed workload file":  {map[string]string{"data/known.txt": "10\n"}, []Verdict{Nothing}, ""},
		"an edited test":           {map[string]string{"tests/run.sh": "true"}, []Verdict{Nothing}, ""},
		"an edited harness beside": {map[string]string{"tests/run.sh": "true", "sum.sh": fast}, []Verdict{Faster}, "files that measure"},
		"an edited configuration":  {map[string]string{ConfigName: "try:\n  test: true\n"}, []Verdict{Nothing}, ""},
		"a cold function edited": {
			map[string]string{"sum.sh": strings.Replace(program, "echo never", "printf never", 1)}, []Verdict{Same, Unclear, Slower, Faster, OnlyHere}, "",
		},
		"noise: nothing but a remark": {
			map[string]string{"sum.sh": program + "# faster\n"}, []Verdict{Same, Unclear, Slower, Faster, OnlyHere}, "",
		},
		"no change": {nil, []Verdict{Nothing}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root, b, terms := court(t)
			put(t, root, c.files)
			var heard ear
			r, err := Try(t.Context(), b, terms, &heard)
			if err != nil {
				t.Fatal(err)
			}
			ok := false
			for _, v := range c.want {
				ok = ok || r.Verdict == v
			}
			if !ok {
				t.Errorf("%s (%s), want %v; missing %v, notes %v", r.Verdict, r.Says, c.want, r.Missing, r.Notes)
			}
			if all := strings.Join(r.Missing, "\n"); !strings.Contains(all, c.lacks) {
				t.Errorf("missing %q, want %q", all, c.lacks)
			}
			if said := heard.text.String() + r.Says + strings.Join(r.Notes, ""); strings.Contains(said, "secret") {
				t.Errorf("the held-out workload was told: %s", said)
			}
		})
	}
}

func TestProofNeedsTestsAndAnUnknownWorkload(t *testing.T) {
	root, b, terms := court(t)
	put(t, root, map[string]string{"sum.sh": strings.Replace(program, slow, "", 1)})
	terms.Test, terms.Heldout = "", nil
	r, err := Try(t.Context(), b, terms, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Faster || len(r.Missing) != 2 {
		t.Errorf("%s, missing %v", r.Verdict, r.Missing)
	}
}

func TestSettingIsTriedWithoutTheChange(t *testing.T) {
	root, b, terms := court(t)
	put(t, root, map[string]string{"sum.sh": "echo 10\n"})
	terms.Env, terms.Rounds = []string{"A=B"}, 2
	r, err := Try(t.Context(), b, terms, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tree != r.Baseline || r.Verdict == OutputDiffers || r.Verdict == FailsTests {
		t.Errorf("%+v", r)
	}
}

func TestBaselineThatWasEdited(t *testing.T) {
	_, b, terms := court(t)
	put(t, b.dir, map[string]string{"sum.sh": "sleep 1\n" + program})
	if _, err := Try(t.Context(), b, terms, nil); err == nil || !strings.Contains(err.Error(), "edited: sum.sh") {
		t.Errorf("an edited baseline: %v", err)
	}
}

// A program that is built is changed by a patch of its sources; what builds make is no
// part of the tree.
func TestBuiltProgram(t *testing.T) {
	root, private := t.TempDir(), t.TempDir()
	loops := "#include <stdio.h>\nint main(void) {\n  for (volatile long i = 0; i < 60000000; i++) {}\n  puts(\"done\");\n  return 0;\n}\n"
	put(t, root, map[string]string{"main.c": loops, "old.h": "// gone\n"})
	b, err := Keep(t.Context(), root, private)
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, map[string]string{"main.c": "#include \"new.h\"\n" + strings.Replace(loops, "  for (volatile long i = 0; i < 60000000; i++) {}\n", "", 1), "new.h": "// new\n", "a.out": "\x7fELF"})
	if err := os.Remove(filepath.Join(root, "old.h")); err != nil {
		t.Fatal(err)
	}
	terms := Terms{
		Build: "cc -O1 -o prog main.c", Workload: "./prog", Heldout: []string{"./prog again"},
		Test: "./prog | grep -q done", Rounds: 7, Private: private,
	}
	r, err := Try(t.Context(), b, terms, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Proved || strings.Join(r.Changed, " ") != "main.c new.h old.h" {
		t.Errorf("%s: %s, changed %v, missing %v", r.Verdict, r.Says, r.Changed, r.Missing)
	}
	// A comment gives the same program.
	put(t, root, map[string]string{"main.c": loops + "// nothing\n"})
	if r, err = Try(t.Context(), b, terms, nil); err != nil || r.Verdict != Same {
		t.Errorf("a comment: %+v, %v", r, err)
	}
	// One that does not compile.
	put(t, root, map[string]string{"main.c": "int main(void) {"})
	if r, err = Try(t.Context(), b, terms, nil); err != nil || r.Verdict != Fails {
		t.Errorf("no program: %+v, %v", r, err)
	}
}
