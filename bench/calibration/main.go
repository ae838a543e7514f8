// Calibration holds the estimates of `whyhot explain` against measured ratios: for each
// pair of bench/catalog/pairs.json, the range that is predicted from the profile of the
// baseline beside the CPU that the change saved when it was measured.
//
//	go run ./bench/calibration [-svg FILE] bench/catalog > TABLE.md
//
// An entry that names several candidates predicts the best of them, so its pairs on one
// program are one row: the largest saving, or none where all lose.
//
// -leave-one-out predicts otherwise: from the other rows of the same kind of fix alone,
// each with the saving as a multiple of the share, their 5 % and 95 % quantiles.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
)

type pair struct {
	Entry   string  `json:"entry"`
	Pair    string  `json:"pair"`
	Profile string  `json:"profile"`
	Ratio   float64 `json:"ratio"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// saved is the part of the CPU that a ratio gives back.
func saved(ratio float64) float64 { return 1 - 1/ratio }

// row is a prediction and what came of it.
type row struct {
	entry, what, kind string
	share             float64
	low, high         float64 // predicted
	ratio, is         float64 // measured
	none              bool    // no finding: nothing was predicted
}

func (r *row) inside() bool { return r.is >= r.low && r.is <= r.high }

func main() {
	svg := flag.String("svg", "", "write the chart to `FILE`")
	loo := flag.Bool("leave-one-out", false, "predict each row from the others of its kind")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *svg, *loo, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, svg string, loo bool, w io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: calibration [-svg FILE] [-leave-one-out] bench/catalog")
	}
	rows, err := predict(ctx, args[0])
	if err != nil {
		return err
	}
	if loo {
		leaveOneOut(rows)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.entry, b.entry), cmp.Compare(a.what, b.what)) })
	if err := table(w, rows); err != nil || svg == "" {
		return err
	}
	return os.WriteFile(svg, []byte(chart(rows)), 0o644) //nolint:gosec // a picture for everybody
}

// predict explains the profile of every baseline.
func predict(ctx context.Context, dir string) ([]row, error) {
	text, err := os.ReadFile(filepath.Join(dir, "pairs.json")) //nolint:gosec // the directory that was named
	if err != nil {
		return nil, err
	}
	var file struct {
		Pairs []pair `json:"pairs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	rules, err := explain.LoadRules()
	if err != nil {
		return nil, err
	}
	candidates := map[string]bool{}
	for _, e := range rules.Catalog.Entries {
		candidates[e.ID] = len(e.Candidates) > 0
	}
	reports := map[string]finding.Report{}
	var rows []row
	best := map[string]int{}
	for _, p := range file.Pairs {
		report, there := reports[p.Profile]
		if !there {
			fetched, err := fetch.Profile(ctx, filepath.Join(dir, "profiles", p.Profile), fetch.Options{NamesOnly: true})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.Profile, err)
			}
			// What lies on this machine is no evidence for a profile of another.
			if report, err = explain.Explain(ctx, explain.Request{Profile: fetched.Profile, Rules: rules, ByBuildID: true, All: true}); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Profile, err)
			}
			reports[p.Profile] = report
		}
		r := rowOf(p, report)
		if program, _, ok := strings.Cut(p.Pair, ": "); ok && candidates[p.Entry] {
			r.what = program + ": the best"
			r.is = max(0, r.is)
			if at, seen := best[p.Entry+program]; seen {
				if r.is > rows[at].is {
					rows[at] = r
				}
				continue
			}
			best[p.Entry+program] = len(rows)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func rowOf(p pair, report finding.Report) row {
	r := row{entry: p.Entry, what: p.Pair, ratio: p.Ratio, is: saved(p.Ratio), none: true}
	for _, f := range report.Findings {
		if f.Rule == p.Entry && f.Gain != nil && f.Share.Main() > r.share {
			r.share, r.low, r.high, r.kind, r.none = f.Share.Main(), f.Gain.Low, f.Gain.High, f.Fix.Kind, false
		}
	}
	return r
}

// leaveOneOut replaces each prediction by one from the other rows of its kind, with none
// of the same entry and program.
func leaveOneOut(rows []row) {
	old := slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		var others []float64
		for j, o := range old {
			if j != i && !o.none && o.kind == r.kind {
				others = append(others, o.is/o.share)
			}
		}
		if r.none {
			continue
		}
		if r.none = len(others) < 5; r.none {
			continue
		}
		slices.Sort(others)
		at := func(q float64) float64 { return others[int(q*float64(len(others)-1)+0.5)] }
		r.low, r.high = at(0.05)*r.share, min(1, at(0.95)*r.share)
	}
}

func table(w io.Writer, rows []row) error {
	out := &strings.Builder{}
	fmt.Fprintln(out, "| entry | pair | share | predicted to save | saved | ratio | inside |\n|---|---|---|---|---|---|---|")
	var widths []float64
	inside, silent := 0, 0
	for _, r := range rows {
		if r.none {
			silent++
			fmt.Fprintf(out, "| %s | %s | | no finding | %.1f%% | %.2f× | |\n", r.entry, r.what, 100*r.is, r.ratio)
			continue
		}
		mark := "no"
		if r.inside() {
			inside++
			mark = "yes"
		}
		widths = append(widths, r.high-r.low)
		fmt.Fprintf(out, "| %s | %s | %.1f%% | %.1f … %.1f%% | %.1f%% | %.2f× | %s |\n", r.entry, r.what, 100*r.share, 100*r.low, 100*r.high, 100*r.is, r.ratio, mark)
	}
	slices.Sort(widths)
	if len(widths) > 0 {
		fmt.Fprintf(out, "\n%d of %d predictions hold (%.0f%%); median width %.1f points; %d pairs without a finding.\n",
			inside, len(widths), 100*float64(inside)/float64(len(widths)), 100*widths[len(widths)/2], silent)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// chart draws the predicted ranges as bars and what was saved as dots.
func chart(rows []row) string {
	const left, width, step, top = 330, 520, 20, 46
	shown := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.none })
	height := top + step*len(shown) + 30
	x := func(v float64) float64 { return left + width*(max(-0.15, min(1, v))+0.15)/1.15 }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", left+width+30, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="10" y="20" font-size="14" font-weight="bold">CPU that a fix saves: predicted range and measured</text>`+"\n")
	for v := 0.0; v <= 1.001; v += 0.25 {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">%.0f%%</text>`+"\n", x(v), x(v), top-8, height-24, x(v), height-8, 100*v)
	}
	for i, r := range shown {
		y, colour := float64(top+step*i), "#1a7f37"
		if !r.inside() {
			colour = "#cf222e"
		}
		name := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(r.entry + ", " + r.what)
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-8, y+4, name)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="8" fill="#b6c8e0"/><circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x(r.low), y-4, x(r.high)-x(r.low), x(r.is), y, colour)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
