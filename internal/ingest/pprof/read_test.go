package pprof

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"whyhot/internal/profile"
)

// pb writes messages by hand, so that broken ones can be written too.
type pb struct{ message }

func (p *pb) num(field int, v uint64) *pb {
	p.tag(field, wireVarint)
	p.b = appendVarint(p.b, v)
	return p
}

func (p *pb) msg(field int, sub *pb) *pb { p.bytes(field, sub.b); return p }

func (p *pb) str(s string) *pb { p.bytes(fieldString, []byte(s)); return p }

func (p *pb) packed(field int, vs ...uint64) *pb {
	var b []byte
	for _, v := range vs {
		b = appendVarint(b, v)
	}
	p.bytes(field, b)
	return p
}

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func m() *pb { return &pb{} }

// small is a profile with everything in it: strings "", samples, count, cpu,
// nanoseconds (1-4), main, _Z4mainv, main.cc, /bin/x, ABCD (5-9), thread_name,
// w1, process_id, 42 (10-13), bytes, b (14-15).
func small() *pb {
	p := m()
	for _, s := range []string{"", "samples", "count", "cpu", "nanoseconds", "main", "_Z4mainv", "main.cc", "/bin/x", "ABCD", "thread_name", "w1", "process_id", "42", "bytes", "b"} {
		p.str(s)
	}
	p.msg(fieldSampleType, m().num(1, 1).num(2, 2)).msg(fieldSampleType, m().num(1, 3).num(2, 4))
	p.msg(fieldMapping, m().num(1, 1).num(2, 0x1000).num(3, 0x2000).num(5, 8).num(6, 9))
	p.msg(fieldFunction, m().num(1, 900).num(2, 6).num(3, 6).num(4, 7).num(5, 10))
	p.msg(fieldLocation, m().num(1, 70_000).num(2, 1).num(3, 0x1234).msg(4, m().num(1, 900).num(2, 12)))
	p.msg(fieldLocation, m().num(1, 3).num(2, 1).num(3, 0x1500))
	p.msg(fieldSample, m().packed(sampleLocation, 70_000, 3).packed(sampleValue, 2, 20).
		msg(sampleLabel, m().num(1, 10).num(2, 11)).msg(sampleLabel, m().num(1, 12).num(2, 13)).msg(sampleLabel, m().num(1, 14).num(3, 7).num(4, 15)))
	p.msg(fieldSample, m().num(sampleLocation, 3).num(sampleValue, 1).num(sampleValue, 10)) // not packed
	return p.num(fieldTime, 1e18).num(fieldDuration, 5e9).num(fieldPeriod, 10)
}

func TestReadSmall(t *testing.T) {
	p := readBytes(t, small().b, Options{})
	if p.Total() != 30 || p.Count() != 3 || p.NumStacks() != 2 {
		t.Fatalf("total %d, count %d, %d stacks", p.Total(), p.Count(), p.NumStacks())
	}
	s := p.Samples()[0]
	l := p.Stack(s.Stack)[0]
	f := p.Function(p.Lines(l)[0].Function)
	if f.Name != "main" || f.SystemName != "_Z4mainv" || f.File != "main.cc" || f.StartLine != 10 || f.Kind != profile.KindNative || p.Lines(l)[0].Line != 12 {
		t.Errorf("function %+v, lines %+v", f, p.Lines(l))
	}
	if mp := p.Mapping(f.Mapping); mp.Path != "/bin/x" || mp.BuildID != "abcd" || p.Location(l).Address != 0x1234 {
		t.Errorf("mapping %+v, address %#x", mp, p.Location(l).Address)
	}
	bare := p.Stack(s.Stack)[1]
	if g := p.Function(p.Lines(bare)[0].Function); g.Name != "" || g.Mapping != f.Mapping || g.Kind != profile.KindNative {
		t.Errorf("the unsymbolised location has %+v", g)
	}
	for key, want := range map[string]profile.Label{
		profile.LabelThread: {Key: "thread", Str: "w1"}, profile.LabelPID: {Key: "pid", Num: 42}, "bytes": {Key: "bytes", Num: 7, Unit: "b"},
	} {
		if got, _ := p.Label(s.Labels, key); got != want {
			t.Errorf("label %+v, want %+v", got, want)
		}
	}
	if !p.Meta.Start.Equal(time.Unix(0, 1e18)) || p.Meta.Duration != 5*time.Second || p.Meta.Period != 10 {
		t.Errorf("meta %+v", p.Meta)
	}
}

