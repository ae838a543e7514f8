package ebpf

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	perf "github.com/elastic/go-perf"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/reporter"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/branch"
	"whyhot/internal/profile"
)

func quietTasks() *tasks {
	return &tasks{proc: "/there/is/none", sampled: map[uint32]bool{}, names: map[uint32]string{7: "main"}, groups: map[uint32]string{}, serves: map[uint32]string{}, changed: map[uint32]struct{}{}, loaded: map[uint32]time.Time{}, ended: map[uint32]bool{}}
}

func TestADeepStackNamesItsRecursion(t *testing.T) {
	tasks := quietTasks()
	tasks.members = map[uint32]bool{7: true}
	c := newConverter(tasks, newFiles(&collect.Request{}), &rate{first: 1000})
	take := func(names ...string) {
		frames := libpf.Frames{}
		for _, name := range names {
			frames.Append(&libpf.Frame{Type: libpf.PythonFrame, FunctionName: libpf.Intern(name), SourceFile: libpf.Intern("a.py")})
		}
		frames.Append(&libpf.Frame{Type: libpf.NativeFrame.Error(), AddressOrLineno: 2})
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, &samples.TraceEventMeta{PID: 7, Timestamp: 5}); err != nil {
			t.Fatal(err)
		}
	}
	walk := slices.Repeat([]string{"walk"}, 20)
	take(append([]string{"leaf"}, walk...)...)
	take(walk...)
	take("a", "b", "c", "d", "e", "f", "g", "h")
	want := "3 of 3 stacks are truncated: 3 where a stack is deeper than the profiler unwinds; walk calls itself in 2 of those that are too deep, so shares below it hold and its callers are missing"
	if got := c.profile(profile.Meta{}).Meta.Warnings; len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

