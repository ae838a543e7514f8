package goroutine

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestEndsAreRead(t *testing.T) {
	b := make([]byte, toldSize)
	for at, v := range map[int]uint64{toldProcess: 7, toldGoroutine: 0xc000123456, toldStack: 9, toldCaller: 0x4321, toldFrom: 55, toldFor: 1000} {
		binary.NativeEndian.PutUint64(b[at:], v)
	}
	want := ended{process: 7, goroutine: 0xc000123456, stack: 9, caller: 0x4321, from: 55, nanoseconds: 1000}
	if e, ok := parse(b); !ok || e != want {
		t.Errorf("%+v, %v", e, ok)
	}
	b[toldFor+7] = 0x80
	if _, ok := parse(b); ok {
		t.Error("a wait ends before it begins")
	}
	if _, ok := parse(b[1:]); ok {
		t.Error("a part of it is read")
	}
}

// Most processes run no program of Go, and no program at all may be left of one.
func TestOtherPrograms(t *testing.T) {
	r := &Recorder{}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, "/bin/true", filepath.Join(t.TempDir(), "gone")} {
		if p, err := r.attach(path); p != nil || err != nil {
			t.Errorf("%s: %v, %v", path, p, err)
		}
	}
	var none *Recorder
	none.Process(1)
	none.Mapped(1, "")
	if all, notes := none.Waits(); all != nil || notes != nil {
		t.Error(all, notes)
	}
	none.Close()
}

// Of 100 waits a second all are seen; of 100,000 those of a fiftieth of the time, each of which stands
// for fifty.
func TestWindows(t *testing.T) {
	const ms = int64(time.Millisecond)
	r := &Recorder{windows: []*window{{rows: map[place]*waited{}}}}
	calls := uint64(0)
	in := map[bool]int64{} // for how long the begin of waits was seen while there were many
	for now := int64(0); now < 30_000*ms; now += 10 * ms {
		many := now >= 10_000*ms
		seen := r.isIn(begins)
		if many {
			in[seen] += 10
		}
		for range map[bool]int{false: 1, true: 1000}[many] {
			if seen {
				calls++
			}
			e := ended{process: 7, goroutine: 1, from: now, nanoseconds: ms}
			if many {
				e.stack, e.goroutine = 1, calls
			}
			if seen {
				r.add(e)
			}
		}
		r.look(now+9*ms, calls)
	}
	all := r.all(30_000 * ms)
	few, many := all[place{process: 7}], all[place{process: 7, stack: 1}]
	if few == nil || few.times != 1000 || few.nanoseconds != float64(1000*ms) || len(few.goroutines) != 1 {
		t.Errorf("few waits: %+v", few)
	}
	if many == nil || math.Abs(many.times/2e6-1) > 0.1 || math.Abs(many.nanoseconds/many.times/float64(ms)-1) > 1e-9 {
		t.Errorf("many waits: %.0f of 2,000,000", many.times)
	}
	if share := float64(in[true]) / float64(in[true]+in[false]); share > 0.03 {
		t.Errorf("probes are in for %.1f%% of the time", 100*share)
	}
	// A wait that begins when nobody looks for begins is of no window.
	if w := r.at(r.windows[1].until + 1); w != nil {
		t.Errorf("%+v", w)
	}
}
