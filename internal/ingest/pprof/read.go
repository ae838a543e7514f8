package pprof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"whyhot/internal/profile"
)

// Options say how to read. The zero value is right for most files.
type Options struct {
	// SampleType names the value to read, for example "alloc_space"; "" takes
	// the profile's own default, else CPU nanoseconds, else the last type.
	SampleType string
	// MaxEntries bounds the strings, functions, locations and lines together, and the
	// different samples; 0 does not.
	MaxEntries int
}

// ErrEmpty is wrapped when a profile is sound but has no sample.
var ErrEmpty = errors.New("no samples")

// Read parses an uncompressed pprof protocol buffer up to the end of r.
func Read(ctx context.Context, r io.Reader, opts Options) (*profile.Profile, error) {
	t, samples, err := scan(ctx, r, opts.MaxEntries)
	if err != nil {
		return nil, err
	}
	if len(t.strings) > 0 && t.strings[0] != "" {
		return nil, fmt.Errorf("pprof: string_table 0 must be empty, it is %.40q: the data is damaged", t.strings[0])
	}
	if len(t.sampleTypes) == 0 {
		return nil, errors.New("pprof: the profile has no sample type")
	}
	if samples.n == 0 {
		return nil, fmt.Errorf("pprof: %w: the profiler ran but saw no activity", ErrEmpty)
	}
	cols, err := chooseColumns(t, opts.SampleType)
	if err != nil {
		return nil, err
	}
	b, err := newBuild(t, cols)
	if err != nil {
		return nil, err
	}
	b.n, b.most = samples.n, opts.MaxEntries
	if err := samples.each(ctx, b.sample); err != nil {
		return nil, err
	}
	if b.kept == 0 {
		return nil, b.allZero()
	}
	return b.finish()
}

// columns says which of a sample's values are Value and Count.
type columns struct {
	types  []profile.ValueType
	value  int
	count  int   // -1: not given
	waits  int   // the number of waits, and their time in the next, beside what is asked for; -1: none
	period int64 // of the value when count is not given, else 0
}

func chooseColumns(t *tables, want string) (columns, error) {
	c := columns{count: -1, waits: -1}
	for i, r := range t.sampleTypes {
		vt, err := t.valueType(r)
		if err != nil {
			return c, fmt.Errorf("pprof: sample_type %d: %w", i, err)
		}
		c.types = append(c.types, vt)
	}
	def, err := t.str(t.defaultType)
	if err != nil {
		return c, fmt.Errorf("pprof: default_sample_type: %w", err)
	}
	c.value = len(c.types) - 1
	switch {
	case want != "":
		if c.value = c.last(want); c.value < 0 {
			return c, fmt.Errorf("pprof: no sample type %q; this profile has %s", want, c.names())
		}
	case def != "" && c.last(def) >= 0:
		c.value = c.last(def)
	default:
		if i := slices.Index(c.types, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}); i >= 0 {
			c.value = i
		}
	}
	if i := slices.Index(c.types, offCPU); i > 0 && c.types[i-1] == waitsCount {
		c.waits = i - 1
	}
	return c, c.chooseCount(t)
}

// chooseCount finds the number of events behind the value.
func (c *columns) chooseCount(t *tables) error {
	v := c.types[c.value]
	for i, vt := range c.types {
		if v == offCPU {
			if vt == waitsCount {
				c.count = i
				return nil
			}
			continue
		}
		if vt.Unit == unitCount && (vt.Type == samplesCount.Type || vt.Type == "sample" || vt.Type == "contentions" && v.Type == "delay") {
			c.count = i
			return nil
		}
	}
	pt, err := t.valueType(t.periodType)
	if err != nil && (t.periodType != rawType{}) {
		return fmt.Errorf("pprof: period_type: %w", err)
	}
	switch {
	case t.period > 0 && pt.Unit == v.Unit && v.Unit != "":
		c.period = t.period
	case v.Unit == unitCount:
		c.count = c.value
	}
	return nil
}

func (c *columns) last(name string) int {
	for i, t := range slices.Backward(c.types) {
		if t.Type == name {
			return i
		}
	}
	return -1
}

func (c *columns) names() string {
	names := make([]string, len(c.types))
	for i, t := range c.types {
		names[i] = t.Type
	}
	return strings.Join(names, ", ")
}

// pick gives the two numbers of one sample.
func (c *columns) pick(values []int64) (count, value int64) {
	value = values[c.value]
	switch {
	case c.count >= 0:
		return values[c.count], value
	case value == 0:
		return 0, 0
	case c.period > 0:
		n := (abs(value) + c.period/2) / c.period
		return max(n, 1), value
	}
	return 1, value
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// finish builds the profile and its Meta.
func (b *build) finish() (*profile.Profile, error) {
	t := b.t
	meta := profile.Meta{
		Source:    "pprof",
		ValueType: b.cols.types[b.cols.value],
		Period:    t.period,
		Start:     t.start(),
		Duration:  time.Duration(t.duration),
		Elapsed:   b.labels.elapsed,
	}
	if (t.periodType != rawType{}) {
		pt, err := t.valueType(t.periodType)
		if err != nil {
			return nil, fmt.Errorf("pprof: period_type: %w", err)
		}
		meta.PeriodType = pt
	}
	for _, c := range b.comments {
		readComment(&meta, c)
	}
	meta.Warnings = append(meta.Warnings, b.warnings()...)
	return b.b.Build(meta), nil
}
