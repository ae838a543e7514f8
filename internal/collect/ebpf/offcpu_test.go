package ebpf

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

// A command that sleeps, and waits for a child.
const sleeps = `
import subprocess, time
def nap():
    for _ in range(20): time.sleep(0.02)
def child():
    subprocess.run(["sleep", "0.3"])
def burn():
    x = 0
    for i in range(2000000): x += i * i
nap(); child(); burn()
`

func TestOffCPU(t *testing.T) {
	python := pythonWithSQLite(t)
	script := filepath.Join(t.TempDir(), "sleeps.py")
	if err := os.WriteFile(script, []byte(sleeps), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, asked := range []bool{true, false} {
		p, out := record(t.Context(), t, collect.Request{
			Target: collect.Target{Command: []string{python, script}}, Settings: collect.Settings{Frequency: 997, OffCPU: asked},
		})
		waited, times := map[string]time.Duration{}, map[string]int64{}
		for _, w := range p.Waits() {
			for _, loc := range p.Stack(w.Stack) {
				for _, line := range p.Lines(loc) {
					if f := p.Function(line.Function); f.Kind == profile.KindPython {
						waited[f.Name] += time.Duration(w.Value)
						times[f.Name] += w.Count
					}
				}
			}
			if tid, _ := p.Label(w.Labels, profile.LabelTID); tid.Num == 0 {
				t.Error("a wait of no thread")
			}
		}
		if !asked {
			if len(p.Waits()) > 0 {
				t.Errorf("%d waits that nobody asked for", len(p.Waits()))
			}
			continue
		}
		if len(p.Waits()) == 0 {
			t.Fatalf("no wait was seen: %q, %q", out.Notes, p.Meta.Warnings)
		}
		// None takes less than it was asked to; a busy machine makes all of them longer, and may lose
		// one. Where this program computes it waits for its memory at most.
		if waited["nap"] < 360*time.Millisecond || times["nap"] < 18 || times["nap"] > 20 || waited["child"] < 250*time.Millisecond || times["burn"] > 5 {
			t.Errorf("waited %v, %v times; %q", waited, times, out.Notes)
		}
	}
}

// A stack and the end of its wait come in any order, and belong together by thread and time.
func TestWaitsAreJoined(t *testing.T) {
	const ms = int64(time.Millisecond)
	o := &offCPU{began: map[uint32][]begun{}, ended: map[uint32][]end{}, rows: map[wait]waited{}, parts: []part{{0, 1}, {100 * ms, 0.25}}}
	o.open(0, false)
	o.begin(7, begun{at: 10*ms + 100, stack: 1})
	o.end(8, end{from: 10 * ms, nanoseconds: 5}) // of another thread
	o.end(7, end{from: 10 * ms, nanoseconds: 6})
	o.end(7, end{from: 20 * ms, nanoseconds: 7})
	o.begin(7, begun{at: 20*ms + 100, stack: 2})
	o.begin(7, begun{at: 30*ms + 100, stack: 3}) // its end was lost
	o.end(7, end{from: 40 * ms, nanoseconds: 8}) // its stack was lost
	o.begin(7, begun{at: 50*ms + 100, stack: 1})
	o.end(7, end{from: 50 * ms, nanoseconds: 4})
	o.begin(7, begun{at: 200*ms + 100, stack: 4})
	o.end(7, end{from: 200 * ms, nanoseconds: 9})
	o.begin(7, begun{at: 300*ms + 100, stack: 5})
	o.end(7, end{from: 300 * ms, nanoseconds: 9, rare: true}) // it was looked at whatever chance says
	want := map[wait]waited{{stack: 1}: {10, 2}, {stack: 2}: {7, 1}, {stack: 4}: {36, 4}, {stack: 5}: {9, 1}}
	o.finish(400 * ms)
	b := profile.NewBuilder()
	o.into(b)
	if !maps.Equal(o.rows, want) {
		t.Errorf("%v, want %v", o.rows, want)
	}
	if len(o.began) > 0 || len(o.ended[7]) != 1 {
		t.Errorf("%v and %v wait for the other half", o.began, o.ended)
	}
	if n := len(b.Build(profile.Meta{}).Waits()); n != len(want) {
		t.Errorf("%d rows", n)
	}
	for range 3 * mostPending {
		o.begin(9, begun{at: 1})
		o.end(10, end{from: 1})
	}
	if len(o.began[9]) > mostPending || len(o.ended[10]) > mostPending {
		t.Errorf("%d and %d wait for the other half", len(o.began[9]), len(o.ended[10]))
	}
}

func TestEndsAreRead(t *testing.T) {
	b := make([]byte, endSize)
	b[endThread], b[endFrom], b[endFor] = 7, 8, 9
	if thread, e, ok := parseEnd(b); !ok || thread != 7 || e != (end{from: 8, nanoseconds: 9}) {
		t.Error(thread, e, ok)
	}
	b[endFrom] |= sure
	if _, e, _ := parseEnd(b); !e.rare {
		t.Error("a rare wait is not told")
	}
	b[endFor+7] = 0x80
	if _, _, ok := parseEnd(b); ok {
		t.Error("a wait ends before it begins")
	}
	if _, _, ok := parseEnd(b[1:]); ok {
		t.Error("half an event is read")
	}
}
