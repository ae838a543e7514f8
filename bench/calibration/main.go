// Calibration holds the estimates of `whyhot explain` against measured ratios: for each
// pair of bench/catalog/pairs.json the range that is predicted from the profile of the
// baseline, beside the CPU that the change saved when it was measured.
//
//	go run ./bench/calibration [-svg FILE] bench/catalog > TABLE.md
//
// Nothing predicts itself: a row is predicted from the trials of the entry's other
// workloads and of other entries with the same kind of change, and how wide a range is
// was fitted without all rows of that entry. What was fitted to all rows, for
// catalog.HeldOut, is in the last line.
//
// An entry proposes several variants at times. The advice is to try each, so those on
// one workload are one row: the best.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/explain"
	"whyhot/internal/explain/catalog"
	"whyhot/internal/fetch"
	"whyhot/internal/finding"
)

// pair is a trial of catalog/trials.json and the profile of its baseline.
type pair struct {
	Entry    string `json:"entry"`
	Workload string `json:"workload"`
	Baseline string `json:"baseline"`
	Variant  string `json:"variant"`
	Group    string `json:"group"`
	Profile  string `json:"profile"`
}

// row is a prediction and what came of it.
type row struct {
	entry           *catalog.Entry
	workload, group string
	baseline        string
	share           finding.Share
	reach           float64
	saved           float64 // measured, the best of the variants
	low, high       float64 // predicted
	workloads       int     // that the prediction rests on
	why             string  // there is no estimate
	none            bool    // no finding: nothing was predicted
}

func (r *row) inside() bool { return r.saved >= r.low && r.saved <= r.high }

func main() {
	svg := flag.String("svg", "", "write the chart to `FILE`")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *svg, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, svg string, w io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: calibration [-svg FILE] bench/catalog")
	}
	rows, err := measured(ctx, args[0])
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].predict(rows)
	}
	if err := table(w, rows); err != nil || svg == "" {
		return err
	}
	return os.WriteFile(svg, []byte(chart(rows)), 0o644) //nolint:gosec // a picture for everybody
}

// measured explains the profile of every baseline, and gives what its trials saved.
func measured(ctx context.Context, dir string) ([]row, error) {
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
	reports := map[string]finding.Report{}
	at := map[[3]string]int{}
	var rows []row
	for _, p := range file.Pairs {
		entry, ok := rules.Catalog.Entry(p.Entry)
		if !ok {
			return nil, fmt.Errorf("%s is no entry", p.Entry)
		}
		t := slices.IndexFunc(entry.Trials, func(t catalog.Trial) bool {
			return t.Workload == p.Workload && t.Baseline == p.Baseline && t.Variant == p.Variant
		})
		if t < 0 {
			return nil, fmt.Errorf("%s, %s: no trial", p.Entry, p.Workload)
		}
		key := [3]string{p.Entry, p.Workload, p.Baseline}
		if i, seen := at[key]; seen {
			rows[i].saved = max(rows[i].saved, entry.Trials[t].Saved())
			continue
		}
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
		r := row{entry: entry, workload: p.Workload, group: p.Group, baseline: p.Baseline, saved: entry.Trials[t].Saved(), none: true}
		for _, f := range report.Findings {
			if f.Rule == p.Entry && f.Gain != nil && f.Gain.Reach > 0 && f.Share.Main() > r.share.Main() {
				r.share, r.reach, r.none = f.Share, f.Gain.Reach, false
			}
		}
		at[key] = len(rows)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.entry.ID, b.entry.ID), cmp.Compare(a.workload, b.workload), cmp.Compare(a.baseline, b.baseline))
	})
	for i := range rows {
		rows[i].saved = max(0, rows[i].saved) // what loses is not kept
	}
	return rows, nil
}

// without is the entry of a row as it would be had the row's workload not been tried.
func (r *row) without() *catalog.Entry {
	e := *r.entry
	e.Trials = slices.DeleteFunc(slices.Clone(e.Trials), func(t catalog.Trial) bool { return t.Workload == r.workload })
	return &e
}

func (r *row) predict(all []row) {
	if r.none {
		return
	}
	margin := 0.0
	if r.share.Error != nil {
		margin = *r.share.Error
	}
	x := r.without().Expected(fit(all, r.entry.ID), r.reach, margin)
	r.workloads, r.why, r.low, r.high = x.Workloads, x.Why, x.Low, x.High
}

// kind is what rows are like before anything is known of their workload.
type kind struct {
	change string
	tried  bool
}

// kind is false where there is no range for entries of this kind.
func (r *row) kind() (kind, bool) {
	k := kind{r.entry.Reduction.Change, len(r.without().Parts()) > 0}
	return k, !r.none && (k.change == catalog.ChangeRemoved || k.change == catalog.ChangeReplaced && k.tried)
}

