package ebpf

import (
	"errors"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"go.opentelemetry.io/ebpf-profiler/interpreter"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/tracer"
	"go.opentelemetry.io/ebpf-profiler/util"
)

// The profiler meets a Java virtual machine when its library is mapped, which is before the
// machine knows its own version and has code heaps. It takes a version of 0 for an old one,
// for all processes with that library and for good; and where there are no heaps it looks
// again when something else has it read the memory map, which may be never. Every stack
// then breaks off where a library returns into Java. So the question is put again.

// jvms are the virtual machines that the profiler has met.
type jvms struct {
	lock  *sync.RWMutex
	met   *map[libpf.PID]map[util.OnDiskFileIdentifier]interpreter.Instance
	asked map[uint32]int // how often a process was asked for again
	next  time.Time
}

const (
	// askAgain is how long a machine has until it is looked at again, and mostAsked how
	// often that is done: there are versions that the profiler does not know.
	askAgain  = 100 * time.Millisecond
	mostAsked = 300
)

// newJVMs finds them where this version of the profiler has them.
func newJVMs(t *tracer.Tracer) (*jvms, error) {
	lock, err := placeOf[sync.RWMutex](t, "processManager", "mu")
	if err != nil {
		return nil, err
	}
	met, err := placeOf[map[libpf.PID]map[util.OnDiskFileIdentifier]interpreter.Instance](t, "processManager", "interpreters")
	if err != nil {
		return nil, err
	}
	return &jvms{lock: lock, met: met, asked: map[uint32]int{}}, nil
}

// begun are the processes whose machine was met before it was ready, if it is time to look.
func (j *jvms) begun(now time.Time) (pids []uint32) {
	if j == nil || now.Before(j.next) {
		return nil
	}
	j.next = now.Add(askAgain)
	j.lock.RLock()
	defer j.lock.RUnlock()
	for pid, instances := range *j.met {
		if int(pid) == os.Getpid() {
			continue // it has the library mapped, and runs nothing of it: see mapProgram
		}
		for _, one := range instances {
			if ready, err := judge(one); err == nil && !ready && j.asked[uint32(pid)] < mostAsked {
				j.asked[uint32(pid)]++
				pids = append(pids, uint32(pid))
			}
		}
	}
	for pid := range j.asked {
		if _, there := (*j.met)[libpf.PID(pid)]; !there {
			delete(j.asked, pid)
		}
	}
	return pids
}

// hotspotType is the profiler's for one machine.
const hotspotType = "*hotspot.hotspotInstance"

var errNoJVM = errors.New("no Java virtual machine that this version of the profiler has")

// judge tells whether the profiler knows the heaps of a machine. A version that it took for
// too old is forgotten: with it no machine has heaps, so that nothing else looks at it.
func judge(one interpreter.Instance) (ready bool, err error) {
	v := reflect.ValueOf(one)
	if v.Type().String() != hotspotType {
		return false, errNoJVM
	}
	inserted := v.Elem().FieldByName("mainMappingsInserted")
	data := reflect.Indirect(v.Elem().FieldByName("d"))
	if inserted.Kind() != reflect.Bool || data.Kind() != reflect.Struct {
		return false, errNoJVM
	}
	if inserted.Bool() {
		return true, nil
	}
	once := data.FieldByName("Once")
	if once.Kind() != reflect.Struct {
		return false, errNoJVM
	}
	done, known := once.FieldByName("done"), once.FieldByName("data")
	if !done.IsValid() || done.Type() != reflect.TypeFor[atomic.Bool]() || known.Kind() != reflect.Struct {
		return false, errNoJVM
	}
	failed := known.FieldByName("err")
	if failed.Kind() != reflect.Interface {
		return false, errNoJVM
	}
	if flag := (*atomic.Bool)(unsafe.Pointer(done.UnsafeAddr())); flag.Load() && !failed.IsNil() { //nolint:gosec // its type was checked
		flag.Store(false)
	}
	return false, nil
}
