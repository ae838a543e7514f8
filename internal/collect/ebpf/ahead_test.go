package ebpf

import (
	"os"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/nativeunwind"
	sdtypes "go.opentelemetry.io/ebpf-profiler/nativeunwind/stackdeltatypes"
)

// counting makes empty tables, and counts how often it did.
type counting struct {
	nativeunwind.StackDeltaProvider

	mu   sync.Mutex
	made int
}

func (c *counting) GetIntervalDataForFile(*pfelf.Reference) (*sdtypes.IntervalData, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return &sdtypes.IntervalData{}, nil
}

func (c *counting) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}

func TestTablesAreMadeAheadAndOnce(t *testing.T) {
	maker := &counting{}
	a := &ahead{StackDeltaProvider: maker, files: map[fileIdentity]*tables{}}
	a.begin(t.Context(), []uint32{uint32(os.Getpid())})
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ref := pfelf.NewReference(program, pfelf.SystemOpener)
	defer ref.Close()
	id, ok := identify(ref)
	if !ok {
		t.Fatal("the program has no identity")
	}
	ready := func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.files[id] != nil
	}
	for end := time.Now().Add(2 * time.Minute); !ready(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no tables were made of the program that runs")
		}
	}
	ask := func() {
		t.Helper()
		if _, err := a.GetIntervalDataForFile(ref); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	before := maker.count()
	ask() // what was handed out is the profiler's
	if got := maker.count(); got != before+1 {
		t.Errorf("tables were made %d times, then %d: they are handed out once", before, got)
	}
	a.end()
	ask()
	if got := maker.count(); got != before+2 {
		t.Errorf("after the end, %d", got)
	}
}
