package otlp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"whyhot/internal/profile"
)

// ErrEmpty is wrapped when the input is sound but has no sample.
var ErrEmpty = errors.New("no samples")

// Options say how to read.
type Options struct {
	// SampleType chooses by the name of the sample type or of the period type
	// ("cpu", "off_cpu"); "" takes CPU time where there is any, else the first.
	SampleType string
	// KeepTime makes one row of each timestamp.
	KeepTime bool
}

// Decode converts one request or file.
func Decode(ctx context.Context, pd pprofile.Profiles, o Options) (*profile.Profile, error) {
	d := newDecoder(o)
	if err := d.add(ctx, pd); err != nil {
		return nil, err
	}
	return d.profile()
}

// decoder gathers requests into one profile.
type decoder struct {
	opts     Options
	b        *profile.Builder
	chosen   string // type of the profiles that are read, "" until one was met
	meta     profile.Meta
	end      time.Time
	others   map[string]bool
	skipped  int64
	count    int64 // sums, which must not overflow
	value    int64
	segments map[segmentKey]*segment
	moved    map[movedKey]uint64
}

// segmentKey is one segment of one binary.
type segmentKey struct {
	path, buildID string
	bias          uint64 // address less file offset
}

// segment is how far the pieces of a segment that were met reach.
type segment struct {
	id           profile.MappingID
	start, limit uint64
}

// movedKey is one piece of a binary; processes may map it at different addresses.
type movedKey struct {
	path, buildID string
	offset        uint64
}

func newDecoder(o Options) *decoder {
	return &decoder{
		opts: o, b: profile.NewBuilder(), others: map[string]bool{},
		segments: map[segmentKey]*segment{}, moved: map[movedKey]uint64{},
		meta: profile.Meta{Source: sourceName},
	}
}

// add converts one request.
func (d *decoder) add(ctx context.Context, pd pprofile.Profiles) error {
	t := newTables(d, pd)
	if d.chosen == "" {
		d.chosen = d.choose(t, pd)
	}
	for i, rp := range pd.ResourceProfiles().All() {
		resource := resourceLabels(rp.Resource().Attributes())
		for j, sp := range rp.ScopeProfiles().All() {
			for k, p := range sp.Profiles().All() {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := d.one(t, p, resource); err != nil {
					return fmt.Errorf("resource_profiles[%d].scope_profiles[%d].profiles[%d]: %w", i, j, k, err)
				}
			}
		}
	}
	return nil
}

// typeName is what a profile measures: the type of its period, or of its samples.
func typeName(t *tables, p pprofile.Profile) string {
	if period, err := t.text(p.PeriodType().TypeStrindex()); err == nil && period != "" {
		return period
	}
	name, err := t.text(p.SampleType().TypeStrindex())
	if err != nil {
		return ""
	}
	return name
}

// choose says which of the types is read.
func (d *decoder) choose(t *tables, pd pprofile.Profiles) string {
	if d.opts.SampleType != "" {
		return d.opts.SampleType
	}
	first := ""
	for _, rp := range pd.ResourceProfiles().All() {
		for _, sp := range rp.ScopeProfiles().All() {
			for _, p := range sp.Profiles().All() {
				name := typeName(t, p)
				if name == "cpu" {
					return name
				}
				if first == "" {
					first = name
				}
			}
		}
	}
	return first
}

func (d *decoder) one(t *tables, p pprofile.Profile, resource []profile.Label) error {
	if name := typeName(t, p); name != d.chosen {
		d.others[name] = true
		return nil
	}
	v, err := t.valuesOf(p)
	if err != nil {
		return err
	}
	d.note(p, &v)
	for _, i := range p.AttributeIndices().All() {
		if key, value, err := t.attribute(i); err == nil && key == attrLost && value.Type() == pcommon.ValueTypeInt {
			d.meta.Lost += uint64(max(value.Int(), 0))
		}
	}
	for i, s := range p.Samples().All() {
		if err := d.sample(t, s, &v, resource); err != nil {
			return fmt.Errorf("samples[%d]: %w", i, err)
		}
	}
	return nil
}

// note takes what is true of the whole profile.
func (d *decoder) note(p pprofile.Profile, v *values) {
	if d.meta.ValueType == (profile.ValueType{}) {
		d.meta.ValueType, d.meta.PeriodType, d.meta.Period = v.unit, v.periodType, v.period
	} else if d.meta.Period != v.period {
		d.meta.Period = 0
	}
	if p.Time() == 0 {
		return
	}
	start := p.Time().AsTime()
	end := start.Add(time.Duration(min(p.DurationNano(), 1<<62)))
	if d.meta.Start.IsZero() || start.Before(d.meta.Start) {
		d.meta.Start = start
	}
	if end.After(d.end) {
		d.end = end
	}
}

