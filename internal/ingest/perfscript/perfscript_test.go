package perfscript

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func readFile(t *testing.T, name string) *profile.Profile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if !Detect(data) {
		t.Errorf("%s is not detected", name)
	}
	p, err := Read(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text writes a stack as "leaf;caller;…", unnamed frames as ?binary.
func text(p *profile.Profile, s profile.Sample) string {
	var names []string
	for _, id := range p.Stack(s.Stack) {
		for _, l := range p.Lines(id) {
			f := p.Function(l.Function)
			if f.Name == "" {
				names = append(names, "?"+filepath.Base(p.Mapping(p.Location(id).Mapping).Path))
				continue
			}
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ";")
}

const firstStack = "?libjq.so.1.0.4;?libjq.so.1.0.4;?libjq.so.1.0.4;?libjq.so.1.0.4;?libjq.so.1.0.4;?libjq.so.1.0.4;" +
	"?libjq.so.1.0.4;jq_parse;jq_parse_library;?libjq.so.1.0.4;?libjq.so.1.0.4;jq_compile_args;?jq;" +
	"__libc_start_call_main;__libc_start_main;?jq"

func TestSameSamplesInThreeForms(t *testing.T) {
	for _, name := range []string{"jq-default.txt", "jq-mmap.txt"} {
		p := readFile(t, name)
		if p.Count() != 6 || p.Total() != 6*5025125 || p.Meta.ValueType.Unit != "nanoseconds" {
			t.Errorf("%s: %d samples, total %d %v", name, p.Count(), p.Total(), p.Meta.ValueType)
		}
		first := p.Samples()[0]
		// With inlined functions perf gives the outermost one another name.
		if got := strings.ReplaceAll(text(p, first), "start_main_impl", "start_main"); got != firstStack {
			t.Errorf("%s: first stack\n%s\nwant\n%s", name, got, firstStack)
		}
		leaf := p.Location(p.Stack(first.Stack)[0])
		if leaf.Address != 0x12212 {
			t.Errorf("%s: leaf at offset %#x, want 0x12212", name, leaf.Address)
		}
		caller := p.Location(p.Stack(first.Stack)[1])
		if caller.Address != 0x122d3 {
			t.Errorf("%s: caller at offset %#x, want 0x122d4 less one", name, caller.Address)
		}
		m := p.Mapping(leaf.Mapping)
		if m.Path != "/usr/lib/x86_64-linux-gnu/libjq.so.1.0.4" || leaf.Address >= m.Limit {
			t.Errorf("%s: mapping %+v", name, m)
		}
		if name == "jq-mmap.txt" && m.BuildID != "77cd7be94f22bb8b51a6f9a43e7517019d1f0b1a" {
			t.Errorf("build ID %q", m.BuildID)
		}
	}
}

func TestSourceLinesAndInlining(t *testing.T) {
	p := readFile(t, "jq-srcline.txt")
	if p.Meta.ValueType.Type != "samples" || p.Total() != p.Count() {
		t.Errorf("without periods: %v, total %d of %d", p.Meta.ValueType, p.Total(), p.Count())
	}
	found := false
	for i := range p.NumLocations() {
		line := p.Lines(profile.LocationID(i))[0]
		if f := p.Function(line.Function); f.Name == "__libc_start_main_impl" {
			found = f.File == "libc-start.c" && line.Line == 360
		}
	}
	if !found {
		t.Error("the source line of an inlined function was not read")
	}
}

func TestWithoutStacks(t *testing.T) {
	p := readFile(t, "jq-nostacks.txt")
	if p.Count() != 12 {
		t.Errorf("%d samples, want 12", p.Count())
	}
	if got := text(p, p.Samples()[0]); got != "handle_amd" {
		t.Errorf("first sample %q", got)
	}
	kernel := false
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) != 1 {
			t.Fatalf("stack of %d frames", len(stack))
		}
		kernel = kernel || p.Function(p.Lines(stack[0])[0].Function).Kind == profile.KindKernel
	}
	if !kernel {
		t.Error("no kernel function")
	}
}

