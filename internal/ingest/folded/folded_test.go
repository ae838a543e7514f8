package folded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"whyhot/internal/profile"
)

// sumOf adds up the counts of a file without our parser.
func sumOf(t *testing.T, text string) (sum, lines int64) {
	t.Helper()
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		n, err := strconv.ParseInt(l[strings.LastIndexByte(l, ' ')+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
		lines++
	}
	return sum, lines
}

// kindsByLeaf sums the samples by the kind of the leaf.
func kindsByLeaf(p *profile.Profile) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Samples() {
		kind := "no stack"
		if st := p.Stack(s.Stack); len(st) > 0 {
			kind = p.Function(p.Lines(st[0])[0].Function).Kind.String()
		}
		sums[kind] += s.Value
	}
	return sums
}

func TestRecordedFiles(t *testing.T) {
	// The sums by kind were counted from the marks of the files with awk.
	for name, want := range map[string]map[string]int64{
		"perf-clang.folded":  {"native": 18, "kernel": 1},
		"perf-pandoc.folded": {"native": 118, "kernel": 118, "vdso": 2},
		"perf-php.folded":    {"native": 41, "kernel": 15, "jit": 91},
		"py-spy.folded":      {"python": 1911, "no stack": 221},
		"node.folded":        {"js": 447},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if ok, line, l := Detect(text); !ok {
				t.Errorf("not recognised: line %d: %s", line, l)
			}
			p := read(t, string(text))
			sum, _ := sumOf(t, string(text))
			if p.Total() != sum || p.Count() != sum {
				t.Errorf("in %d, out %d in %d samples", sum, p.Total(), p.Count())
			}
			if got := kindsByLeaf(p); !maps.Equal(got, want) {
				t.Errorf("by kind %v, want %v", got, want)
			}
		})
	}
}

func TestSources(t *testing.T) {
	for text, want := range map[string]string{
		"a;b 1\n":                           "folded",
		"f (a.py:1);g (b.py:2) 1\n":         "py-spy",
		"# austin: 3\nP1;T2;a.py:f:1 100\n": "austin",
	} {
		p := read(t, text)
		if p.Meta.Source != want {
			t.Errorf("%q: source %q, want %q", text, p.Meta.Source, want)
		}
	}
	if vt := read(t, "# austin: 3\nP1;T2;a.py:f:1 100\n").Meta.ValueType; vt.Unit != "microseconds" {
		t.Errorf("austin counts %v", vt)
	}
}

func TestToleratedAroundStacks(t *testing.T) {
	p := read(t, "\xef\xbb\xbf# a comment 5\r\n\r\na;b 2\r\n   \n#private a.js:1;c a.js:2 3\na;b 4")
	if p.Total() != 9 || p.NumStacks() != 2 {
		t.Errorf("total %d in %d stacks, want 9 in 2", p.Total(), p.NumStacks())
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"prose", "a;b 1\nhello world\n", `line 2: no count after the last space: "hello world" (1 of 2 lines`},
		{"negative count", "a;b -1\n", "line 1: no count"},
		{"out of range", "a;b 99999999999999999999\n", "line 1: the count"},
		{"sum out of range", "a;b 9223372036854775807\na;c 9223372036854775807\n", "more than a profile can hold"},
		{"nothing", "\n# only comments\n", "no stacks"},
		{"zeros", "a;b 0\n", "no stacks"},
		{"differential", "a;b 1 2\na;c 3 4\n", "differential"},
		{"long text is cut", strings.Repeat("x", 300) + "\n", strings.Repeat("x", 60) + `"…`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(context.Background(), strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	_, err := Read(context.Background(), strings.NewReader(""))
	if !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty file gives %v", err)
	}
}

func TestFewBadLinesAreAWarning(t *testing.T) {
	p := read(t, strings.Repeat("a;b 1\n", 200)+"torn li\n"+"a;b 1\n")
	if p.Total() != 201 || len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "1 of 202 lines") || !strings.Contains(p.Meta.Warnings[0], "line 201") {
		t.Errorf("total %d, warnings %q", p.Total(), p.Meta.Warnings)
	}
}

func TestLongLine(t *testing.T) {
	deep := strings.Repeat("frame;", 600_000)
	p := read(t, "a 1\n"+deep+"leaf 2\nb 3\n")
	if p.Total() != 6 || p.NumStacks() != 3 || len(p.Stack(1)) != 600_001 {
		t.Errorf("total %d, %d stacks", p.Total(), p.NumStacks())
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, strings.NewReader(strings.Repeat("a;b 1\n", 20_000))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDecimalsKeepTheirSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var sum float64
		for i := range rapid.IntRange(1, 50).Draw(t, "lines") {
			v := rapid.Float64Range(0.001, 1e6).Draw(t, "count")
			fmt.Fprintf(&text, "main;f%d %.4f\n", i, v)
			v, _ = strconv.ParseFloat(fmt.Sprintf("%.4f", v), 64)
			sum += v
		}
		text.WriteString("main 0.5\n")
		sum += 0.5
		p, err := Read(context.Background(), strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Meta.Warnings) != 1 {
			t.Fatalf("warnings %q", p.Meta.Warnings)
		}
		scale := 1.0
		for sum*scale < enough && scale < 1e12 {
			scale *= 1000
		}
		if math.Abs(float64(p.Total())-sum*scale) > 1 {
			t.Fatalf("in %g × %g, out %d", sum, scale, p.Total())
		}
		if p.Count() > int64(len(p.Samples())*2) {
			t.Fatalf("%d events from %d weights", p.Count(), len(p.Samples()))
		}
	})
}