// Of the whole machine each process has the service that it belongs to; what becomes another
// program is asked again. Where services are not wanted there are none.
func TestServices(t *testing.T) {
	tasks := quietTasks()
	tasks.proc, tasks.ask = t.TempDir(), true
	if err := os.Mkdir(filepath.Join(tasks.proc, "7"), 0o700); err != nil {
		t.Fatal(err)
	}
	becomes := func(name string) {
		if err := os.WriteFile(filepath.Join(tasks.proc, "7", "environ"), []byte("OTEL_SERVICE_NAME="+name+"\x00"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	take := func() string {
		c := newConverter(tasks, newFiles(&collect.Request{}), &rate{first: 1000})
		frames := libpf.Frames{}
		frames.Append(&libpf.Frame{Type: libpf.PythonFrame, FunctionName: libpf.Intern("f")})
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, &samples.TraceEventMeta{PID: 7, Timestamp: 5}); err != nil {
			t.Fatal(err)
		}
		p := c.profile(profile.Meta{})
		l, _ := p.Label(p.Samples()[0].Labels, profile.LabelService)
		return l.Str
	}
	becomes("checkout")
	if got := take(); got != "checkout" {
		t.Errorf("%q", got)
	}
	becomes("search")
	if got := take(); got != "checkout" {
		t.Errorf("asked for each sample: %q", got)
	}
	tasks.fork(7, 1)
	if got := take(); got != "search" {
		t.Errorf("the service of an earlier process: %q", got)
	}
	tasks.ask = false
	if got := take(); got != "" {
		t.Errorf("not asked: %q", got)
	}
}

func mapped(file, buildID string, start, end, offset uint64) libpf.FrameMapping {
	return libpf.NewFrameMapping(libpf.FrameMappingData{
		File:  libpf.NewFrameMappingFile(libpf.FrameMappingFileData{FileID: libpf.NewFileID(1, 2), FileName: libpf.Intern(file), GnuBuildID: buildID}),
		Start: libpf.Address(start), End: libpf.Address(end), FileOffset: offset,
	})
}

func TestConverter(t *testing.T) {
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), &rate{first: 1000})
	low, high := mapped("app", "AB", 0x1000, 0x2000, 0x1000), mapped("app", "AB", 0x3000, 0x4000, 0x3000)
	meta := &samples.TraceEventMeta{PID: 7, TID: 8, Comm: libpf.NewCommFromString("worker"), ContainerID: libpf.Intern("c0ffee"), Timestamp: 5}
	frames := libpf.Frames{}
	frames.Append(&libpf.Frame{Type: libpf.KernelFrame, FunctionName: libpf.Intern("do_syscall_64"), AddressOrLineno: 0x99, Mapping: mapped("vmlinux", "cd", 0, 0, 0)})
	frames.Append(&libpf.Frame{Type: libpf.KernelFrame, FunctionName: libpf.Intern("nft_do_chain"), AddressOrLineno: 0x11, Mapping: mapped("nf_tables", "", 0, 0, 0)})
	frames.Append(&libpf.Frame{Type: libpf.NativeFrame, AddressOrLineno: 0x1010, Mapping: low})
	frames.Append(&libpf.Frame{Type: libpf.NativeFrame, AddressOrLineno: 0x3010, Mapping: high})
	frames.Append(&libpf.Frame{Type: libpf.PythonFrame, FunctionName: libpf.Intern("f"), SourceFile: libpf.Intern("a.py"), SourceLine: 12, FunctionOffset: 2})
	frames.Append(&libpf.Frame{Type: libpf.NativeFrame.Error(), AddressOrLineno: 4012})
	for range 2 {
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, meta); err != nil {
			t.Fatal(err)
		}
	}
	p := c.profile(profile.Meta{})
	if p.Count() != 2 || len(p.Samples()) != 1 || p.Total() != int64(2*time.Millisecond) {
		t.Fatalf("%d samples in %d rows, %d", p.Count(), len(p.Samples()), p.Total())
	}
	want := []struct {
		path, name string
		kind       profile.Kind
		offset     uint64
	}{
		{"[kernel.kallsyms]", "do_syscall_64", profile.KindKernel, 0x99},
		{"[nf_tables]", "nft_do_chain", profile.KindKernel, 0x11},
		{"app", "", profile.KindNative, 0x1010},
		{"app", "", profile.KindNative, 0x3010},
		{"", "f", profile.KindPython, 0},
		{"", profile.TruncatedStack, profile.KindUnknown, 0},
	}
	stack := p.Stack(p.Samples()[0].Stack)
	for i, w := range want {
		l := p.Location(stack[i])
		line := p.Lines(stack[i])[0]
		f, m := p.Function(line.Function), p.Mapping(l.Mapping)
		if m.Path != w.path || f.Name != w.name || f.Kind != w.kind || l.Address-m.Start+m.Offset != w.offset {
			t.Errorf("frame %d: %s %+v at %#x in %+v", i, f.Name, f, l.Address, m)
		}
		if l.Mapping != 0 && (l.Address < m.Start || l.Address >= m.Limit) {
			t.Errorf("frame %d: %#x outside %+v", i, l.Address, m)
		}
		if f.Name == "f" && (f.StartLine != 10 || line.Line != 12 || f.File != "a.py") {
			t.Errorf("Python frame %+v, line %d", f, line.Line)
		}
	}
	if a, b := p.Location(stack[2]).Mapping, p.Location(stack[3]).Mapping; a != b || p.Mapping(a).BuildID != "ab" {
		t.Errorf("two pieces of one segment are mappings %d and %d, build ID %q", a, b, p.Mapping(a).BuildID)
	}
	labels := map[string]string{}
	for _, l := range p.Labels(p.Samples()[0].Labels) {
		labels[l.Key] = l.Str
	}
	if labels[profile.LabelProcess] != "main" || labels[profile.LabelThread] != "worker" || labels[profile.LabelContainer] != "c0ffee" {
		t.Errorf("labels %v", labels)
	}
	if len(p.Meta.Warnings) != 1 || !strings.Contains(p.Meta.Warnings[0], "2 of 2 stacks are truncated") {
		t.Errorf("warnings %q", p.Meta.Warnings)
	}
}

