package ebpf

import (
	endian "encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"go.opentelemetry.io/ebpf-profiler/reporter/samples"
	"go.opentelemetry.io/ebpf-profiler/times"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect/ebpf/known"
	"whyhot/internal/collect/tracefs"
)

// Time off the CPU. A tracepoint of the scheduler tells when a thread of what is recorded gives up
// its processor in order to wait, and when it is given one again. In between the kernel counts a
// switch: at that event the profiler's own program unwinds the stack, as it does at a sample, and
// marks the trace by another origin. Here both are put together, by thread and time.
//
// The profiler can do that itself, with a second copy of all its programs (more than a second to
// verify), at every switch of every process, and with a probe on the inside of the scheduler,
// which kernels without kprobes do not have.

const (
	// offCPUType is the sample type of such traces.
	offCPUType = "off_cpu"
	// mostWaiting is how many threads may wait at a time.
	mostWaiting = 1 << 14
	// mostWaits is how many waits a second are unwound: one takes some ten microseconds.
	mostWaits = 3000
	// tooMany is from how many waits a second on only a part of the time is looked at: to be asked
	// at each switch takes the program a microsecond.
	tooMany = 10_000
	// leastRare is for how long a thread has begun no wait whose next one is looked at whatever
	// chance says: long waits are few, and what is said of them is not to rest on chance.
	leastRare = 5 * time.Millisecond
	// chanceEvery is how often it is looked at how many there are.
	chanceEvery = 50 * time.Millisecond
	endsSize    = 1 << 18 // bytes
	// unwoundWithin is how long after the begin of a wait its stack is unwound at most.
	unwoundWithin = time.Millisecond
)

// offCPU is the recording of waits.
type offCPU struct {
	since, last, chance, ends *ebpf.Map
	next                      *ebpf.Map // see known.Before
	programs                  []*ebpf.Program
	reader                    *ringbuf.Reader
	record                    ringbuf.Record
	point                     uint64 // of the scheduler
	events                    []int  // that call the programs
	parts                     []part
	met                       [chances]uint64
	looked                    time.Time
	rare                      time.Duration
	began                     map[uint32][]begun
	ended                     map[uint32][]end
	rows                      map[wait]waited // of windows that are over
	windows                   []*window
	resume                    int64 // when the next one begins
	unfinished                map[uint32]unfinished
	failed                    error // why it ended early
}

// part is which part of all waits is looked at from a time on.
type part struct {
	from  int64
	share float64
}

// newOffCPU loads and attaches what it takes, where tracefs is mounted; nothing is seen before
// start.
func (p *profiler) newOffCPU() (_ *offCPU, err error) {
	o := &offCPU{began: map[uint32][]begun{}, ended: map[uint32][]end{}, rows: map[wait]waited{}, unfinished: map[uint32]unfinished{}}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if o.point, err = pointOf("sched", "sched_switch"); err != nil {
		return nil, err
	}
	its, err := p.mapsOfThisNamespace()
	if err != nil {
		return nil, err
	}
	processes := its[knownMap]
	if err := known.Form(processes); err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	all, err := itsPrograms()
	if err != nil {
		return nil, err
	}
	unwinds, err := p.markedEntry(all, its)
	if err != nil {
		return nil, err
	}
	o.programs = append(o.programs, unwinds)
	for place, spec := range map[**ebpf.Map]*ebpf.MapSpec{
		&o.since:  {Name: "whyhot_waiting", Type: ebpf.LRUHash, KeySize: 4, ValueSize: 8, MaxEntries: mostWaiting},
		&o.last:   {Name: "whyhot_waited", Type: ebpf.LRUHash, KeySize: 4, ValueSize: 8, MaxEntries: mostWaiting},
		&o.chance: {Name: "whyhot_chance", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: chances},
		&o.ends:   {Name: "whyhot_ends", Type: ebpf.RingBuf, MaxEntries: endsSize},
		&o.next:   {Name: "whyhot_unwind", Type: ebpf.ProgramArray, KeySize: 4, ValueSize: 4, MaxEntries: 1, Contents: []ebpf.MapKV{{Key: uint32(0), Value: unwinds}}},
	} {
		if *place, err = ebpf.NewMap(spec); err != nil {
			return nil, fmt.Errorf("making a table in the kernel: %w", err)
		}
	}
	for _, spec := range []*ebpf.ProgramSpec{
		{Name: "whyhot_switch", Type: ebpf.TracePoint, License: "GPL", Instructions: switchProgram(processes.FD(), o)},
		{Name: "whyhot_waits", Type: ebpf.PerfEvent, License: "GPL", Instructions: waitsProgram(o.since.FD(), o.next.FD())},
	} {
		program, err := ebpf.NewProgram(spec)
		if err != nil {
			return nil, fmt.Errorf("loading the program that sees threads wait: %w", err)
		}
		o.programs = append(o.programs, program)
	}
	if o.reader, err = ringbuf.NewReader(o.ends); err != nil {
		return nil, fmt.Errorf("reading waits: %w", err)
	}
	o.reader.SetDeadline(time.Unix(1, 0)) // a read never waits
	return o, o.switches()
}

