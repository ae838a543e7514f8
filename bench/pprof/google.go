package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	reference "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"

	"whyhot/internal/profile"
	"whyhot/internal/profile/codename"
)

// timeLabel is the label that whyhot keeps a sample's time in.
const timeLabel = "end_timestamp_ns"

// parseGoogle reads a compressed profile with github.com/google/pprof/profile and fills
// whyhot's model from what that gives, by the shortest way: tables by slices indexed
// by the parser's own numbers, no check that the parser has made.
func parseGoogle(path string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	g, err := reference.ParseData(data)
	if err != nil {
		return nil, err
	}
	return fromGoogle(g), nil
}

func fromGoogle(g *reference.Profile) *profile.Profile {
	b := profile.NewBuilder()
	type mapping struct {
		id   profile.MappingID
		kind profile.Kind
	}
	mappings := map[*reference.Mapping]mapping{}
	for _, m := range g.Mapping {
		id := b.Mapping(profile.Mapping{Path: m.File, BuildID: strings.ToLower(m.BuildID), Start: m.Start, Limit: m.Limit, Offset: m.Offset})
		mappings[m] = mapping{id, codename.OfMapping(m.File)}
	}
	locations := make(map[*reference.Location]profile.LocationID, len(g.Location))
	functions := make(map[*reference.Function]profile.Function, len(g.Function))
	isGo := false
	for _, f := range g.Function {
		fn := profile.Function{Name: codename.Display(f.Name), File: f.Filename, StartLine: int32(f.StartLine)}
		if f.SystemName != fn.Name {
			fn.SystemName = f.SystemName
		}
		functions[f] = fn
		isGo = isGo || strings.HasPrefix(fn.Name, "runtime.") && strings.HasSuffix(fn.File, ".go")
	}
	var lines []profile.Line
	for _, l := range g.Location {
		in := mappings[l.Mapping]
		lines = lines[:0]
		for _, line := range l.Line {
			fn := functions[line.Function]
			fn.Mapping, fn.Kind = in.id, codename.OfIn(fn.Name, fn.File, in.kind)
			if isGo && fn.Kind == profile.KindNative && strings.HasSuffix(fn.File, ".s") {
				fn.Kind = profile.KindGo
			}
			lines = append(lines, profile.Line{Function: b.Function(fn), Line: int32(line.Line)})
		}
		locations[l] = b.Location(in.id, l.Address, in.kind, lines...)
	}
	value := len(g.SampleType) - 1
	count := slices.IndexFunc(g.SampleType, func(t *reference.ValueType) bool { return t.Type == "samples" && t.Unit == "count" })
	var locs []profile.LocationID
	var labels []profile.Label
	for _, s := range g.Sample {
		locs = locs[:0]
		for _, l := range s.Location {
			locs = append(locs, locations[l])
		}
		sample := profile.Sample{Stack: b.Stack(locs), Count: 1, Value: s.Value[value]}
		if count >= 0 {
			sample.Count = s.Value[count]
		}
		if sample.Count == 0 && sample.Value == 0 {
			continue
		}
		labels = labels[:0]
		for _, key := range slices.Sorted(maps.Keys(s.Label)) {
			labels = append(labels, profile.Label{Key: key, Str: s.Label[key][0]})
		}
		for _, key := range slices.Sorted(maps.Keys(s.NumLabel)) {
			if key == timeLabel {
				sample.Time = s.NumLabel[key][0]
				continue
			}
			unit := ""
			if units := s.NumUnit[key]; len(units) > 0 {
				unit = units[0]
			}
			labels = append(labels, profile.Label{Key: key, Num: s.NumLabel[key][0], Unit: unit})
		}
		sample.Labels = b.Labels(labels)
		b.Sample(sample)
	}
	meta := profile.Meta{
		Source: "pprof", Period: g.Period, Duration: time.Duration(g.DurationNanos),
		ValueType: profile.ValueType{Type: g.SampleType[value].Type, Unit: g.SampleType[value].Unit},
	}
	if g.PeriodType != nil {
		meta.PeriodType = profile.ValueType{Type: g.PeriodType.Type, Unit: g.PeriodType.Unit}
	}
	if g.TimeNanos != 0 {
		meta.Start = time.Unix(0, g.TimeNanos)
	}
	return b.Build(meta)
}

