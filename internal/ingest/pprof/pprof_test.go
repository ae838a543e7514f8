package pprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	google "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

func readBytes(t interface{ Fatal(args ...any) }, b []byte, opts Options) *profile.Profile {
	p, err := Read(context.Background(), bytes.NewReader(b), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func uncompressed(t interface{ Fatal(args ...any) }, b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// dump writes all that a profile says, one line per row, in text, so that two
// profiles are equal when their dumps are, whatever their tables look like.
func dump(p *profile.Profile) []string {
	var out []string
	for _, s := range p.Samples() {
		var b strings.Builder
		for _, l := range p.Stack(s.Stack) {
			loc := p.Location(l)
			fmt.Fprintf(&b, "%#x@%+v[", loc.Address, *p.Mapping(loc.Mapping))
			for _, line := range p.Lines(l) {
				f := *p.Function(line.Function)
				m := p.Mapping(f.Mapping).Path
				f.Mapping = 0
				fmt.Fprintf(&b, "%+v in %s:%d,", f, m, line.Line)
			}
			b.WriteString("] ")
		}
		fmt.Fprintf(&b, "%v %d %d %d", p.Labels(s.Labels), s.Time, s.Count, s.Value)
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// random makes a profile as the readers of this project make them.
func random(t *rapid.T) *profile.Profile {
	b := profile.NewBuilder()
	name := rapid.SampledFrom([]string{
		"", "main", "malloc", "std::vector<int, std::allocator<int>>::push_back", "runtime.mallocgc", "java/lang/String.hashCode",
		"free@plt", "operator new[]", "a b;c", "größe", "<module>", "github.com/x/y.(*T).M", "é\u0301",
	})
	path := rapid.SampledFrom([]string{"", "/usr/bin/jq", "libc.so.6", "[kernel.kallsyms]", "[vdso]", "[jit]", "[ext4]", "/tmp/perf-12.map"})
	text := rapid.SampledFrom([]string{"", "x", "y z", "é"})
	for range rapid.IntRange(1, 20).Draw(t, "samples") {
		var locs []profile.LocationID
		for range rapid.IntRange(0, 5).Draw(t, "depth") {
			m := profile.Mapping{Path: path.Draw(t, "path")}
			if m.Path != "" {
				m.BuildID = rapid.SampledFrom([]string{"", "00ff", "go/Build-ID_x"}).Draw(t, "build ID")
				m.Start = uint64(len(m.Path)+16*len(m.BuildID)) << 20 // one place per binary, as the model asks for
				m.Limit = m.Start + 1<<19
				m.Offset = rapid.SampledFrom([]uint64{0, 4096}).Draw(t, "offset")
				m.Start += m.Offset
			}
			id := b.Mapping(m)
			var lines []profile.Line
			for range rapid.IntRange(0, 3).Draw(t, "inlined") {
				f := profile.Function{
					Name: name.Draw(t, "name"), File: rapid.SampledFrom([]string{"", "a.c", "b.go", "c.py", "d.s", "e.rb"}).Draw(t, "file"),
					StartLine: rapid.Int32Range(0, 9).Draw(t, "start"), Mapping: id, Kind: profile.Kind(rapid.IntRange(0, int(profile.KindR)).Draw(t, "kind")),
				}
				if f.Name != "" && rapid.Bool().Draw(t, "system") {
					f.SystemName = "_sys_" + f.Name
				}
				lines = append(lines, profile.Line{Function: b.Function(f), Line: rapid.Int32Range(0, 1<<30).Draw(t, "line")})
			}
			addr := rapid.SampledFrom([]uint64{0, 1, 1 << 18}).Draw(t, "address")
			if addr > 0 {
				addr += m.Start
			}
			locs = append(locs, b.Location(id, addr, profile.Kind(rapid.IntRange(0, 4).Draw(t, "bare kind")), lines...))
		}
		var labels []profile.Label
		for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"process", "thread", "pid", "k é", "bytes"}), 0, 3, rapid.ID).Draw(t, "keys") {
			l := profile.Label{Key: k}
			if k == "pid" || rapid.Bool().Draw(t, "number") {
				l.Num, l.Unit = rapid.Int64().Draw(t, "num"), text.Draw(t, "unit")
			} else {
				l.Str = text.Draw(t, "str")
			}
			labels = append(labels, l)
		}
		b.Sample(profile.Sample{
			Stack: b.Stack(locs), Labels: b.Labels(labels), Time: rapid.SampledFrom([]int64{0, 0, 5, -5, 1 << 60}).Draw(t, "time"),
			Count: rapid.Int64Range(1, 1000).Draw(t, "count"), Value: rapid.Int64Range(-5, 1<<40).Draw(t, "value"),
		})
	}
	vt := rapid.SampledFrom([]profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}, samplesCount, {Type: "time", Unit: "microseconds"}, {}})
	meta := profile.Meta{
		Source: rapid.SampledFrom([]string{"pprof", "perf.data", "folded", "py-spy"}).Draw(t, "source"), ValueType: vt.Draw(t, "type"),
		PeriodType: vt.Draw(t, "period type"), Period: rapid.Int64Range(0, 1e9).Draw(t, "period"), Duration: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "duration")),
		Lost: rapid.Uint64Range(0, 9).Draw(t, "lost"), Idle: time.Duration(rapid.Int64Range(0, 9).Draw(t, "idle")), Directory: rapid.SampledFrom([]string{"", "/srv/a b"}).Draw(t, "directory"), Command: rapid.SampledFrom([][]string{nil, {"jq", ".", "a b"}, {"x\ny", "\"<é>&"}}).Draw(t, "command"),
		Comments: rapid.SampledFrom([][]string{nil, {"a", "b c"}, {"whyhot:odd x"}}).Draw(t, "comments"),
		Warnings: rapid.SampledFrom([][]string{nil, {"3 samples skipped", "x"}}).Draw(t, "warnings"),
	}
	if rapid.Bool().Draw(t, "compared") {
		meta.Coverage = profile.Coverage{Samples: 3, Seen: 2 * time.Second, Used: 3 * time.Second, Why: rapid.SampledFrom([]string{"", "a <b>"}).Draw(t, "why")}
	}
	if rapid.Bool().Draw(t, "start") {
		meta.Start = time.Unix(0, rapid.Int64Range(1, 1<<60).Draw(t, "nanos"))
	}
	if rapid.Bool().Draw(t, "range") {
		from := time.Unix(rapid.Int64Range(1, 1<<32).Draw(t, "from"), 0).UTC()
		meta.Range = profile.Range{From: from, Until: from.Add(time.Minute)}
	}
	return b.Build(meta)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := random(t)
		nonZero := p.Filtered(func(s *profile.Sample) bool { return s.Count != 0 || s.Value != 0 })
		var buf bytes.Buffer
		if err := Write(&buf, p); err != nil {
			t.Fatal(err)
		}
		q := readBytes(t, uncompressed(t, buf.Bytes()), Options{})
		want, got := dump(nonZero), dump(q)
		if !slices.Equal(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("%d rows became %d; row %d\nwrote %s\nread  %s", len(want), len(got), i, want[i], slices.Concat(got, make([]string, len(want)))[i])
				}
			}
		}
		if !p.Meta.Start.Equal(q.Meta.Start) {
			t.Fatalf("start %v became %v", p.Meta.Start, q.Meta.Start)
		}
		p.Meta.Start, q.Meta.Start = time.Time{}, time.Time{}
		p.Meta.Recorded = p.Meta.Source != "pprof" // no recorder of ours makes pprof itself
		if w, g := fmt.Sprintf("%#v", p.Meta), fmt.Sprintf("%#v", q.Meta); w != g {
			t.Fatalf("meta\nwrote %s\nread  %s", w, g)
		}
	})
}

