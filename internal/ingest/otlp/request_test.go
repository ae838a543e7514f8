package otlp

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pprofile"

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
