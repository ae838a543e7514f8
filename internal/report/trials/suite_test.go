package trials

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"whyhot/internal/report/term"
	"whyhot/internal/trial"
	"whyhot/internal/trial/suite"
)

func value(median, estimate, low, high float64, v trial.Verdict) suite.Value {
	return suite.Value{Median: median, Runs: 9, Ratio: &suite.Ratio{Estimate: estimate, Low: low, High: high}, Verdict: v}
}

// chain is a suite of two benchmarks and two steps, one of which fails once.
func chain() *suite.Result {
	at := func(name string, e float64) *suite.Extreme {
		return &suite.Extreme{Benchmark: name, Ratio: suite.Ratio{Estimate: e}}
	}
	return &suite.Result{
		Name: "solver <suite>", Chain: true, Variants: []string{"allocator", "PGO"}, Elapsed: 75,
		Machine: trial.Machine{CPUs: 2, Model: "Some CPU"},
		Benchmarks: []suite.Benchmarked{
			{Name: "easy & quick", Unit: "seconds", Baseline: &suite.Value{Median: 0.5, Runs: 9}, Variants: []suite.Value{value(0.45, 1.11, 1.05, 1.2, trial.Faster), value(0.4, 1.25, 1.2, 1.3, trial.Faster)}},
			{Name: "hard", Unit: "seconds", Baseline: &suite.Value{Median: 5, Runs: 9}, Variants: []suite.Value{value(5, 1, 0.99, 1.01, trial.Same), {Verdict: trial.Failed, Explanation: "killed by SIGSEGV"}}},
			{Name: "broken", Error: "command not found: nothing"},
		},
		Summary: []suite.Summary{
			{Variant: "allocator", Counted: 2, Min: at("hard", 1), Max: at("easy & quick", 1.11), GeoMean: &suite.Ratio{Estimate: 1.05, Low: 1.02, High: 1.1}, Verdict: trial.Faster, Left: []string{"broken: not measured"}},
			{Variant: "PGO", Counted: 1, Min: at("easy & quick", 1.25), Max: at("easy & quick", 1.25), GeoMean: &suite.Ratio{Estimate: 1.25, Low: 1.2, High: 1.3}, Verdict: trial.Faster, Left: []string{"hard: failed: killed by SIGSEGV", "broken: not measured"}},
		},
		Notes: []string{"other processes kept 1.0 of 2 CPUs busy"},
	}
}

func printedSuite(t *testing.T, r *suite.Result, width int) string {
	t.Helper()
	var b bytes.Buffer
	p := term.New(&b, nil)
	p.Width = width
	PrintSuite(p, r)
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	return b.String()
}