// What we write, the reference implementation reads and finds sound, with the
// same totals.
func TestReferenceReadsWhatWeWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := random(t)
		var buf bytes.Buffer
		if err := Write(&buf, p); err != nil {
			t.Fatal(err)
		}
		g, err := google.Parse(&buf)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.CheckValid(); err != nil {
			t.Fatal(err)
		}
		var total int64
		for _, s := range g.Sample {
			total += s.Value[len(s.Value)-1]
		}
		if total != p.Total() {
			t.Fatalf("total %d became %d", p.Total(), total)
		}
	})
}

// The format wants the program first among the mappings.
func TestMainBinaryIsFirst(t *testing.T) {
	b := profile.NewBuilder()
	loc := func(path string) profile.LocationID {
		return b.Location(b.Mapping(profile.Mapping{Path: path}), 0, profile.KindNative)
	}
	kernel, libc, sh, jq := loc("[kernel.kallsyms]"), loc("/usr/lib/libc.so.6"), loc("/bin/sh"), loc("/usr/bin/jq")
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{kernel, libc, sh}), Count: 1, Value: 1})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{kernel, libc, jq, libc}), Count: 5, Value: 5})
	var buf bytes.Buffer
	if err := Write(&buf, b.Build(profile.Meta{})); err != nil {
		t.Fatal(err)
	}
	g, err := google.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Mapping) != 4 || g.Mapping[0].File != "/usr/bin/jq" {
		t.Errorf("mappings %v", g.Mapping)
	}
}

// flat sums the values of every leaf function, by our reader and by the
// reference one.
func flat(p *profile.Profile) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Samples() {
		st := p.Stack(s.Stack)
		if len(st) == 0 {
			continue
		}
		f := p.Function(p.Lines(st[0])[0].Function)
		system := f.SystemName
		if system == "" {
			system = f.Name
		}
		sums[fmt.Sprintf("%s %s %#x", system, f.File, p.Location(st[0]).Address)] += s.Value
	}
	return sums
}

func flatReference(g *google.Profile, column int) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range g.Sample {
		if len(s.Location) == 0 || s.Value[column] == 0 {
			continue
		}
		l := s.Location[0]
		var system, file string
		if len(l.Line) > 0 && l.Line[0].Function != nil {
			f := l.Line[0].Function
			system, file = f.SystemName, f.Filename
			if system == "" {
				system = f.Name
			}
		}
		sums[fmt.Sprintf("%s %s %#x", system, file, l.Address)] += s.Value[column]
	}
	return sums
}

