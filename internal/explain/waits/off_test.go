package waits

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// Goroutines have stacks of their own, and no thread.
func TestWhatGoroutinesWaitFor(t *testing.T) {
	for stack, want := range map[string]string{
		"runtime.gopark;time.Sleep;main.nap": "nap (a.go:3) sleeps: 4s of 10s (40%), in 5 goroutines together, 100 times, 40ms each",
		"runtime.gopark;runtime.netpollblock;internal/poll.runtime_pollWait;internal/poll.(*FD).Read;net.(*conn).Read;main.ask":              "ask (a.go:3) waits for the network: 4s of 10s (40%), in 5 goroutines together, 100 times, 40ms each",
		"runtime.gopark;runtime.selectgo;net/http.(*persistConn).roundTrip;main.ask":                                                         "ask (a.go:3) waits for the network: 4s of 10s (40%), in 5 goroutines together, 100 times, 40ms each",
		"runtime.gopark;runtime.semacquire1;internal/sync.(*Mutex).lockSlow;main.add":                                                        "add (a.go:3) waits for a lock: 4s of 10s (40%), in 5 goroutines together, 100 times, 40ms each",
		"runtime.gopark;runtime.netpollblock;internal/poll.runtime_pollWait;internal/poll.(*FD).Accept;net.(*TCPListener).accept;main.serve": "",
		"runtime.gopark;runtime.chanrecv;runtime.chanrecv1;main.work":                                                                        "",
		"runtime.gopark;runtime.chanrecv;runtime.chanrecv1;main.main;runtime.main":                                                           "main (a.go:3) waits for a condition: 4s of 10s (40%), in 5 goroutines together, 100 times, 40ms each",
	} {
		b := profile.NewBuilder()
		var locs []profile.LocationID
		for name := range strings.SplitSeq(stack, ";") {
			fn, line := profile.Function{Name: name, File: "/usr/lib/go/src/a.go", Kind: profile.KindGo}, int32(0)
			if strings.HasPrefix(name, "main.") {
				fn.File, line = "/me/a.go", 3
			}
			locs = append(locs, b.Location(0, 0, profile.KindGo, profile.Line{Function: b.Function(fn), Line: line}))
		}
		b.Wait(profile.Sample{Stack: b.Stack(locs), Labels: b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelGoroutines, Num: 5}}), Count: 100, Value: int64(4 * time.Second)})
		b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 1, Value: int64(time.Second)})
		a, err := Judge(t.Context(), judge.Subject{Profile: b.Build(recorded(10*time.Second, 19*time.Second))})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(a.Waits.Lines) > 0 {
			got = a.Waits.Lines[0].Text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", stack, got, want)
		}
	}
}

// waited is a thread that waits: functions, innermost first, the outermost of which is the
// program's.
type waited struct {
	stack  string
	thread int64
	times  int64
	each   time.Duration
}

