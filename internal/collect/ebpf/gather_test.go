package ebpf

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/ebpf-profiler/tracer"

	"whyhot/internal/collect"
)

func TestProcessesThatAreListedWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		const wait = 40 * time.Millisecond
		profilers := make(chan bool, 1)
		p := &profiler{tracer: &tracer.Tracer{}, trigger: profilers, pace: pace{gather: wait}}
		field, err := placeOf[chan bool](p.tracer, triggerField)
		if err != nil {
			t.Fatal(err)
		}
		*field = profilers
		p.gather(ctx)
		kernels := triggerOf(p.tracer)
		if kernels == profilers {
			t.Fatal("the kernel part still wakes the profiler itself")
		}
		for range 3 {
			begin := time.Now()
			kernels <- true
			<-profilers
			if waited := time.Since(begin); waited != wait {
				t.Errorf("the profiler was woken after %s, not %s", waited, wait)
			}
		}
		cancel()
		synctest.Wait() // its goroutine ends, or the bubble fails
	})
}

// Only what goes on without end gathers: elsewhere the first samples matter.
func TestWhoGathers(t *testing.T) {
	for _, one := range []struct {
		settings  collect.Settings
		frequency int
		want      time.Duration
	}{
		{collect.Settings{}, 19, 0},
		{collect.Settings{Batch: time.Second}, 19, time.Second / 19 / 4},
		{collect.Settings{Batch: time.Second}, 99, time.Second / 99 / 4},
		{collect.Settings{Batch: time.Second}, 1, mostGathered},
	} {
		r := collect.Request{Target: collect.Target{System: true}, Settings: one.settings}
		if got := paceOf(&r, one.frequency).gather; got != one.want {
			t.Errorf("%+v at %d Hz: %s, not %s", one.settings, one.frequency, got, one.want)
		}
	}
}
