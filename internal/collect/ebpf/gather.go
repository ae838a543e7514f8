package ebpf

import (
	"context"
	"time"

	"go.opentelemetry.io/ebpf-profiler/tracer"
)

// mostGathered bounds for how long a process that had a sample may stay unknown.
const mostGathered = 50 * time.Millisecond

// gatherOf is for how long processes that had their first sample wait to be looked at
// together: a quarter of a period. That sample has the kernel's frames alone, and the next one
// of the same processor comes a period later. At 19 Hz a process that has ended in these 13 ms
// costs one failed open, and the profiler walks its list of processes, 65,536 places long, less
// often. Three quarters save more, and cut stacks of processes that change the processor.
func gatherOf(frequency int) time.Duration {
	return min(mostGathered, periodOf(frequency)/4)
}

// gather lets the profiler look at what its kernel part lists only after the pace's time. It
// is called when the profiler has begun to listen to its channel, and before the clock runs.
// What resync and learn list is looked at now, as before.
func (p *profiler) gather(ctx context.Context) {
	place, err := placeOf[chan bool](p.tracer, triggerField)
	if err != nil || p.pace.gather == 0 {
		return
	}
	listed := make(chan bool, 1)
	*place = listed
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-listed:
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(p.pace.gather):
				p.wake()
			}
		}
	}()
}

// triggerField is where the profiler has the channel by which its kernel part wakes it.
const triggerField = "triggerPIDProcessing"

// triggerOf is that channel, nil where this version of the profiler has it elsewhere.
func triggerOf(t *tracer.Tracer) chan bool {
	place, err := placeOf[chan bool](t, triggerField)
	if err != nil {
		return nil
	}
	return *place
}
