package hunt

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain"
	"whyhot/internal/finding"
	"whyhot/internal/host/tool"
	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/rebuild"
)

// program adds the same number a thousand times, over and over. Optimised, each thousand
// is one multiplication: what a build without optimisation takes longer is work that the
// other does not have, on every processor.
const program = `#include <stdio.h>
#include <stdlib.h>

static unsigned long sum(unsigned long rounds) {
  unsigned long s = 1;
  for (unsigned long i = 0; i < rounds; i++) {
    unsigned long step = s ^ i;
    for (int j = 0; j < 1000; j++) s += step;
  }
  return s;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  printf("sum %lu\n", sum(1000 * strtoul(argv[1], NULL, 10)));
  return 0;
}
`

// example is a tree with the program, its build without optimisation, and a command
// that runs it.
func example(t *testing.T) Request {
	t.Helper()
	for _, name := range []string{"gcc", "make"} {
		if _, err := tool.Find(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	root := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "state"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
	dir := filepath.Join(root, "tree")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"sum.c": program, "Makefile": "sum: sum.c\n\tgcc -O0 -g -o sum sum.c\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "make")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return request(t, dir)
}

func request(t *testing.T, dir string) Request {
	t.Helper()
	rules, err := explain.LoadRules()
	if err != nil {
		t.Fatal(err)
	}
	return Request{
		Command: []string{"./sum", "200"}, Directory: dir, Env: os.Environ(), Budget: 90 * time.Second, Rules: rules,
		Build: rebuild.Options{Command: "make"}, Check: "./sum 1 | grep -q sum", Metric: trial.MetricChoice{Name: string(trial.CPU)},
	}
}

// Real builds, a real recording and real trials: what the compiler can do about a
// build without optimisation is found and proved; everything that was a candidate is
// somewhere in the result, once; and the next hunt knows it.
func TestRealHunt(t *testing.T) {
	r := example(t)
	result, err := Run(t.Context(), r, deaf{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	alone := slices.ContainsFunc(result.Proved, func(v Verdict) bool {
		return strings.HasPrefix(v.Name, "-O") && v.Ratio.Low > 1 // or with what is as good on top of it
	})
	// On a busy machine the budget is over when what won the race is proved together.
	c := result.Combined
	together := c != nil && c.Verdict == finding.Faster && slices.ContainsFunc(c.Names, func(n string) bool { return strings.HasPrefix(n, "-O") })
	if !alone && !together {
		t.Fatalf("no level of optimisation is proved: %s", text)
	}
	seen := map[string]int{}
	for _, v := range slices.Concat(result.Proved, result.Refuted, result.Open) {
		seen[v.Name]++
	}
	for _, u := range result.Untried {
		seen[u.Name]++
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is there %d times: %s", name, n, text)
		}
	}
	for _, name := range []string{"-O2", "-O3", "-O2 -march=native", "-O2+lto", "-O2+pgo"} {
		if seen[name] != 1 {
			t.Errorf("no word of %s: %s", name, text)
		}
	}

	// A new recording of the same program is explained with what was proved.
	a, err := archive.Open(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := a.List()
	if err != nil {
		t.Fatal(err)
	}
	model, _ := noise.Machine()
	recorded, ok := archive.Fingerprint("", filepath.Join(r.Directory, "sum"))
	if !ok || recorded.BuildID == "" {
		t.Skip("this compiler writes no build ids")
	}
	proved := false
	for id, trials := range archive.Learnt(records, []string{recorded.BuildID}, model) {
		proved = proved || strings.HasPrefix(id, "build-unoptimised") && trials[len(trials)-1].Verdict == finding.Faster
	}
	if alone && !proved {
		t.Errorf("nothing is learnt of the build without optimisation: %s", text)
	}

	again, err := Run(t.Context(), r, deaf{})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, v := range again.Refuted {
		if v.Known != nil {
			known++
		}
	}
	if want := len(result.Refuted); known != want {
		t.Errorf("the next hunt knows %d of %d that were refuted", known, want)
	}
	for _, v := range again.Proved {
		if v.Verdict != finding.Faster || v.Known != nil {
			t.Errorf("what was proved is proved again: %+v", v)
		}
	}
}

const (
	childDir    = "WHYHOT_TEST_HUNT_DIR"
	childBudget = "WHYHOT_TEST_HUNT_BUDGET"
)

// stages tells the parent how far a hunt is.
type stages struct{ deaf }

func (stages) Stage(text string, _ time.Duration) { fmt.Println("stage:", text) }

// TestChild is the process that TestHuntSurvivesSIGKILL kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		return // it is no test by itself
	}
	r := request(t, dir)
	budget, err := time.ParseDuration(os.Getenv(childBudget))
	if err != nil {
		t.Fatal(err)
	}
	r.Budget = budget
	_, err = Run(t.Context(), r, stages{})
	fmt.Println("ended:", err)
}

// killedInRace has another process begin a hunt, and kills it once the first stage of the
// race is over and kept. false: its budget was over before, as on a machine that is busy
// with much else.
func killedInRace(t *testing.T, r *Request) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestChild$", "-test.v")
	child.Env = append(os.Environ(), childDir+"="+r.Directory, childBudget+"="+r.Budget.String())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	races, ended := 0, ""
	for lines := bufio.NewScanner(out); races < 2 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "ended:") {
			ended = lines.Text()
		}
		if strings.HasPrefix(lines.Text(), "stage: racing") {
			races++
		}
	}
	if races == 2 {
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	err = child.Wait()
	switch {
	case races == 2 && err == nil:
		t.Fatal("the child ended by itself")
	case races < 2 && ended != "ended: <nil>":
		t.Fatalf("the child ended early: %s, %v", ended, err)
	}
	return races == 2
}

// A hunt that is killed goes on where it was, with the recording and the stages that
// were over.
func TestHuntSurvivesSIGKILL(t *testing.T) {
	r := example(t)
	for !killedInRace(t, &r) {
		budget := 2 * r.Budget
		if budget > 15*time.Minute {
			t.Fatalf("no second stage of a race within %s", r.Budget)
		}
		r = example(t)
		r.Budget = budget
	}
	said := &heard{}
	result, err := Run(t.Context(), r, said)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Finished || result.Spent < 1 {
		t.Errorf("%+v", result)
	}
	if len(said.remarks) == 0 || !strings.HasPrefix(said.remarks[0], "going on with the hunt") {
		t.Errorf("%q", said.remarks)
	}
	if slices.Contains(said.stages, "recording") {
		t.Errorf("what was recorded is recorded again: %q", said.stages)
	}
}

type heard struct {
	deaf

	remarks, stages []string
}

func (h *heard) Remark(text string)                 { h.remarks = append(h.remarks, text) }
func (h *heard) Stage(text string, _ time.Duration) { h.stages = append(h.stages, text) }

// A command that fails is no subject, and nothing is kept of it.
func TestCommandThatFails(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	_, err := Run(t.Context(), Request{Command: []string{"sh", "-c", "echo no such thing >&2; exit 3"}, Env: os.Environ(), Budget: time.Minute}, deaf{})
	if err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("%v", err)
	}
}

func TestBadRequests(t *testing.T) {
	for want, r := range map[string]Request{
		"missing command": {Budget: 1},
		"--suite names":   {Suite: "s.yaml", Command: []string{"x"}, Budget: 1},
		"--budget":        {Command: []string{"x"}},
		"--apply":         {Command: []string{"x"}, Budget: 1, Apply: true},
		"say how the pro": {Command: []string{"x"}, Budget: 1, BuildDir: "."},
	} {
		if _, err := Run(t.Context(), r, deaf{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
