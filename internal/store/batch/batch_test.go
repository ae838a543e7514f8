package batch

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func sample(b *profile.Builder, count, value int64, frames ...profile.LocationID) {
	b.Sample(profile.Sample{Stack: b.Stack(frames), Count: count, Value: value})
}

func named(b *profile.Builder, m profile.MappingID, name string) profile.LocationID {
	return b.Location(m, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: name, Mapping: m, Kind: profile.KindNative})})
}

func cpu(b *profile.Builder) *profile.Profile {
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, Start: now})
}

func TestRoundTrip(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/bin/app", BuildID: "ab12", Start: 0x1000, Limit: 0x3000, Offset: 0x800})
	address := b.Location(m, 0x1234, profile.KindNative)
	sample(b, 3, 10, address, named(b, m, "main"))
	sample(b, 1, 5)
	out, err := FromProfile(cpu(b), Options{ID: "a-1", Now: now, Labels: Labels{Service: "web", Host: "h"}})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(out.Append(nil))
	if err != nil || !reflect.DeepEqual(back, out) {
		t.Fatalf("%+v became %+v (%v)", out, back, err)
	}
	out.Spans = []Span{{From: 60, Until: 66}, {From: 3, Until: 4}}
	if back, err := Read(out.Append(nil)); err != nil || !reflect.DeepEqual(back, out) {
		t.Fatalf("%+v became %+v (%v)", out.Spans, back, err)
	}
	for _, bad := range []Span{{From: 6, Until: 6}, {From: 1, Until: MaxSpan + 2}} {
		out.Spans = []Span{bad}
		if _, err := Read(out.Append(nil)); err == nil {
			t.Errorf("the span %v was taken", bad)
		}
	}
	var weight, count int64
	for _, r := range out.Rows {
		weight += r.Period * int64(r.Count)
		count += int64(r.Count)
	}
	if weight != 15 || count != 4 {
		t.Errorf("%d of weight in %d samples", weight, count)
	}
	if l := out.Locations[0]; l.Named || l.Address != 0xa34 {
		t.Errorf("address %+v", out.Locations)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		value, period profile.ValueType
		per           int64
		option        int64
		want          int64
	}{
		{profile.ValueType{Type: "cpu", Unit: "milliseconds"}, profile.ValueType{}, 0, 0, 20e6},
		{profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, 1e7, 0, 2e7},
		{profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "ms"}, 10, 0, 2e7},
		{profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{}, 0, 5e6, 1e7},
		{profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{}, 0, 0, 0},
		{profile.ValueType{Type: "alloc_space", Unit: "bytes"}, profile.ValueType{Type: "space", Unit: "bytes"}, 512, 0, 0},
		{profile.ValueType{Type: "cycles", Unit: "count"}, profile.ValueType{Type: "cycles", Unit: "count"}, 1000, 0, 0},
		{profile.ValueType{Type: "cpu-clock", Unit: "count"}, profile.ValueType{}, 0, 1e7, 2e7},
		// Other things, whatever the rate that their sender gives.
		{profile.ValueType{Type: "alloc_space", Unit: "bytes"}, profile.ValueType{Type: "space", Unit: "bytes"}, 512, 1e7, 0},
		{profile.ValueType{Type: "goroutine", Unit: "count"}, profile.ValueType{Type: "goroutine", Unit: "count"}, 1, 1e7, 0},
		{profile.ValueType{Type: "delay", Unit: "nanoseconds"}, profile.ValueType{Type: "contentions", Unit: "count"}, 1, 0, 0},
		{profile.ValueType{Type: "lock_time", Unit: "nanoseconds"}, profile.ValueType{}, 0, 0, 0},
		{profile.ValueType{Type: "events", Unit: "nanoseconds"}, profile.ValueType{}, 0, 0, 0},
		{profile.ValueType{Type: "off_cpu", Unit: "nanoseconds"}, profile.ValueType{}, 0, 0, 0},
	} {
		b := profile.NewBuilder()
		sample(b, 2, 20, named(b, 0, "main"))
		p := b.Build(profile.Meta{ValueType: c.value, PeriodType: c.period, Period: c.per, Start: now})
		out, err := FromProfile(p, Options{Now: now, Period: c.option})
		if c.want == 0 {
			if err == nil {
				t.Errorf("%+v was taken", c)
			}
			continue
		}
		if err != nil || out.Rows[0].Period*int64(out.Rows[0].Count) != c.want {
			t.Errorf("%+v: %+v, %v", c, out, err)
		}
	}
}

func TestTimesFromTheStartMoveWithIt(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/bin/app", Start: 0x1000, Limit: 0x3000})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{named(b, m, "main")}), Time: int64(3 * time.Minute), Count: 1, Value: 1})
	p := cpu(b)
	p.Meta.Elapsed, p.Meta.Duration = true, 5*time.Minute
	for _, c := range []struct{ start, now, want time.Time }{
		{now.Add(-time.Hour), now, now.Add(-57 * time.Minute)},
		{time.Time{}, now.Add(-2 * time.Hour), now.Add(-117 * time.Minute)}, // stored under another time
	} {
		p.Meta.Start = c.start
		out, err := FromProfile(p, Options{Now: c.now})
		if err != nil || len(out.Rows) != 1 || int64(out.Rows[0].Minute) != c.want.Unix()/60 {
			t.Errorf("from %s: %+v, %v", c.start, out, err)
		}
	}
}

func TestBadProfiles(t *testing.T) {
	b := profile.NewBuilder()
	sample(b, 1, -5, named(b, 0, "main"))
	if _, err := FromProfile(cpu(b), Options{Now: now}); err == nil {
		t.Error("a negative weight was taken")
	}
	b = profile.NewBuilder()
	long := strings.Repeat("é", 500_000)
	sample(b, 1, 5, named(b, 0, long), named(b, 0, "bad\xff"))
	out, err := FromProfile(cpu(b), Options{Now: now, Labels: Labels{Host: long}})
	if err != nil || len(out.Warnings) != 1 || len(out.Labels[0].Host) > maxLabel+3 {
		t.Fatalf("%d warnings, %v", len(out.Warnings), err)
	}
	for _, f := range out.Functions {
		if len(f.Name) > maxName+3 || strings.Contains(f.Name, "\xff") {
			t.Errorf("a name of %d bytes", len(f.Name))
		}
	}
}

func FuzzRead(f *testing.F) {
	b := profile.NewBuilder()
	sample(b, 3, 10, named(b, 0, "leaf"), named(b, 0, "main"))
	out, err := FromProfile(cpu(b), Options{ID: "a-1", Now: now})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(out.Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read(data)
		if err != nil {
			return
		}
		if again, err := Read(b.Append(nil)); err != nil || !reflect.DeepEqual(again, b) {
			t.Errorf("%+v became %+v (%v)", b, again, err)
		}
	})
}
