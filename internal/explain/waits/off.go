package waits

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

const (
	// leastWaited is the part of the time from which a line that waits is told, leastOfBusy that
	// for a command that mostly computes.
	leastWaited, leastOfBusy = 0.03, 0.10
	// mostWaiting is how many of them are told.
	mostWaiting = 5
)

// kind is what a thread waits for, told by a function on its stack.
type kind struct {
	name string
	is   *regexp.Regexp
	// idle: threads that have nothing to do wait so. Only a process's first thread is told of.
	idle bool
	// others: it waits while others compute, so that of a command that mostly computes nothing is
	// told: a parent for its child, a reader of a pipe for its writer.
	others bool
}

const (
	sleep   = "time to pass"
	lock    = "a lock"
	network = "the network"
	disk    = "the disk"
	// synced is what was written being on the disk.
	synced = "the disk to have what was written"
	// condition is what others tell a thread, of which a lock may be made.
	condition = "a condition"
	child     = "a child process"
	pipe      = "a pipe"
	terminal  = "a terminal"
	// javaMain is the name of the thread that runs main, which the launcher makes; others have
	// names of their own.
	javaMain = "java"
)

// kinds are asked in their order, of all functions of a stack. The names are those of Linux and
// of glibc, musl, Java's and Go's libraries.
var kinds = []kind{
	{child, regexp.MustCompile(`^(do_wait|kernel_wait4|kernel_waitid)$`), true, true},
	{sleep, regexp.MustCompile(`^(hrtimer_nanosleep|do_nanosleep|common_nsleep|__x64_sys_clock_nanosleep|JVM_Sleep|JavaThread::sleep\w*(\(.*)?|(void )?java\.lang\.Thread\.sleep\w*(\(.*)?|time\.Sleep)$`), false, false},
	{synced, regexp.MustCompile(`^(jbd2_log_wait_commit|ext4_sync_file|xfs_file_fsync|btrfs_sync_file|vfs_fsync_range|do_fsync)$`), false, false},
	{disk, regexp.MustCompile(`^(io_schedule\w*|folio_wait_\w+|wait_on_page_\w+|blkdev_issue_flush|submit_bio_wait|__filemap_fdatawait_range|balance_dirty_pages\w*|filemap_fault|rq_qos_wait)$`), false, false},
	{"the collection of garbage", regexp.MustCompile(`^runtime\.(gcAssistAlloc\w*|gcParkAssist|gcStart|gcMarkDone)$`), false, true},
	{condition, regexp.MustCompile(`^(Condition\.wait(_for)?|Event\.wait|Barrier\.wait|(Simple)?Queue\.get|Thread\.(join|_wait_for_tstate_lock))$`), true, true}, // of Python: each waits for a lock of its own
	{"a lock of the kernel", regexp.MustCompile(`^(rwsem_down_\w+|__mutex_lock\w*)$`), false, true},
	{lock, regexp.MustCompile(`^((__|___)?pthread_(mutex|rwlock|spin)_\w*lock\w*|__lll_lock_wait\w*|lll_lock_wait\w*|__pthread_mutex_lock\w*|.*ObjectMonitor::(enter|EnterI)|take_gil|PyThread_acquire_lock\w*|_PyMutex_Lock\w*|lock_PyThread_acquire_lock|acquire_timed|parking_lot.*lock_slow|std::sys.*[Mm]utex.*lock\w*|(internal/)?sync\.\(\*(RW)?Mutex\)\.\w+)`), false, false},
	// What a client of HTTP or gRPC waits for comes over a channel.
	{network, regexp.MustCompile(`^(net/http\.\(\*(persistConn|http2\w+)\)\.\w+|google\.golang\.org/grpc\S*)$`), false, true},
	{condition, regexp.MustCompile(`^(futex_wait\w*|futex_do_wait|do_futex|__futex_abstimed_wait\w*|(__|___)?pthread_cond_(timed|clock)?wait\w*|runtime\.(chanrecv|chansend|selectgo|block)\d?|sync\.\(\*(WaitGroup|Cond)\)\.Wait)$`), true, true},
	{"a client", regexp.MustCompile(`^(inet_csk_accept|unix_accept|net\.\(\*(TCP|Unix)?Listener\)\.[aA]ccept)$`), true, true},
	{network, regexp.MustCompile(`^(tcp_(recvmsg|sendmsg)\w*|inet_(recvmsg|stream_connect|wait_for_connect)\w*|__?inet_stream_connect|sk_wait_data|sk_stream_wait_memory|udp_recvmsg|unix_(stream_(data_wait|read_generic|recvmsg|connect)|dgram_recvmsg)|skb_wait_for_more_packets|__skb_wait_for_more_packets|net\.\(\*\w+\)\.(Read|Write|connect|dial)\w*)$`), false, true},
	{pipe, regexp.MustCompile(`^((anon_)?pipe_(read|write|wait_readable|wait_writable)|fifo_open|wait_for_partner|internal/poll\.runtime_pollWait)$`), false, true},
	{"events", regexp.MustCompile(`^(ep_poll|do_epoll_wait|do_sys_poll|do_poll\b.*|poll_schedule_timeout\w*|do_select|core_sys_select|io_cqring_wait)$`), true, true},
	{terminal, regexp.MustCompile(`^(n_tty_read|tty_read|wait_woken)$`), true, true},
}

// goMain begins the stack of the goroutine that runs main.
var goMain = regexp.MustCompile(`^runtime\.main$`)

