package ebpf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/collect"
	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

func TestWhichRubiesLackTheirContext(t *testing.T) {
	vector := support.DTVInfo{Offset: 8, Multiplier: 16}
	for _, c := range []struct {
		name string
		info support.RubyProcInfo
		want bool
	}{
		{"stripped", support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1, Tls_module_id: 1, Dtv_info: vector}, true},
		{"seen before the loader was done", support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1, Current_ec_tls_offset: 8}, true},
		{"with a symbol table", support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1, Tls_module_id: 1, Current_ec_tls_offset: 8, Dtv_info: vector}, false},
		{"with a descriptor", support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1, Current_ec_tpbase_tls_offset: -64}, false},
		{"silenced", support.RubyProcInfo{Version: 0x30107}, false},
		{"before Ruby 3", support.RubyProcInfo{Version: 0x20700, Current_ctx_ptr: 0x1000}, false},
	} {
		if got := lacksContext(&c.info); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// A wrong pointer looks like a collection of garbage that never ends, so what is not
// known is never guessed.
func TestCompletingAPlace(t *testing.T) {
	whole := rubyPlace{offset: 8, module: 0x1000, vector: support.DTVInfo{Offset: 8, Multiplier: 16}}
	numbered := func(n uint64) func(uint64) uint64 {
		return func(at uint64) uint64 {
			if at != 0x1000 {
				t.Errorf("reads %x", at)
			}
			return n
		}
	}
	info := support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1}
	if whole.complete(&info, numbered(0)) || info.Tls_module_id != 0 || !lacksContext(&info) {
		t.Errorf("before the loader was done: %+v", info)
	}
	if !whole.complete(&info, numbered(3)) || info.Tls_module_id != 3 || info.Current_ec_tls_offset != 8 || info.Dtv_info.Multiplier != 16 || lacksContext(&info) {
		t.Errorf("afterwards: %+v", info)
	}
	for name, p := range map[string]rubyPlace{
		"no symbol": {module: 0x1000, vector: whole.vector}, "no C library": {module: 0x1000, offset: 8},
	} {
		info := support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1, Tls_module_id: 1}
		if !p.complete(&info, numbered(3)) || info.Tls_module_id != 0 || info.Current_ctx_ptr != 0 {
			t.Errorf("%s: %+v", name, info)
		}
	}
	info = support.RubyProcInfo{Version: 0x30107, Current_ctx_ptr: 1}
	if (&rubyPlace{}).complete(&info, numbered(3)) || info.Current_ctx_ptr != 1 {
		t.Errorf("without thread-local memory: %+v", info)
	}
}

func TestTheFileOfRuby(t *testing.T) {
	const line = "7f0000000000-7f0000001000 r--p 00000000 08:01 123 "
	const code = "7f0000001000-7f0000002000 r-xp 00001000 08:01 123 "
	for maps, want := range map[string]string{
		line + "/usr/bin/ruby3.1\n" + line + "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2\n": "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2",
		line + "/opt/a b/bin/ruby\n" + line + "/usr/lib/libc.so.6\n":                            "/opt/a b/bin/ruby",
		line + "/usr/lib/libruby.so.3.4 (deleted)\n":                                            "/usr/lib/libruby.so.3.4",
		code + "/usr/lib/libruby.so.3.4\n":                                                      "",
		line + "/usr/bin/rubygems\n" + line + "[heap]\n":                                        "",
		"": "",
	} {
		all, err := filesIn(strings.NewReader(maps))
		got := choose(all, rubyFile)
		if got.path != want || err != nil || got.path != "" && got.start != 0x7f0000000000 {
			t.Errorf("%q: %+v, %v; want %q", maps, got, err, want)
		}
	}
	if _, err := mappedFiles(1 << 30); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no process: %v", err)
	}
}

// This process has a loader, whose way to thread-local memory is read from its code.
func TestTheVectorOfThisProcess(t *testing.T) {
	all, err := mappedFiles(uint32(os.Getpid()))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	loader, err := filepath.Glob("/lib64/ld-linux-x86-64.so.2")
	if err != nil || len(loader) == 0 {
		t.Skip("no glibc for x86-64")
	}
	if got := vectorOf(uint32(os.Getpid()), []mappedFile{{path: loader[0]}}); got.Offset != 8 || got.Multiplier != 16 {
		t.Errorf("%+v", got)
	}
	var word uint64 = 0x1234_5678_9abc
	if got := wordOf(uint32(os.Getpid()), uint64(uintptr(unsafe.Pointer(&word)))); got != word {
		t.Errorf("%x", got)
	}
	if got := wordOf(1<<30, 0); got != 0 {
		t.Errorf("of no process: %x", got)
	}
}

// The variable is found among the exported symbols of a stripped library, and a
// function of that name is not taken for it.
func TestThreadLocal(t *testing.T) {
	if _, err := tool.Find("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	build := func(source string) string {
		dir := t.TempDir()
		file, library := filepath.Join(dir, "a.c"), filepath.Join(dir, "liba.so")
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "gcc", "-shared", "-fPIC", "-s", "-o", library, file).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, out)
		}
		return library
	}
	library := build("__thread long first = 1, ruby_current_ec = 2;\n")
	first, err := threadLocal(library, "first")
	if err != nil {
		t.Fatal(err)
	}
	second, err := threadLocal(library, rubyContext)
	if err != nil || first == second || first > 8 || second > 8 {
		t.Errorf("offsets %d and %d, %v; want 0 and 8 in some order", first, second, err)
	}
	if got, err := threadLocal(build("int ruby_current_ec(void) { return 1; }\n"), rubyContext); got != 0 || err != nil {
		t.Errorf("a function: %d, %v", got, err)
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := threadLocal(text, rubyContext); err == nil {
		t.Error("a text file was read as a library")
	}
}

func TestRubyWarnings(t *testing.T) {
	r := newRubies(nil, nil)
	r.mend() // without the profiler's map there is nothing to do
	r.failed["/usr/lib/libruby.so.3.3"] = true
	r.failed["/opt/libruby.so.3.4"] = true
	got := r.warnings(func(path string) bool { return strings.HasPrefix(path, "/usr") })
	if len(got) != 1 || !strings.Contains(got[0], "/usr/lib/libruby.so.3.3 is stripped") || !strings.Contains(got[0], "install ") {
		t.Errorf("%q", got)
	}
}

// The profiler's word for a method without a name is not shown, and Perl is told of.
func TestFramesOfInterpreters(t *testing.T) {
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), &rate{first: 1000})
	frames := libpf.Frames{}
	frames.Append(&libpf.Frame{Type: libpf.RubyFrame, FunctionName: libpf.Intern(unknownC), SourceFile: libpf.Intern("<cfunc>")})
	if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, &samples.TraceEventMeta{PID: 7, Timestamp: 5}); err != nil {
		t.Fatal(err)
	}
	if c.perl {
		t.Error("Ruby is taken for Perl")
	}
	frames = libpf.Frames{}
	frames.Append(&libpf.Frame{Type: libpf.PerlFrame, FunctionName: libpf.Intern("main::f")})
	if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, &samples.TraceEventMeta{PID: 7, Timestamp: 5}); err != nil {
		t.Fatal(err)
	}
	if !c.perl {
		t.Error("frames of Perl are not noticed")
	}
	p := c.profile(profile.Meta{})
	if got := share(p, func(f *profile.Function) bool {
		return f.Name == methodInC && f.File == "" && f.Kind == profile.KindRuby
	}); got != 0.5 {
		t.Errorf("%.2f of the samples are in a %s", got, methodInC)
	}
}
