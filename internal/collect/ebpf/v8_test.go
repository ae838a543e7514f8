package ebpf

import (
	"testing"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

// The kernel part tells the kind of a frame of V8 by a number, of which the profiler makes
// one name for all that it does not know.
func TestFramesOfV8AreNamedByTheirNumber(t *testing.T) {
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), &rate{first: 1000})
	c.v8["/usr/bin/node"] = v8Kinds{26: v8Regexp, 17: "TurbofanStubWithContextFrame"}
	marker := func(n uint64) []uint64 {
		f := libpf.NewEbpfFrame(libpf.V8Frame, 0, 3, 0)
		f[1], f[2] = support.V8FileTypeMarker, n
		return f
	}
	raw := &libpf.EbpfTrace{NumKernelFrames: 1, FrameData: []uint64{0xffffffff81000000}}
	frames := libpf.Frames{}
	frames.Append(&libpf.Frame{Type: libpf.KernelFrame, FunctionName: libpf.Intern("exc_page_fault"), Mapping: mapped("vmlinux", "", 0, 0, 0)})
	add := func(n uint64, name string) {
		raw.FrameData = append(raw.FrameData, marker(n)...)
		frames.Append(&libpf.Frame{Type: libpf.V8Frame, FunctionName: libpf.Intern(name)})
	}
	add(26, v8Unknown)
	add(3, "V8::StubFrame")
	script := libpf.NewEbpfFrame(libpf.V8Frame, 0, 3, 0)
	script[1] = support.V8FileTypeByteCode | 0x1000
	raw.FrameData = append(raw.FrameData, script...)
	frames.Append(&libpf.Frame{Type: libpf.V8Frame, FunctionName: libpf.Intern("V8::mine"), SourceFile: libpf.Intern("a.js"), SourceLine: 1})
	add(17, v8Unknown)
	add(99, v8Unknown)
	c.about(raw)
	meta := &samples.TraceEventMeta{PID: 7, ExecutablePath: libpf.Intern("/usr/bin/node")}
	if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, meta); err != nil {
		t.Fatal(err)
	}
	p := c.profile(profile.Meta{})
	var names []string
	for _, loc := range p.Stack(p.Samples()[0].Stack) {
		names = append(names, p.Function(p.Lines(loc)[0].Function).Name)
	}
	want := []string{"exc_page_fault", regexpName, "V8::StubFrame", "V8::mine", "V8::TurbofanStubWithContextFrame", v8Unknown}
	for i := range want {
		if i >= len(names) || names[i] != want[i] {
			t.Fatalf("%q, want %q", names, want)
		}
	}
}

// A regular expression runs as code that V8 generates.
func TestRegularExpressionsOfNodeAreNamed(t *testing.T) {
	usable(t.Context(), t)
	args := interpreted(t, "node", "match.js", `
const text = ('the quick brown fox jumps over the lazy dog ').repeat(2000)
let n = 0
for (let i = 0; i < 40; i++) n += (text.match(/(\w+)+ (q\w*|z\w+x)!/g) || []).length
process.exitCode = n ? 1 : 0
`)
	settled(t, func(v *verdict) {
		p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: args}})
		if out.Exit.Failed() {
			t.Fatalf("the program failed: %v", out.Exit)
		}
		named := func(name string) float64 {
			return share(p, func(f *profile.Function) bool { return f.Name == name })
		}
		if named(regexpName) < 0.2 || named(v8Unknown) > 0.05 {
			v.Errorf("regular expressions in %.3f, unknown frames in %.3f of %d samples", named(regexpName), named(v8Unknown), p.Count())
		}
	})
}
