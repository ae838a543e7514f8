package waits

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// source is a file of which a test knows the text.
type source struct {
	judge.Facts

	path, text string
}

func (s source) Source(path string) ([]string, bool) {
	return strings.Split(s.text, "\n"), path == s.path
}

func (source) Code(*profile.Mapping, uint64) (file *elffile.File, vaddr uint64, ok bool) {
	return nil, 0, false
}

func TestWaitsWithALock(t *testing.T) {
	const said = "post (a.cc:9) sleeps while record has the lock of a.cc:2, for which other threads wait."
	for name, x := range map[string]struct {
		code  string
		waits time.Duration // of others, for the lock
		want  bool
	}{
		"a guard": {`void record(double v) {
    std::lock_guard<std::mutex> g(m_);
    pending_.push_back(v);
    if (pending_.size() >= batch_)
        flush();`, time.Second, true},
		"a lock of C": {`void record(double v) {
    pthread_mutex_lock(&m);
    pending[n++] = v;
    if (n >= batch)
        flush();`, time.Second, true},
		"a block of its own": {`void record(double v) {
  synchronized (this) {
    pending.add(v);
    while (full())
      flush();
`, time.Second, true},
		"nobody waits": {`void record(double v) {
    std::lock_guard<std::mutex> g(m_);
    pending_.push_back(v);
    if (pending_.size() >= batch_)
        flush();`, time.Millisecond, false},
		"unlocked before": {`void record(double v) {
    pthread_mutex_lock(&m);
    pending[n++] = v;
    pthread_mutex_unlock(&m);
    flush();`, time.Second, false},
		"behind its block": {`void record(double v) {
        std::lock_guard<std::mutex> g(m_);
        pending_.push_back(v);
    }
    flush();`, time.Second, false},
	} {
		b := profile.NewBuilder()
		kernel := b.Mapping(profile.Mapping{Path: "[kernel.kallsyms]"})
		app := b.Mapping(profile.Mapping{Path: "/me/app", Limit: 1})
		wait := func(thread int64, value time.Duration, stack ...profile.Line) {
			var locs []profile.LocationID
			for _, line := range stack {
				locs = append(locs, b.Location(0, 0, profile.KindNative, line))
			}
			labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelTID, Num: thread}})
			b.Wait(profile.Sample{Stack: b.Stack(locs), Labels: labels, Count: 100, Value: int64(value)})
		}
		own := func(name string, line int32) profile.Line {
			return profile.Line{Function: b.Function(profile.Function{Name: name, File: "/me/a.cc", Kind: profile.KindNative, Mapping: app}), Line: line}
		}
		system := func(name string) profile.Line {
			return profile.Line{Function: b.Function(profile.Function{Name: name, Mapping: kernel, Kind: profile.KindKernel})}
		}
		wait(8, 4*x.waits, system("futex_wait"), system("pthread_mutex_lock"), own("record", 2), own("run", 14))
		wait(9, 5*time.Second, system("hrtimer_nanosleep"), own("post", 9), own("flush", 12), own("record", 5), own("run", 14))
		b.Sample(profile.Sample{Stack: b.Stack(nil), Count: 1, Value: int64(time.Second)})
		p := b.Build(recorded(10*time.Second, 19*time.Second))
		notes := held(judge.Subject{Profile: p, Facts: source{path: "/me/a.cc", text: x.code + strings.Repeat("\n", 12)}})
		if got := len(notes) == 1 && strings.HasPrefix(notes[0], said); got != x.want || !x.want && len(notes) > 0 {
			t.Errorf("%s: %q", name, notes)
		}
	}
}
