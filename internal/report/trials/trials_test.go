package trials

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"whyhot/internal/finding"
	"whyhot/internal/report/term"
	"whyhot/internal/trial"
)

var update = flag.Bool("update", false, "write the golden files")

func arm(name string, runs int, seconds, bytes float64) trial.Arm {
	one := func(v float64) trial.Summary { return trial.Summary{Median: v, Min: v, Max: v, Samples: []float64{v}} }
	return trial.Arm{Name: name, Runs: runs, Summary: map[trial.Metric]trial.Summary{
		trial.Wall: one(seconds), trial.CPU: one(seconds * 0.9), trial.Memory: one(bytes), trial.Faults: one(12345),
	}}
}

func variantArm(name string, seconds float64, v trial.Verdict, why string, r *finding.Interval) trial.VariantArm {
	a := trial.VariantArm{Arm: arm(name, 14, seconds, 1<<27), Verdict: v, Explanation: why}
	if r != nil {
		a.Ratios = map[trial.Metric]finding.Interval{trial.Wall: *r}
	}
	return a
}

func sample() *trial.Outcome {
	return &trial.Outcome{
		Command: []string{"jq", "map(.id)|add", "big.json"}, Metric: trial.Wall, Rounds: 14, Elapsed: 38.2,
		Stopped: trial.StopSettled, Level: 0.95,
		Baseline: arm("baseline", 14, 0.856, 1<<28),
		Variants: []trial.VariantArm{
			variantArm("mimalloc", 0.7, trial.Faster, "18% less time (−20% to −16%)", &finding.Interval{Estimate: 1.22, Low: 1.19, High: 1.25}),
			variantArm("jemalloc", 0.9, trial.Slower, "5.0% more time (+2.0% to +8.0%)", &finding.Interval{Estimate: 0.952, Low: 0.926, High: 0.98}),
			variantArm("MALLOC_ARENA_MAX=1", 0.856, trial.Same, "within 1.5% of the baseline", &finding.Interval{Estimate: 1, Low: 0.995, High: 1.004}),
			variantArm("./mine.so", 0.5, trial.Different, "computes something else: standard output differs from byte 17 on", &finding.Interval{Estimate: 1.7, Low: 1.6, High: 1.8}),
			{Arm: trial.Arm{Name: "tcmalloc"}, Verdict: trial.NoEffect, Explanation: "/bin/x does not load the library, since it is statically linked"},
		},
		Notes: []string{"the load average was 3.2 at the start, on 2 CPUs"},
	}
}

func printed(o *trial.Outcome, width int) string {
	var b bytes.Buffer
	p := term.New(&b, nil)
	p.Width = width
	Print(p, o)
	return b.String()
}

func TestPrint(t *testing.T) {
	for width, file := range map[int]string{80: "width80.txt", 140: "width140.txt"} {
		got := printed(sample(), width)
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d columns on a terminal of %d: %s", w, width, line)
			}
		}
		golden := filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s", golden, got)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	o := sample()
	o.Rounds, o.Stopped, o.Variants = 0, trial.StopFailed, o.Variants[4:]
	o.Baseline.Summary = nil
	if got := printed(o, 100); !strings.Contains(got, "nothing was measured") || !strings.Contains(got, "statically linked") {
		t.Errorf("%s", got)
	}
}

func TestCommandCannotDriveTheTerminal(t *testing.T) {
	o := sample()
	o.Command = []string{"x\x1b[31m"}
	o.Variants[0].Explanation = "a\rb"
	if got := printed(o, 100); strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("%q", got)
	}
}

func TestInterval(t *testing.T) {
	a := axis{low: -1, high: 1, width: 21}
	for _, c := range []struct {
		r    finding.Interval
		want string
	}{
		{finding.Interval{Estimate: 1, Low: 1, High: 1}, "          ●          "},
		{finding.Interval{Estimate: 1, Low: 0.8, High: 1.25}, "        ├─●─┤        "},
		{finding.Interval{Estimate: 2, Low: 1.65, High: 2.3}, "          ┊    ├─●┤  "},
		{finding.Interval{Estimate: 0.9, Low: 0.7, High: 1.2}, "      ├──●┼─┤        "},
		{finding.Interval{Estimate: 9, Low: 8, High: 10}, "          ┊         ●"}, // beyond the axis
	} {
		if got := a.interval(c.r); got != c.want {
			t.Errorf("%+v\n got %q\nwant %q", c.r, got, c.want)
		}
	}
}
