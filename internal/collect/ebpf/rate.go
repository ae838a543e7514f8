package ebpf

import (
	"fmt"
	"reflect"
	"time"

	perf "github.com/elastic/go-perf"
	"go.opentelemetry.io/ebpf-profiler/libpf/xsync"
	"go.opentelemetry.io/ebpf-profiler/tracer"

	"whyhot/internal/collect"
)

// rate is how often samples are taken. How long a command takes is not known before: one
// of a second wants all the samples that it can give, one of an hour is not to be slowed
// down for what nobody needs. So a recording begins at the first rate, and goes on at
// the second when it has enough samples, or has gone on for long enough.
type rate struct {
	first, second int           // per second and processor; second is 0 where there is only one
	within        time.Duration // how long the first lasts at most
	changed       time.Time
}

const (
	// quickFrequency is the first rate.
	quickFrequency = 997
	// quickSamples are enough: the error of a share of 10% is then 1.3 points. They bound
	// what the first rate costs the program, however many processors it runs on.
	quickSamples = 2000
	// quickTime bounds what sampling costs the other programs of the machine.
	quickTime = 10 * time.Second
	// commandTime is the same for a command: on a busy machine one that uses a second of
	// CPU time takes many on the clock, and may end with few samples.
	commandTime = time.Minute
)

// rateOf is the rate of a request on a machine with that many processors.
func rateOf(r *collect.Request, cpus int) rate {
	switch {
	case r.Settings.Frequency > 0:
		return rate{first: r.Settings.Frequency}
	case r.Target.System:
		return rate{first: systemFrequency}
	case r.Settings.Batch > 0 || !hasEvents() || checkBuffer(quickFrequency, cpus) != nil:
		return rate{first: targetFrequency}
	}
	within := quickTime
	if len(r.Target.Command) > 0 {
		within = commandTime
	}
	return rate{first: quickFrequency, second: targetFrequency, within: within}
}

// period is the weight of a sample of that time.
func (r *rate) period(at time.Time) time.Duration {
	if r.changed.IsZero() || at.Before(r.changed) {
		return periodOf(r.first)
	}
	return periodOf(r.second)
}

func periodOf(frequency int) time.Duration { return time.Second / time.Duration(frequency) }

// due tells whether the second rate is to begin.
func (r *rate) due(samples int64, elapsed time.Duration) bool {
	return r.second > 0 && r.changed.IsZero() && (samples >= quickSamples || elapsed >= r.within)
}

// text says what the rate was, in a recording that began then.
func (r *rate) text(start time.Time) string {
	if r.changed.IsZero() {
		return fmt.Sprintf("CPU clock at %d Hz", r.first)
	}
	return fmt.Sprintf("CPU clock at %d Hz for %s, then at %d Hz", r.first, r.changed.Sub(start).Round(100*time.Millisecond), r.second)
}

// eventsField is where the profiler has its clocks, which it does not hand out.
const eventsField = "perfEntrypoints"

type events = xsync.RWMutex[[]*perf.Event]

// hasEvents tells whether this version of the profiler has them there.
func hasEvents() bool {
	field, there := reflect.TypeFor[tracer.Tracer]().FieldByName(eventsField)
	return there && field.Type == reflect.TypeFor[events]()
}

// setRate changes the rate of the clocks, where hasEvents. A clock of the kernel counts
// nanoseconds: it has a period, although it was opened with a frequency.
func setRate(t *tracer.Tracer, frequency int) error {
	clocks, err := placeOf[events](t, eventsField)
	if err != nil {
		return err
	}
	all := clocks.RLock()
	defer clocks.RUnlock(&all)
	for _, clock := range *all {
		if err := clock.UpdatePeriod(uint64(periodOf(frequency))); err != nil {
			return fmt.Errorf("%s: changing the sample rate: %w", Name, err)
		}
	}
	return nil
}

// slowDown goes on at the second rate when it is due. Where that fails, the first stays.
func (rec *recording) slowDown() {
	if !rec.rate.due(rec.convert.samples, time.Since(rec.start)) {
		return
	}
	if err := setRate(rec.profiler.tracer, rec.rate.second); err != nil {
		rec.rate.second = 0
		rec.convert.warn(err.Error())
		return
	}
	rec.rate.changed = time.Now()
}
