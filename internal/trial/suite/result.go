package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/trial"
	"whyhot/internal/trial/stat"
)

// ResultVersion is the version of the JSON form.
const ResultVersion = 1

// Result is what a suite says of its variants.
type Result struct {
	Version    int           `json:"version"`
	Name       string        `json:"name"`
	Chain      bool          `json:"chain,omitempty"` // each variant has the changes of those before it
	Variants   []string      `json:"variants"`
	Started    time.Time     `json:"started"`
	Elapsed    float64       `json:"elapsed_seconds"`
	Stopped    trial.Stop    `json:"stopped"`
	Seed       uint64        `json:"seed"`
	Machine    trial.Machine `json:"machine"`
	Benchmarks []Benchmarked `json:"benchmarks"`
	Summary    []Summary     `json:"summary"`
	Notes      []string      `json:"notes,omitempty"`
	// Failing is the condition of --fail-if, nil where none was given.
	Failing *trial.FailIf `json:"fail_if,omitempty"`
}

// FailIf puts into the result whether a condition holds for the mean of any variant,
// or where it names a verdict other than slower and faster, for any benchmark.
func (r *Result) FailIf(f *trial.FailIf) {
	for i := range r.Summary {
		s := &r.Summary[i]
		var mean *finding.Interval
		if s.GeoMean.Known() {
			mean = s.GeoMean.Interval()
		}
		f.Check(s.Variant, s.Verdict, mean, false)
	}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for k := range b.Variants {
			if v := b.Variants[k].Verdict; v == trial.Different || v == trial.Failed {
				f.Check(r.Variants[k]+" on "+b.Name, v, nil, b.HigherIsBetter)
			}
		}
	}
	r.Failing = f
}

// Benchmarked is one benchmark and its variants, in the order of Result.Variants.
type Benchmarked struct {
	Name           string  `json:"name"`
	Unit           string  `json:"unit,omitempty"`
	HigherIsBetter bool    `json:"higher_is_better,omitempty"`
	Baseline       *Value  `json:"baseline,omitempty"`
	Variants       []Value `json:"variants,omitempty"`
	// Error says why there is nothing to compare.
	Error string `json:"error,omitempty"`
	// Outcome is the trial behind it, where whyhot ran it.
	Outcome *trial.Outcome `json:"trial,omitempty"`
}

// Value is what the baseline or a variant took of a benchmark.
type Value struct {
	Median float64 `json:"median"`
	Runs   int     `json:"runs"`
	// Ratio is above 1 for what is better than the baseline; nil for the baseline
	// and where nothing can be said. Without an interval, Low and High are 0.
	Ratio       *Ratio        `json:"ratio,omitempty"`
	Verdict     trial.Verdict `json:"verdict,omitempty"`
	Explanation string        `json:"explanation,omitempty"`
	// Compared says how far it is known that a variant does the baseline's work,
	// ComparedWhy why no further.
	Compared    trial.Compared `json:"compared,omitempty"`
	ComparedWhy string         `json:"compared_why,omitempty"`

	samples []float64 // in the order of the rounds
}

// Ratio is an estimate, with an interval where one is known.
type Ratio struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low,omitempty"`
	High     float64 `json:"high,omitempty"`
}

// Known says that there is an interval.
func (r *Ratio) Known() bool { return r != nil && r.Low > 0 && !math.IsInf(r.High, 1) }

// Interval is a ratio as findings have it; call it only where it is known.
func (r *Ratio) Interval() *finding.Interval {
	return &finding.Interval{Estimate: r.Estimate, Low: r.Low, High: r.High}
}

func ratioOf(i finding.Interval) *Ratio {
	if i.Low <= 0 || math.IsInf(i.High, 0) {
		return &Ratio{Estimate: i.Estimate}
	}
	return &Ratio{i.Estimate, i.Low, i.High}
}

// Summary is one variant over the whole suite.
type Summary struct {
	Variant string   `json:"variant"`
	Counted int      `json:"counted"`            // benchmarks that it is of
	Left    []string `json:"left_out,omitempty"` // benchmarks that it is not of, with the reason
	Min     *Extreme `json:"min,omitempty"`
	GeoMean *Ratio   `json:"geomean,omitempty"`
	Max     *Extreme `json:"max,omitempty"`
	// NotCompared are the counted benchmarks of which nothing says that the variant
	// does the baseline's work, InPart those of which a part does.
	NotCompared []string `json:"not_compared,omitempty"`
	InPart      []string `json:"compared_in_part,omitempty"`
	// Verdict is of the geometric mean.
	Verdict trial.Verdict `json:"verdict"`
}

// Extreme is the smallest or largest ratio.
type Extreme struct {
	Benchmark string `json:"benchmark"`
	Ratio     Ratio  `json:"ratio"`
}

