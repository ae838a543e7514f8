package ebpf

import (
	"cmp"
	"context"
	endian "encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	perf "github.com/elastic/go-perf"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect/proctree"
	"whyhot/internal/host/cgroup"
	"whyhot/internal/host/service"
)

// tasks follows which processes there are: what belongs to the target, what they
// are called and whose memory map changed. The kernel tells of forks, execs,
// names and executable mappings on one ring a processor.
type tasks struct {
	rings   []*perf.Event
	members map[uint32]bool // of the target; nil: everything belongs to it
	sampled map[uint32]bool // those that traces came from
	names   map[uint32]string
	proc    string               // where the kernel shows processes: /proc
	ask     bool                 // which service a process belongs to
	groups  map[uint32]string    // the containers of processes, "" for none
	serves  map[uint32]string    // the services of processes, "" for none
	changed map[uint32]struct{}  // memory maps to be read anew
	loaded  map[uint32]time.Time // when a memory map was last seen to change
	foreign []uint32             // new processes that do not belong to the target
	ended   map[uint32]bool      // processes that ended since the last forget; true: before that
	lost    uint64
	records []taskRecord // read, and not applied yet
	// parentOf is the kernel's own word on who made a process; nil where it has none.
	parentOf func(pid uint32) (parent uint32, known bool)
	// mapped is told of files whose code the target maps, and without one of a process that
	// executes another program; nil where nobody asks.
	mapped func(pid uint32, path string)
}

// taskRecord is one event; order matters between processors.
type taskRecord struct {
	time   uint64
	record perf.Record
}

// ringPages is the size of a ring: 256 kB hold some two thousand events.
const ringPages = 64

// followTasks begins to listen. pids are those of the target.
func followTasks(pids []int, system bool) (*tasks, error) {
	t := &tasks{proc: "/proc", sampled: map[uint32]bool{}, names: map[uint32]string{}, groups: map[uint32]string{}, serves: map[uint32]string{}, changed: map[uint32]struct{}{}, loaded: map[uint32]time.Time{}, ended: map[uint32]bool{}}
	if !system {
		t.members = map[uint32]bool{}
	}
	attr := &perf.Attr{
		SampleFormat: perf.SampleFormat{Tid: true, Time: true},
		Options: perf.Options{
			Mmap: true, Comm: true, CommExec: true, Task: true, SampleIDAll: true, UseClockID: true, Watermark: true,
		},
		ClockID: unix.CLOCK_MONOTONIC,
		Wakeup:  ringPages / 2 * uint32(os.Getpagesize()),
	}
	if err := perf.Dummy.Configure(attr); err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	for _, cpu := range onlineCPUs() {
		ring, err := perf.Open(attr, perf.AllThreads, cpu, nil)
		if errors.Is(err, unix.ENODEV) {
			continue // the processor is off
		}
		if err == nil {
			t.rings = append(t.rings, ring)
			err = ring.MapRingNumPages(ringPages)
		}
		if err != nil {
			t.close()
			return nil, fmt.Errorf("%s: following processes on CPU %d: %w", Name, cpu, err)
		}
	}
	t.find(pids)
	return t, nil
}

// find looks which processes there are of the target, where the rings have not told.
func (t *tasks) find(pids []int) {
	for _, pid := range proctree.Descendants(pids) {
		t.members[uint32(pid)] = true
	}
}

// begin is called when the recording begins: while the profiler is loaded, which
// takes seconds, the rings of a busy machine run over.
func (t *tasks) begin(ctx context.Context, pids []int) {
	t.read(ctx)
	if t.lost == 0 {
		return
	}
	t.lost = 0
	clear(t.names)
	clear(t.groups)
	clear(t.serves)
	t.find(pids)
}

const onlineFile = "/sys/devices/system/cpu/online"

// onlineCPUs lists the numbers of the processors that run.
func onlineCPUs() []int {
	text, err := os.ReadFile(onlineFile)
	if err != nil {
		text = fmt.Appendf(nil, "0-%d", runtime.NumCPU()-1)
	}
	return cpuList(string(text))
}

