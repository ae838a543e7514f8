package perfdata

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
)

// comparison counts how our stacks relate to perf's.
type comparison struct {
	same   int // every frame
	longer int // perf's, and more callers behind where perf stops
	other  int
	first  string // one of the others
}

func (c comparison) total() int { return c.same + c.longer + c.other }

func (c comparison) String() string {
	n := max(1, c.total())
	return fmt.Sprintf("%d stacks: %.2f%% the same, %.2f%% the same and go on where perf stops, %.2f%% other",
		c.total(), 100*float64(c.same)/float64(n), 100*float64(c.longer)/float64(n), 100*float64(c.other)/float64(n))
}

// compareStacks pairs the samples of a recording with stack dumps.
func compareStacks(t *testing.T, file string) comparison {
	t.Helper()
	byWho := map[string][]sampleText{}
	for _, s := range ours(t, readForCompare(t, file), false) {
		if n := len(s.frames); n > 0 && strings.HasSuffix(s.frames[n-1], "([unknown])") && len(s.frames[n-1]) < len("ff ([unknown])") {
			s.frames = s.frames[:n-1] // the mark of a cut stack
		}
		byWho[s.who] = append(byWho[s.who], s)
	}
	var c comparison
	for _, s := range perfScript(t, file) {
		rest := byWho[s.who]
		if len(rest) == 0 {
			t.Errorf("we have no sample %s", s.who)
			continue
		}
		mine := rest[0].frames
		byWho[s.who] = rest[1:]
		switch {
		case slices.Equal(mine, s.frames):
			c.same++
		case len(mine) > len(s.frames) && slices.Equal(mine[:len(s.frames)], s.frames):
			c.longer++
		default:
			c.other++
			if c.first == "" {
				c.first = fmt.Sprintf("%s\n\tperf:\n\t\t%s\n\tours:\n\t\t%s", s.who,
					strings.Join(s.frames, "\n\t\t"), strings.Join(mine, "\n\t\t"))
			}
		}
	}
	return c
}

const cppProgram = `
#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>
static int work(int n) {
	std::map<std::string, int> m;
	std::vector<std::string> v;
	for (int i = 0; i < n; i++) { m["s" + std::to_string(i % 500)]++; v.push_back(std::to_string(i * 7919 % 10007)); }
	std::sort(v.begin(), v.end(), [](auto &a, auto &b) { return a < b; });
	int c = 0;
	for (int i = 0; i < 100; i++) {
		try { if (i % 2) throw v[i]; } catch (std::string &) { c++; }
	}
	return c + m.size();
}
int main() {
	volatile int sum = 0;
	std::thread t([&] { for (int i = 0; i < 30; i++) sum = sum + work(4000); });
	for (int i = 0; i < 30; i++) sum = sum + work(4000);
	t.join();
}
`

// TestUnwindSameAsPerf compares whole user stacks with perf's own unwinder.
// perf stops early where its library finds no frame description, so going on
// from there is no difference; anything else is.
func TestUnwindSameAsPerf(t *testing.T) {
	needPerf(t)
	dir := t.TempDir()
	nums := filepath.Join(dir, "nums")
	var b strings.Builder
	for i := range 60000 {
		fmt.Fprintln(&b, i*7919%60013)
	}
	if err := os.WriteFile(nums, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cpp := filepath.Join(dir, "cpp")
	if err := os.WriteFile(cpp+".cpp", []byte(cppProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cmd := range map[string][]string{
		"sort":   {"sort", nums},
		"python": {"/usr/bin/python3", "-c", "import json\nfor i in range(150): json.loads(json.dumps(list(range(1000)), indent=1))"},
		"jq":     {"jq", "-n", `[range(8000)|tostring]|join(",")|length`},
		"c++":    {cpp},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "c++" {
				if out, err := exec.CommandContext(t.Context(), "g++", "-O2", "-pthread", "-o", cpp, cpp+".cpp").CombinedOutput(); err != nil {
					t.Skipf("no C++ compiler: %v %s", err, out)
				}
			}
			if _, err := tool.Find(cmd[0]); err != nil {
				t.Skip(err)
			}
			file := capture(t, append([]string{"-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf"}, cmd...)...)
			c := compareStacks(t, file)
			t.Log(c)
			if c.other > 1 && c.other*100 > c.total() {
				t.Errorf("more than 1%% differ, for example\n%s", c.first)
			}
		})
	}
}