func TestWhatIsWaitedFor(t *testing.T) {
	const sleeping = "schedule;hrtimer_nanosleep"
	for name, x := range map[string]struct {
		waits []waited
		busy  time.Duration // of 10 seconds
		want  string        // "" for nothing
	}{
		"a server":                            {[]waited{{"schedule;sk_wait_data;tcp_recvmsg;recv;fetch", 7, 500, 8 * time.Millisecond}}, time.Second, "fetch (a.py:3) waits for the network: 4s of 10s (40%), 500 times, 8ms each. Each answer is waited for before the next is asked for: ask for many in one request, keep connections open, or let some requests run at a time"},
		"a disk, below what sends to it":      {[]waited{{"schedule;jbd2_log_wait_commit;ext4_sync_file;fsync;save", 7, 1, time.Second}}, time.Second, "save (a.py:3) waits for the disk to have what was written: 1s of 10s (10%)"},
		"a file that is synced for each line": {[]waited{{"schedule;jbd2_log_wait_commit;ext4_sync_file;fsync;save", 7, 200, 20 * time.Millisecond}}, time.Second, "save (a.py:3) waits for the disk to have what was written: 4s of 10s (40%), 200 times, 20ms each. Each waits until the disk has it: write several and sync once"},
		"a disk that is read":                 {[]waited{{"schedule;io_schedule;folio_wait_bit;read;load", 7, 1, time.Second}}, time.Second, "load (a.py:3) waits for the disk: 1s of 10s (10%)"},
		"a server without clients":            {[]waited{{"schedule;inet_csk_accept;accept;serve", 8, 10, time.Second}}, time.Second, ""},
		"a lock":                              {[]waited{{"schedule;futex_wait;pthread_mutex_lock;add", 8, 10, time.Second}, {"schedule;futex_wait;pthread_mutex_lock;add", 9, 10, time.Second}}, time.Second, "add (a.py:3) waits for a lock: 20s of 10s (200%), in 2 threads together, 20 times, 1s each. Threads queue for one lock: hold it for less, or give parts of the data locks of their own"},
		"the kernel's memory map":             {[]waited{{"schedule;rwsem_down_read_slowpath;do_user_addr_fault;fill", 8, 1, time.Second}}, time.Second, "fill (a.py:3) waits for a lock of the kernel: 1s of 10s (10%)"},
		"a condition, of the first":           {[]waited{{"schedule;futex_wait;pthread_cond_wait;join", 7, 1, time.Second}}, time.Second, "join (a.py:3) waits for a condition: 1s of 10s (10%)"},
		"a thread without work":               {[]waited{{"schedule;futex_wait;pthread_cond_wait;work", 8, 1, 9 * time.Second}}, time.Second, ""},
		"time, in another thread":             {[]waited{{sleeping + ";poll", 8, 90, 10 * time.Millisecond}}, time.Second, "poll (a.py:3) sleeps: 900ms of 10s (9%), 90 times, 10ms each"},
		"a thread of Java that sleeps":        {[]waited{{"schedule;futex_wait;pthread_cond_timedwait;JavaThread::sleep(long);JVM_Sleep;void java.lang.Thread.sleep(long);nap", 8, 20, 20 * time.Millisecond}}, time.Second, "nap (a.py:3) sleeps: 400ms of 10s (4%), 20 times, 20ms each"},
		"nobody knows for what":               {[]waited{{"schedule;something;work", 7, 1, time.Second}}, time.Second, "work (a.py:3) waits: 1s of 10s (10%)"},
		"a child, which computes":             {[]waited{{"schedule;do_wait;wait4;make", 7, 1, 9 * time.Second}}, 9 * time.Second, ""},
		"a lock, beside computing":            {[]waited{{"schedule;futex_wait;pthread_mutex_lock;add", 8, 10, 200 * time.Millisecond}}, 9 * time.Second, "add (a.py:3) waits for a lock: 2s of 10s (20%), 10 times, 200ms each"},
		"a thread that wakes up now and then": {[]waited{{sleeping + ";beat", 8, 160, 50 * time.Millisecond}}, 9 * time.Second, ""},
		"the first thread polls":              {[]waited{{sleeping + ";poll", 7, 160, 50 * time.Millisecond}}, 9 * time.Second, "poll (a.py:3) sleeps: 8s of 10s (80%), 160 times, 50ms each"},
		"sleep, beside computing":             {[]waited{{sleeping + ";poll", 8, 5, 100 * time.Millisecond}}, 9 * time.Second, ""},
		"little":                              {[]waited{{sleeping + ";poll", 7, 2, 100 * time.Millisecond}}, time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := profile.NewBuilder()
			kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
			for _, w := range x.waits {
				var locs []profile.LocationID
				names := strings.Split(w.stack, ";")
				for i, name := range names {
					fn, kind, line := profile.Function{Name: name, Mapping: kernel, Kind: profile.KindKernel}, profile.KindKernel, int32(0)
					if i == len(names)-1 {
						fn, kind, line = profile.Function{Name: name, File: "/me/a.py", Kind: profile.KindPython}, profile.KindPython, 3
					}
					locs = append(locs, b.Location(0, 0, kind, profile.Line{Function: b.Function(fn), Line: line}))
				}
				labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelTID, Num: w.thread}})
				b.Wait(profile.Sample{Stack: b.Stack(locs), Labels: labels, Count: w.times, Value: w.times * int64(w.each)})
			}
			b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 1, Value: int64(x.busy)})
			p := b.Build(recorded(10*time.Second, 20*time.Second-x.busy))
			a, err := Judge(t.Context(), judge.Subject{Profile: p})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			if a.Waits != nil {
				if a.Waits.Mostly != (x.busy < 5*time.Second) {
					t.Errorf("mostly: %v", a.Waits.Mostly)
				}
				a.Waits.Text = ""
				said = a.Waits.Sentences()
			}
			if got := strings.Join(said, "\n"); got != x.want {
				t.Errorf("%q, want %q", got, x.want)
			}
		})
	}
}
