package ebpf

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"go.opentelemetry.io/ebpf-profiler/support"
	"go.opentelemetry.io/ebpf-profiler/tracer"
)

// The kernel takes 1.4 s to verify the profiler's programs, one after the other, and 1.0 s
// of that is the one that unwinds Python. Nothing needs it before the clock runs: it is
// verified beside what the profiler learns of running processes. The profiler has no
// setting for that. In the object file that it loads, the names of that program and of a
// tiny one, which no version so far loads, are exchanged, so that it loads the tiny one in
// its place; and then the right one is put there.
const (
	slowest = "perf_unwind_python"
	tiny    = "perf_unwind_luajit"
)

// objectFile is what the profiler loads: support.LoadCollectionSpec reads it.
//
//go:linkname objectFile go.opentelemetry.io/ebpf-profiler/support.tracerData
var objectFile []byte

// objectLock is for whoever exchanges names in objectFile, or reads it.
var objectLock sync.Mutex

// withoutSlowest calls load, with the names exchanged if the object file has both, and
// tells whether the slowest program is then still to be loaded.
func withoutSlowest(load func() error) (left bool, err error) {
	objectLock.Lock()
	defer objectLock.Unlock()
	original := objectFile
	if exchanged := exchange(original, slowest, tiny); exchanged != nil && hasMaps() {
		objectFile = exchanged
		err := load()
		objectFile = original
		if err == nil {
			return true, nil
		}
	}
	return false, load()
}

// exchange gives a copy in which two names of one length stand for each other, or nil
// where one is not there.
func exchange(object []byte, a, b string) []byte {
	if len(a) != len(b) || !bytes.Contains(object, []byte(a+"\x00")) || !bytes.Contains(object, []byte(b+"\x00")) {
		return nil
	}
	a, b = a+"\x00", b+"\x00"
	return []byte(strings.NewReplacer(a, b, b, a).Replace(string(object)))
}

// loadSlowest loads the program that was left out and puts it in its place.
func loadSlowest(t *tracer.Tracer) error {
	maps, err := mapsOf(t)
	if err != nil {
		return err
	}
	objectLock.Lock()
	all, err := support.LoadCollectionSpec()
	objectLock.Unlock()
	if err != nil {
		return fmt.Errorf("reading the profiler's programs: %w", err)
	}
	spec := all.Programs[slowest]
	if spec == nil {
		return fmt.Errorf("the profiler has no program %s", slowest)
	}
	for name, m := range maps {
		if err := spec.Instructions.AssociateMap(name, m); err != nil && !errors.Is(err, asm.ErrUnreferencedSymbol) {
			return fmt.Errorf("program %s, map %s: %w", slowest, name, err)
		}
	}
	program, err := ebpf.NewProgram(spec)
	if err != nil {
		return fmt.Errorf("loading %s: %w", slowest, err)
	}
	defer func() { _ = program.Close() }() // the table below holds it
	if err := maps["perf_progs"].Update(uint32(support.ProgUnwindPython), program, ebpf.UpdateAny); err != nil {
		return fmt.Errorf("loading %s: %w", slowest, err)
	}
	return nil
}

// mapsField is where the profiler has the maps of its programs, which it does not hand out.
const mapsField = "ebpfMaps"

// hasMaps tells whether this version of the profiler has them there.
func hasMaps() bool {
	field, there := reflect.TypeFor[tracer.Tracer]().FieldByName(mapsField)
	return there && field.Type == reflect.TypeFor[map[string]*ebpf.Map]()
}

// mapsOf are the maps, where hasMaps.
func mapsOf(t *tracer.Tracer) (map[string]*ebpf.Map, error) {
	maps := *(*map[string]*ebpf.Map)(unsafe.Pointer(reflect.ValueOf(t).Elem().FieldByName(mapsField).UnsafeAddr())) //nolint:gosec // its type was checked
	if maps["perf_progs"] == nil {
		return nil, errors.New("this version of the profiler has no map perf_progs")
	}
	return maps, nil
}
