package otlp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"

	"whyhot/internal/profile"
)

func TestRequestOfTheProfiler(t *testing.T) {
	p := decode(t, example(), Options{})
	if p.Count() != 4 || p.Total() != 200_000_000 || p.Meta.ValueType != (profile.ValueType{Type: "cpu", Unit: "nanoseconds"}) {
		t.Errorf("count %d, total %d, %+v", p.Count(), p.Total(), p.Meta.ValueType)
	}
	if p.Meta.Start.Unix() != 1 || p.Meta.Duration != 5*time.Second || p.Meta.Period != 50_000_000 {
		t.Errorf("meta %+v", p.Meta)
	}
	want := []string{
		`3 do_syscall_64/kernel@[kernel.kallsyms] /native@libc.so.6 work/python@app.py:12 pid=42 process=python3.11 thread=worker tid=43`,
		`1 /vdso@[vdso] work/python@app.py:12 pid=42 process=python3.11`,
	}
	if got := rows(p); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	for i := range p.NumLocations() {
		l := p.Location(profile.LocationID(i))
		m := p.Mapping(l.Mapping)
		if l.Mapping != 0 && (l.Address < m.Start || l.Address >= m.Limit) {
			t.Errorf("address %#x outside %+v", l.Address, m)
		}
		if m.Path == "libc.so.6" && (m.BuildID != "ab12" || l.Address-m.Start+m.Offset != 0x30000) {
			t.Errorf("%#x in %+v", l.Address, m)
		}
	}
}

func TestTimesAreKeptOnRequest(t *testing.T) {
	p := decode(t, example(), Options{KeepTime: true})
	var times []int64
	for _, s := range p.Samples() {
		times = append(times, s.Time)
	}
	if !slices.Equal(times, []int64{1, 2, 3, 4}) || p.Count() != 4 {
		t.Errorf("times %v, count %d", times, p.Count())
	}
}

func TestWhichProfileOfSeveral(t *testing.T) {
	a := newRequest()
	f := a.location(0, 1, "", "f", "", 0)
	off := a.profile(1, "x")
	off.PeriodType().SetTypeStrindex(0)
	off.PeriodType().SetUnitStrindex(0)
	off.SetPeriod(0)
	off.SampleType().SetTypeStrindex(a.s("off_cpu"))
	off.SampleType().SetUnitStrindex(a.s("nanoseconds"))
	sample(off, a.stack(f), 1, 2).Values().FromRaw([]int64{100, 200})
	sample(a.profile(1, "x"), a.stack(f), 3)
	p := decode(t, a, Options{})
	if p.Count() != 1 || p.Total() != 50_000_000 || len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "off_cpu") {
		t.Errorf("%d samples, %d, %q", p.Count(), p.Total(), p.Meta.Warnings)
	}
	p = decode(t, a, Options{SampleType: "off_cpu"})
	if p.Count() != 2 || p.Total() != 300 || p.Meta.ValueType.Unit != "nanoseconds" {
		t.Errorf("%d samples, %d, %+v", p.Count(), p.Total(), p.Meta)
	}
	if _, err := Decode(t.Context(), a.pd, Options{SampleType: "heap"}); err == nil || !strings.Contains(err.Error(), "cpu, off_cpu") {
		t.Errorf("error %v does not say what there is", err)
	}
}

// One library that two processes map at different addresses is one mapping.
func TestOneBinaryIsOneMapping(t *testing.T) {
	a := newRequest()
	here := a.mapping("/lib/x.so", "aa", 0x7f0000001000, 0x7f0000003000, 0x1000)
	there := a.mapping("/lib/x.so", "aa", 0x7e0000001000, 0x7e0000003000, 0x1000)
	one, two := a.location(here, 0x7f0000001010, "native", "", "", 0), a.location(there, 0x7e0000001010, "native", "", "", 0)
	p := a.profile(1, "x")
	sample(p, a.stack(one), 1)
	sample(p, a.stack(two), 1)
	got := decode(t, a, Options{})
	if got.NumMappings() != 2 || got.NumLocations() != 1 || len(got.Samples()) != 1 {
		t.Errorf("%d mappings, %d locations, %d samples; want the unknown one and one of each", got.NumMappings(), got.NumLocations(), len(got.Samples()))
	}
}

func TestHostileRequests(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(a *request, p pprofile.Profile)
		text  string
	}{
		"stack":      {func(_ *request, p pprofile.Profile) { sample(p, 99, 1) }, "index 99 into stack_table"},
		"negative":   {func(_ *request, p pprofile.Profile) { sample(p, -1, 1) }, "index -1 into stack_table"},
		"location":   {func(a *request, p pprofile.Profile) { sample(p, a.stack(99), 1) }, "index 99 into location_table"},
		"mapping":    {func(a *request, p pprofile.Profile) { sample(p, a.stack(a.location(99, 1, "", "", "", 0)), 1) }, "index 99 into mapping_table"},
		"attribute":  {func(_ *request, p pprofile.Profile) { sample(p, 0, 1).AttributeIndices().Append(99) }, "index 99 into attribute_table"},
		"type":       {func(_ *request, p pprofile.Profile) { p.PeriodType().SetUnitStrindex(99); sample(p, 0, 1) }, "index 99 into string_table"},
		"values":     {func(_ *request, p pprofile.Profile) { sample(p, 0, 1, 2).Values().FromRaw([]int64{1}) }, "1 values for 2 timestamps"},
		"overflow":   {func(_ *request, p pprofile.Profile) { sample(p, 0).Values().FromRaw([]int64{1 << 62}) }, "out of range"},
		"no samples": {func(*request, pprofile.Profile) {}, ErrEmpty.Error()},
		"function": {func(a *request, p pprofile.Profile) {
			l := a.location(0, 1, "", "", "", 0)
			a.d.LocationTable().At(int(l)).Lines().AppendEmpty().SetFunctionIndex(99)
			sample(p, a.stack(l), 1)
		}, "index 99 into function_table"},
		"name": {func(a *request, p pprofile.Profile) {
			l := a.location(0, 1, "", "f", "", 0)
			a.d.FunctionTable().At(a.d.FunctionTable().Len() - 1).SetNameStrindex(99)
			sample(p, a.stack(l), 1)
		}, "index 99 into string_table"},
	} {
		a := newRequest()
		c.spoil(a, a.profile(1, "x"))
		_, err := Decode(t.Context(), a.pd, Options{})
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
}