func TestPrintSuite(t *testing.T) {
	got := printedSuite(t, chain(), 100)
	for _, want := range []string{
		"+ allocator", "+ PGO", "1.110×", "1.000× =", "500 ms", "failed", "1.020 – 1.100", "faster",
		"broken  command not found: nothing", "+ PGO  not counted: hard: failed: killed by SIGSEGV", "= no difference", "note  other processes",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	one := chain()
	one.Chain, one.Variants, one.Summary = false, one.Variants[:1], one.Summary[:1]
	for i := range one.Benchmarks {
		if b := &one.Benchmarks[i]; len(b.Variants) > 0 {
			b.Variants = b.Variants[:1]
		}
	}
	for _, width := range []int{60, 80, 100, 160} {
		got := printedSuite(t, one, width)
		if !strings.Contains(got, "1.050 – 1.200") || !strings.Contains(got, "not measured") {
			t.Errorf("width %d:\n%s", width, got)
		}
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
	}
}

// doubtful is a suite with a benchmark that was not compared and one that was in
// part.
func doubtful() *suite.Result {
	r := chain()
	easy, hard := &r.Benchmarks[0].Variants[0], &r.Benchmarks[1].Variants[0]
	easy.Compared, easy.ComparedWhy = trial.NotCompared, "it varies"
	hard.Compared, hard.ComparedWhy = trial.ComparedPart, "its size"
	r.Summary[0].NotCompared, r.Summary[0].InPart = []string{"easy & quick"}, []string{"hard"}
	return r
}

func TestWhatWasNotComparedIsMarkedEverywhere(t *testing.T) {
	var page, chart, bars bytes.Buffer
	if err := errors.Join(Page(&page, doubtful()), Chart(&chart, doubtful()), Bars(&bars, doubtful())); err != nil {
		t.Fatal(err)
	}
	one := doubtful()
	one.Chain, one.Variants, one.Summary = false, one.Variants[:1], one.Summary[:1]
	for i := range one.Benchmarks {
		if b := &one.Benchmarks[i]; len(b.Variants) > 0 {
			b.Variants = b.Variants[:1]
		}
	}
	for name, c := range map[string]struct {
		got  string
		want []string
	}{
		"text of several variants": {printedSuite(t, doubtful(), 100), []string{"1.110× !", "1.000× =~", "! easy & quick: not compared: it varies", "~ hard: compared in part: its size", "! + allocator: geometric mean with 1 of 2 benchmarks not compared", "faster !"}},
		"text of one variant":      {printedSuite(t, one, 60), []string{"faster !", "no difference ~", "! easy & quick: not compared", "! allocator: geometric mean with 1 of 2"}},
		"page":                     {page.String(), []string{"faster, not compared", "no difference, compared in part", "with 1 of 2 benchmarks not compared", "easy &amp; quick: not compared: it varies"}},
		"chart":                    {strings.Join(wellFormed(t, chart.Bytes()), "\n"), []string{"1.05×!", "with 1 of 2 benchmarks not compared", "1 of 3 benchmarks not compared: easy & quick", "easy & quick: 1.110×, not compared"}},
		"bars":                     {strings.Join(wellFormed(t, bars.Bytes()), "\n"), []string{"1.110×, not compared", "1.000× no difference, compared in part"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, c.got)
			}
		}
	}
	for _, got := range []string{printedSuite(t, chain(), 100)} {
		if strings.Contains(got, "compared") {
			t.Errorf("nothing is known of outputs:\n%s", got)
		}
	}
}

func wellFormed(t *testing.T, data []byte) (texts []string) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if c, ok := token.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
}

func TestChartsAreWellFormed(t *testing.T) {
	var c, b bytes.Buffer
	if err := Chart(&c, chain()); err != nil {
		t.Fatal(err)
	}
	if err := Bars(&b, chain()); err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{"solver <suite>": c.Bytes(), "easy & quick": b.Bytes()} {
		if texts := strings.Join(wellFormed(t, data), "\n"); !strings.Contains(texts, want) {
			t.Errorf("no %q in %s", want, texts)
		}
	}
	for _, want := range []string{"1.05×", "1.25×", "1.11×"} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("the chart does not say %s", want)
		}
	}
	empty := &suite.Result{Variants: []string{"a"}, Summary: []suite.Summary{{Variant: "a"}}}
	if Chart(&c, empty) == nil || Bars(&b, empty) == nil {
		t.Error("a chart of nothing")
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, chain()); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"solver &lt;suite&gt;", "easy &amp; quick", "command not found: nothing", "killed by SIGSEGV", "2 CPUs · Some CPU", "default-src 'none'", "<svg"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(got, "<script") || strings.Contains(got, "<suite>") {
		t.Error("markup from a name, or a script")
	}
	b.Reset()
	if err := Page(&b, &suite.Result{Name: "empty", Variants: []string{"a"}, Summary: []suite.Summary{{Variant: "a"}}}); err != nil || strings.Contains(b.String(), "<svg") {
		t.Errorf("nothing measured: %v", err)
	}
}

func TestTicksHoldOneAndAreFew(t *testing.T) {
	for _, s := range []scale{{-0.1, 0.1}, {-0.01, 0.6}, {-2, 3}, {-0.03, 0.05}, {-1, 0.1}} {
		ticks := s.ticks()
		one := false
		for _, v := range ticks {
			one = one || v == 1
		}
		if !one || len(ticks) < 2 || len(ticks) > 9 {
			t.Errorf("%+v: %v", s, ticks)
		}
	}
}
