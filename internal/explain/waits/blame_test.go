package waits

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/text"
	"whyhot/internal/profile"
)

const cache = `
class Cache
  def fetch(key)
    @mutex.synchronize do
      @answers[key] ||= yield(key)
    end
  end
end
def region(ip)
  connection.gets
end
`

// What is held for a lock while others wait for it, of seven threads.
func TestWhatALockIsHeldFor(t *testing.T) {
	for name, x := range map[string]struct {
		code, holder string
		want         string // at the end of the note
	}{
		"the network":          {cache, "schedule;sk_wait_data;tcp_recvmsg;region@9;fetch@4;fetch@3", "waits at region (a.rb:9): do that without the lock, and take the lock to read and to store only"},
		"without the lock":     {cache, "schedule;sk_wait_data;tcp_recvmsg;region@9", "each. Threads queue for one lock: hold it for less, or give parts of the data locks of their own"},
		"another kind of wait": {strings.Replace(cache, "@mutex.synchronize do", "@queue.take do", 1), "schedule;sk_wait_data;tcp_recvmsg;region@9;fetch@4;fetch@3", ""},
	} {
		p := waitsOf(t, []waited{
			{"schedule;futex_wait;pthread_cond_wait;fetch@3", 8, 80, 100 * time.Millisecond}, {"schedule;futex_wait;pthread_cond_wait;fetch@3", 9, 80, 100 * time.Millisecond},
			{x.holder, 10, 240, 33 * time.Millisecond},
		})
		a, err := Judge(t.Context(), judge.Subject{Profile: p, Facts: sources{"/me/a.rb": x.code}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range a.Waits.Sentences() {
			if strings.HasPrefix(n, "fetch (a.rb:3) waits for a lock") {
				got = n
			}
		}
		if !strings.HasSuffix(got, x.want) || (got == "") != (x.want == "") {
			t.Errorf("%s: %q of %q", name, got, a.Waits.Sentences())
		}
	}
}

// What a thread computes that has the lock, here for one second of two that each of two others waits.
func TestWhatIsComputedForALock(t *testing.T) {
	const own = "region (a.rb:9): do what needs no lock before or after it, and give parts of the data locks of their own"
	for stack, want := range map[string]string{
		"region@9;fetch@4;fetch@3": own,
		"fetch@3":                  strings.Replace(own, "region (a.rb:9)", "fetch (a.rb:3)", 1),
		"region@9":                 "Threads queue for one lock: hold it for less, or give parts of the data locks of their own",
	} {
		p := waitsBeside(t, []waited{
			{"schedule;futex_wait;pthread_mutex_lock;fetch@3", 8, 200, 10 * time.Millisecond}, {"schedule;futex_wait;pthread_mutex_lock;fetch@3", 9, 200, 10 * time.Millisecond},
		}, stack)
		a, err := Judge(t.Context(), judge.Subject{Profile: p, Facts: sources{"/me/a.rb": cache}})
		if err != nil {
			t.Fatal(err)
		}
		if a.Waits == nil || len(a.Waits.Lines) != 1 || !strings.HasSuffix(a.Waits.Lines[0].Advice, want) {
			t.Errorf("%s: %+v", stack, a.Waits)
		}
	}
}

// waitsOf is a profile of threads of Ruby that wait; a function with @ is the program's.
func waitsOf(t *testing.T, all []waited) *profile.Profile {
	t.Helper()
	return waitsBeside(t, all, "main")
}

// waitsBeside is waitsOf with a function in which the CPU is used.
func waitsBeside(t *testing.T, all []waited, function string) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder()
	kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
	for _, w := range all {
		labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelTID, Num: w.thread}})
		b.Wait(profile.Sample{Stack: stackOf(b, kernel, w.stack), Labels: labels, Count: w.times, Value: w.times * int64(w.each)})
	}
	busiest := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelTID, Num: 7}})
	b.Sample(profile.Sample{Stack: stackOf(b, kernel, function), Labels: busiest, Count: 1, Value: int64(time.Second)})
	return b.Build(recorded(10*time.Second, 20*time.Second))
}

