package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"whyhot/internal/ingest/otlp"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

func gzipped(tb testing.TB, b []byte) []byte {
	tb.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(b); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func zstded(tb testing.TB, b []byte) []byte {
	tb.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return z.EncodeAll(b, nil)
}

const stacks = "app;main_[app];malloc_[libc.so.6] 3\napp;main_[app];free_[libc.so.6] 4\n"

const cpuProfile = `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2]},{"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":1},"hitCount":4}],"startTime":1,"endTime":2}`

// manyStacks is longer than the head that detection sees, and than the blocks
// that decompression works in.
func manyStacks() string {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("app;main_[app];f")
		b.WriteString(strings.Repeat("x", i%97))
		b.WriteString("_[libx.so.1];g_[liby.so.2] 1\n")
	}
	return b.String()
}

func asPprof(tb testing.TB) []byte {
	tb.Helper()
	p, err := Read(context.Background(), strings.NewReader(stacks), "x", Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var buf bytes.Buffer
	if err := pprof.WriteUncompressed(&buf, p); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func asOTLP(tb testing.TB) []byte {
	tb.Helper()
	p, err := Read(context.Background(), strings.NewReader(stacks), "x", Options{})
	if err != nil {
		tb.Fatal(err)
	}
	data, err := otlp.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func legacy() []byte {
	var b []byte
	for _, w := range []byte{0, 3, 0, 100, 0, 7, 1, 0x42, 0, 1, 0} {
		b = append(b, w, 0, 0, 0, 0, 0, 0, 0)
	}
	return append(b, "00000000-00500000 r-xp 00000000 08:01 1 /usr/bin/app\n"...)
}

func TestFormatsAreFoundByContent(t *testing.T) {
	pb := asPprof(t)
	many := []byte(manyStacks())
	dir := t.TempDir()
	for _, c := range []struct {
		name  string
		data  []byte
		total int64
	}{
		{"folded.pb.gz", []byte(stacks), 7}, // the name lies on purpose
		{"folded.gz", gzipped(t, []byte(stacks)), 7},
		{"folded.zst", zstded(t, []byte(stacks)), 7},
		{"folded.gz.gz", gzipped(t, gzipped(t, []byte(stacks))), 7},
		{"long", many, 20_000},
		{"long.gz", gzipped(t, many), 20_000},
		{"long.zst", zstded(t, many), 20_000},
		{"members.gz", append(gzipped(t, many), gzipped(t, many)...), 40_000},
		{"pprof.txt", pb, 7},
		{"pprof.gz", gzipped(t, pb), 7},
		{"pprof.zst", zstded(t, pb), 7},
		{"node.json", []byte(cpuProfile), 1000},
		{"speedscope.gz", gzipped(t, []byte(`{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[3]}]}`)), 3},
		{"otlp", asOTLP(t), 7},
		{"otlp.gz", gzipped(t, asOTLP(t)), 7},
		{"perf script", []byte("jq  4711 12.345678:     250000 cpu-clock:pppH: \n\t    7f00 malloc+0x1 (/usr/lib/libc.so.6)\n\t    7e00 main+0x1 (/usr/bin/jq)\n\n"), 250_000},
		{"lambda first", []byte("{lambda()#1}::operator();f 5\n"), 5},
		{"async-profiler -t", []byte("[main tid=3];a/B.c 5\n"), 5},
		{"gperftools", legacy(), 700_000},
		{"gperftools.gz", gzipped(t, legacy()), 700_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.name)
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if p.Total() != c.total {
				t.Errorf("total %d, want %d", p.Total(), c.total)
			}
			// The same from a pipe, which cannot be rewound.
			p, err = Open(t.Context(), "-", Options{Stdin: io.MultiReader(bytes.NewReader(c.data))})
			if err != nil {
				t.Fatal(err)
			}
			if p.Total() != c.total {
				t.Errorf("from a pipe: total %d, want %d", p.Total(), c.total)
			}
		})
	}
}

func TestPerfData(t *testing.T) {
	for _, name := range []string{"process.data.gz", "pipe.data.gz"} {
		packed, err := os.ReadFile(filepath.Join("perfdata", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		bare, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		var totals []int64
		for _, r := range []io.Reader{bytes.NewReader(packed), bytes.NewReader(bare), io.MultiReader(bytes.NewReader(bare))} {
			p, err := Read(t.Context(), r, name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			totals = append(totals, p.Total())
		}
		if totals[0] == 0 || totals[1] != totals[0] || totals[2] != totals[0] {
			t.Errorf("%s: totals %v compressed, bare and from a pipe", name, totals)
		}
	}
}

func TestUnreadable(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	many := gzipped(t, []byte(manyStacks()))
	damaged := bytes.Clone(many)
	for i := len(damaged) / 2; i < len(damaged)/2+64; i++ {
		damaged[i] ^= 0x5a
	}
	bare := asPprof(t)
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "the file is empty (0 bytes)"},
		{"empty gzip", gzipped(t, nil), "the gzip file has no content"},
		{"program", elf, "this is an ELF binary, not a profile"},
		{"program in gzip", gzipped(t, elf), "this is an ELF binary"},
		{"prose", []byte("Dear reader,\nthis is a letter.\n"), `line 1 is no folded stack ("frame;frame;… COUNT"): "Dear reader,"; whyhot reads pprof`},
		{"comments", []byte("# a\n# b\n"), "only blank lines and comments"},
		{"JSON", []byte(`{"a": 1}`), "this is JSON"},
		{"cut JSON", []byte(cpuProfile[:80]), "V8 CPU profile: unexpected EOF"},
		{"Chrome trace", []byte(`{"traceEvents": []}`), "Chrome trace"},
		{"Firefox", []byte(`{"meta": {"version": 24}, "libs": [], "threads": []}`), "Firefox Profiler"},
		{"JFR", []byte("FLR\x00\x00\x02"), "Java Flight Recorder"},
		{"nettrace", []byte("Nettrace\x14"), "dotnet-trace convert"},
		{"callgrind", []byte("# callgrind format\nversion: 1\n"), "callgrind"},
		{"SVG", []byte("<?xml version=\"1.0\"?>\n<svg></svg>"), "SVG picture"},
		{"XML", []byte("<?xml version=\"1.0\"?>\n<results></results>"), "XML"},
		{"HTML", []byte("<!DOCTYPE html><html>"), "HTML"},
		{"Go trace", []byte("go 1.26 trace\x00\x00\x00"), "Go execution trace"},
		{"xz", []byte("\xfd7zXZ\x00\x00\x04"), "xz-compressed"},
		{"bzip2", []byte("BZh91AY&SY"), "bzip2"},
		{"UTF-16", []byte("\xff\xfea\x00;\x00"), "UTF-16"},
		{"noise", []byte{1, 2, 3, 0, 0xff, 0xfe, 4, 5}, "unknown binary file (it starts with 01 02 03 00"},
		{"cut gzip", many[:len(many)/2], "gzip: the file is truncated: it ends at byte"},
		{"gzip cut in its first block", gzipped(t, []byte(stacks))[:20], "gzip: the file is truncated: it ends at byte 20"},
		{"gzip header only", []byte{0x1f, 0x8b, 8}, "gzip: damaged header"},
		{"damaged gzip", damaged, "gzip: damaged near byte"},
		{"cut zstd", zstded(t, []byte(manyStacks()))[:500], "zstd: the file is truncated"},
		{"cut pprof", bare[:len(bare)-3], "truncated"},
		{"gzip in gzip in gzip in gzip in gzip", gzipped(t, gzipped(t, gzipped(t, gzipped(t, gzipped(t, []byte(stacks)))))), "compressed more than"},
		{"one bad line in two", []byte("a;b 1\n" + strings.Repeat("no stack\n", 1)), "no folded stack"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(t.Context(), bytes.NewReader(c.data), "NAME", Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "NAME: ") {
				t.Errorf("got %v\nwant %q", err, c.want)
			}
		})
	}
}

func TestNoSamplesIsTold(t *testing.T) {
	empty := profile.NewBuilder().Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	var buf bytes.Buffer
	if err := pprof.Write(&buf, empty); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"empty file": nil, "empty pprof": buf.Bytes(), "folded zeros": []byte("a;b 0\n")} {
		if _, err := Read(t.Context(), bytes.NewReader(data), name, Options{}); !errors.Is(err, ErrNoSamples) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(t.Context(), filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("got %v", err)
	}
}

func TestReadErrorOfTheSource(t *testing.T) {
	boom := errors.New("boom")
	_, err := Read(t.Context(), io.MultiReader(strings.NewReader(stacks), broken{boom}), "x", Options{})
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, bytes.NewReader(gzipped(t, []byte(manyStacks()))), "x", Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(stacks))
	f.Add(gzipped(f, []byte(stacks)))
	f.Add(zstded(f, []byte(stacks)))
	f.Add(asPprof(f))
	f.Add(gzipped(f, asPprof(f)))
	f.Add(legacy())
	f.Add([]byte(cpuProfile))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(context.Background(), bytes.NewReader(b), "x", Options{})
		if err == nil && p.Count() == 0 && p.Total() == 0 {
			t.Fatal("an empty profile and no error")
		}
	})
}