// Whatever the frames are, the counts that go in come out.
func TestNothingIsLost(t *testing.T) {
	frame := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "main", "[unknown]", "f_[libc.so.6]", "g_[k]", "h_[i]", "[libx.so.1]", "f (a.py:3)", "x a.mjs:3", "0x12", "-", "a b c 4", "thread (0x1)",
			"_start", "p-700/800", "RegExp: a b_[c]", "Lx/Y;::z"[:3], "a.rb - b.rb:3", "f_[[ext4]]", "_[", "_[]", "]", "a_[b]c]", "py::a:/b.py",
		}),
		rapid.StringMatching(`[^;\n\r\x00]{0,12}`),
	)
	rapid.Check(t, func(t *rapid.T) {
		var text bytes.Buffer
		var sum int64
		for range rapid.IntRange(1, 20).Draw(t, "lines") {
			frames := rapid.SliceOfN(frame, 1, 6).Draw(t, "frames")
			n := rapid.Int64Range(1, 1000).Draw(t, "count")
			fmt.Fprintf(&text, "x%s %d\n", strings.Join(frames, ";"), n)
			sum += n
		}
		p, err := Read(context.Background(), &text)
		if err != nil {
			if strings.Contains(err.Error(), "differential") {
				t.Skip("every leaf happened to end in a number")
			}
			t.Fatalf("%v in %q", err, text.String())
		}
		if p.Total() != sum || p.Count() != sum {
			t.Fatalf("in %d, out %d and %d", sum, p.Total(), p.Count())
		}
	})
}

// A stack that is there a million times takes the memory of one.
func TestRepeatedLinesTakeNoMemory(t *testing.T) {
	const lines = 1_000_000
	text := bytes.Repeat([]byte("main;f;g 1\nmain;f 2\n"), lines/2)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := Read(t.Context(), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > lines*4 {
		t.Errorf("%d bytes for %d lines of two stacks", took, lines)
	}
	if len(p.Samples()) != 2 || p.Total() != lines/2*3 {
		t.Errorf("%d samples of %d", len(p.Samples()), p.Total())
	}
}

// Decimal weights of one stack are as many events as lines.
func TestRepeatedDecimals(t *testing.T) {
	p, err := Read(t.Context(), strings.NewReader("main;f 20000.5\nmain;g 7\nmain;f 0.5\nmain;f 0.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Total() != 20008 || p.Count() != 3 || len(p.Samples()) != 2 {
		t.Errorf("%d of %d events in %d samples", p.Total(), p.Count(), len(p.Samples()))
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.folded")
	if err != nil || len(files) == 0 {
		f.Fatal("no seed corpus", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text[:min(len(text), 2000)])
	}
	f.Add([]byte("# austin: 3\nP1;T0:2;a.py:f:1 100\n"))
	f.Add([]byte("a;b 1.5\nc 2e3\n"))
	f.Add([]byte("[x tid=3];a/B.c_[j];d_[i] 2\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		Detect(text)
		p, err := Read(context.Background(), bytes.NewReader(text))
		if err != nil {
			return
		}
		if p.Total() < 0 || p.Count() <= 0 {
			t.Fatalf("total %d, count %d", p.Total(), p.Count())
		}
		for _, s := range p.Samples() {
			for _, l := range p.Stack(s.Stack) {
				if len(p.Lines(l)) == 0 {
					t.Fatal("a location without a line")
				}
			}
		}
	})
}

// A first frame is the name of a thread only where the stacks behind it begin as stacks
// do; elsewhere it is a function, and the file one program.
func TestFirstFrames(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		threads []string
	}{
		"functions, the kernel marked": {"main;parse;decode;vfs_read_[k] 20\nmain;parse;decode 600\nworker;flush;vfs_write_[k] 20\nidle;loop 300\n", nil},
		"functions, no marks":          {"main;parse;decode 600\nworker;flush 20\n", nil},
		"modules of Python":            {"<module>;run;work 60\n<module>;read_[k] 2\n", nil},
		"methods, code marked":         {"java/lang/Thread.run;a/B.c_[j];memcpy_[libc.so.6] 9\njava/util/X.forEach;a/B.d_[j] 4\n", nil},
		"perf, all marked":             {"app;_start_[app];main_[app] 9\nworker;clone3_[libc.so.6] 4\n", []string{"app", "worker"}},
		"perf, not marked":             {"app;_start;main 9\nworker;clone3;run 4\n", []string{"app", "worker"}},
		"bcc, the kernel marked":       {"app;_start;main 9\nswapper;cpu_startup_entry_[k] 4\nworker;[unknown];read;vfs_read_[k] 4\n", []string{"app", "swapper", "worker"}},
		"perf with processes":          {"a-long-name-of-a-31415;_start_[app];main_[app] 9\nworker-4000/4001;clone3_[libc.so.6] 4\n", nil},
		"perf with short processes":    {"app-31415;_start_[app];main_[app] 9\nworker-4000/4001;clone3_[libc.so.6] 4\n", []string{"app", "worker"}},
	} {
		p := read(t, c.text)
		seen := map[string]bool{}
		for _, s := range p.Samples() {
			if l, ok := p.Label(s.Labels, profile.LabelThread); ok {
				seen[l.Str] = true
			}
		}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, c.threads) {
			t.Errorf("%s: threads %q, want %q", name, got, c.threads)
		}
	}
}