// goProfile records this very process until the profiler has seen something.
func goProfile(t *testing.T) []byte {
	t.Helper()
	for attempt := range 20 {
		var buf bytes.Buffer
		if err := pprof.StartCPUProfile(&buf); err != nil {
			t.Skipf("no CPU profile of this process: %v", err)
		}
		var labels any
		pprof.Do(t.Context(), pprof.Labels("thread_name", "worker", "endpoint", "/x"), func(context.Context) {
			// A hundred samples a second of CPU, of which a busy machine gives little.
			end := time.Now().Add(time.Duration(attempt+1) * 100 * time.Millisecond)
			for i := 0; time.Now().Before(end); i++ {
				labels = rapid.SliceOf(rapid.String()).Example(i)
			}
		})
		_ = labels
		pprof.StopCPUProfile()
		b := uncompressed(t, buf.Bytes())
		if g, err := google.ParseUncompressed(b); err == nil && len(g.Sample) > 3 {
			return b
		}
	}
	t.Fatal("the CPU profiler saw no sample of this process")
	return nil
}

func TestAgainstReferenceOnRealProfiles(t *testing.T) {
	var heap bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&heap, 0); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"cpu": goProfile(t), "allocs": uncompressed(t, heap.Bytes())} {
		t.Run(name, func(t *testing.T) {
			if !Detect(b) || !Detect(b[:len(b)/2]) {
				t.Error("not recognised")
			}
			g, err := google.ParseUncompressed(b)
			if err != nil {
				t.Fatal(err)
			}
			for column, vt := range g.SampleType {
				want := flatReference(g, column)
				if len(want) == 0 {
					continue // nothing in use is an error of ours, tested elsewhere
				}
				p := readBytes(t, b, Options{SampleType: vt.Type})
				got := flat(p)
				for k, v := range want {
					if got[k] != v {
						t.Errorf("%s: %s: %d, the reference has %d", vt.Type, k, got[k], v)
					}
				}
				if len(got) != len(want) {
					t.Errorf("%s: %d leaves, the reference has %d", vt.Type, len(got), len(want))
				}
			}
			p := readBytes(t, b, Options{})
			for i := 1; i < p.NumFunctions(); i++ {
				f := p.Function(profile.FunctionID(i))
				if strings.HasSuffix(f.File, ".go") && f.Kind != profile.KindGo {
					t.Errorf("%s in %s is of kind %v", f.Name, f.File, f.Kind)
				}
			}
		})
	}
}

// legacyCPUProfile is what gperftools' libprofiler writes: words, then the text
// of /proc/self/maps.
func legacyCPUProfile(order binary.AppendByteOrder, stacks map[uint64][]uint64) []byte {
	var b []byte
	put := func(vs ...uint64) {
		for _, v := range vs {
			b = order.AppendUint64(b, v)
		}
	}
	put(0, 3, 0, 10000, 0)
	counts := make([]uint64, 0, len(stacks))
	for n := range stacks {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	for _, n := range counts {
		put(n, uint64(len(stacks[n])))
		put(stacks[n]...)
	}
	put(0, 1, 0)
	return append(b, "00400000-00500000 r-xp 00000000 08:01 1 /usr/bin/app\n7f0000000000-7f0000100000 r-xp 00002000 08:01 2 /usr/lib/libz.so.1\n"...)
}

func TestLegacyCPUProfile(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		b := legacyCPUProfile(order, map[uint64][]uint64{
			7: {0x7f0000000100, 0x400200, 0x400300}, 3: {0x400210, 0x400300}, 2: {0x400500, 0x400700, 0x400900},
		})
		if !DetectLegacy(b) || Detect(b) {
			t.Errorf("%v: not recognised", order)
		}
		p, err := ReadLegacy(context.Background(), bytes.NewReader(b), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Count() != 12 || p.Total() != 120_000_000 || p.Meta.Period != 10_000_000 || p.Meta.Source != "gperftools" {
			t.Errorf("count %d, total %d, meta %+v", p.Count(), p.Total(), p.Meta)
		}
		libz := int64(0)
		for _, s := range p.Samples() {
			l := p.Location(p.Stack(s.Stack)[0])
			if m := p.Mapping(l.Mapping); m.Path == "/usr/lib/libz.so.1" && m.Offset == 0x2000 && l.Address == 0x7f0000000100 {
				libz += s.Count
			}
		}
		if libz != 7 {
			t.Errorf("%d samples in libz, want 7", libz)
		}
	}
}

func TestLegacyDamaged(t *testing.T) {
	b := legacyCPUProfile(binary.LittleEndian, map[uint64][]uint64{7: {0x400200, 0x400300}})
	for n := range b {
		p, err := ReadLegacy(context.Background(), bytes.NewReader(b[:n]), Options{})
		if err == nil && p.Total() == 0 {
			t.Errorf("%d of %d bytes: an empty profile and no error", n, len(b))
		}
	}
	if _, err := ReadLegacy(context.Background(), bytes.NewReader(legacyCPUProfile(binary.LittleEndian, nil)), Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("a profile without samples gives %v", err)
	}
}