// cpuList reads the kernel's form of a set of processors: "0-3,8,10-11".
func cpuList(text string) []int {
	var out []int
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		if err != nil {
			continue
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(high); err != nil {
				continue
			}
		}
		for cpu := first; cpu <= last; cpu++ {
			out = append(out, cpu)
		}
	}
	return out
}

func (t *tasks) close() {
	for _, r := range t.rings {
		_ = r.Close() // only read from
	}
	t.rings = nil
}

// running lists the processes that are to be recorded, without the kernel's own
// tasks.
func (t *tasks) running() []uint32 {
	var out []uint32
	for _, pid := range proctree.All() {
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && t.belongs(uint32(pid)) {
			out = append(out, uint32(pid))
		}
	}
	return out
}

// others lists the processes that are not to be recorded.
func (t *tasks) others() []uint32 {
	var out []uint32
	for _, pid := range proctree.All() {
		if !t.belongs(uint32(pid)) {
			out = append(out, uint32(pid))
		}
	}
	return out
}

// belongs tells whether a process is to be recorded.
func (t *tasks) belongs(pid uint32) bool {
	return t.members == nil || t.members[pid] || t.adopt(pid)
}

// mostAncestors bounds the walk to the target in a map whose entries may be of processes
// that are gone.
const mostAncestors = 1000

// adopt makes a process, with all between, one of the target if it descends from it. The
// rings tell of forks later than a sample may come, and where they run over never.
func (t *tasks) adopt(pid uint32) bool {
	if t.parentOf == nil {
		return false
	}
	line := []uint32{pid}
	for len(line) < mostAncestors {
		parent, known := t.parentOf(line[len(line)-1])
		if !known || slices.Contains(line, parent) {
			return false
		}
		if t.members[parent] {
			for _, one := range line {
				t.members[one] = true
				t.mapsChanged(one)
			}
			return true
		}
		line = append(line, parent)
	}
	return false
}

// name is what the process is called: the name of its main thread.
func (t *tasks) name(pid uint32) string {
	if name, ok := t.names[pid]; ok {
		return name
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return "" // it is gone; it may be known later
	}
	t.names[pid] = strings.TrimRight(string(text), "\n")
	return t.names[pid]
}

// container is the ID of the container that a process is in, "" for none. What runs
// in a container joins it before it becomes the container's program.
func (t *tasks) container(pid uint32) string {
	id, ok := t.groups[pid]
	if !ok {
		id = cgroup.Process(pid)
		t.groups[pid] = id
	}
	return id
}

// service is the service that a process belongs to, "" where nothing tells more than its
// name, or where it is not asked.
func (t *tasks) service(pid uint32) string {
	if !t.ask {
		return ""
	}
	name, ok := t.serves[pid]
	if !ok {
		name = service.Of(t.proc, pid)
		t.serves[pid] = name
	}
	return name
}

// read takes what the kernel has told since the last read. It does not block.
//
// The rings are read one after the other, and on a busy machine there may be a long time
// between two of them. What one tells of later than the begin has to wait until the others
// were read to there: a child would come before its parent, and not be known as its child.
func (t *tasks) read(ctx context.Context) {
	t.readUntil(ctx, now())
}

// now is the clock of the records.
func now() uint64 {
	var at unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &at) // it cannot fail
	return uint64(at.Nano())
}

func (t *tasks) readUntil(ctx context.Context, until uint64) {
	for _, ring := range t.rings {
		for ring.HasRecord() {
			if err := t.next(ctx, ring); err != nil {
				break
			}
		}
	}
	t.applyUntil(until)
}

// applyUntil applies the records up to a time, in their order.
func (t *tasks) applyUntil(until uint64) {
	slices.SortStableFunc(t.records, func(a, b taskRecord) int { return cmp.Compare(a.time, b.time) })
	due := 0
	for ; due < len(t.records) && t.records[due].time <= until; due++ {
		t.apply(t.records[due].record)
	}
	t.records = slices.Delete(t.records, 0, due)
}