// stackOf is one of a;b@3: b is the program's, at its line 3, and the kernel's a is innermost.
func stackOf(b *profile.Builder, kernel profile.MappingID, stack string) profile.StackID {
	var locs []profile.LocationID
	for name := range strings.SplitSeq(stack, ";") {
		name, line, own := strings.Cut(name, "@")
		fn, kind := profile.Function{Name: name, Mapping: kernel, Kind: profile.KindKernel}, profile.KindKernel
		if own {
			fn, kind = profile.Function{Name: name, File: "/me/a.rb", Kind: profile.KindRuby}, profile.KindRuby
		}
		n := int32(0)
		for _, c := range line {
			n = 10*n + (c - '0')
		}
		locs = append(locs, b.Location(0, 0, kind, profile.Line{Function: b.Function(fn), Line: n}))
	}
	return b.Stack(locs)
}

func TestLoopsThatPoll(t *testing.T) {
	for name, x := range map[string]struct {
		path, code string
		line, want int
	}{
		"until it is done": {"/me/a.py", `
def run(self, spec):
    while time.monotonic() < deadline:
        state, value = self.service.status(job)
        if state == DONE:
            return value
        time.sleep(self.interval)
`, 6, 2},
		"nothing but sleep": {"/me/a.go", `
func run(job *Job) {
	for !job.Done() {
		time.Sleep(50 * time.Millisecond)
	}
}
`, 3, 2},
		"nothing but sleep, in Java": {"/me/A.java", `
void run(Job job) {
    while (!job.isDone()) {
        Thread.sleep(50);
    }
}
`, 3, 2},
		"for a number of attempts": {"/me/a.rb", `
def run(job)
  100.times do
    return job.value if job.done?
    sleep 0.05
  end
end
`, 4, 2},
		"between pieces of work": {"/me/a.py", `
def run(queue):
    while not queue.empty():
        send(queue.get())
        time.sleep(0.1)
`, 4, 0},
		"for each of many": {"/me/a.py", `
def run(urls):
    for url in urls:
        if not wanted(url):
            break
        time.sleep(0.1)
`, 5, 0},
		"after an error": {"/me/a.py", `
def run(url):
    for attempt in range(5):
        try:
            if ok(url):
                return get(url)
        except IOError:
            time.sleep(0.1)
`, 7, 0},
		"every minute": {"/me/a.py", `
def run():
    while True:
        collect()
        time.sleep(60)
`, 4, 0},
	} {
		f, _ := text.Read(x.path, strings.Split(strings.Trim(x.code, "\n"), "\n"))
		if got, ok := polls(f, x.line); got*map[bool]int{true: 1}[ok] != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// On a machine without a free CPU the waits of the main thread tell.
func TestACommandThatWaitsOnABusyMachine(t *testing.T) {
	for name, x := range map[string]struct {
		stack  string
		thread int64
		want   bool
	}{
		"the main thread waits for events":  {"schedule;ep_poll;do_epoll_wait", 7, true},
		"another one does":                  {"schedule;ep_poll;do_epoll_wait", 8, false},
		"for a child":                       {"schedule;do_wait", 7, false},
		"for the others, which may compute": {"schedule;futex_wait;pthread_cond_wait", 7, false},
	} {
		p := waitsOf(t, []waited{{x.stack, x.thread, 100, 60 * time.Millisecond}})
		p.Meta.Idle = 0
		if _, _, is := waits(p, kindsOf(p)); is != x.want {
			t.Errorf("%s: %v", name, is)
		}
	}
}

// A main thread may wait for the threads that it has started, where these use the CPU.
func TestAMainThreadBesideOthersThatCompute(t *testing.T) {
	for function, want := range map[string]bool{"main": true, "start_thread": false} {
		p := waitsBeside(t, []waited{{"schedule;ep_poll;do_epoll_wait", 7, 100, 60 * time.Millisecond}}, function)
		p.Meta.Idle = 0
		if _, _, is := waits(p, kindsOf(p)); is != want {
			t.Errorf("%s: %v", function, is)
		}
	}
}

// On a machine without a free CPU a lock tells, too, that is held while its thread waits.
func TestThreadsThatQueueForALock(t *testing.T) {
	for held, want := range map[time.Duration]bool{30 * time.Millisecond: true, 3 * time.Millisecond: false} {
		p := waitsOf(t, []waited{
			{"schedule;futex_wait;pthread_cond_wait;fetch@3", 8, 80, 100 * time.Millisecond},
			{"schedule;sk_wait_data;tcp_recvmsg;region@9;fetch@4;fetch@3", 10, 240, held},
		})
		p.Meta.Idle = 0
		a, err := Judge(t.Context(), judge.Subject{Profile: p, Facts: sources{"/me/a.rb": cache}})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Waits != nil && a.Waits.Mostly; got != want {
			t.Errorf("held for %v: %v, want %v", held, got, want)
		}
	}
}
