package ebpf

import (
	"context"
	"os/exec"
	"testing"
	"time"

	perf "github.com/elastic/go-perf"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/profile"
)

// A recording without end gives batch after batch, each with a start of its own,
// and what was seen last when it is stopped.
func TestBatches(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t)
	cmd := exec.CommandContext(t.Context(), program, "forever", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const enough = 3
	var batches []*profile.Profile
	request := collect.Request{
		Target: collect.Target{System: true}, TempDir: t.TempDir(), Settings: collect.Settings{Frequency: 97, Batch: 150 * time.Millisecond},
	}
	_, err := (&Sampler{}).Record(ctx, request, func(p *profile.Profile) error {
		if batches = append(batches, p); len(batches) == enough {
			cancel()
		}
		return nil
	})
	if err != nil || len(batches) < enough {
		t.Fatalf("%d batches, %v", len(batches), err)
	}
	for i, p := range batches {
		if p.Count() == 0 || p.Meta.Duration <= 0 {
			t.Errorf("batch %d: %d samples in %s", i, p.Count(), p.Meta.Duration)
		}
		if i > 0 && p.Meta.Start.Before(batches[i-1].Meta.Start.Add(batches[i-1].Meta.Duration)) {
			t.Errorf("batch %d begins before the end of the one before", i)
		}
	}
}

func TestProcessesThatEndedAreForgotten(t *testing.T) {
	tasks := quietTasks()
	tasks.sampled[7] = true
	tasks.apply(&perf.ExitRecord{Pid: 7, Tid: 8}) // a thread
	tasks.forget()
	tasks.forget()
	if tasks.name(7) != "main" {
		t.Fatal("a process was forgotten when one of its threads ended")
	}
	tasks.apply(&perf.ExitRecord{Pid: 7, Tid: 7})
	tasks.forget()
	if tasks.name(7) != "main" {
		t.Error("forgotten while traces may still come")
	}
	tasks.forget()
	if len(tasks.names)+len(tasks.sampled)+len(tasks.ended) != 0 {
		t.Errorf("remembered: %+v", tasks)
	}
	// The number of a process that ended is used again.
	tasks.names[7] = "old"
	tasks.apply(&perf.ExitRecord{Pid: 7, Tid: 7})
	tasks.forget()
	tasks.names[6] = "parent"
	tasks.apply(&perf.ForkRecord{Pid: 7, Ppid: 6})
	tasks.forget()
	tasks.forget()
	if tasks.name(7) != "parent" {
		t.Errorf("the new process is called %q", tasks.name(7))
	}
}