// next takes one record off a ring that has one.
func (t *tasks) next(ctx context.Context, ring *perf.Event) error {
	var raw perf.RawRecord
	if err := ring.ReadRawRecord(ctx, &raw); err != nil {
		return fmt.Errorf("%s: following processes: %w", Name, err)
	}
	var record perf.Record
	switch raw.Header.Type { //nolint:exhaustive // the others are not asked for
	case perf.RecordTypeFork:
		record = &perf.ForkRecord{}
	case perf.RecordTypeExit:
		record = &perf.ExitRecord{}
	case perf.RecordTypeComm:
		record = &perf.CommRecord{}
	case perf.RecordTypeMmap:
		record = &perf.MmapRecord{}
	case perf.RecordTypeLost:
		record = &perf.LostRecord{}
	default:
		return nil
	}
	if err := record.DecodeFrom(&raw, ring); err != nil {
		return fmt.Errorf("%s: following processes: %w", Name, err)
	}
	if lost, ok := record.(*perf.LostRecord); ok {
		t.lost += lost.Lost
		return nil
	}
	t.records = append(t.records, taskRecord{recordTime(raw.Data), record})
	return nil
}

// recordTime is the time of a record, which stands at its very end. The library
// looks for it behind the name in the record, and does not know that names are
// padded.
func recordTime(data []byte) uint64 {
	const size = 8
	if len(data) < size {
		return 0
	}
	return endian.NativeEndian.Uint64(data[len(data)-size:])
}

func (t *tasks) apply(record perf.Record) {
	switch r := record.(type) {
	case *perf.ForkRecord:
		if r.Pid != r.Ppid {
			t.fork(r.Pid, r.Ppid)
		}
	case *perf.ExitRecord:
		if r.Pid == r.Tid {
			t.ended[r.Pid] = false
		}
	case *perf.CommRecord:
		if r.Pid == r.Tid {
			t.names[r.Pid] = r.NewName
		}
		if r.WasExec() {
			delete(t.groups, r.Pid)
			delete(t.serves, r.Pid)
			t.mapsChanged(r.Pid)
			if t.mapped != nil && t.belongs(r.Pid) {
				t.mapped(r.Pid, "")
			}
		}
	case *perf.MmapRecord:
		if t.mapped != nil && t.belongs(r.Pid) {
			t.mapped(r.Pid, r.Filename)
		}
		t.mapsChanged(r.Pid)
	}
}

func (t *tasks) fork(pid, ppid uint32) {
	delete(t.names, pid) // of an earlier process with this number
	delete(t.groups, pid)
	delete(t.serves, pid)
	delete(t.sampled, pid)
	delete(t.ended, pid)
	if name, ok := t.names[ppid]; ok {
		t.names[pid] = name
	}
	if t.members == nil {
		return
	}
	delete(t.members, pid)
	if t.members[ppid] {
		t.members[pid] = true
		t.mapsChanged(pid)
	} else if !t.adopt(pid) {
		t.foreign = append(t.foreign, pid)
	}
}

// mapsChanged notes that the memory map of a process is to be read again. On the
// whole machine that is done only for those that were seen running: most
// processes of a busy machine never are.
func (t *tasks) mapsChanged(pid uint32) {
	if t.members[pid] || t.sampled[pid] {
		t.changed[pid] = struct{}{}
		t.loaded[pid] = time.Now()
	}
}

// readingTime is how long it may take until a memory map that changed is known, with the
// unwind tables of what is new.
const readingTime = 500 * time.Millisecond

// isLoading tells whether the memory map of a process had changed just before that time.
func (t *tasks) isLoading(pid uint32, at time.Time) bool {
	since := at.Sub(t.loaded[pid])
	return -readingTime < since && since < readingTime // the change itself is noticed late
}

// forget lets go of processes that ended before the last call: traces of theirs
// may still have been on their way then. Recordings without end call it.
func (t *tasks) forget() {
	for pid, before := range t.ended {
		if !before {
			t.ended[pid] = true
			continue
		}
		delete(t.ended, pid)
		delete(t.names, pid)
		delete(t.groups, pid)
		delete(t.serves, pid)
		delete(t.sampled, pid)
		delete(t.changed, pid)
		delete(t.loaded, pid)
		delete(t.members, pid)
	}
}