func TestWholeSystem(t *testing.T) {
	p := readFile(t, "system.txt")
	var processes []string
	for _, s := range p.Samples() {
		if l, ok := p.Label(s.Labels, profile.LabelProcess); ok {
			processes = append(processes, l.Str)
		}
	}
	slices.Sort(processes)
	if got := slices.Compact(processes); !slices.Equal(got, []string{"jq", "sh"}) {
		t.Errorf("processes %q", got)
	}
	if len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "idle") {
		t.Errorf("warnings %q", p.Meta.Warnings)
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ name, in, stack, comm, mapping string }{
		{"spaces in the name of the thread", "Web Content 12/34 [001] 1.5: 7 cycles:u: \n\tffff main+0x1 (/usr/bin/x)\n\n", "main", "Web Content", "/usr/bin/x"},
		{"C++ with everything", "x 1/2 1.5: 7 cycles: \n\t 10 std::function<void (int)>::operator()(int) const+0x1f (/usr/bin/a b)\n\n", "std::function<void (int)>::operator()(int) const", "x", "/usr/bin/a b"},
		{"deleted binary", "x 1/2 1.5: 7 cycles: \n\t 10 f+0x1 (/usr/bin/a (deleted))\n\n", "f", "x", "/usr/bin/a (deleted)"},
		{"no binary", "x 1/2 1.5: cycles: \n\t 10 f\n\n", "f", "x", ""},
		{"inlined", "x 1/2 1.5: 7 cycles: \n\t 10 in+0x2 (inlined)\n\t 10 out+0x9 (/a)\n\t 20 up+0x9 (/a)\n\n", "in;out;up", "x", "/a"},
		{"no end", "x 1/2 1.5: 7 cycles: \n\t 10 f (/a)", "f", "x", "/a"},
		{"carriage returns", "x 1/2 1.5: 7 cycles: \r\n\t 10 f (/a)\r\n\r\n", "f", "x", "/a"},
		{"flags", "x 1/2 [000] d..1. 1.5: 7 cycles: \n\t 10 f (/a)\n\n", "f", "x", "/a"},
		{"JIT", "node 1/2 1.5: 7 cycles: \n\t 7f0000001000 LazyCompile:*run /srv/a.js:3:9 (/tmp/perf-1.map)\n\n", "LazyCompile:*run /srv/a.js:3:9", "node", "/tmp/perf-1.map"},
		{"a name that is a number too", "  dd 1 1.5: 7 cycles: 10 f (/a)\n add 2 1.6: 7 cycles: 20 g (/a)\n", "f", "dd", "/a"},
		{"no address", "x 1/2 1.5: 7 cycles: \n\n", "", "x", ""},
		{"a tracepoint beside it", "x 1/2 1.5: 1 sched:sched_switch: \n\t 10 g (/a)\n\nx 1/2 1.6: 7 cycles: \n\t 10 f (/a)\n\n", "f", "x", "/a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Read(t.Context(), strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			s := p.Samples()[0]
			if got := text(p, s); got != c.stack {
				t.Errorf("stack %q, want %q", got, c.stack)
			}
			if l, _ := p.Label(s.Labels, profile.LabelThread); l.Str != c.comm {
				t.Errorf("thread %q, want %q", l.Str, c.comm)
			}
			if stack := p.Stack(s.Stack); len(stack) > 0 {
				if got := p.Mapping(p.Location(stack[0]).Mapping).Path; got != c.mapping {
					t.Errorf("mapping %q, want %q", got, c.mapping)
				}
			}
		})
	}
}

func TestProcessAddresses(t *testing.T) {
	const mmaps = "x 1/1 0.1: PERF_RECORD_MMAP2 1/1: [0x7f0000001000(0x2000) @ 0x5000 fe:00 12 0]: r-xp /lib/a.so\n"
	const sample = "x 1/1 1.5: 7 cycles: \n\t 7f0000001010 [unknown] (/lib/a.so)\n\n"
	for _, c := range []struct {
		name, in string
		addr     uint64
	}{
		{"with its mapping", mmaps + sample, 0x5010},
		{"without", sample, 0},
	} {
		p, err := Read(t.Context(), strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Location(p.Stack(p.Samples()[0].Stack)[0]).Address; got != c.addr {
			t.Errorf("%s: offset %#x, want %#x", c.name, got, c.addr)
		}
	}
}

func TestLost(t *testing.T) {
	in := "x 1/1 0.1: PERF_RECORD_LOST lost 17\nx 1/1 1.5: 7 cycles: \n\t 10 f (/a)\n\n"
	p, err := Read(t.Context(), strings.NewReader(in))
	if err != nil || p.Meta.Lost != 17 {
		t.Errorf("lost %v, %v", p, err)
	}
}

func TestRefused(t *testing.T) {
	if _, err := Read(t.Context(), strings.NewReader("# nothing but a comment\n")); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty text: %v", err)
	}
	in := "x 1/1 1.5: 7 cycles: \n\t 10 f (/a)\n\nwhat is this\nand this\n"
	if _, err := Read(t.Context(), strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("foreign lines: %v", err)
	}
	for _, foreign := range []string{"", "a;b;c 12\n", "main 12\n", "{\"a\": 1}\n", "int main(void) { return 0; }\n", "a b c d e\n\tf\n"} {
		if Detect([]byte(foreign)) {
			t.Errorf("%q is detected", foreign)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		Detect(data)
		p, err := Read(t.Context(), bytes.NewReader(data))
		if err != nil {
			return
		}
		var n int64
		for _, s := range p.Samples() {
			n += s.Count
			p.Stack(s.Stack)
		}
		if n != p.Count() || n == 0 {
			t.Errorf("samples sum to %d, count %d", n, p.Count())
		}
		for i := range p.NumLocations() {
			l := p.Location(profile.LocationID(i))
			if m := p.Mapping(l.Mapping); l.Mapping != 0 && l.Address >= m.Limit && l.Address != ^uint64(0) {
				t.Errorf("address %#x outside %+v", l.Address, m)
			}
		}
	})
}
