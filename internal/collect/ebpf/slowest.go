package ebpf

import (
	"bytes"
	endian "encoding/binary"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	_ "unsafe" // for go:linkname

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

// loadSlowest loads the program that was left out and puts it in its place. It follows so
// many frames before it calls itself again, 0 for the profiler's own number.
func loadSlowest(t *tracer.Tracer, all *ebpf.CollectionSpec, frames uint32) error {
	maps, err := mapsOf(t)
	if err != nil {
		return err
	}
	program, err := verifySlowest(all, maps, frames)
	if err != nil {
		return err
	}
	return putInPlace(maps, support.ProgUnwindPython, program)
}

// verifySlowest has the kernel verify it, with the profiler's maps.
func verifySlowest(all *ebpf.CollectionSpec, maps map[string]*ebpf.Map, frames uint32) (*ebpf.Program, error) {
	spec := all.Programs[slowest]
	if spec == nil {
		return nil, fmt.Errorf("the profiler has no program %s", slowest)
	}
	if frames > 0 {
		var done func()
		var err error
		if maps, done, err = withFrames(all, maps, frames); err != nil {
			return nil, err
		}
		defer done()
	}
	return verify(spec, maps)
}

// verify has the kernel verify a program of the profiler's, with these maps.
func verify(spec *ebpf.ProgramSpec, maps map[string]*ebpf.Map) (*ebpf.Program, error) {
	for name, m := range maps {
		if err := spec.Instructions.AssociateMap(name, m); err != nil && !errors.Is(err, asm.ErrUnreferencedSymbol) {
			return nil, fmt.Errorf("program %s, map %s: %w", spec.Name, name, err)
		}
	}
	program, err := ebpf.NewProgram(spec)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", spec.Name, err)
	}
	return program, nil
}

// putInPlace puts a program into the profiler's table, at a number.
func putInPlace(maps map[string]*ebpf.Map, number uint32, program *ebpf.Program) error {
	defer func() { _ = program.Close() }() // the table holds it
	if err := maps["perf_progs"].Update(number, program, ebpf.UpdateAny); err != nil {
		return fmt.Errorf("program %d of the profiler's table: %w", number, err)
	}
	return nil
}

// itsPrograms reads the profiler's.
func itsPrograms() (*ebpf.CollectionSpec, error) {
	objectLock.Lock()
	defer objectLock.Unlock()
	all, err := support.LoadCollectionSpec()
	if err != nil {
		return nil, fmt.Errorf("reading the profiler's programs: %w", err)
	}
	return all, nil
}

// framesVariable is how many frames the program follows before it calls itself again, of
// which it may 29 times. The kernel verifies each of them: 15, which the profiler takes
// where the verifier allows it, take 1.15 s; 10, its number for older kernels, 0.75 s.
const framesVariable = "python_frames_per_program"

// fewFrames is for recordings that somebody waits for. Stacks of up to 290 frames are
// whole with it.
const fewFrames = 10

// withFrames gives the maps with another number of frames, where it is smaller. done is for when
// the program is loaded.
func withFrames(all *ebpf.CollectionSpec, shared map[string]*ebpf.Map, frames uint32) (changed map[string]*ebpf.Map, done func(), err error) {
	changed, done, _, err = withConstant(all, shared, framesVariable, func(now []byte) []byte {
		if len(now) != 4 || endian.NativeEndian.Uint32(now) <= frames { //nolint:mnd // a uint32
			return nil
		}
		return endian.NativeEndian.AppendUint32(nil, frames)
	})
	return changed, done, err
}

// withConstant gives the maps with another value of a constant; change gives nil for the one
// that it has. It is in a map that cannot be changed, and that other programs share: whoever is
// loaded with these maps gets a copy. is says whether they are changed: another version of the
// profiler may have no such constant.
func withConstant(all *ebpf.CollectionSpec, shared map[string]*ebpf.Map, name string, change func(now []byte) []byte) (changed map[string]*ebpf.Map, done func(), is bool, err error) {
	v := all.Variables[name]
	if v == nil || all.Maps[v.SectionName] == nil || shared[v.SectionName] == nil {
		return shared, func() {}, false, nil
	}
	var constants []byte
	if err := shared[v.SectionName].Lookup(uint32(0), &constants); err != nil {
		return nil, nil, false, fmt.Errorf("reading %s of the profiler's programs: %w", name, err)
	}
	size := v.Size()
	if uint64(len(constants)) < uint64(v.Offset)+uint64(size) {
		return shared, func() {}, false, nil
	}
	place := constants[v.Offset : uint64(v.Offset)+uint64(size)]
	value := change(place)
	if len(value) != len(place) {
		return shared, func() {}, false, nil
	}
	copy(place, value)
	spec := all.Maps[v.SectionName].Copy()
	spec.Contents = []ebpf.MapKV{{Key: uint32(0), Value: constants}}
	own, err := ebpf.NewMap(spec)
	if err != nil {
		return nil, nil, false, fmt.Errorf("setting %s of the profiler's programs: %w", name, err)
	}
	changed = maps.Clone(shared)
	changed[v.SectionName] = own
	return changed, func() { _ = own.Close() }, true, nil // the program holds it
}

// mapsField is where the profiler has the maps of its programs, which it does not hand out.
const mapsField = "ebpfMaps"

// hasMaps tells whether this version of the profiler has them there.
func hasMaps() bool {
	field, there := reflect.TypeFor[tracer.Tracer]().FieldByName(mapsField)
	return there && field.Type == reflect.TypeFor[map[string]*ebpf.Map]()
}

// mapsOf are the maps.
func mapsOf(t *tracer.Tracer) (map[string]*ebpf.Map, error) {
	maps, err := placeOf[map[string]*ebpf.Map](t, mapsField)
	if err != nil {
		return nil, err
	}
	if (*maps)["perf_progs"] == nil {
		return nil, errors.New("this version of the profiler has no map perf_progs")
	}
	return *maps, nil
}
