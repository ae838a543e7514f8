package growthview

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"whyhot/internal/explain/growth"
	"whyhot/internal/report/term"
)

func result() *growth.Result {
	return &growth.Result{
		Version: 1, Command: []string{"./app", "{n}"}, Unit: "n", Times10x: 59.2,
		Sizes: []growth.Size{{N: 1000, Runs: 5, Samples: 100, CPUSeconds: 0.02}, {N: 2000, Runs: 5, Samples: 300, CPUSeconds: 0.06}, {N: 4000, Runs: 5, Samples: 1100, CPUSeconds: 0.22}},
		Total: growth.Cost{Exponent: 1.6, Low: 1.5, High: 1.7, Share: 1, At10x: 1, Counts: []int64{100, 300, 1100}},
		Functions: []growth.Function{{
			Place: growth.Place{Function: "render<T>", File: "/src/report.lua", Line: 41},
			Cost:  growth.Cost{Exponent: 1.98, Low: 1.91, High: 2.04, Share: 0.59, At10x: 0.98, Counts: []int64{60, 240, 960}},
			Own:   true, Callers: []growth.Place{{Function: "main", File: "/src/report.lua", Line: 60}},
			Operation: &growth.Operation{Kind: growth.Copy, Name: "memcpy", Share: 0.85}, Cure: "Join once.",
		}},
		Others: []growth.Other{{Place: growth.Place{Function: "main"}, Cost: growth.Cost{Exponent: 1, Low: 0.9, High: 1.1, Counts: []int64{1, 2, 3}}}},
		Notes:  []string{"insert is n^1.5"},
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	Text(term.New(&b, nil), result())
	for _, want := range []string{
		"n = 1,000, 2,000, 4,000 · 5 runs each · 1,500 samples",
		" 1  render<T> at report.lua:41 is n^1.98 (1.91 to 2.04): 59% today, 98% at 10×\n",
		"    grows: copying, 85% of it (memcpy)\n    called from main at report.lua:60\n    Join once.\n",
		"Over these sizes the whole program is n^1.60 (1.50 to 1.70); 10× the input costs about 59× the CPU time.\n",
		"insert is n^1.5",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	r := result()
	r.Total = growth.Cost{Exponent: 2.15, Low: 2.1, High: 2.2}
	Text(term.New(&b, nil), r)
	if want := "n^2.15 (2.10 to 2.20); 10× the input costs about 59× the CPU time if only what is listed grows faster, 141× if all of it does.\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	b.Reset()
	r = result()
	r.Functions, r.Unit = nil, "lines"
	Text(term.New(&b, nil), r)
	if !strings.Contains(b.String(), "Nothing grows faster than the input.") || !strings.Contains(b.String(), "4,000 lines") {
		t.Error(b.String())
	}
}

func TestPageAndChart(t *testing.T) {
	var page, chart strings.Builder
	if err := errors.Join(Page(&page, result()), Chart(&chart, result())); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"render&lt;T&gt; at report.lua:41 is n^1.98", "<svg", "Join once.", "All functions that were fitted"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	dots := 0
	for dec := xml.NewDecoder(strings.NewReader(chart.String())); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, chart.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			dots++
		}
	}
	if dots != 6 || strings.Contains(chart.String(), "NaN") || strings.Contains(chart.String(), "Inf") {
		t.Errorf("%d dots\n%s", dots, chart.String())
	}
}
