package otlp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// request builds a request in the way of the OpenTelemetry eBPF profiler.
type request struct {
	pd      pprofile.Profiles
	d       pprofile.ProfilesDictionary
	strings map[string]int32
}

func newRequest() *request {
	a := &request{pd: pprofile.NewProfiles(), strings: map[string]int32{}}
	a.d = a.pd.Dictionary()
	a.s("")
	a.d.AttributeTable().AppendEmpty()
	a.d.MappingTable().AppendEmpty()
	a.d.FunctionTable().AppendEmpty()
	a.d.LocationTable().AppendEmpty()
	a.d.StackTable().AppendEmpty()
	a.d.LinkTable().AppendEmpty()
	return a
}

func (a *request) s(text string) int32 {
	i, ok := a.strings[text]
	if !ok {
		i = int32(len(a.strings))
		a.strings[text] = i
		a.d.StringTable().Append(text)
	}
	return i
}

func (a *request) attr(key string, value any) int32 {
	row := a.d.AttributeTable().AppendEmpty()
	row.SetKeyStrindex(a.s(key))
	if err := row.Value().FromRaw(value); err != nil {
		panic(err)
	}
	return int32(a.d.AttributeTable().Len() - 1)
}

func (a *request) mapping(file, buildID string, start, limit, offset uint64) int32 {
	m := a.d.MappingTable().AppendEmpty()
	m.SetFilenameStrindex(a.s(file))
	m.SetMemoryStart(start)
	m.SetMemoryLimit(limit)
	m.SetFileOffset(offset)
	if buildID != "" {
		m.AttributeIndices().Append(a.attr(attrBuildGNU, buildID))
	}
	return int32(a.d.MappingTable().Len() - 1)
}

func (a *request) location(mapping int32, address uint64, frame, function, file string, line int64) int32 {
	l := a.d.LocationTable().AppendEmpty()
	l.SetMappingIndex(mapping)
	l.SetAddress(address)
	if frame != "" {
		l.AttributeIndices().Append(a.attr(attrFrame, frame))
	}
	if function != "" {
		f := a.d.FunctionTable().AppendEmpty()
		f.SetNameStrindex(a.s(function))
		f.SetFilenameStrindex(a.s(file))
		ln := l.Lines().AppendEmpty()
		ln.SetFunctionIndex(int32(a.d.FunctionTable().Len() - 1))
		ln.SetLine(line)
	}
	return int32(a.d.LocationTable().Len() - 1)
}

func (a *request) stack(locations ...int32) int32 {
	a.d.StackTable().AppendEmpty().LocationIndices().FromRaw(locations)
	return int32(a.d.StackTable().Len() - 1)
}

func (a *request) profile(pid int64, exe string) pprofile.Profile {
	rp := a.pd.ResourceProfiles().AppendEmpty()
	rp.Resource().Attributes().PutInt(attrPID, pid)
	rp.Resource().Attributes().PutStr(attrPath, "/usr/bin/"+exe)
	rp.Resource().Attributes().PutStr(attrExecutable, exe)
	p := rp.ScopeProfiles().AppendEmpty().Profiles().AppendEmpty()
	p.SampleType().SetTypeStrindex(a.s("samples"))
	p.SampleType().SetUnitStrindex(a.s("count"))
	p.PeriodType().SetTypeStrindex(a.s("cpu"))
	p.PeriodType().SetUnitStrindex(a.s("nanoseconds"))
	p.SetPeriod(50_000_000)
	p.SetTime(1_000_000_000)
	p.SetDurationNano(5_000_000_000)
	return p
}

func sample(p pprofile.Profile, stack int32, times ...uint64) pprofile.Sample {
	s := p.Samples().AppendEmpty()
	s.SetStackIndex(stack)
	s.TimestampsUnixNano().FromRaw(times)
	return s
}

// example is a process with kernel, native, Python and vDSO frames.
func example() *request {
	a := newRequest()
	libc := a.mapping("libc.so.6", "AB12", 0x26000, 0x17c000, 0x26000)
	kernel := a.mapping("vmlinux", "cd34", 0, 0, 0)
	vdso := a.mapping("linux-vdso.1.so", "", 0, 0x1000, 0)
	python := a.location(0, 77, "cpython", "work", "app.py", 12)
	native := a.location(libc, 0x30000, "native", "", "", 0)
	kern := a.location(kernel, 0x1234, "kernel", "do_syscall_64", "", 0)
	clock := a.location(vdso, 0x10, "native", "", "", 0)
	p := a.profile(42, "python3.11")
	thread := a.attr(attrThread, "worker")
	s := sample(p, a.stack(kern, native, python), 1, 2, 3)
	s.AttributeIndices().Append(thread, a.attr(attrTID, int64(43)), a.attr(attrCPU, int64(1)))
	sample(p, a.stack(clock, python), 4)
	return a
}