// markedEntry is the program that the profiler's clocks call, with another origin for its traces.
func (p *profiler) markedEntry(all *ebpf.CollectionSpec, its map[string]*ebpf.Map) (*ebpf.Program, error) {
	const field, register, variable = "origins", "Register", "origin_id_sampling"
	registry, err := fieldOf(p.tracer, field)
	if err != nil {
		return nil, err
	}
	if registry.Kind() != reflect.Pointer {
		return nil, fmt.Errorf("this version of the profiler has a %s in its field %s", registry.Type(), field)
	}
	method := reflect.NewAt(registry.Type().Elem(), unsafe.Pointer(registry.Pointer())).MethodByName(register) //nolint:gosec // its own address
	if !method.IsValid() || method.Type() != reflect.TypeFor[func(*samples.TypeMetadata) (uint16, error)]() {
		return nil, errors.New("this version of the profiler marks traces in another way")
	}
	out := method.Call([]reflect.Value{reflect.ValueOf(&samples.TypeMetadata{SampleType: offCPUType, SampleUnit: "nanoseconds"})})
	if err, failed := out[1].Interface().(error); failed {
		return nil, fmt.Errorf("marking traces of waits: %w", err)
	}
	origin := endian.NativeEndian.AppendUint16(nil, uint16(out[0].Uint())) //nolint:gosec // it is one
	spec := all.Programs[entryProgram]
	changed, done, is, err := withConstant(all, its, variable, func([]byte) []byte { return origin })
	if err != nil {
		return nil, err
	}
	defer done()
	if spec == nil || !is {
		return nil, errors.New("this version of the profiler marks traces in another way")
	}
	return verify(spec, maps.Clone(changed))
}

// start begins to look.
func (o *offCPU) start() error {
	if err := o.count(); err != nil {
		return err
	}
	now := time.Now()
	o.open(now.UnixNano(), false)
	if err := o.choose(1, now); err != nil {
		return err
	}
	return o.chooseRare(leastRare)
}

// attach has the kernel call a program at an event of processor cpu, of any process.
func (o *offCPU) attach(attr unix.PerfEventAttr, cpu int, program *ebpf.Program) error {
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return err //nolint:wrapcheck // the callers say of what
	}
	o.events = append(o.events, fd)
	return unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_SET_BPF, program.FD()) //nolint:wrapcheck // likewise
}

// switches sees threads give up their processors, and be given one. A tracepoint calls its program
// on all processors.
func (o *offCPU) switches() error {
	const switched = 1 // of the programs
	if err := o.attach(unix.PerfEventAttr{Type: unix.PERF_TYPE_TRACEPOINT, Config: o.point, Sample: 1}, 0, o.programs[switched]); err != nil {
		return fmt.Errorf("watching the kernel's scheduler: %w", err)
	}
	return nil
}

// count has what was noted unwound.
func (o *offCPU) count() error {
	const counted = 2 // of the programs
	for cpu := range runtime.NumCPU() {
		if err := o.attach(unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CONTEXT_SWITCHES, Sample: 1}, cpu, o.programs[counted]); err != nil {
			return fmt.Errorf("counting switches of processor %d: %w", cpu, err)
		}
	}
	return nil
}

// pointOf reads the kernel's number of a tracepoint, where tracefs is mounted.
func pointOf(group, event string) (uint64, error) {
	text, err := tracefs.Event(group, event, "id")
	if err != nil {
		return 0, fmt.Errorf("watching the kernel's scheduler: %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(text), 10, 64)
}

// choose has a part of all waits looked at from now on.
func (o *offCPU) choose(share float64, now time.Time) error {
	if err := o.chance.Update(uint32(chanceShare), uint64(share*math.MaxUint32), ebpf.UpdateAny); err != nil {
		return fmt.Errorf("setting which waits are looked at: %w", err)
	}
	o.parts, o.looked = append(o.parts, part{now.UnixNano(), share}), now
	return nil
}

// chooseRare sets which waits are rare.
func (o *offCPU) chooseRare(after time.Duration) error {
	if err := o.chance.Update(uint32(chanceRare), uint64(after), ebpf.UpdateAny); err != nil { //nolint:gosec // not negative
		return fmt.Errorf("setting which waits are looked at: %w", err)
	}
	o.rare = after
	return nil
}

// times is for how many waits one that is not rare and began at a time stands.
func (o *offCPU) times(at int64) float64 {
	for i := len(o.parts) - 1; i > 0; i-- {
		if at >= o.parts[i].from {
			return 1 / o.parts[i].share
		}
	}
	return 1
}

// drain reads which waits have ended.
func (o *offCPU) drain() {
	if o == nil {
		return
	}
	for o.reader.ReadInto(&o.record) == nil {
		if thread, e, ok := parseEnd(o.record.RawSample); ok {
			e.from = times.KTime(e.from).UnixNano()
			o.end(thread, e)
		}
	}
}

// stop ends it. What threads wait for now is not known.
func (o *offCPU) stop() {
	if o == nil {
		return
	}
	o.leave()
	o.finish(time.Now().UnixNano())
}

// leave has the kernel see no more.
func (o *offCPU) leave() {
	for _, fd := range o.events {
		_ = unix.Close(fd) // nothing better can be done
	}
	o.events = nil
}

func (o *offCPU) close() {
	if o == nil {
		return
	}
	o.stop()
	for _, p := range o.programs {
		_ = p.Close() // nothing better can be done
	}
	if o.reader != nil {
		_ = o.reader.Close() // what is left in it is not wanted
	}
	for _, m := range []*ebpf.Map{o.since, o.last, o.chance, o.ends, o.next} {
		if m != nil {
			_ = m.Close() // nothing better can be done
		}
	}
}