// writeGoogle writes a profile with github.com/google/pprof/profile, compressed as
// whyhot compresses.
func writeGoogle(out io.Writer, p *profile.Profile) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := toGoogle(p).WriteUncompressed(z); err != nil {
		return err
	}
	return z.Close()
}

func toGoogle(p *profile.Profile) *reference.Profile {
	g := &reference.Profile{
		SampleType:        []*reference.ValueType{{Type: "samples", Unit: "count"}, {Type: p.Meta.ValueType.Type, Unit: p.Meta.ValueType.Unit}},
		PeriodType:        &reference.ValueType{Type: p.Meta.PeriodType.Type, Unit: p.Meta.PeriodType.Unit},
		Period:            p.Meta.Period,
		DurationNanos:     int64(p.Meta.Duration),
		DefaultSampleType: p.Meta.ValueType.Type,
	}
	for i := 1; i < p.NumMappings(); i++ {
		m := p.Mapping(profile.MappingID(i))
		g.Mapping = append(g.Mapping, &reference.Mapping{ID: uint64(i), Start: m.Start, Limit: m.Limit, Offset: m.Offset, File: m.Path, BuildID: m.BuildID})
	}
	for i := range p.NumFunctions() {
		f := p.Function(profile.FunctionID(i))
		system := f.SystemName
		if system == "" {
			system = f.Name
		}
		g.Function = append(g.Function, &reference.Function{ID: uint64(i) + 1, Name: f.Name, SystemName: system, Filename: f.File, StartLine: int64(f.StartLine)})
	}
	for i := range p.NumLocations() {
		l := p.Location(profile.LocationID(i))
		to := &reference.Location{ID: uint64(i) + 1, Address: l.Address}
		if l.Mapping > 0 {
			to.Mapping = g.Mapping[l.Mapping-1]
		}
		for _, line := range p.Lines(profile.LocationID(i)) {
			to.Line = append(to.Line, reference.Line{Function: g.Function[line.Function], Line: int64(line.Line)})
		}
		g.Location = append(g.Location, to)
	}
	for _, s := range p.Samples() {
		to := &reference.Sample{Value: []int64{s.Count, s.Value}}
		for _, l := range p.Stack(s.Stack) {
			to.Location = append(to.Location, g.Location[l])
		}
		for _, l := range p.Labels(s.Labels) {
			if l.Str != "" {
				to.Label = put(to.Label, l.Key, l.Str)
			} else {
				to.NumLabel, to.NumUnit = put(to.NumLabel, l.Key, l.Num), put(to.NumUnit, l.Key, l.Unit)
			}
		}
		if s.Time != 0 {
			to.NumLabel, to.NumUnit = put(to.NumLabel, timeLabel, s.Time), put(to.NumUnit, timeLabel, "nanoseconds")
		}
		g.Sample = append(g.Sample, to)
	}
	return g
}

func put[V any](m map[string][]V, key string, v V) map[string][]V {
	if m == nil {
		m = map[string][]V{}
	}
	m[key] = append(m[key], v)
	return m
}

// same tells the first difference between two profiles: their samples in order, with
// every frame and label.
func same(a, b *profile.Profile) error {
	if len(a.Samples()) != len(b.Samples()) || a.NumStacks() != b.NumStacks() || a.Total() != b.Total() || a.Count() != b.Count() {
		return fmt.Errorf("%d and %d samples, %d and %d stacks, totals %d and %d, counts %d and %d", //nolint:err113 // for the person at the terminal
			len(a.Samples()), len(b.Samples()), a.NumStacks(), b.NumStacks(), a.Total(), b.Total(), a.Count(), b.Count())
	}
	for i := range a.Samples() {
		if x, y := describe(a, i), describe(b, i); x != y {
			return fmt.Errorf("sample %d: %s / %s", i, x, y) //nolint:err113 // for the person at the terminal
		}
	}
	return nil
}

func describe(p *profile.Profile, i int) string {
	var out strings.Builder
	s := p.Samples()[i]
	labels := slices.Clone(p.Labels(s.Labels))
	slices.SortFunc(labels, func(a, b profile.Label) int { return strings.Compare(a.Key, b.Key) })
	fmt.Fprintln(&out, s.Count, s.Value, s.Time, labels)
	for _, l := range p.Stack(s.Stack) {
		for _, line := range p.Lines(l) {
			f := *p.Function(line.Function)
			f.Mapping = 0
			fmt.Fprintln(&out, f, line.Line, p.Mapping(p.Location(l).Mapping).Path)
		}
	}
	return out.String()
}
