package ebpf

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// Waits of a window stand for it and for the pause behind it; what began in a pause is none.
func TestWaitsOfWindows(t *testing.T) {
	const ms = int64(time.Millisecond)
	o := &offCPU{began: map[uint32][]begun{}, ended: map[uint32][]end{}, rows: map[wait]waited{}, parts: []part{{0, 1}}}
	whole := func(stack profile.StackID, from, nanoseconds int64) {
		o.end(7, end{from: from, nanoseconds: nanoseconds})
		o.begin(7, begun{at: from + 100, stack: stack})
	}
	o.open(0, false)
	whole(1, 10*ms, 5)
	first := o.in()
	first.until = 100 * ms
	first.end(100*ms, o.rows) // it was whole
	o.open(100*ms, true)
	whole(2, 110*ms, 5)
	o.end(8, end{from: 199 * ms, nanoseconds: 7}) // its stack comes later
	second := o.in()
	second.until = 200 * ms
	whole(3, 300*ms, 5)
	if o.in() != nil {
		t.Error("a pause is a window")
	}
	second.end(500*ms, o.rows) // four times as long
	o.open(500*ms, true)
	o.begin(8, begun{at: 199*ms + 100, stack: 4})
	whole(2, 510*ms, 6)
	o.finish(600 * ms)
	o.into(profile.NewBuilder())
	want := map[wait]waited{{stack: 1}: {5, 1}, {stack: 2}: {4*5 + 6, 5}, {stack: 4}: {28, 4}}
	if !maps.Equal(o.rows, want) {
		t.Errorf("%v, want %v", o.rows, want)
	}
	if text := o.partly(); !strings.Contains(text, "50% of the time") {
		t.Errorf("%q", text)
	}
	whole(2, 520*ms, 1) // after the end of all
	if got := o.rows[wait{stack: 2}]; got != (waited{27, 6}) {
		t.Errorf("%v", got)
	}
	if text := (&offCPU{windows: []*window{{from: 1, until: 5, next: 5}}}).partly(); text != "" {
		t.Errorf("%q of what was seen whole", text)
	}
}

// Two threads that wait for each other some ten thousand times a second and more, and one that
// sleeps. It says how often it has waited.
const pingPong = `
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static int to[2], back[2];
static volatile int done;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void *echo(void *none) { char c; while (read(to[0], &c, 1) == 1 && write(back[1], &c, 1) == 1); return none; }
static void *naps(void *none) { while (!done) usleep(20000); return none; }
int main(int argc, char **argv) {
  pthread_t a, b;
  char c = 0;
  if (pipe(to) || pipe(back)) return 1;
  pthread_create(&a, 0, echo, 0);
  pthread_create(&b, 0, naps, 0);
  double begin = now();
  while (now() < begin + 5) if (write(to[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1;
  done = 1;
  close(to[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  FILE *f = fopen(argv[1], "w");
  fprintf(f, "{\"waits\": %ld, \"seconds\": %f}", u.ru_nvcsw, now() - begin);
  return fclose(f);
}`

// Of a program that waits more often than may be looked at, a part of the time is seen, and stands
// for the rest.
func TestWaitsOfMany(t *testing.T) {
	program, out := tooltest.Compile(t, "gcc", "pingpong.c", pingPong, "-O2", "-pthread"), filepath.Join(t.TempDir(), "out")
	p, _ := record(t.Context(), t, collect.Request{
		Target: collect.Target{Command: []string{program, out}}, Settings: collect.Settings{Frequency: 199, OffCPU: true},
	})
	var said struct{ Waits, Seconds float64 }
	if text, err := os.ReadFile(out); err != nil || json.Unmarshal(text, &said) != nil {
		t.Fatalf("%s, %v", text, err)
	}
	seconds, times := map[string]float64{}, map[string]float64{}
	for _, w := range p.Waits() {
		kind := "other"
		for _, loc := range p.Stack(w.Stack) {
			for _, line := range p.Lines(loc) {
				switch name := p.Function(line.Function).Name; {
				case strings.Contains(name, "nanosleep"):
					kind = "sleep"
				case strings.Contains(name, "pipe_read"):
					kind = "pipe"
				}
			}
		}
		seconds[kind] += time.Duration(w.Value).Seconds()
		times[kind] += float64(w.Count)
	}
	partly := slices.ContainsFunc(p.Meta.Warnings, func(w string) bool { return strings.Contains(w, "stands for the rest") })
	t.Logf("lost %d; %.0f waits in %.1f s; waited %v s, %v times; %q", p.Meta.Lost, said.Waits, said.Seconds, seconds, times, p.Meta.Warnings)
	if said.Waits > 2*tooMany*said.Seconds && !partly {
		t.Error("all of the time was seen")
	}
	// A window is a fifth of the time or less; how many naps begin in it is nearly the same for all.
	if s := seconds["sleep"]; s < 0.6*said.Seconds || s > 1.4*said.Seconds {
		t.Errorf("a thread that sleeps for %.1f s is said to have slept %.1f s", said.Seconds, s)
	}
	// While they are looked at, these waits are several times as long as else, and as much fewer.
	if n := times["pipe"]; n < 0.1*said.Waits || n > 1.5*said.Waits {
		t.Errorf("%.0f waits, want %.0f", n, said.Waits)
	}
	if s := seconds["pipe"]; s < 0.1*said.Seconds || s > 2*said.Seconds {
		t.Errorf("two threads that wait for each other for %.1f s are said to have waited %.1f s", said.Seconds, s)
	}
}
