package otlp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// drawn is a profile of every kind of frame, label and number.
func drawn(t *rapid.T) *profile.Profile {
	b := profile.NewBuilder()
	kinds := slices.Sorted(maps.Keys(frameByKind))
	var locs []profile.LocationID
	for i := range rapid.IntRange(1, 6).Draw(t, "locations") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		m := profile.Mapping{Path: fmt.Sprintf("/lib/l%d.so", i), Start: 0x1000, Limit: 0x9000, Offset: 0x1000}
		m.BuildID = rapid.SampledFrom([]string{"", "abcdef01", "Go/id-xyz"}).Draw(t, "build ID")
		switch kind { //nolint:exhaustive // the others lie in files
		case profile.KindKernel:
			m.Path = kernelPath
		case profile.KindVDSO:
			m.Path = vdsoPath
		}
		id := b.Mapping(m)
		var lines []profile.Line
		for range rapid.IntRange(0, 3).Draw(t, "inlined") {
			fn := profile.Function{
				Name: rapid.SampledFrom([]string{"f", "g", "h(int)"}).Draw(t, "name"), File: rapid.SampledFrom([]string{"", "a.c"}).Draw(t, "file"),
				StartLine: rapid.Int32Range(0, 9).Draw(t, "start"), Mapping: id, Kind: kind,
			}
			fn.SystemName = rapid.SampledFrom([]string{"", "_Z1hi"}).Draw(t, "symbol")
			lines = append(lines, profile.Line{Function: b.Function(fn), Line: rapid.Int32Range(0, 99).Draw(t, "line")})
		}
		locs = append(locs, b.Location(id, uint64(rapid.IntRange(0x1000, 0x8fff).Draw(t, "address")), kind, lines...))
	}
	cpu := profile.ValueType{Type: "cpu", Unit: "nanoseconds"}
	meta := profile.Meta{Source: sourceName, ValueType: cpu, PeriodType: cpu, Period: 1000, Lost: rapid.Uint64Range(0, 9).Draw(t, "lost")}
	if rapid.Bool().Draw(t, "dated") {
		meta.Start, meta.Duration = time.Unix(1000, 5).UTC(), 3*time.Second
	}
	whole := rapid.Bool().Draw(t, "periods")
	for range rapid.IntRange(1, 8).Draw(t, "samples") {
		s := profile.Sample{Count: rapid.Int64Range(1, 50).Draw(t, "count"), Time: rapid.SampledFrom([]int64{0, 7, 9}).Draw(t, "time")}
		s.Value = s.Count * meta.Period
		if !whole {
			s.Value = rapid.Int64Range(1, 1e9).Draw(t, "value")
		}
		s.Stack = b.Stack(locs[:rapid.IntRange(0, len(locs)).Draw(t, "depth")])
		labels := []profile.Label{{Key: profile.LabelPID, Num: rapid.Int64Range(1, 3).Draw(t, "pid")}}
		for _, key := range []string{profile.LabelProcess, profile.LabelThread, profile.LabelContainer, profile.LabelService, "request"} {
			if rapid.Bool().Draw(t, key) {
				labels = append(labels, profile.Label{Key: key, Str: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text")})
			}
		}
		if rapid.Bool().Draw(t, "number") {
			labels = append(labels, profile.Label{Key: "bytes", Num: rapid.Int64Range(1, 9).Draw(t, "bytes"), Unit: "bytes"})
		}
		s.Labels = b.Labels(labels)
		b.Sample(s)
	}
	return b.Build(meta)
}

// dump writes down all that a round trip has to keep, in no order.
func dump(p *profile.Profile) []string {
	var out []string
	for _, s := range p.Samples() {
		var b strings.Builder
		fmt.Fprintf(&b, "%d %d %d", s.Count, s.Value, s.Time)
		for _, l := range p.Stack(s.Stack) {
			loc := p.Location(l)
			m := p.Mapping(loc.Mapping)
			fmt.Fprintf(&b, " %#x %s %s", loc.Address-m.Start+m.Offset, m.Path, m.BuildID)
			for _, line := range p.Lines(l) {
				f := *p.Function(line.Function)
				f.Mapping = 0
				fmt.Fprintf(&b, " %+v:%d", f, line.Line)
			}
		}
		fmt.Fprintf(&b, " %+v", p.Labels(s.Labels))
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		data, err := Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if !Detect(data) {
			t.Fatalf("% x… is not recognised", data[:min(len(data), 40)])
		}
		q, err := Unmarshal(context.Background(), data, Options{KeepTime: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := dump(q), dump(p); !slices.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		if q.Total() != p.Total() || q.Count() != p.Count() || q.Meta.Lost != p.Meta.Lost || !q.Meta.Start.Equal(p.Meta.Start) ||
			q.Meta.Duration != p.Meta.Duration || q.Meta.Period != p.Meta.Period || q.Meta.ValueType != p.Meta.ValueType {
			t.Errorf("meta %+v, want %+v", q.Meta, p.Meta)
		}
	})
}
