package ebpf

import (
	"os"
	"strconv"
	"strings"
	"testing"

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
	before := threadSlack(t)
	if len(before) != 1 || before[slack] || os.Geteuid() != 0 {
		t.Skipf("slack %v", before)
	}
	r := collect.Request{Target: collect.Target{Command: []string{burn.Build(t), "plain", "300"}}}
	var during map[int]bool
	r.Progress = func(p collect.Progress) {
		// At the first of these, the agent gives up what it takes to change the slack.
		if p.Phase == collect.PhaseRecording && during == nil {
			during = threadSlack(t)
		}
	}
	record(t.Context(), t, r)
	if len(during) != 1 || !during[slack] {
		t.Errorf("while it records: slack %v", during)
	}
	if after := threadSlack(t); len(after) != 1 || after[slack] {
		t.Errorf("afterwards: slack %v; before: %v", after, before)
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
