package ebpf

import (
	"context"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/ebpf/largetables"
	"whyhot/internal/profile"
)

// Stacks are whole when all tables are made in parts and written in pieces.
func TestStacksByTablesInParts(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t, "-fomit-frame-pointer")
	settled(t, func(v *verdict) {
		cmd := exec.CommandContext(t.Context(), program, "forever", "1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last *profile.Profile
		batches := 0
		request := &collect.Request{
			Target: collect.Target{PIDs: []int{cmd.Process.Pid}}, TempDir: t.TempDir(),
			Settings: collect.Settings{Frequency: 97, Batch: 500 * time.Millisecond},
		}
		rec := &recording{request: request, rate: rate{first: 97}, pace: paceOf(request, 97)}
		if rec.pace.large != largetables.Least {
			t.Fatalf("a recording without end makes tables in parts from %d bytes on", rec.pace.large)
		}
		rec.pace.large = 1
		used := false
		const enough = 4
		rec.sink = func(p *profile.Profile) error {
			handler, err := fieldOf(rec.profiler.tracer, handlerField[:]...)
			used = err == nil && handler.Elem().Type() == reflect.TypeFor[*largetables.Handler]()
			last = p
			if batches++; batches == enough {
				cancel()
			}
			return nil
		}
		if _, err := rec.run(ctx, &collect.Outcome{}); err != nil {
			t.Fatal(err)
		}
		for _, note := range rec.profiler.notes {
			t.Log(note)
		}
		if !used {
			t.Error("the tables went the profiler's way")
		}
		if w, in := whole(last), nativeOf(last, program); w < 0.95 || in < 0.9 {
			v.Errorf("of %d samples %.2f are whole, %.2f in the program", last.Count(), w, in)
		}
	})
}
