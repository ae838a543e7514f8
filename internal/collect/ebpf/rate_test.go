package ebpf

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/tracer"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/proctree"
	"whyhot/internal/profile"
)

func TestTheRateFollowsFromTheTarget(t *testing.T) {
	command := collect.Target{Command: []string{"true"}}
	for name, test := range map[string]struct {
		request       collect.Request
		first, second int
	}{
		"a command":      {collect.Request{Target: command}, quickFrequency, targetFrequency},
		"a process":      {collect.Request{Target: collect.Target{PIDs: []int{1}}}, quickFrequency, targetFrequency},
		"asked for":      {collect.Request{Target: command, Settings: collect.Settings{Frequency: 49}}, 49, 0},
		"the machine":    {collect.Request{Target: collect.Target{System: true}}, systemFrequency, 0},
		"without an end": {collect.Request{Target: command, Settings: collect.Settings{Batch: time.Second}}, targetFrequency, 0},
	} {
		r := rateOf(&test.request, 4)
		if r.first != test.first || r.second != test.second {
			t.Errorf("%s: %d, then %d", name, r.first, r.second)
		}
		if long := r.within == commandTime; long != (name == "a command") {
			t.Errorf("%s: the first rate lasts %s", name, r.within)
		}
	}
}

// The kernel's buffer of a machine with many processors has no room for the first rate.
func TestManyProcessorsBeginSlowly(t *testing.T) {
	if r := rateOf(&collect.Request{Target: collect.Target{Command: []string{"true"}}}, 256); r != (rate{first: targetFrequency}) {
		t.Errorf("%+v", r)
	}
}

func TestTheRateFallsOnce(t *testing.T) {
	r := rate{first: quickFrequency, second: targetFrequency, within: quickTime}
	if r.due(quickSamples-1, quickTime-1) || !r.due(quickSamples, 0) || !r.due(0, quickTime) {
		t.Error("it is due with enough samples, or after long enough")
	}
	r.changed = time.Unix(1, 0)
	if r.due(quickSamples, quickTime) {
		t.Error("it is due again")
	}
	if one := (rate{first: 99}); one.due(quickSamples, quickTime) {
		t.Error("a rate that was asked for falls")
	}
}

// Samples keep their weight, so that their sum is CPU time whatever the rate was.
func TestSamplesWeighWhatTheRateWas(t *testing.T) {
	r := &rate{first: 1000, second: 100}
	c := newConverter(quietTasks(), newFiles(&collect.Request{}), r)
	take := func(at time.Time) {
		frames := libpf.Frames{}
		frames.Append(&libpf.Frame{Type: libpf.PythonFrame, FunctionName: libpf.Intern("f")})
		meta := &samples.TraceEventMeta{PID: 7, Timestamp: libpf.UnixTime64(at.UnixNano())}
		if err := c.ReportTraceEvent(&libpf.Trace{Frames: frames}, meta); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Unix(100, 0)
	for i := range 10 {
		take(begin.Add(time.Duration(i) * time.Millisecond))
	}
	r.changed = begin.Add(10 * time.Millisecond)
	take(begin.Add(9 * time.Millisecond)) // read late
	take(begin.Add(20 * time.Millisecond))
	p := c.profile(profile.Meta{})
	if p.Count() != 12 || p.Total() != int64(21*time.Millisecond) || p.Meta.Period != 0 {
		t.Errorf("%d samples, %s, period %d", p.Count(), time.Duration(p.Total()), p.Meta.Period)
	}
	if text := r.text(begin); text != "CPU clock at 1000 Hz for 0s, then at 100 Hz" {
		t.Error(text)
	}
}

// This version of the profiler has its clocks where they are looked for.
func TestTheProfilersClocksAreThere(t *testing.T) {
	if !hasEvents() {
		t.Error("the rate cannot be changed: the profiler has its clocks elsewhere")
	}
	if triggerOf(&tracer.Tracer{}) != nil {
		t.Error("a profiler that was not made has no channel")
	}
	if field, ok := reflect.TypeFor[tracer.Tracer]().FieldByName(triggerField); !ok || field.Type != reflect.TypeFor[chan bool]() {
		t.Error("the profiler cannot be woken: it has its channel elsewhere")
	}
}

func TestARecordingGoesOnSlowly(t *testing.T) {
	usable(t.Context(), t)
	program := burn.Build(t)
	cmd := start(t, program, "forever", "1")
	settled(t, func(v *verdict) {
		r := running(cmd)
		r.Settings = collect.Settings{Duration: quickTime + 2*time.Second}
		var from, to time.Duration // how much CPU time the program had used
		r.Progress = func(p collect.Progress) {
			times, _ := proctree.AllTimes()
			used := times[cmd.Process.Pid].CPU
			if p.Phase == collect.PhaseRecording && from == 0 {
				from = used
			}
			if p.Phase == collect.PhaseReading {
				to = used
			}
		}
		p, out := record(t.Context(), t, r)
		if len(out.Notes) == 0 || !strings.Contains(out.Notes[0], "then at 199 Hz") || p.Meta.Period != 0 {
			v.Errorf("%q, period %d", out.Notes, p.Meta.Period)
		}
		if seen := float64(p.Total()) / float64(to-from); seen < 0.75 || seen > 1.1 {
			v.Errorf("%d samples stand for %.2f of the CPU time", p.Count(), seen)
		}
	})
}

// What starts the command is no part of it, and its memory map is known when it begins.
func TestACommandIsKnownFromTheBeginning(t *testing.T) {
	program := burn.Build(t, "-static")
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "plain", "50"}}})
		for _, w := range p.Meta.Warnings {
			if strings.Contains(w, reasons[loading]) {
				v.Errorf("%s", w)
			}
		}
	})
}
