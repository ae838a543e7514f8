package ebpf

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/reporter"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
)

// threadSlack are the different values of this process's threads.
func threadSlack(t *testing.T) map[int]bool {
	t.Helper()
	values := map[int]bool{}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range threads {
		text, err := os.ReadFile(slackFile(e.Name()))
		if err != nil {
			continue // it has ended, or this kernel has none
		}
		ns, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		values[ns] = true
	}
	return values
}

func TestTheSchedulerIsCalmWhileItRecords(t *testing.T) {
	before, processors := threadSlack(t), runtime.GOMAXPROCS(0)
	if len(before) != 1 || before[slack] || os.Geteuid() != 0 {
		t.Skipf("slack %v", before)
	}
	r := collect.Request{Target: collect.Target{Command: []string{burn.Build(t), "plain", "300"}}}
	var during map[int]bool
	one := 0
	r.Progress = func(p collect.Progress) {
		if p.Phase == collect.PhaseRecording && p.Elapsed > 0 {
			during, one = threadSlack(t), runtime.GOMAXPROCS(0)
		}
	}
	record(t.Context(), t, r)
	if len(during) != 1 || !during[slack] || one != 1 && runtime.NumCPU()*targetFrequency <= oneProcessor {
		t.Errorf("while it records: slack %v, %d processors", during, one)
	}
	if after := threadSlack(t); len(after) != 1 || after[slack] || runtime.GOMAXPROCS(0) != processors {
		t.Errorf("afterwards: slack %v, %d processors; before: %v, %d", after, runtime.GOMAXPROCS(0), before, processors)
	}
}

func TestProcessorsOfARecording(t *testing.T) {
	for _, c := range []struct {
		frequency int
		batch     time.Duration
		want      int
	}{{oneProcessor / runtime.NumCPU(), 0, 1}, {oneProcessor/runtime.NumCPU() + 1, 0, 0}, {19, time.Second, 0}} {
		r := &recording{request: &collect.Request{Settings: collect.Settings{Batch: c.batch}}, frequency: c.frequency}
		if got := r.processorsFor(); got != c.want {
			t.Errorf("%d Hz, batches of %s: %d", c.frequency, c.batch, got)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, n := range []int{0, 1} {
		restore := calm(n)
		if got := runtime.GOMAXPROCS(0); got != 2-n {
			t.Errorf("%d processors, want %d", got, 2-n)
		}
		restore()
		if got := runtime.GOMAXPROCS(0); got != 2 {
			t.Errorf("%d processors afterwards", got)
		}
	}
}

func TestRubyIsLookedForOnlyWhereItRuns(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2": true, "/opt/rubies/3.3/bin/ruby": true, "/usr/bin/python3": false,
	} {
		f := newFiles(&collect.Request{})
		m := mapped(path, "ab", 0, 1, 0)
		f.ReportExecutable(&reporter.ExecutableMetadata{
			MappingFile: m.Value().File, Process: process.New(1, 1), Mapping: &process.RawMapping{Path: path},
		})
		if got := f.ruby.Load(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
