package ebpf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

func TestWhichRubiesLackTheirContext(t *testing.T) {
	for _, c := range []struct {
		name string
		info support.RubyProcInfo
		want bool
	}{
		{"stripped", support.RubyProcInfo{Tls_module_id: 1}, true},
		{"with a symbol table", support.RubyProcInfo{Tls_module_id: 1, Current_ec_tls_offset: 8}, false},
		{"with a descriptor", support.RubyProcInfo{Tls_module_id: 1, Current_ec_tpbase_tls_offset: -64}, false},
		{"before Ruby 3", support.RubyProcInfo{Current_ctx_ptr: 0x1000}, false},
	} {
		if got := lacksContext(&c.info); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestTheFileOfRuby(t *testing.T) {
	const line = "7f0000000000-7f0000001000 r-xp 00000000 08:01 123 "
	for maps, want := range map[string]string{
		line + "/usr/bin/ruby3.1\n" + line + "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2\n": "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2",
		line + "/opt/a b/bin/ruby\n" + line + "/usr/lib/libc.so.6\n":                            "/opt/a b/bin/ruby",
		line + "/usr/lib/libruby.so.3.4 (deleted)\n":                                            "/usr/lib/libruby.so.3.4",
		line + "/usr/bin/rubygems\n" + line + "[heap]\n":                                        "",
		"": "",
	} {
		if got, err := fileIn(strings.NewReader(maps), rubyFile); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", maps, got, err, want)
		}
	}
	if _, err := mappedFile(1<<30, rubyFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no process: %v", err)
	}
}

// The variable is found among the exported symbols of a stripped library, and a
// function of that name is not taken for it.
func TestThreadLocal(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
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
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), time.Millisecond)
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