// byName is a kind by its name.
func byName(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// waiting is a line of the program that waits, and what for.
type waiting struct {
	line        profile.Line
	kind        string
	idle        bool
	nanoseconds int64
	count       int64
	threads     map[int64]bool
	goroutines  int64
}

// seen names the lines of the program that wait, where the recording saw waits; mostly: the command
// waits more than it computes.
func (r *program) seen(mostly bool) []finding.Wait {
	p := r.p
	if len(p.Waits()) == 0 || p.Meta.Duration <= 0 {
		return nil
	}
	type key struct {
		line profile.Line
		kind string
	}
	known := map[key]*waiting{}
	main := p.StacksWith(goMain.MatchString)
	for _, w := range p.Waits() {
		line, _, ok := r.lines.Innermost(w.Stack)
		if !ok || line.Line <= 0 {
			continue
		}
		kind := r.kind(w.Stack)
		if kind.name == condition && r.takesLock(line) {
			kind = byName(lock)
		}
		thread, _ := p.Label(w.Labels, profile.LabelTID)
		process, _ := p.Label(w.Labels, profile.LabelPID)
		comm, _ := p.Label(w.Labels, profile.LabelThread)
		goroutines, isGo := p.Label(w.Labels, profile.LabelGoroutines)
		first := thread.Num == process.Num || comm.Str == javaMain && p.Function(line.Function).Kind == profile.KindJava || isGo && main(w.Stack)
		periodic := kind.name == sleep && !mostly // a thread that wakes up now and then beside what computes
		if (kind.idle || periodic) && !first || kind.others && !mostly {
			continue
		}
		k := key{line, kind.name}
		if known[k] == nil {
			known[k] = &waiting{line: line, kind: kind.name, idle: kind.idle, threads: map[int64]bool{}}
		}
		known[k].nanoseconds += w.Value
		known[k].count += w.Count
		if isGo {
			known[k].goroutines = max(known[k].goroutines, goroutines.Num)
		} else {
			known[k].threads[thread.Num] = true
		}
	}
	least := leastOfBusy
	if mostly {
		least = leastWaited
	}
	var all []*waiting
	for _, w := range known {
		if float64(w.nanoseconds) >= least*float64(p.Meta.Duration) {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b *waiting) int {
		return cmp.Or(cmp.Compare(b.nanoseconds, a.nanoseconds), cmp.Compare(a.line.Function, b.line.Function), cmp.Compare(a.line.Line, b.line.Line), cmp.Compare(a.kind, b.kind))
	})
	all = all[:min(len(all), mostWaiting)]
	rank := map[bool]int{true: 1}
	// A thread that waits for the others comes after what those wait for.
	slices.SortStableFunc(all, func(a, b *waiting) int { return cmp.Compare(rank[a.idle], rank[b.idle]) })
	var out []finding.Wait
	for _, w := range all {
		place := ownline.Place(p, w.line)
		out = append(out, finding.Wait{
			Place: place, For: w.kind, Seconds: time.Duration(w.nanoseconds).Seconds(), Times: w.count, Threads: w.together(), Idle: w.idle,
			Text: w.text(p), Advice: r.blame(w),
		})
	}
	return out
}

// together is how many threads, or goroutines, have waited there.
func (w *waiting) together() int { return len(w.threads) + int(w.goroutines) }

// text says where, for what and for how long.
//
// Example. fetch (report.py:41) waits for the network: 8.2s of 10.4s (79%), 500 times, 16.4ms each
func (w *waiting) text(p *profile.Profile) string {
	place := ownline.Place(p, w.line)
	took := time.Duration(w.nanoseconds)
	does := map[string]string{"": "waits", sleep: "sleeps"}[w.kind]
	if does == "" {
		does = "waits for " + w.kind
	}
	name := place.Function
	if !strings.HasPrefix(name, "<") { // <main> and <anonymous> have no parts
		_, name = ownline.Parts(name)
	}
	out := fmt.Sprintf("%s (%s:%d) %s", name, filepath.Base(place.File), place.Line, does)
	out += fmt.Sprintf(": %s of %s (%s)", rounded(took), rounded(p.Meta.Duration), percent.Text(float64(took)/float64(p.Meta.Duration)))
	if n := w.together(); n > 1 {
		out = fmt.Sprintf("%s, in %d %s together", out, n, map[bool]string{false: "threads", true: "goroutines"}[w.goroutines > 0])
	}
	if w.count > 1 {
		out += fmt.Sprintf(", %s times, %s each", judge.Times(uint64(w.count)), rounded(took/time.Duration(w.count))) //nolint:gosec // a count
	}
	return out
}

// rounded leaves three figures.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 { //nolint:mnd // three figures
		unit *= 10
	}
	return d.Round(unit)
}

// kindsOf tells what a stack waits for, the zero kind where no function tells.
func kindsOf(p *profile.Profile) func(profile.StackID) kind {
	byFunction := map[profile.FunctionID]int{}
	of := func(id profile.FunctionID) int {
		at, known := byFunction[id]
		if !known {
			name := p.Function(id).Name
			at = slices.IndexFunc(kinds, func(k kind) bool { return k.is.MatchString(name) })
			byFunction[id] = at
		}
		return at
	}
	return func(stack profile.StackID) kind {
		best := -1
		for _, loc := range p.Stack(stack) {
			for _, line := range p.Lines(loc) {
				if at := of(line.Function); at >= 0 && (best < 0 || at < best) {
					best = at
				}
			}
		}
		if best < 0 {
			return kind{}
		}
		return kinds[best]
	}
}