func decode(t *testing.T, a *request, o Options) *profile.Profile {
	t.Helper()
	p, err := Decode(t.Context(), a.pd, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

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

// rows writes a profile down for comparison.
func rows(p *profile.Profile) []string {
	var out []string
	for _, s := range p.Samples() {
		var b strings.Builder
		fmt.Fprint(&b, s.Count)
		for _, l := range p.Stack(s.Stack) {
			for _, line := range p.Lines(l) {
				f := p.Function(line.Function)
				fmt.Fprintf(&b, " %s/%s@%s", f.Name, f.Kind, p.Mapping(f.Mapping).Path)
				if f.File != "" {
					fmt.Fprintf(&b, "%s:%d", f.File, line.Line)
				}
			}
		}
		for _, l := range p.Labels(s.Labels) {
			fmt.Fprintf(&b, " %s=%s", l.Key, l.Str)
			if l.Str == "" {
				fmt.Fprint(&b, l.Num)
			}
		}
		out = append(out, b.String())
	}
	return out
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

func TestFormsOfOneRequest(t *testing.T) {
	want := rows(decode(t, example(), Options{}))
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(proto))), proto...)
	for name, c := range map[string]struct {
		data  []byte
		times int64
	}{
		"protobuf": {proto, 1}, "JSON": {text, 1}, "framed": {framed, 1}, "two frames": {append(slices.Clone(framed), framed...), 2},
		"JSON lines": {[]byte(string(text) + "\n" + string(text) + "\n"), 2}, "JSON with a mark": {append([]byte("\xef\xbb\xbf\n"), text...), 1},
	} {
		if !Detect(c.data) || !Detect(c.data[:600]) {
			t.Errorf("%s is not recognised", name)
		}
		p, err := Read(t.Context(), strings.NewReader(string(c.data)), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Count() != 4*c.times || len(rows(p)) != len(want) {
			t.Errorf("%s: %d samples, %q", name, p.Count(), rows(p))
		}
	}
}

func TestOtherFilesAreNotOTLP(t *testing.T) {
	for _, head := range []string{"", "\x0a", "\x0a\x04\x08\x01\x10\x02\x12\x00", "main;f 1\n", `{"nodes":[]}`, "\x0a\x02\x0a\x7f", "\x0a\x00"} {
		if Detect([]byte(head)) {
			t.Errorf("%q is taken for OTLP", head)
		}
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

func TestDamagedFiles(t *testing.T) {
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"cut":       string(proto[:len(proto)-3]),
		"cut frame": string(binary.BigEndian.AppendUint32(nil, uint32(len(proto)))) + string(proto[:len(proto)-3]),
		"JSON":      `{"resourceProfiles":[{`,
		"nothing":   "",
	} {
		if _, err := Unmarshal(t.Context(), []byte(data), Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

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
		for _, key := range []string{profile.LabelProcess, profile.LabelThread, profile.LabelContainer, "request"} {
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

func FuzzUnmarshal(f *testing.F) {
	proto, err := (&pprofile.ProtoMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		f.Fatal(err)
	}
	text, err := (&pprofile.JSONMarshaler{}).MarshalProfiles(example().pd)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(proto)
	f.Add(text)
	f.Add(append(binary.BigEndian.AppendUint32(nil, uint32(len(proto))), proto...))
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect(data)
		p, err := Unmarshal(context.Background(), data, Options{KeepTime: len(data)%2 == 0})
		if err != nil {
			return
		}
		for i := range p.NumLocations() {
			l := p.Location(profile.LocationID(i))
			m := p.Mapping(l.Mapping)
			if l.Mapping != 0 && l.Address != 0 && m.Limit > m.Start && (l.Address < m.Start || l.Address >= m.Limit) {
				t.Fatalf("address %#x outside %+v", l.Address, m)
			}
		}
		if _, err := Marshal(p); err != nil {
			t.Fatal(err)
		}
	})
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
