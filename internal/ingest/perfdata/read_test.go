package perfdata

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

func read(t *testing.T, b []byte, opts Options) *profile.Profile {
	t.Helper()
	p, err := Read(context.Background(), bytes.NewReader(b), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rows lists the samples as "process pid binary+offset count value".
func rows(p *profile.Profile) []string {
	var out []string
	for _, s := range p.Samples() {
		name, _ := p.Label(s.Labels, profile.LabelProcess)
		pid, _ := p.Label(s.Labels, profile.LabelPID)
		var frames []string
		for _, id := range p.Stack(s.Stack) {
			loc := p.Location(id)
			m := p.Mapping(loc.Mapping)
			if loc.Mapping != 0 && (loc.Address < m.Start || loc.Address >= m.Limit) {
				frames = append(frames, "outside of its mapping")
			}
			frames = append(frames, fmt.Sprintf("%s+%x", m.Path, loc.Address-m.Start+m.Offset))
		}
		out = append(out, fmt.Sprintf("%s %d %s %d %d", name.Str, pid.Num, strings.Join(frames, ";"), s.Count, s.Value))
	}
	slices.Sort(out)
	return out
}

func wantRows(t *testing.T, p *profile.Profile, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := rows(p); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestAddressSpaces(t *testing.T) {
	b := file([][]byte{clockAttr()},
		commRec(10, 1, 0, "sh"),
		mmapRec(10, 2, 0x400000, 0x3000, 0x1000, "/bin/sh"),
		forkRec(11, 10, 3),
		smpl(11, 4, 0x401010), // the child has its parent's memory and name
		commRec(11, 5, miscCommExec, "sort"),
		mmapRec(11, 6, 0x7f0000, 0x2000, 0, "/bin/sort"),
		smpl(11, 7, 0x7f0123),
		smpl(11, 8, 0x401010), // the old program is gone
		smpl(10, 9, 0x401010), // but not from the parent
		mmapRec(10, 10, 0x401000, 0x1000, 0x5000, "/lib/b.so"),
		smpl(10, 11, 0x400010), smpl(10, 12, 0x401010), smpl(10, 13, 0x402010),
		exitRec(11, 14), smpl(11, 15, 0x7f0123),
		forkRec(11, 10, 16), smpl(11, 17, 0x7f0123), // another process of that pid
	)
	wantRows(t, read(t, b, Options{}),
		"sh 11 /bin/sh+2010 1 1000000",
		"sort 11 /bin/sort+123 2 2000000",
		"sort 11 +401010 1 1000000",
		"sh 10 /bin/sh+2010 1 1000000",
		"sh 10 /bin/sh+1010 1 1000000",
		"sh 10 /lib/b.so+5010 1 1000000",
		"sh 10 /bin/sh+3010 1 1000000",
		"sh 11 +7f0123 1 1000000",
	)
}

func TestOneMappingForABinaryOfManyProcesses(t *testing.T) {
	b := file([][]byte{clockAttr()},
		mmapRec(1, 1, 0x7f1000, 0x1000, 0x2000, "/lib/c.so"), smpl(1, 2, 0x7f1040),
		mmapRec(2, 3, 0x5551000, 0x1000, 0x2000, "/lib/c.so"), smpl(2, 4, 0x5551040),
		// the same file, a segment that the first process did not run
		mmapRec(2, 5, 0x5559000, 0x1000, 0x8000, "/lib/c.so"), smpl(2, 6, 0x5559040),
	)
	p := read(t, b, Options{Labels: []string{}})
	wantRows(t, p, " 0 /lib/c.so+2040 2 2000000", " 0 /lib/c.so+8040 1 1000000")
	if p.NumMappings() != 2 {
		t.Errorf("%d mappings", p.NumMappings())
	}
}

// TestOrder has records of two CPUs' buffers, written one after the other.
func TestOrder(t *testing.T) {
	round := rec(recFinishedRound, 0)
	b := file([][]byte{clockAttr()},
		smpl(5, 20, 0x1010), smpl(5, 22, 0x2010), // needs both of the mappings below
		round,
		commRec(5, 10, 0, "prog"), mmapRec(5, 11, 0x1000, 0x1000, 0, "/a"), mmapRec(5, 21, 0x2000, 0x1000, 0, "/b"),
		round, round,
		smpl(5, 30, 0x1020), round,
	)
	wantRows(t, read(t, b, Options{}), "prog 5 /a+10 1 1000000", "prog 5 /b+10 1 1000000", "prog 5 /a+20 1 1000000")
}

func TestJITAndIdle(t *testing.T) {
	b := file([][]byte{clockAttr()},
		mmapRec(7, 1, 0x9000, 0x1000, 0, "//anon"), mmapRec(8, 1, 0x9000, 0x1000, 0, "//anon"),
		smpl(7, 2, 0x9010), smpl(8, 3, 0x9010),
		smpl(0, 4, 0xffffffff81000000),
	)
	p := read(t, b, Options{})
	if p.Count() != 2 || !slices.ContainsFunc(p.Meta.Warnings, func(w string) bool { return strings.Contains(w, "1 samples of the idle task") }) {
		t.Errorf("count %d, warnings %q", p.Count(), p.Meta.Warnings)
	}
	for i, s := range p.Samples() {
		loc := p.Location(p.Stack(s.Stack)[0])
		if want := fmt.Sprintf("/tmp/perf-%d.map", 7+i); p.Mapping(loc.Mapping).Path != want || loc.Address != 0x9010 {
			t.Errorf("%v in %q, want %q", loc, p.Mapping(loc.Mapping).Path, want)
		}
		if k := p.Function(p.Lines(p.Stack(s.Stack)[0])[0].Function).Kind; k != profile.KindJIT {
			t.Errorf("kind %v", k)
		}
	}
	if p := read(t, b, Options{KeepIdle: true}); p.Count() != 3 {
		t.Errorf("with idle: %d", p.Count())
	}
	// User code of process 0 is no idle task but one whose number is not known.
	if p := read(t, file([][]byte{clockAttr()}, smpl(0, 1, 0x9010)), Options{}); p.Count() != 1 || len(p.Meta.Warnings) != 0 {
		t.Errorf("a task without a number: count %d, warnings %q", p.Count(), p.Meta.Warnings)
	}
}

// A number in the kernel's call chain must not move the kernel's beginning.
func TestKernelBeginsWhereItIs(t *testing.T) {
	chain := []any{int64(contextKernelMarker), uint64(0xffffffff81000010), uint64(0x6769)}
	b := file([][]byte{attr(typeHardware, 0, 1000, plainType|sampleCallchain, attrFlagFreq|attrFlagSampleIDAll)},
		rec(recMmap, miscKernel, int32(-1), uint32(0), uint64(0xffffffff81000000), uint64(0x1000), uint64(0xffffffff81000000), kernelName+"_text", at(0, 0), u64(0)),
		rec(recSample, miscKernel, uint64(0xffffffff81000010), uint32(4), uint32(4), uint64(9), uint64(77), uint64(len(chain)), le(chain...)),
	)
	p := read(t, b, Options{Labels: []string{}})
	for i := range p.NumMappings() {
		if m := p.Mapping(profile.MappingID(i)); m.Path == kernelName && m.Start != 0xffffffff81000000 {
			t.Errorf("the kernel begins at %#x", m.Start)
		}
	}
	if stack := p.Stack(p.Samples()[0].Stack); len(stack) != 2 || p.Location(stack[1]).Address != 0x6768 {
		t.Errorf("stack of %d", len(stack))
	}
}

func TestCallChain(t *testing.T) {
	chain := []any{
		int64(contextKernelMarker), uint64(0xffffffff81000010), uint64(0xffffffff81000105),
		int64(contextUserMarker), uint64(0x1010), uint64(0x1020), uint64(0x1030), uint64(0),
	}
	a := attr(typeHardware, 0, 1000, plainType|sampleCallchain, attrFlagFreq|attrFlagSampleIDAll)
	b := file([][]byte{a},
		rec(recMmap, miscKernel, int32(-1), uint32(0), uint64(0xffffffff81000000), uint64(0x1000), uint64(0xffffffff81000000), kernelName+"_text", at(0, 0), u64(0)),
		rec(recMmap, miscUser, uint32(4), uint32(4), uint64(0x1000), uint64(0x1000), uint64(0), "/a", at(4, 0)),
		rec(recSample, miscKernel, uint64(0xffffffff81000010), uint32(4), uint32(4), uint64(9), uint64(77), uint64(len(chain)), le(chain...)),
	)
	p := read(t, b, Options{Labels: []string{}})
	wantRows(t, p, " 0 [kernel.kallsyms]+10;[kernel.kallsyms]+104;/a+10;/a+1f;/a+2f 1 77")
	if p.Meta.ValueType != (profile.ValueType{Type: "cycles", Unit: "count"}) || p.Meta.Period != 0 {
		t.Errorf("%+v", p.Meta)
	}
}

const (
	contextKernelMarker = -128
	contextUserMarker   = -512
)

func TestEvents(t *testing.T) {
	typ := uint64(sampleIdentifier | plainType)
	attrs := [][]byte{
		attr(typeSoftware, 2, 1, typ, attrFlagSampleIDAll),                  // page-faults
		attr(typeSoftware, 0, 999, typ, attrFlagSampleIDAll|attrFlagFreq),   // cpu-clock
		attr(typeTracepoint, 317, 1, typ|sampleAddr|sampleCPU|sampleRaw, 0), // a tracepoint
		attr(typeHardware, 1, 1000, typ|sampleAddr|sampleStreamID, 0),       // instructions
	}
	s := func(id uint64, ip uint64, more ...any) []byte {
		return rec(recSample, miscUser, append([]any{id, ip, uint32(3), uint32(3), uint64(5)}, more...)...)
	}
	b := file(attrs,
		s(1, 0x10, uint64(1)),
		s(2, 0x20, uint64(1001001)), s(2, 0x20, uint64(1001001)),
		s(3, 0x30, uint64(0xadd), uint64(0), uint64(1), uint32(12), make([]byte, 12)),
		s(4, 0x40, uint64(0xadd), uint64(6), uint64(1000)),
	)
	for event, want := range map[string]string{
		"":               " 3 +20 2 2002002",
		"cpu-clock":      " 3 +20 2 2002002",
		"page-faults":    " 3 +10 1 1",
		"instructions":   " 3 +40 1 1000",
		"tracepoint:317": " 3 +30 1 1",
	} {
		p := read(t, b, Options{Event: event})
		wantRows(t, p, want)
		if warned := len(p.Meta.Warnings) > 0; warned != (event == "") {
			t.Errorf("%q: warnings %q", event, p.Meta.Warnings)
		}
	}
	_, err := Read(context.Background(), bytes.NewReader(b), Options{Event: "branches"})
	if err == nil || !strings.Contains(err.Error(), "cpu-clock") {
		t.Errorf("an event that is not there: %v", err)
	}
}

func TestLost(t *testing.T) {
	b := file([][]byte{clockAttr()},
		smpl(3, 1, 0x10),
		rec(recLost, 0, uint64(1), uint64(40), at(3, 2)),
		rec(recLostSamples, 0, uint64(2), at(3, 3)),
		rec(5, 0, uint64(3), uint64(1), uint64(1), at(3, 4)), // THROTTLE
	)
	if p := read(t, b, Options{}); p.Meta.Lost != 42 {
		t.Errorf("lost %d", p.Meta.Lost)
	}
}

func TestSampleFields(t *testing.T) {
	all := uint64(sampleKnown)
	a := attr(typeHardware, 0, 1000, all, attrFlagSampleIDAll)
	binary.LittleEndian.PutUint64(a[32:], readTimeEnabled|readTimeRunning|readID|readGroup|readLost)
	binary.LittleEndian.PutUint64(a[72:], branchHWIndex|branchCounters)
	binary.LittleEndian.PutUint64(a[80:], 1<<8|1<<7|1<<6)                  // regs_user: bp sp ip
	binary.LittleEndian.PutUint64(a[96:], 3)                               // regs_intr: two
	body := le(uint64(1), uint64(0x1010), uint32(4), uint32(5), uint64(6), // identifier ip pid tid time
		uint64(7), uint64(1), uint64(8), uint32(0), uint32(0), uint64(99), // addr id stream cpu period
		uint64(2), uint64(1), uint64(1), uint64(1), uint64(1), uint64(0), uint64(2), uint64(2), uint64(0), // read: group of two
		uint64(2), int64(contextUserMarker), uint64(0x1010), // chain
		uint32(4), uint32(0), // raw
		uint64(1), uint64(0), make([]byte, 24), uint64(0), // branches
		uint64(abi64), uint64(0), uint64(0x7000), uint64(0x1010), // user registers
		uint64(16), u64(0x1111), u64(0x2222), uint64(8), // user stack, half of it used
		uint64(1), uint64(2), uint64(3), // weight data_src transaction
		uint64(abi64), uint64(1), uint64(2), // interrupt registers
		uint64(1), uint64(2), uint64(3), uint64(4), // phys addr, cgroup, page sizes
		uint64(8), u64(0)) // aux
	e, err := parseAttr(a)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := e.parseSample(body)
	if !ok || s.ip != 0x1010 || s.pid != 4 || s.tid != 5 || s.time != 6 || s.period != 99 ||
		len(s.chain) != 16 || len(s.regs) != 24 || len(s.stack) != 8 || s.full {
		t.Errorf("%+v %v", s, ok)
	}
	for n := range body {
		if _, ok := e.parseSample(body[:n]); ok {
			t.Fatalf("a sample that is cut to %d of %d bytes is taken for a whole one", n, len(body))
		}
	}
	// Without AUX, AUX's bytes are too many and that is fine; a kernel thread has
	// no registers and no stack.
	e.sampleType = sampleIP | sampleRegsUser | sampleStackUser | sampleWeight
	if s, ok = e.parseSample(le(uint64(1), uint64(0), uint64(0), uint64(9))); !ok || s.regs != nil || s.stack != nil {
		t.Errorf("kernel thread: %+v %v", s, ok)
	}
}

// TestTruncated cuts a file everywhere: what was read before the cut is kept.
func TestTruncated(t *testing.T) {
	whole := file([][]byte{clockAttr()}, smpl(3, 1, 0x10), smpl(3, 2, 0x20), smpl(3, 3, 0x30))
	for n := range whole {
		p, err := Read(context.Background(), bytes.NewReader(whole[:n]), Options{})
		left := (len(whole) - n + 39) / 40 // samples that are not whole
		switch {
		case left >= 3 && (err == nil || !strings.Contains(err.Error(), "offset")):
			t.Fatalf("%d bytes: %v", n, err)
		case left < 3 && (err != nil || p.Count() != int64(3-left) || len(p.Meta.Warnings) == 0):
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// TestKilled reads what perf leaves when it is killed: no data size, and
// anything at the end.
func TestKilled(t *testing.T) {
	data := append(smpl(3, 1, 0x10), make([]byte, 20)...)
	p := read(t, fileOfSize([][]byte{clockAttr()}, 0, data), Options{})
	if p.Count() != 1 || len(p.Meta.Warnings) == 0 {
		t.Errorf("count %d, warnings %q", p.Count(), p.Meta.Warnings)
	}
	data = smpl(3, 1, 0x10)
	if p := read(t, fileOfSize([][]byte{clockAttr()}, 0, data), Options{}); len(p.Meta.Warnings) != 0 {
		t.Errorf("warnings %q", p.Meta.Warnings)
	}
}

func TestBadFiles(t *testing.T) {
	ok := smpl(3, 1, 0x10)
	short := bytes.Clone(ok)
	binary.LittleEndian.PutUint16(short[6:], 32)
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"empty":                    {nil, []string{"offset 0x0"}},
		"foreign":                  {[]byte("\x7fELF\x02\x01\x01\x00 and more than sixteen bytes"), []string{"no perf.data"}},
		"big endian":               {[]byte("2ELIFREP........"), []string{"big-endian", "perf script"}},
		"old":                      {[]byte("PERFFILE........"), []string{"PERFFILE"}},
		"record of size 0":         {file([][]byte{clockAttr()}, ok, make([]byte, 8)), []string{"record 2", "offset", "size is 0"}},
		"record past the data":     {fileOfSize([][]byte{clockAttr()}, 44, append(bytes.Clone(ok), ok...)), []string{"record 2", "past the data"}},
		"short sample":             {file([][]byte{clockAttr()}, short[:32]), []string{"record 1 (SAMPLE)", "shorter"}},
		"short mmap":               {file([][]byte{clockAttr()}, rec(recMmap, miscUser, uint64(1)), ok), []string{"record 1 (MMAP)", "too short"}},
		"sample without attribute": {file(nil, ok), []string{"record 1 (SAMPLE)", "attribute"}},
		"unknown ID": {file([][]byte{attr(1, 0, 1, plainType|sampleIdentifier, 0), attr(1, 1, 1, plainType|sampleIdentifier, 0)},
			rec(recSample, 0, uint64(77), uint64(1), uint64(1), uint64(1), uint64(1))), []string{"event ID 77"}},
		"no samples": {file([][]byte{clockAttr()}, commRec(3, 1, 0, "x")), []string{"no samples", "record longer"}},
		"only idle":  {file([][]byte{clockAttr()}, smpl(0, 1, 0xffffffff81000000)), []string{"idle"}},
		"bad zstd":   {file([][]byte{clockAttr()}, rec(recCompressed, 0, "this is no zstd frame")), []string{"record 1 (COMPRESSED)", "zstd"}},
	} {
		p, err := Read(context.Background(), bytes.NewReader(c.file), Options{})
		if err == nil {
			t.Errorf("%s: no error, %d samples", name, p.Count())
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", name, err, w)
			}
		}
	}
	if _, err := Read(context.Background(), bytes.NewReader(nil), Options{Labels: []string{"container"}}); err == nil {
		t.Error("a label that perf does not record is accepted")
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]bool{"PERFILE2....": true, "2ELIFREP": true, "PERFFILE": true, "PERFILE": false, "": false, "\x1f\x8b......": false} {
		if Detect([]byte(head)) != want {
			t.Errorf("%q: %v", head, !want)
		}
	}
}

type brokenReader struct{ r io.Reader }

var errBroken = errors.New("disk on fire")

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

func TestReadErrorsAndCancel(t *testing.T) {
	b := file([][]byte{clockAttr()}, smpl(3, 1, 1), smpl(3, 2, 1))
	if _, err := Read(context.Background(), brokenReader{bytes.NewReader(b[:len(b)-8])}, Options{}); !errors.Is(err, errBroken) {
		t.Errorf("an I/O error becomes %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, bytes.NewReader(b), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWorkload(t *testing.T) {
	for line, want := range map[string]string{
		"/usr/bin/perf record -F 99 -g sleep 2":                         "sleep 2",
		"perf record -F99 -ag --call-graph dwarf -o x.data -- ./a -g 1": "./a -g 1",
		"perf record --freq=99 -z -e cpu-clock ls -l":                   "ls -l",
		"perf record -p 12":                  "",
		"perf record --some-new-option 3 ls": "",
		"perf stat ls":                       "",
		"perf":                               "",
		"perf record -a -F":                  "",
	} {
		if got := strings.Join(workload(strings.Fields(line)), " "); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