func TestSampleTypes(t *testing.T) {
	p := readBytes(t, small().b, Options{SampleType: "samples"})
	if p.Total() != 3 || p.Count() != 3 {
		t.Errorf("samples: total %d, count %d", p.Total(), p.Count())
	}
	p = readBytes(t, small().num(fieldDefaultType, 1).b, Options{})
	if p.Meta.ValueType.Type != "samples" {
		t.Errorf("the profile's own default was not taken: %v", p.Meta.ValueType)
	}
	_, err := Read(context.Background(), bytes.NewReader(small().b), Options{SampleType: "wall"})
	if err == nil || !strings.Contains(err.Error(), `no sample type "wall"; this profile has samples, cpu`) {
		t.Errorf("got %v", err)
	}
}

// A heap profile gives bytes and a period in bytes, and no count of events.
func TestCountFromPeriod(t *testing.T) {
	heap := func(periodUnit uint64) []byte {
		p := m().str("").str("space").str("bytes").str("objects").str("count")
		p.msg(fieldSampleType, m().num(1, 3).num(2, 4)).msg(fieldSampleType, m().num(1, 1).num(2, 2))
		p.msg(fieldSample, m().packed(sampleValue, 1000, 2048)).msg(fieldSample, m().packed(sampleValue, 1, 10)).msg(fieldSample, m().packed(sampleValue, 3, 0))
		return p.msg(fieldPeriodType, m().num(1, 1).num(2, periodUnit)).num(fieldPeriod, 512).b
	}
	if p := readBytes(t, heap(2), Options{}); p.Total() != 2058 || p.Count() != 5 {
		t.Errorf("total %d, count %d; want 2058 and 4+1", p.Total(), p.Count())
	}
	if p := readBytes(t, heap(0), Options{}); p.Count() != 2 {
		t.Errorf("without a period of that unit: count %d, want one event for each sample that is not 0", p.Count())
	}
}

func TestOneBinaryOfManyProcesses(t *testing.T) {
	p := m()
	for _, s := range []string{"", "samples", "count", "/usr/lib/libz.so.1", "[jit]"} {
		p.str(s)
	}
	p.msg(fieldSampleType, m().num(1, 1).num(2, 2))
	p.msg(fieldMapping, m().num(1, 1).num(2, 0x10000).num(3, 0x20000).num(4, 0x2000).num(5, 3))
	p.msg(fieldMapping, m().num(1, 2).num(2, 0x70000).num(3, 0x90000).num(4, 0x2000).num(5, 3))
	p.msg(fieldMapping, m().num(1, 3).num(2, 0x100).num(3, 0x200).num(5, 4))
	p.msg(fieldMapping, m().num(1, 4).num(2, 0x300).num(3, 0x400).num(5, 4))
	for id, at := range map[uint64][2]uint64{1: {1, 0x10123}, 2: {2, 0x70123}, 3: {3, 0x111}, 4: {4, 0x311}} {
		p.msg(fieldLocation, m().num(1, id).num(2, at[0]).num(3, at[1]))
		p.msg(fieldSample, m().num(sampleLocation, id).num(sampleValue, 1))
	}
	q := readBytes(t, p.b, Options{})
	seen := map[uint64]int64{}
	for _, s := range q.Samples() {
		seen[q.Location(q.Stack(s.Stack)[0]).Address] += s.Count
	}
	if seen[0x10123] != 2 || seen[0x111] != 1 || seen[0x311] != 1 {
		t.Errorf("samples by address %#v", seen)
	}
	if lim := q.Mapping(1).Limit; lim != 0x30000 {
		t.Errorf("limit %#x does not span both", lim)
	}
}

func TestToleratedByReader(t *testing.T) {
	p := m().str("").str("samples").str("count").msg(fieldSampleType, m().num(1, 1).num(2, 2))
	p.msg(fieldLocation, m().num(1, 1).num(2, 99).msg(4, m().num(1, 77)).msg(4, m().num(2, 3)))
	p.msg(fieldSample, m().num(sampleLocation, 1).num(sampleValue, 4)).num(99, 5).msg(98, m().num(1, 1))
	q := readBytes(t, p.b, Options{})
	if q.Total() != 4 || len(q.Meta.Warnings) != 2 {
		t.Errorf("total %d, warnings %q", q.Total(), q.Meta.Warnings)
	}
}