func TestWhatIsNotRecorded(t *testing.T) {
	tasks := quietTasks()
	tasks.members = map[uint32]bool{7: true}
	c := newConverter(tasks, newFiles(&collect.Request{}), &rate{first: 1000})
	c.from = time.Unix(0, 100)
	c.branches, _ = branch.New() // nil where jumps cannot be followed; these traces have no frames
	for _, m := range []samples.TraceEventMeta{{PID: 9, Timestamp: 200}, {PID: 7, Timestamp: 50}, {PID: 7, Timestamp: 200}} {
		if err := c.ReportTraceEvent(&libpf.Trace{}, &m); err != nil {
			t.Fatal(err)
		}
	}
	if p := c.profile(profile.Meta{}); p.Count() != 1 {
		t.Errorf("%d samples; want that of the target after the start", p.Count())
	}
}

func TestTheTreeOfProcesses(t *testing.T) {
	ts := quietTasks()
	ts.members = map[uint32]bool{7: true}
	fork := func(pid, ppid uint32) { ts.apply(&perf.ForkRecord{Pid: pid, Ppid: ppid, Tid: pid, Ptid: ppid}) }
	fork(8, 7)
	fork(9, 8)
	fork(20, 1)
	ts.apply(&perf.ForkRecord{Pid: 20, Ppid: 20, Tid: 21, Ptid: 20}) // a thread
	ts.apply(&perf.CommRecord{Pid: 9, Tid: 9, NewName: "child"})
	for pid, want := range map[uint32]bool{7: true, 8: true, 9: true, 20: false, 21: false} {
		if ts.belongs(pid) != want {
			t.Errorf("process %d: %t", pid, !want)
		}
	}
	if ts.name(8) != "main" || ts.name(9) != "child" {
		t.Errorf("names %q, %q", ts.name(8), ts.name(9))
	}
	if !slices.Equal(ts.foreign, []uint32{20}) {
		t.Errorf("foreign %v", ts.foreign)
	}
	fork(9, 1) // the number is used again
	if ts.belongs(9) {
		t.Error("a new process that reuses a number belongs to the target")
	}
	clear(ts.changed)
	ts.apply(&perf.MmapRecord{Pid: 8})
	ts.apply(&perf.MmapRecord{Pid: 20})
	if len(ts.changed) != 1 {
		t.Errorf("changed %v", ts.changed)
	}
}

// A name is padded to eight bytes before the time.
func TestRecordTime(t *testing.T) {
	data := append([]byte("\x07\x00\x00\x00\x07\x00\x00\x00sh\x00\x00\x00\x00\x00\x00"), 7, 0, 0, 0, 7, 0, 0, 0, 0xd2, 0x04, 0, 0, 0, 0, 0, 0)
	if got := recordTime(data); got != 1234 {
		t.Errorf("time %d, want 1234", got)
	}
	if got := recordTime(data[:3]); got != 0 {
		t.Errorf("of a cut record: %d", got)
	}
}

// What the rings could not tell of is found by looking.
func TestEventsLostBeforeTheRecording(t *testing.T) {
	parent := os.Getppid()
	ts := quietTasks()
	ts.members = map[uint32]bool{uint32(parent): true}
	ts.names[uint32(parent)] = "an old name"
	ts.begin(t.Context(), []int{parent})
	if len(ts.members) != 1 || ts.names[uint32(parent)] == "" {
		t.Errorf("nothing was lost: members %v, names %v", ts.members, ts.names)
	}
	ts.lost = 7
	ts.begin(t.Context(), []int{parent})
	if !ts.belongs(uint32(os.Getpid())) || len(ts.names) > 0 || ts.lost != 0 {
		t.Errorf("after a loss: members %v, names %v, %d lost", ts.members, ts.names, ts.lost)
	}
}

// run executes a filter as the kernel does, for the instructions in use here.
func run(t *testing.T, filter []unix.SockFilter, data map[uint32]uint32) uint32 {
	t.Helper()
	value := uint32(0)
	for at := 0; at < len(filter); at++ {
		switch f := filter[at]; f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			value = data[f.K]
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			if value == f.K {
				at += int(f.Jt)
			} else {
				at += int(f.Jf)
			}
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		default:
			t.Fatalf("instruction %#x", f.Code)
		}
	}
	t.Fatal("the filter runs off its end")
	return 0
}