// values says what the numbers of one profile mean.
type values struct {
	unit       profile.ValueType // of the model's values
	periodType profile.ValueType
	period     int64
	counts     bool // the samples' values are counts
	weighted   bool // a count weighs a period
}

func (t *tables) valuesOf(p pprofile.Profile) (values, error) {
	sample, err := t.valueType(p.SampleType())
	if err != nil {
		return values{}, fmt.Errorf("sample_type: %w", err)
	}
	period, err := t.valueType(p.PeriodType())
	if err != nil {
		return values{}, fmt.Errorf("period_type: %w", err)
	}
	v := values{unit: sample, periodType: period, period: max(p.Period(), 0), counts: sample.Unit == countUnit || sample == profile.ValueType{}}
	if v.counts && v.period > 0 && period.Unit != "" {
		v.weighted, v.unit = true, period
	}
	return v, nil
}

func (t *tables) valueType(v pprofile.ValueType) (profile.ValueType, error) {
	name, err := t.text(v.TypeStrindex())
	if err != nil {
		return profile.ValueType{}, err
	}
	unit, err := t.text(v.UnitStrindex())
	return profile.ValueType{Type: name, Unit: unit}, err
}

func (d *decoder) sample(t *tables, s pprofile.Sample, v *values, resource []profile.Label) error {
	stack, err := t.stack(s.StackIndex())
	if err != nil {
		return err
	}
	labels, count, err := t.labels(s.AttributeIndices(), resource)
	if err != nil {
		return err
	}
	set := d.b.Labels(labels)
	times, numbers := s.TimestampsUnixNano(), s.Values()
	if n := numbers.Len(); n > 0 && times.Len() > 0 && n != times.Len() {
		return fmt.Errorf("%d values for %d timestamps", n, times.Len())
	}
	add := func(at, count, number int64) error {
		row := profile.Sample{Stack: stack, Labels: set, Time: at, Count: count, Value: number}
		if v.weighted {
			if row.Value = number * v.period; number != 0 && row.Value/number != v.period {
				return fmt.Errorf("the weight %d × %d is out of range", number, v.period)
			}
		}
		if row.Count < 0 || row.Value < 0 {
			d.skipped++ // a difference: there is no such profile in the model
			return nil
		}
		if d.count += row.Count; d.count < 0 {
			return errors.New("the samples' counts are out of range")
		}
		if d.value += row.Value; d.value < 0 {
			return errors.New("the samples' values are out of range")
		}
		d.b.Sample(row)
		return nil
	}
	switch {
	case numbers.Len() == 0 && !d.opts.KeepTime:
		return add(0, int64(times.Len()), int64(times.Len()))
	case numbers.Len() == 0:
		for _, at := range times.All() {
			if err := add(int64(at), 1, 1); err != nil {
				return err
			}
		}
		return nil
	}
	for i, number := range numbers.All() {
		at := int64(0)
		if d.opts.KeepTime && times.Len() > 0 {
			at = int64(times.At(i))
		}
		fired := int64(1)
		switch {
		case count > 0:
			fired = count
		case v.counts:
			fired = number
		}
		if err := add(at, fired, number); err != nil {
			return err
		}
	}
	return nil
}

// profile closes the profile.
func (d *decoder) profile() (*profile.Profile, error) {
	for k, s := range d.segments {
		d.b.Complete(s.id, profile.Mapping{Path: k.path, BuildID: k.buildID, Start: s.start, Limit: s.limit, Offset: s.start - k.bias})
	}
	if !d.meta.Start.IsZero() {
		d.meta.Duration = d.end.Sub(d.meta.Start)
	}
	others := d.otherTypes()
	if others != "" {
		d.meta.Warnings = append(d.meta.Warnings, "it also holds profiles of another type: "+others)
	}
	if d.skipped > 0 {
		d.meta.Warnings = append(d.meta.Warnings, fmt.Sprintf("%d samples with negative values skipped", d.skipped))
	}
	p := d.b.Build(d.meta)
	if p.Count() > 0 {
		return p, nil
	}
	if d.opts.SampleType != "" && others != "" && d.meta.ValueType == (profile.ValueType{}) {
		return nil, fmt.Errorf("no profile of type %q: there are %s", d.opts.SampleType, others)
	}
	return nil, ErrEmpty
}

// maxTypes is how many types a message lists.
const maxTypes = 8

// otherTypes lists the types of the profiles that are not read.
func (d *decoder) otherTypes() string {
	names := slices.Sorted(maps.Keys(d.others))
	if more := len(names) - maxTypes; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxTypes], ", "), more)
	}
	return strings.Join(names, ", ")
}