func TestRefusedByReader(t *testing.T) {
	base := func() *pb {
		return m().str("").str("samples").str("count").msg(fieldSampleType, m().num(1, 1).num(2, 2))
	}
	sample := func() *pb { return m().num(sampleLocation, 1).num(sampleValue, 4) }
	loc := func() *pb { return m().num(1, 1) }
	for _, c := range []struct {
		name string
		p    *pb
		want string
	}{
		{"no sample", base(), "no samples"},
		{"only zeros", base().msg(fieldLocation, loc()).msg(fieldSample, m().num(sampleLocation, 1).num(sampleValue, 0)), `all values of "samples" are 0`},
		{"no sample type", m().str("").msg(fieldSample, sample()), "no sample type"},
		{"string 0", m().str("x").msg(fieldSampleType, m()).msg(fieldSample, sample()), "string_table 0 must be empty"},
		{"location not there", base().msg(fieldSample, sample()), "sample 0: location_id 1 is not in the location table"},
		{"value missing", base().msg(fieldLocation, loc()).msg(fieldSample, m().num(1, 1)), "sample 0: it has 0 values, the profile has 1 sample types"},
		{"location twice", base().msg(fieldLocation, loc()).msg(fieldLocation, loc()).msg(fieldSample, sample()), "location 1: its ID 1 is used twice"},
		{"function twice", base().msg(fieldFunction, loc()).msg(fieldFunction, loc()).msg(fieldSample, sample()), "function 1: its ID 1 is used twice"},
		{"mapping without ID", base().msg(fieldMapping, m().num(2, 5)).msg(fieldSample, sample()), "mapping 0: its ID is 0"},
		{"name out of range", base().msg(fieldFunction, m().num(1, 1).num(2, 9)).msg(fieldSample, sample()), "function 0: name: string 9 does not exist: the string table has 3"},
		{"file out of range", base().msg(fieldMapping, m().num(1, 1).num(5, 1<<40)).msg(fieldSample, sample()), "mapping 0: filename: string 1099511627776"},
		{"sample type out of range", m().str("").msg(fieldSampleType, m().num(1, 9)).msg(fieldSample, sample()), "sample_type 0: string 9"},
		{"label out of range", base().msg(fieldLocation, loc()).msg(fieldSample, sample().msg(sampleLabel, m().num(1, 9))), "sample 0: label 0: string 9"},
		{"label is a number", base().msg(fieldLocation, loc()).msg(fieldSample, sample().num(sampleLabel, 9)), "sample 0: field 3 holds a number"},
		{"comment out of range", base().msg(fieldSample, sample()).num(fieldComment, 9), "comment 0: string 9"},
		{"mapping is a number", base().num(fieldMapping, 9), "mapping 0 at byte"},
		{"bytes for a number", base().msg(fieldFunction, m().msg(1, m())), "function 0 at byte 24 of the uncompressed data: field 1 holds bytes"},
		{"two profiles", base().num(fieldTime, 1).num(fieldTime, 2), "several profiles in one file"},
		{"sum out of range", base().msg(fieldLocation, loc()).msg(fieldSample, m().num(1, 1).num(2, 1<<63-1)), "more than a profile can hold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(context.Background(), bytes.NewReader(c.p.b), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTruncatedAnywhere(t *testing.T) {
	whole := small().b
	for n := range len(whole) - 1 {
		p, err := Read(context.Background(), bytes.NewReader(whole[:n]), Options{})
		// The gap between two samples cannot be told from the end.
		if err == nil && p.Total() != 30 && p.Total() != 20 {
			t.Errorf("%d of %d bytes: total %d and no error", n, len(whole), p.Total())
		}
	}
	_, err := Read(context.Background(), bytes.NewReader(whole[:len(whole)-20]), Options{})
	if err == nil || !strings.Contains(err.Error(), "sample 1 at byte") || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("got %v", err)
	}
}

func TestOversizedLengthIsRefusedBeforeAllocation(t *testing.T) {
	b := small().b
	b = append(b, fieldSample<<3|wireBytes, 0xff, 0xff, 0xff, 0xff, 0x7f)
	if _, err := Read(context.Background(), bytes.NewReader(b), Options{}); err == nil || !strings.Contains(err.Error(), "longer than any real one") {
		t.Errorf("got %v", err)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name string
		head []byte
		want bool
	}{
		{"whole", small().b, true},
		{"a part", small().b[:60], true},
		{"nothing", nil, false},
		{"text that starts with a new line", []byte("\nhello world, this is no profile\n"), false},
		{"text", []byte("main;f 3\n"), false},
		{"zeros", make([]byte, 64), false},
		{"ELF", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"), false},
		{"a number where a message belongs", []byte{fieldMapping << 3, 1, fieldMapping << 3, 2}, false},
	} {
		if got := Detect(c.head); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+512 < min(len(b), 1<<20); at += 509 {
		if Detect(b[at:at+512]) && b[at] != 0x0a && b[at] != 0x12 && b[at] != 0x1a && b[at] != 0x22 && b[at] != 0x2a && b[at] != 0x32 {
			t.Errorf("the program's own bytes from %d on look like a profile", at)
		}
	}
}

func TestTimeOfASample(t *testing.T) {
	p := m().str("").str("samples").str("count").str(timeLabel).str("nanoseconds").msg(fieldSampleType, m().num(1, 1).num(2, 2)).msg(fieldLocation, m().num(1, 1))
	for i := range uint64(3) {
		p.msg(fieldSample, m().num(1, 1).num(2, 1).msg(3, m().num(1, 3).num(3, 100+i/2).num(4, 4)))
	}
	q := readBytes(t, p.b, Options{})
	if len(q.Samples()) != 2 || q.Samples()[0].Time != 100 || q.Samples()[0].Count != 2 || q.NumLabelSets() != 1 {
		t.Errorf("samples %+v, %d label sets", q.Samples(), q.NumLabelSets())
	}
}

func TestTimesFromTheStart(t *testing.T) {
	b := profile.NewBuilder()
	at := b.Location(0, 1, profile.KindNative)
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at}), Time: int64(20 * time.Millisecond), Count: 1, Value: 1})
	p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}, Start: time.Unix(1000, 0), Elapsed: true})
	p.Meta.Start = time.Unix(5000, 0)
	var file bytes.Buffer
	if err := Write(&file, p); err != nil {
		t.Fatal(err)
	}
	plain, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Read(t.Context(), plain, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !q.Meta.Elapsed || q.Meta.Start.Unix() != 5000 || q.Samples()[0].Time != int64(20*time.Millisecond) || q.NumLabelSets() != 1 {
		t.Errorf("%+v, %+v", q.Meta, q.Samples())
	}
}

func TestCancelledRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, bytes.NewReader(small().b), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small().b)
	f.Add(small().b[:80])
	f.Add(small().num(fieldComment, 5).msg(99, m()).b)
	f.Add(m().str("").str("whyhot:kinds js=1-9,11 python=4").num(fieldComment, 1).msg(fieldSampleType, m()).msg(fieldFunction, m().num(1, 4)).msg(fieldLocation, m().num(1, 1).msg(4, m().num(1, 4))).msg(fieldSample, m().num(1, 1).num(2, 1)).b)
	f.Fuzz(func(t *testing.T, b []byte) {
		Detect(b)
		p, err := Read(context.Background(), bytes.NewReader(b), Options{})
		if err != nil {
			return
		}
		// What we accept, we can write, and read as the same.
		var buf bytes.Buffer
		if err := WriteUncompressed(&buf, p); err != nil {
			t.Fatal(err)
		}
		q, err := Read(context.Background(), &buf, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if q.Total() != p.Total() {
			t.Fatalf("total %d became %d", p.Total(), q.Total())
		}
	})
}

func FuzzReadLegacy(f *testing.F) {
	f.Add([]byte("heap profile:      1:    64 [     1:    64] @ heap_v2/524288\n     1:    64 [     1:    64] @ 0x400100 0x400200\n\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 1 /usr/bin/app\n"))
	f.Add([]byte("goroutine profile: total 2\n2 @ 0x400100 0x400200\n"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if DetectLegacy(b) {
			_, _ = ReadLegacy(context.Background(), bytes.NewReader(b), Options{})
		}
	})
}