func TestMemlockFilter(t *testing.T) {
	const arch = unix.AUDIT_ARCH_X86_64
	filter := memlockFilter(arch)
	limit := func(nr, resource, low, high uint32) map[uint32]uint32 {
		return map[uint32]uint32{0: nr, 4: arch, 24: resource, 32: low, 36: high}
	}
	for name, c := range map[string]struct {
		data map[uint32]uint32
		want uint32
	}{
		"sets the limit":           {limit(unix.SYS_PRLIMIT64, unix.RLIMIT_MEMLOCK, 0x1000, 0xc0), unix.SECCOMP_RET_ERRNO},
		"low half of the pointer":  {limit(unix.SYS_PRLIMIT64, unix.RLIMIT_MEMLOCK, 0x1000, 0), unix.SECCOMP_RET_ERRNO},
		"high half of the pointer": {limit(unix.SYS_PRLIMIT64, unix.RLIMIT_MEMLOCK, 0, 0xc0), unix.SECCOMP_RET_ERRNO},
		"asks for the limit":       {limit(unix.SYS_PRLIMIT64, unix.RLIMIT_MEMLOCK, 0, 0), unix.SECCOMP_RET_ALLOW},
		"another limit":            {limit(unix.SYS_PRLIMIT64, unix.RLIMIT_NOFILE, 0x1000, 0xc0), unix.SECCOMP_RET_ALLOW},
		"another call":             {limit(unix.SYS_READ, unix.RLIMIT_MEMLOCK, 0x1000, 0xc0), unix.SECCOMP_RET_ALLOW},
		"another machine":          {map[uint32]uint32{0: unix.SYS_PRLIMIT64, 4: 3, 24: unix.RLIMIT_MEMLOCK, 32: 1}, unix.SECCOMP_RET_ALLOW},
	} {
		if got := run(t, filter, c.data); got != c.want {
			t.Errorf("%s: %#x, want %#x", name, got, c.want)
		}
	}
}

