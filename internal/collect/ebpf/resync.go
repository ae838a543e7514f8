package ebpf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cilium/ebpf"
	"go.opentelemetry.io/ebpf-profiler/interpreter/ruby"
	"go.opentelemetry.io/ebpf-profiler/metrics"
	"go.opentelemetry.io/ebpf-profiler/support"
	"go.opentelemetry.io/ebpf-profiler/times"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect/ebpf/known"
)

// sharedMaps are maps of the profiler's kernel part that steer which processes it
// looks at, and when. The profiler does not hand them out: they are found among
// the descriptors of this process. Each may be nil; the profiler then works as it
// does by itself, and notices a process at its first sample.
type sharedMaps struct {
	// events lists the processes (process<<32 | thread) whose memory maps are to
	// be read now.
	events *ebpf.Map
	// reported holds, for each process that was lately listed, a token that limits
	// how soon it is listed again. The profiler deletes that of a process when it
	// has read its memory map for the first time.
	reported *ebpf.Map
	// counters are numbers that the kernel part counts.
	counters *ebpf.Map
	// rubies holds what the kernel part knows of each Ruby process.
	rubies *ebpf.Map
}

// findMaps opens them by the names that the profiler's kernel part gives them.
func findMaps() sharedMaps {
	const events, reported, counters = "pid_events", "reported_pids", "metrics"
	found := ownMaps(events, reported, counters, ruby.BPFMapName)
	return sharedMaps{
		events: found[events], reported: found[reported], counters: found[counters], rubies: found[ruby.BPFMapName],
	}
}

func (m *sharedMaps) close() {
	for _, one := range []*ebpf.Map{m.events, m.reported, m.counters, m.rubies} {
		if one != nil {
			_ = one.Close() // a second descriptor of what the profiler holds
		}
	}
	*m = sharedMaps{}
}

// ownMaps opens this process's BPF maps of the given names again, the newest of
// each name.
func ownMaps(names ...string) map[string]*ebpf.Map {
	found := map[string]*ebpf.Map{}
	newest := map[string]ebpf.MapID{}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if link, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err != nil || link != "anon_inode:bpf-map" {
			continue
		}
		m, name, id, err := openMap(e.Name())
		if err != nil {
			continue
		}
		wanted := false
		for _, n := range names {
			wanted = wanted || n == name && id > newest[n]
		}
		if !wanted {
			_ = m.Close() // the original stays open
			continue
		}
		if old := found[name]; old != nil {
			_ = old.Close() // of an earlier profiler
		}
		found[name], newest[name] = m, id
	}
	return found
}

// openMap opens the map behind one of this process's descriptors.
func openMap(descriptor string) (m *ebpf.Map, name string, id ebpf.MapID, err error) {
	fd, err := strconv.Atoi(descriptor)
	if err != nil {
		return nil, "", 0, err
	}
	fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, "", 0, err
	}
	if m, err = ebpf.NewMapFromFD(fd); err != nil {
		return nil, "", 0, err
	}
	info, err := m.Info()
	if err != nil {
		return nil, "", 0, errors.Join(err, m.Close())
	}
	id, known := info.ID()
	if !known {
		return nil, "", 0, errors.Join(fmt.Errorf("map %s has no ID", info.Name), m.Close())
	}
	return m, info.Name, id, nil
}

// list asks for the memory map of a process to be read. It is false when the list
// is full.
func (m *sharedMaps) list(pid uint32) bool {
	return m.events == nil || m.events.Update(uint64(pid)<<32|uint64(pid), true, ebpf.UpdateAny) == nil
}

// tokenBits are those of a token that are not of its time.
const tokenBits = 0x3f

// mute keeps the kernel part from listing a process by itself.
func (m *sharedMaps) mute(pid uint32) bool {
	token := uint64(times.GetKTime())&^tokenBits | known.Never
	return m.reported != nil && m.reported.Update(pid, token, ebpf.UpdateAny) == nil
}

// muted tells whether a process's token is still there.
func (m *sharedMaps) muted(pid uint32) bool {
	var token uint64
	return m.reported != nil && m.reported.Lookup(pid, &token) == nil
}

// lost is how many traces the kernel had no room for.
func (m *sharedMaps) lost() uint64 {
	if m.counters == nil {
		return 0
	}
	for i, id := range support.MetricsTranslation {
		if id != metrics.IDBPFRingbufOutputErr {
			continue
		}
		var perCPU []uint64
		if err := m.counters.Lookup(uint32(i), &perCPU); err != nil {
			return 0
		}
		sum := uint64(0)
		for _, n := range perCPU {
			sum += n
		}
		return sum
	}
	return 0
}

// resync asks the profiler to read the memory maps that changed. It would notice
// by itself, but only when a sample falls into unknown code, and then it limits
// how often it looks: a program that loads libraries for a second would be half
// unknown for as long. What does not belong to the target is to cost nothing.
func (p *profiler) resync(t *tasks) {
	p.rubies.mend()
	for _, pid := range p.jvms.begun(time.Now()) {
		t.changed[pid] = struct{}{}
	}
	p.ignore(t.foreign)
	t.foreign = t.foreign[:0]
	for pid := range t.changed {
		if !p.shared.list(pid) {
			return // again at the next look
		}
		delete(t.changed, pid)
		p.wake()
	}
}

// wake has the profiler look now at the processes that were listed. What a process runs
// until then is not known.
func (p *profiler) wake() {
	select {
	case p.trigger <- true:
	default: // it was woken already, or cannot be
	}
}

// ignore keeps the profiler from reading memory maps and unwind tables of
// processes that are not to be recorded: they would stand in the queue before
// those that are.
func (p *profiler) ignore(pids []uint32) {
	for _, pid := range pids {
		p.shared.mute(pid)
	}
}

const (
	learnStep  = 10 * time.Millisecond
	learnLimit = 10 * time.Second
)

// learn makes the profiler read the memory maps of processes and the unwind
// tables of what they have mapped, and waits for that. left is how many were not
// read in time.
func (p *profiler) learn(ctx context.Context, pids []uint32, limit time.Duration) (left int) {
	var waiting []uint32
	for _, pid := range pids {
		marked := p.shared.mute(pid)
		if p.shared.list(pid) && marked {
			waiting = append(waiting, pid)
		}
	}
	p.wake()
	begin := time.Now()
	for len(waiting) > 0 && time.Since(begin) < limit && ctx.Err() == nil {
		p.handleFor(learnStep)
		open := waiting[:0]
		for _, pid := range waiting {
			if p.shared.muted(pid) && alive(pid) {
				open = append(open, pid)
			}
		}
		waiting = open
	}
	return len(waiting)
}

func alive(pid uint32) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}