func newBenchmark(name string, o *trial.Outcome, err error) Benchmarked {
	b := Benchmarked{Name: name, Outcome: o}
	if err != nil {
		b.Error = err.Error()
	}
	if o == nil {
		return b
	}
	b.Unit, b.HigherIsBetter = o.Unit, o.HigherIsBetter
	base := valueOf(&o.Baseline, o.Metric)
	b.Baseline = &base
	for i := range o.Variants {
		v := &o.Variants[i]
		value := valueOf(&v.Arm, o.Metric)
		value.Verdict, value.Explanation = v.Verdict, v.Explanation
		value.Compared, value.ComparedWhy = v.Compared, v.ComparedWhy
		if r, ok := o.SpeedUp(v); ok {
			value.Ratio = ratioOf(r)
		} else if v.Verdict == trial.Unclear && base.Median > 0 && value.Median > 0 {
			value.Ratio = &Ratio{Estimate: ratio(base.Median, value.Median, b.HigherIsBetter)}
		}
		b.Variants = append(b.Variants, value)
	}
	return b
}

func valueOf(a *trial.Arm, m trial.Metric) Value {
	s := a.Summary[m]
	return Value{Median: s.Median, Runs: a.Runs, samples: s.Samples}
}

func ratio(base, variant float64, higher bool) float64 {
	if higher {
		return variant / base
	}
	return base / variant
}

// counts says that a variant computes the same and was measured.
func (v *Value) counts() bool {
	return v.Ratio != nil && v.Verdict != trial.Different && v.Verdict != trial.Failed
}

// summarize fills the summary of every variant. The intervals hold together at the
// level, 0 for the usual one.
func (r *Result) summarize(seed uint64, level float64) {
	rng := rand.New(rand.NewPCG(seed, 4)) //nolint:gosec // resampling needs a seed that can be repeated, not secrecy
	rules := stat.DefaultRules(len(r.Variants))
	if level > 0 {
		rules = rules.At(level)
	}
	for i, name := range r.Variants {
		r.Summary = append(r.Summary, r.summaryOf(i, name, rules, rng))
	}
}

func (r *Result) summaryOf(variant int, name string, rules stat.Rules, rng *rand.Rand) Summary {
	s := Summary{Variant: name, Verdict: trial.Unclear}
	var logs float64
	var samples []stat.Sample
	for k := range r.Benchmarks {
		b := &r.Benchmarks[k]
		if variant >= len(b.Variants) {
			s.Left = append(s.Left, b.Name+": not measured")
			continue
		}
		v := &b.Variants[variant]
		if !v.counts() {
			s.Left = append(s.Left, b.Name+": "+v.reason())
			continue
		}
		s.Counted++
		switch v.Compared {
		case trial.NotCompared:
			s.NotCompared = append(s.NotCompared, b.Name)
		case trial.ComparedPart:
			s.InPart = append(s.InPart, b.Name)
		case trial.ComparedWhole:
		}
		logs += math.Log(v.Ratio.Estimate)
		if s.Min == nil || v.Ratio.Estimate < s.Min.Ratio.Estimate {
			s.Min = &Extreme{b.Name, *v.Ratio}
		}
		if s.Max == nil || v.Ratio.Estimate > s.Max.Ratio.Estimate {
			s.Max = &Extreme{b.Name, *v.Ratio}
		}
		if sample, ok := b.resample(v, rng); ok {
			samples = append(samples, sample)
		}
	}
	if s.Counted == 0 {
		return s
	}
	s.GeoMean = &Ratio{Estimate: math.Exp(logs / float64(s.Counted))}
	if len(samples) < s.Counted {
		return s
	}
	i := stat.GeoMean(samples, rng).Interval(rules.Each())
	s.GeoMean.Low, s.GeoMean.High = i.Low, i.High
	s.Verdict = rules.JudgeRange(i)
	return s
}

func (v *Value) reason() string {
	if v.Explanation != "" && v.Verdict != "" {
		return string(v.Verdict) + ": " + v.Explanation
	}
	return "not measured"
}

// resample gives the distribution of a benchmark's ratio; ok is false where
// there are too few rounds for one.
func (b *Benchmarked) resample(v *Value, rng *rand.Rand) (stat.Sample, bool) {
	base, other := b.Baseline.samples, v.samples
	if !v.Ratio.Known() || len(base) != len(other) || len(base) < stat.FewestResampled {
		return stat.Sample{}, false
	}
	if b.HigherIsBetter {
		base, other = other, base
	}
	return stat.RatioOfMedians(base, other, rng), true
}

// Caveat says how many benchmarks of a mean were not compared, "" where all were.
func (s *Summary) Caveat() string {
	if len(s.NotCompared) == 0 {
		return ""
	}
	word := "benchmarks"
	if s.Counted == 1 {
		word = "benchmark"
	}
	return fmt.Sprintf("with %d of %d %s not compared", len(s.NotCompared), s.Counted, word)
}

// Worst lists the benchmarks on which a variant is slower.
func (r *Result) Worst(variant int) []string {
	var out []string
	for i := range r.Benchmarks {
		if b := &r.Benchmarks[i]; variant < len(b.Variants) && b.Variants[variant].Verdict == trial.Slower {
			out = append(out, b.Name)
		}
	}
	return slices.Clip(out)
}
