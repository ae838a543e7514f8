package ebpf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind/elfunwindinfo"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/profile"
)

func TestTablesAreKeptAndUsedAgain(t *testing.T) {
	usable(t.Context(), t)
	program, dir := burn.Build(t), t.TempDir()
	// What else runs on the machine may be met by one of the recordings alone.
	recorded := func() map[string]os.FileInfo {
		record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "plain", "50"}}, CacheDir: dir})
		kept, err := filepath.Glob(filepath.Join(dir, tablesDir, "*"))
		if err != nil || len(kept) == 0 {
			t.Fatalf("nothing is kept: %v", err)
		}
		infos := map[string]os.FileInfo{}
		for _, path := range kept {
			if infos[path], err = os.Stat(path); err != nil {
				t.Fatal(err)
			}
		}
		return infos
	}
	long := time.Now().Add(-48 * time.Hour)
	before := recorded()
	for path := range before {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	used := 0
	for path, info := range recorded() {
		switch was := before[path]; {
		case was == nil || info.ModTime().Before(long.Add(time.Hour)):
		case os.SameFile(was, info):
			used++
		default:
			t.Errorf("%s was made again", path)
		}
	}
	if used == 0 {
		t.Error("nothing was used again")
	}
}

func TestLoadersEntry(t *testing.T) {
	loaders, err := filepath.Glob("/lib64/ld-linux-*.so.*")
	if err != nil || len(loaders) == 0 {
		t.Skip("no dynamic loader of glibc is here")
	}
	ref := pfelf.NewReference(loaders[0], pfelf.SystemOpener)
	defer ref.Close()
	file, err := ref.GetELF()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := loaderEntry{elfunwindinfo.NewStackDeltaProvider()}.GetIntervalDataForFile(ref)
	if err != nil {
		t.Fatal(err)
	}
	if b := tables.Find(file.Entry); b == nil || b.Deltas[0].Info != sdtypes.UnwindInfoStop {
		t.Errorf("a stack does not end at the entry point: %+v", b)
	}
	deltas := 0
	for i, b := range tables.Blocks {
		deltas += len(b.Deltas)
		if i > 0 && b.Start < tables.Blocks[i-1].End {
			t.Errorf("%#x is in two blocks", b.Start)
		}
	}
	if deltas != int(tables.NumDeltas) {
		t.Errorf("%d deltas, said to be %d", deltas, tables.NumDeltas)
	}
}

func TestEndAt(t *testing.T) {
	known := func(start, end uint64) *sdtypes.BasicBlock {
		return &sdtypes.BasicBlock{Start: start, End: end, Deltas: sdtypes.StackDeltaArray{{}}}
	}
	for _, c := range []struct {
		entry uint64
		want  uint64 // the end of the new block, 0 for none
	}{
		{0x1040, 0x1080}, {0x1000, 0}, {0x10ff, 0}, {0x1100, 0x1200}, {0x900, 0xa00}, {0xff0, 0x1000},
	} {
		tables := &sdtypes.IntervalData{NumDeltas: 2, Blocks: []*sdtypes.BasicBlock{known(0x1000, 0x1040), known(0x1080, 0x1100)}}
		endAt(tables, c.entry)
		b := tables.Find(c.entry)
		switch made := len(tables.Blocks) == 3 && tables.NumDeltas == 3; {
		case made != (c.want != 0):
			t.Errorf("%#x: %d blocks, %d deltas", c.entry, len(tables.Blocks), tables.NumDeltas)
		case made && (b == nil || b.Start != c.entry || b.End != c.want):
			t.Errorf("%#x: %+v", c.entry, b)
		}
	}
}

// A recording goes first, and what follows it does not.
func TestPrecedence(t *testing.T) {
	usable(t.Context(), t)
	nice := func() int {
		lowest := -100
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range threads {
			var id int
			for _, c := range e.Name() {
				id = 10*id + int(c-'0')
			}
			if p, err := unix.Getpriority(unix.PRIO_PROCESS, id); err == nil {
				lowest = max(lowest, 20-p)
			}
		}
		return lowest
	}
	before := nice()
	if before > precedence && unix.Setpriority(unix.PRIO_PROCESS, 0, before-1) != nil {
		t.Skip("a lower nice value is refused here")
	}
	setNice(before)
	during := before
	r := collect.Request{Target: collect.Target{Command: []string{burn.Build(t), "plain", "50"}}}
	r.Progress = func(p collect.Progress) {
		if p.Phase == collect.PhaseRecording {
			during = nice()
		}
	}
	record(t.Context(), t, r)
	if during != precedence {
		t.Errorf("nice %d while it records, want %d", during, precedence)
	}
	if after := nice(); after != before {
		t.Errorf("nice %d afterwards, it was %d", after, before)
	}
}

func TestWhyStacksAreCut(t *testing.T) {
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), &rate{first: 1000})
	report := func(code libpf.AddressOrLineno, kernel ...string) {
		frames := libpf.Frames{}
		for _, name := range kernel {
			frames.Append(&libpf.Frame{Type: libpf.KernelFrame, FunctionName: libpf.Intern(name), AddressOrLineno: 0x99, Mapping: mapped("vmlinux", "cd", 0, 0, 0)})
		}
		frames.Append(&libpf.Frame{Type: libpf.NativeFrame.Error(), AddressOrLineno: code})
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, &samples.TraceEventMeta{PID: 7, Timestamp: 5}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		report(4007, "unmap_vmas", "exit_mmap", "do_exit", "do_syscall_64")
	}
	report(4007, "do_page_fault")
	report(2)
	report(5)
	report(4012, "do_exit")
	text := strings.Join(c.profile(profile.Meta{}).Meta.Warnings, "\n")
	for _, want := range []string{
		"7 of 7 stacks are truncated: 3 where a process was ending", ", 2 where a stack is deeper", ", 1 where code was just generated",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}
