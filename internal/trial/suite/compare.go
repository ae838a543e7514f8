package suite

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/trial"
	"whyhot/internal/trial/foreign"
	"whyhot/internal/trial/stat"
)

// Read compares files that other tools wrote, the first of them as the baseline;
// "-" is the standard input. Of the metrics, they have wall and CPU time only.
func Read(paths []string, stdin io.Reader, m trial.Metric) (*Result, error) {
	take := foreign.Real
	switch m { //nolint:exhaustive // the others are in no file
	case "", trial.Wall:
	case trial.CPU:
		take = foreign.CPU
	default:
		return nil, fmt.Errorf("--metric %s: results of other tools have wall and cpu only", m)
	}
	files := make([]*foreign.Results, 0, len(paths))
	for _, path := range paths {
		r, err := foreign.Read(path, stdin, take)
		if err != nil {
			return nil, err
		}
		files = append(files, r)
	}
	return Compare(files)
}

// Compare sets the results of other tools side by side: the first file is the
// baseline, each other one a variant. One file with several commands compares
// the first command with the others.
func Compare(files []*foreign.Results) (*Result, error) {
	switch {
	case len(files) == 0:
		return nil, errors.New("no results to compare")
	case len(files) == 1:
		split, err := commands(files[0])
		if err != nil {
			return nil, err
		}
		files = split
	default:
		alike(files)
	}
	r := &Result{Version: ResultVersion, Stopped: trial.StopRounds}
	paths := names(files)
	r.Name = paths[0] + " as the baseline"
	r.Variants = paths[1:]
	few := 0
	for _, s := range files[0].Series {
		b, known := compared(&s, files[1:])
		if !known {
			few++
		}
		r.Benchmarks = append(r.Benchmarks, b)
	}
	if err := r.unmatched(files); err != nil {
		return nil, err
	}
	for i, f := range files {
		for _, n := range f.Notes {
			r.Notes = append(r.Notes, paths[i]+": "+n)
		}
	}
	if few > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d of %d benchmarks have too few repetitions for an interval: four of baseline and variant each are the fewest (%s)", few, len(r.Benchmarks), repeatHint(files[0])))
	}
	r.Notes = append(r.Notes, "baseline and variants were measured one after the other, so what the machine did meanwhile is part of the ratio; `whyhot try` runs them in turn")
	r.summarize(1, 0)
	return r, nil
}

func repeatHint(f *foreign.Results) string {
	if f.Tool == foreign.Hyperfine {
		return "hyperfine --runs 10"
	}
	return "--benchmark_repetitions=10, without --benchmark_report_aggregates_only"
}

// commands makes every command of one file a baseline or variant of its own.
func commands(f *foreign.Results) ([]*foreign.Results, error) {
	if len(f.Series) < 2 {
		return nil, fmt.Errorf("%s holds one benchmark: name a second file to compare it with", f.Path)
	}
	if f.Tool != foreign.Hyperfine {
		return nil, fmt.Errorf("%s: name a second file to compare its benchmarks with", f.Path)
	}
	var out []*foreign.Results
	for i, s := range f.Series {
		one := &foreign.Results{Path: s.Name, Tool: f.Tool, Series: []foreign.Series{s}}
		one.Series[0].Name = "command"
		if i == 0 {
			one.Notes = f.Notes
		}
		out = append(out, one)
	}
	return out, nil
}

// alike gives files of one benchmark each a common name for it: two command
// lines that are compared are seldom the same.
func alike(files []*foreign.Results) {
	for _, f := range files {
		if len(f.Series) != 1 {
			return
		}
	}
	for _, f := range files[1:] {
		f.Series[0].Name = files[0].Series[0].Name
	}
}

// names are the shortest ends of the paths that tell the files apart.
func names(files []*foreign.Results) []string {
	for depth := 1; ; depth++ {
		out := make([]string, len(files))
		longer := false
		for i, f := range files {
			parts := strings.Split(filepath.ToSlash(f.Path), "/")
			longer = longer || len(parts) > depth
			out[i] = strings.Join(parts[max(0, len(parts)-depth):], "/")
			if f.Tool == foreign.Hyperfine && len(f.Series) == 1 && f.Series[0].Name == "command" {
				out[i] = f.Path
			}
		}
		distinct := slices.Clone(out)
		slices.Sort(distinct)
		if len(slices.Compact(distinct)) == len(out) || !longer {
			return out
		}
	}
}

// compared is one benchmark; known says that all variants have an interval.
func compared(base *foreign.Series, variants []*foreign.Results) (b Benchmarked, known bool) {
	b = Benchmarked{Name: base.Name, Unit: base.Unit, HigherIsBetter: base.Higher}
	first := seriesValue(base)
	b.Baseline = &first
	known = true
	for _, f := range variants {
		at := slices.IndexFunc(f.Series, func(s foreign.Series) bool { return s.Name == base.Name })
		if at < 0 {
			b.Variants = append(b.Variants, Value{Verdict: trial.Unclear, Explanation: "not in " + filepath.Base(f.Path)})
			continue
		}
		v := seriesValue(&f.Series[at])
		v.judge(&first, base.Higher)
		known = known && v.Ratio.Known()
		b.Variants = append(b.Variants, v)
	}
	return b, known
}

func seriesValue(s *foreign.Series) Value {
	return Value{
		Median: stat.Median(s.Values), Runs: max(len(s.Values), s.Summarized), samples: s.Values,
		Compared: trial.NotCompared, ComparedWhy: "results of other tools do not hold what the commands wrote",
	}
}

func (v *Value) judge(base *Value, higher bool) {
	from, to := base.samples, v.samples
	if higher {
		from, to = to, from
	}
	rules := stat.DefaultRules(1)
	i, ok := stat.Shift(from, to, rules.Level)
	v.Verdict = trial.Unclear
	if !ok {
		v.Ratio = &Ratio{Estimate: ratio(base.Median, v.Median, higher)}
		v.Explanation = fmt.Sprintf("%d and %d repetitions are too few to estimate the noise", len(base.samples), len(v.samples))
		return
	}
	v.Ratio = &Ratio{i.Estimate, i.Low, i.High}
	v.Verdict = rules.JudgeRange(i)
}

// unmatched refuses files that have nothing in common and notes what only some
// of them have.
func (r *Result) unmatched(files []*foreign.Results) error {
	common := 0
	for _, b := range r.Benchmarks {
		for _, v := range b.Variants {
			if v.Ratio != nil {
				common++
			}
		}
	}
	if common == 0 {
		return fmt.Errorf("%s and %s have no benchmark in common: the first of one is %q, of the other %q",
			files[0].Path, files[1].Path, files[0].Series[0].Name, files[1].Series[0].Name)
	}
	for i, f := range files[1:] {
		var only []string
		for _, s := range f.Series {
			if !slices.ContainsFunc(files[0].Series, func(b foreign.Series) bool { return b.Name == s.Name }) {
				only = append(only, s.Name)
			}
		}
		if len(only) > 0 {
			const most = 3
			text := strings.Join(only[:min(most, len(only))], ", ")
			r.Notes = append(r.Notes, fmt.Sprintf("only in %s: %d benchmarks (%s…)", r.Variants[i], len(only), text))
		}
	}
	return nil
}