func TestMissingCapabilities(t *testing.T) {
	all := ^uint64(0)
	admin := uint64(1)<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_PTRACE | 1<<unix.CAP_DAC_OVERRIDE
	for _, c := range []struct {
		set  uint64
		want int
	}{{all, 0}, {admin, 0}, {0, len(capabilities)}, {all &^ (1<<unix.CAP_BPF | 1<<unix.CAP_SYS_ADMIN), 1}} {
		if got := missingCapabilities(c.set); len(got) != c.want {
			t.Errorf("%#x: %v missing", c.set, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	if got := containerWith([]string{"CAP_BPF", "CAP_SYSLOG"}); !strings.Contains(got, "with --cap-add BPF --cap-add SYSLOG --pid=host") {
		t.Errorf("%q", got)
	}
	for err, want := range map[error]string{
		unix.EPERM: "seccomp", unix.EACCES: "seccomp", unix.ENOSYS: "no perf_event_open", unix.EINVAL: "invalid argument",
	} {
		if got := clockRefused(err, 2); !strings.Contains(got.Missing, want) || got.Remedy == "" {
			t.Errorf("%v: %+v lacks %q or a remedy", err, got, want)
		}
	}
	if got := clockRefused(unix.EACCES, 3); !strings.Contains(got.Missing, "CAP_SYS_ADMIN") || !strings.Contains(got.Remedy, "perf_event_paranoid=2") {
		t.Errorf("a level that distributions add: %+v", got)
	}
}

func TestAddressesAreShownWhereTheFirstIsZero(t *testing.T) {
	perCPU := "0000000000000000 A fixed_percpu_data\n0000000000000000 A __per_cpu_start\n"
	if !addressesShown(strings.NewReader(perCPU + "ffffffff81000000 T startup_64\n")) {
		t.Error("a kernel that keeps its processors' data at address 0 is taken for one that hides its addresses")
	}
	if addressesShown(strings.NewReader(perCPU + "0000000000000000 T startup_64\n")) {
		t.Error("hidden addresses are taken for shown ones")
	}
}

func TestTheBufferIsBounded(t *testing.T) {
	if err := checkBuffer(199, 64); err != nil {
		t.Error(err)
	}
	if err := checkBuffer(20000, 64); err == nil || !strings.Contains(err.Error(), "-F ") {
		t.Errorf("%v names no way out", err)
	}
}

func TestCPUList(t *testing.T) {
	for text, want := range map[string][]int{"0-3,8,10-11\n": {0, 1, 2, 3, 8, 10, 11}, "0\n": {0}, "": nil, "x,2-y,1": {1}} {
		if got := cpuList(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Only what wakes the profiler for processes is asked for often.
func TestIntervals(t *testing.T) {
	for _, r := range []*collect.Request{
		{Target: collect.Target{PIDs: []int{1}}}, {Target: collect.Target{System: true}},
		{Target: collect.Target{System: true}, Settings: collect.Settings{Batch: time.Second}},
	} {
		i := &intervals{pace: paceOf(r, 97)}
		if got := i.MonitorInterval(); got < time.Minute {
			t.Errorf("%s while the profiler is made", got)
		}
		i.made.Store(true)
		if got := i.MonitorInterval(); got != i.monitor || got > 2*time.Second {
			t.Errorf("%s for the list of processes", got)
		}
		if got := i.MonitorInterval(); got < time.Minute {
			t.Errorf("%s for counters that go nowhere", got)
		}
		if i.look > i.monitor {
			t.Errorf("looks are %s apart, and what they list is looked for every %s", i.look, i.monitor)
		}
	}
}

func TestReasons(t *testing.T) {
	for code, want := range map[int]string{4012: "generated", loading: "just started", 2003: "Python", 3001: "Ruby", 9999: "error 9999"} {
		if got := reason(code); !strings.Contains(got, want) {
			t.Errorf("%d: %q lacks %q", code, got, want)
		}
	}
}

// One ring may be read long after another: a child is known by one of them before the fork
// of its parent is.
func TestForksThatAreReadOutOfOrder(t *testing.T) {
	ts := quietTasks()
	ts.members = map[uint32]bool{7: true}
	fork := func(at uint64, pid, ppid uint32) {
		ts.records = append(ts.records, taskRecord{at, &perf.ForkRecord{Pid: pid, Ppid: ppid, Tid: pid, Ptid: ppid}})
	}
	fork(20, 9, 8)
	ts.applyUntil(5)
	fork(10, 8, 7)
	ts.applyUntil(15)
	if ts.belongs(9) || !ts.belongs(8) {
		t.Error("what is told of later than all rings were read to has to wait")
	}
	ts.applyUntil(30)
	if !ts.belongs(9) || len(ts.foreign) > 0 || len(ts.records) > 0 {
		t.Errorf("the child of a child is not of the target; foreign %v, %d records left", ts.foreign, len(ts.records))
	}
}

// The rings may have lost a fork, or not have told of it yet when a sample comes.
func TestTheKernelKnowsTheLine(t *testing.T) {
	ts := quietTasks()
	ts.members = map[uint32]bool{7: true}
	parents := map[uint32]uint32{9: 8, 8: 7, 30: 31, 31: 30, 40: 1}
	ts.parentOf = func(pid uint32) (uint32, bool) {
		parent, known := parents[pid]
		return parent, known
	}
	for pid, want := range map[uint32]bool{9: true, 8: true, 30: false, 40: false, 50: false} {
		if ts.belongs(pid) != want {
			t.Errorf("process %d: %t", pid, !want)
		}
	}
	if _, listed := ts.changed[9]; !listed {
		t.Error("its memory map is not to be read")
	}
	ts.apply(&perf.ForkRecord{Pid: 60, Ppid: 59, Tid: 60, Ptid: 59})
	parents[61], parents[59] = 59, 7
	ts.apply(&perf.ForkRecord{Pid: 61, Ppid: 59, Tid: 61, Ptid: 59})
	if !ts.belongs(61) || !slices.Equal(ts.foreign, []uint32{60}) {
		t.Errorf("a fork of a process that was lost: belongs %t, foreign %v", ts.belongs(61), ts.foreign)
	}
}

// A file that cannot be opened keeps its path; the next process with it is not
// asked again.
func TestFiles(t *testing.T) {
	f := newFiles(&collect.Request{})
	file := libpf.NewFrameMappingFile(libpf.FrameMappingFileData{FileID: libpf.NewFileID(3, 4), FileName: libpf.Intern("x")})
	f.ReportExecutable(&reporter.ExecutableMetadata{
		MappingFile: file, Process: process.New(1<<30, 1<<30), Mapping: &process.RawMapping{Path: "/opt/x", Length: 1},
	})
	if got := f.path(file.Value().FileID, "x"); got != "/opt/x" {
		t.Errorf("path %s", got)
	}
	if got := f.path(libpf.NewFileID(9, 9), "base"); got != "base" {
		t.Errorf("unknown file: %s", got)
	}
	if err := f.preserve(t.TempDir()); err != nil {
		t.Error(err)
	}
	f.close()
}

func TestUnreadInterpreters(t *testing.T) {
	var log logTail
	tell := func(level slog.Level, text string) {
		if err := log.Handle(t.Context(), slog.NewRecord(time.Time{}, level, text, 0)); err != nil {
			t.Fatal(err)
		}
	}
	tell(slog.LevelWarn, "Failed to load /usr/bin/perl (0x00af12): unsupported Perl 5.50.0 (need >= 5.28 and < 5.43)")
	tell(slog.LevelWarn, "Failed to load /usr/bin/php (0x11): no symbols")
	tell(slog.LevelWarn, "something else")
	got := log.warnings(func(path string) bool { return path == "/usr/bin/perl" })
	if len(got) != 1 || !strings.Contains(got[0], "/usr/bin/perl interprets are not seen: unsupported Perl 5.50.0") {
		t.Errorf("%q", got)
	}
	if log.suffix() != "" {
		t.Errorf("%q is no error", log.suffix())
	}
	tell(slog.LevelError, "it broke")
	if log.suffix() != " (it broke)" {
		t.Errorf("%q", log.suffix())
	}
}

// What a Java program runs in is known before it is loaded, wherever the JDK is.
func TestWhatARuntimeLoadsLater(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"jdk/bin", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"jdk/bin/java", "jdk/bin/javac"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "bin/java")
	if err := os.Symlink(filepath.Join(dir, "jdk/bin/java"), link); err != nil {
		t.Fatal(err)
	}
	if got := loadedLater([]string{link, "libc.so.6"}); !slices.Contains(got, filepath.Join(dir, "jdk/lib/server/libjvm.so")) {
		t.Errorf("java: %q", got)
	}
	if got := loadedLater([]string{filepath.Join(dir, "jdk/bin/javac")}); got != nil {
		t.Errorf("another program: %q", got)
	}
}

// The same error of the profiler has two causes, and only one of them is a compiler.
func TestCodeThatIsNotKnownIsLoadedOrGenerated(t *testing.T) {
	tasks := quietTasks()
	tasks.members = map[uint32]bool{7: true}
	c := newConverter(tasks, newFiles(&collect.Request{}), &rate{first: 1000})
	take := func(at time.Time) {
		frames := libpf.Frames{}
		frames.Append(&libpf.Frame{Type: libpf.NativeFrame.Error(), AddressOrLineno: 4012})
		meta := &samples.TraceEventMeta{PID: 7, Timestamp: libpf.UnixTime64(at.UnixNano())}
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, meta); err != nil {
			t.Fatal(err)
		}
	}
	tasks.mapsChanged(7)
	start := tasks.loaded[7]
	take(start.Add(-time.Millisecond))
	take(start.Add(10 * time.Millisecond))
	take(start.Add(10 * time.Second))
	want := "3 of 3 stacks are truncated: 2 where a program had just started, or loaded or generated code, 1 where code was just generated, or by a compiler that the profiler does not know"
	if got := c.profile(profile.Meta{}).Meta.Warnings; len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
	// Where the profiler looks at the memory map, it has another number for a compiler's code.
	c = newConverter(tasks, newFiles(&collect.Request{}), &rate{first: 1000})
	c.seesMappings = true
	take(start.Add(10 * time.Second))
	if got := c.profile(profile.Meta{}).Meta.Warnings; len(got) != 1 || !strings.Contains(got[0], reasons[loading]) {
		t.Errorf("%q", got)
	}
}