func TestNegativeValuesAreSkipped(t *testing.T) {
	a := newRequest()
	p := a.profile(1, "x")
	sample(p, 0).Values().FromRaw([]int64{-5})
	sample(p, 0, 7)
	got := decode(t, a, Options{})
	if got.Count() != 1 || len(got.Meta.Warnings) != 1 {
		t.Errorf("%d samples, %q", got.Count(), got.Meta.Warnings)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Decode(ctx, example().pd, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The profiler names the binaries of mappings without their directories; the
// process says where its executable is.
func TestPathOfTheProgram(t *testing.T) {
	for name, c := range map[string]struct {
		mapping, buildID string
		others           []string // paths of other processes' executables
		want             string
	}{
		"its own":            {"app", "aa", nil, "/opt/app"},
		"a library":          {"libc.so.6", "aa", nil, "libc.so.6"},
		"another app":        {"app", "aa", []string{"/usr/bin/app"}, "app"},
		"the same app twice": {"app", "aa", []string{"/opt/app"}, "/opt/app"},
		"three of two":       {"app", "aa", []string{"/usr/bin/app", "/usr/bin/app"}, "app"},
		"nothing to tell by": {"app", "", nil, "app"},
		"a path":             {"/srv/app", "aa", nil, "/srv/app"},
	} {
		a := newRequest()
		p := a.profile(1, "app")
		a.pd.ResourceProfiles().At(0).Resource().Attributes().PutStr(attrPath, "/opt/app")
		for _, other := range c.others {
			a.profile(2, "app")
			a.pd.ResourceProfiles().At(a.pd.ResourceProfiles().Len()-1).Resource().Attributes().PutStr(attrPath, other)
		}
		sample(p, a.stack(a.location(a.mapping(c.mapping, c.buildID, 0, 0x1000, 0), 0x10, "native", "", "", 0)), 1)
		got := decode(t, a, Options{})
		if m := got.Mapping(got.Location(got.Stack(got.Samples()[0].Stack)[0]).Mapping); m.Path != c.want {
			t.Errorf("%s: %q, want %q", name, m.Path, c.want)
		}
	}
}

func TestSumsOutOfRange(t *testing.T) {
	for name, c := range map[string]struct {
		unit   string
		values []int64
		ok     bool
	}{
		"counts":      {"count", []int64{math.MaxInt64 / 60_000_000, math.MaxInt64 / 60_000_000}, false},
		"one count":   {"count", []int64{math.MaxInt64 / 60_000_000}, true},
		"a weight":    {"count", []int64{math.MaxInt64 / 1000}, false},
		"values":      {"bytes", []int64{math.MaxInt64, 1}, false},
		"one value":   {"bytes", []int64{math.MaxInt64}, true},
		"no samples":  {"bytes", []int64{0}, true},
		"many values": {"bytes", slices.Repeat([]int64{1 << 61}, 9), false},
	} {
		a := newRequest()
		p := a.profile(1, "x")
		p.SampleType().SetUnitStrindex(a.s(c.unit))
		for _, v := range c.values {
			sample(p, a.stack()).Values().Append(v)
		}
		got, err := Decode(t.Context(), a.pd, Options{})
		if c.ok != (err == nil || errors.Is(err, ErrEmpty)) || err != nil && !errors.Is(err, ErrEmpty) && !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (got.Count() < 0 || got.Total() < 0) {
			t.Errorf("%s: %d samples, %d", name, got.Count(), got.Total())
		}
	}
}

// A list as an attribute is a label in JSON; it is written down once, however many
// samples have it.
func TestListsAreLabels(t *testing.T) {
	a := newRequest()
	p := a.profile(1, "x")
	list := a.attr("tags", []any{"a", int64(7)})
	const samples, size = 1000, 10_000
	long := a.attr("long", []any{strings.Repeat("y", size)})
	for range samples {
		sample(p, a.stack(), 1).AttributeIndices().Append(list, long)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := decode(t, a, Options{})
	runtime.ReadMemStats(&after)
	label, _ := got.Label(got.Samples()[0].Labels, "tags")
	if label.Str != `["a",7]` {
		t.Errorf("the label is %q", label.Str)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > samples*size/2 {
		t.Errorf("%d bytes for %d samples with a list of %d bytes", allocated, samples, size)
	}
}

func TestTypesThatAreNotReadAreListedUpToSome(t *testing.T) {
	a := newRequest()
	sample(a.profile(1, "x"), a.stack(), 1)
	for i := range 100 {
		other := a.profile(1, "x")
		other.PeriodType().SetTypeStrindex(a.s(fmt.Sprintf("type%02d", i)))
	}
	got := decode(t, a, Options{})
	if len(got.Meta.Warnings) != 1 || !strings.HasSuffix(got.Meta.Warnings[0], "type06, type07 and 92 more") {
		t.Errorf("%q", got.Meta.Warnings)
	}
}