// fit is how far rows lay from what the other workloads of their entry and other
// entries of the kind say, without the rows of one entry.
//
// The factor of rows with trials, and of those without, is the 70% quantile of how many
// spreads they lay off, drawn to that of all rows as if by shrinking more rows, since few
// are without. In these units the ends of the range are conformal quantiles over all. The
// low end of rows without trials is one of the parts of their reach that changes which
// take work away saved.
func fit(rows []row, leftOut string) catalog.Held {
	const scale, shrinking, each = 0.7, 4, 0.95
	held := catalog.Held{
		Removed:  middle(rows, catalog.ChangeRemoved, leftOut),
		Replaced: middle(rows, catalog.ChangeReplaced, leftOut),
	}
	off := map[bool][]float64{}
	var all, least []float64
	for i := range rows {
		r := &rows[i]
		k, ranged := r.kind()
		if !ranged || r.entry.ID == leftOut {
			continue
		}
		part := catalog.Part(r.without().Parts(), middle(rows, k.change, leftOut, r.entry.ID))
		spreads := (r.saved - math.Min(1, r.reach*part)) / catalog.Spread(part, r.reach)
		if k.change == catalog.ChangeRemoved {
			least = append(least, -r.saved/r.reach)
		}
		off[k.tried] = append(off[k.tried], spreads)
		all = append(all, math.Abs(spreads))
	}
	overall := math.Log(quantile(all, scale))
	var below, above []float64
	factor := func(tried bool) float64 {
		of := off[tried]
		if len(of) == 0 {
			return 0
		}
		distances := make([]float64, len(of))
		for i, v := range of {
			distances[i] = math.Abs(v)
		}
		n := float64(len(of))
		f := math.Exp((n*math.Log(quantile(distances, scale)) + shrinking*overall) / (n + shrinking))
		for _, v := range of {
			below, above = append(below, -v/f), append(above, v/f)
		}
		return f
	}
	held.Untried, held.Tried = factor(false), factor(true)
	held.Below, held.Above, held.Least = quantile(below, each), quantile(above, each), -quantile(least, each)
	return held
}

// middle is the part that the middle workload of a kind of change saved, without those
// of some entries.
func middle(rows []row, change string, leftOut ...string) float64 {
	var parts []float64
	for i := range rows {
		r := &rows[i]
		if !r.none && r.entry.Reduction.Change == change && !slices.Contains(leftOut, r.entry.ID) {
			parts = append(parts, r.saved/r.reach)
		}
	}
	return quantile(parts, 0.5)
}

// quantile is the conformal one: of n numbers the ⌈(n+1)q⌉-th.
func quantile(numbers []float64, q float64) float64 {
	if len(numbers) == 0 {
		return math.Inf(1)
	}
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[min(len(sorted), int(math.Ceil(float64(len(sorted)+1)*q)))-1]
}

func table(w io.Writer, rows []row) error {
	out := &strings.Builder{}
	fmt.Fprintln(out, "| entry | workload | share | rests on | predicted to save | saved | inside |\n|---|---|---|---|---|---|---|")
	silent := 0
	for i := range rows {
		r := &rows[i]
		switch mark := "no"; {
		case r.none:
			silent++
			fmt.Fprintf(out, "| %s | %s | | | no finding | %.1f%% | |\n", r.entry.ID, r.workload, 100*r.saved)
		case r.why != "":
			fmt.Fprintf(out, "| %s | %s | %.1f%% | %s | no estimate | %.1f%% | |\n", r.entry.ID, r.workload, 100*r.share.Main(), restsOn(r), 100*r.saved)
		default:
			if r.inside() {
				mark = "yes"
			}
			fmt.Fprintf(out, "| %s | %s | %.1f%% | %s | %.1f … %.1f%% | %.1f%% | %s |\n", r.entry.ID, r.workload, 100*r.share.Main(), restsOn(r), 100*r.low, 100*r.high, 100*r.saved, mark)
		}
	}
	fmt.Fprintln(out)
	summary(out, "all", rows, func(*row) bool { return true })
	for _, change := range []string{catalog.ChangeRemoved, catalog.ChangeReplaced} {
		for _, tried := range []bool{true, false} {
			of := kind{change, tried}
			summary(out, "of them "+restsOnKind(of), rows, func(r *row) bool { k, _ := r.kind(); return k == of })
		}
	}
	summary(out, "real programs", rows, func(r *row) bool { return r.group == "programs" || r.group == "commands" })
	fmt.Fprintf(out, "\n%d workloads without a finding. Fitted to all: %.2f\n", silent, fit(rows, ""))
	_, err := io.WriteString(w, out.String())
	return err
}

func restsOn(r *row) string {
	if r.workloads == 0 {
		return r.entry.Reduction.Change
	}
	return fmt.Sprintf("%s, %d of ours", r.entry.Reduction.Change, r.workloads)
}

func restsOnKind(k kind) string {
	if k.tried {
		return k.change + ", with trials of other workloads"
	}
	return k.change + ", without"
}

func summary(w *strings.Builder, name string, rows []row, of func(*row) bool) {
	var widths []float64
	inside, found := 0, 0
	for i := range rows {
		r := &rows[i]
		if r.none || !of(r) {
			continue
		}
		found++
		if r.why != "" {
			continue
		}
		if r.inside() {
			inside++
		}
		widths = append(widths, r.high-r.low)
	}
	if len(widths) == 0 {
		fmt.Fprintf(w, "%s: no estimate for any of %d\n", name, found)
		return
	}
	slices.Sort(widths)
	fmt.Fprintf(w, "%s: estimates for %d of %d; %d hold (%.0f%%), median width %.1f points\n", name, len(widths), found, inside, 100*float64(inside)/float64(len(widths)), 100*widths[len(widths)/2])
}

// chart draws the predicted ranges as bars and what was saved as dots.
func chart(rows []row) string {
	const left, width, step, top = 380, 520, 16, 46
	shown := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.none || r.why != "" })
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
		name := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(r.entry.ID + ", " + short(r.workload))
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-8, y+4, name)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="8" fill="#b6c8e0"/><circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", x(r.low), y-4, x(r.high)-x(r.low), x(r.saved), y, colour)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// short keeps a name within the margin of the chart.
func short(s string) string {
	const most = 34
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
