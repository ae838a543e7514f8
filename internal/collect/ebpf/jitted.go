package ebpf

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/ebpf-profiler/interpreter"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/processmanager/ebpfapi"
	"go.opentelemetry.io/ebpf-profiler/tracer"

	"whyhot/internal/collect/ebpf/generated"
	"whyhot/internal/profile"
)

// loadersField leads to what asks about each binary whether it is an interpreter.
var loadersField = [...]string{"processManager", "eim", "state", "guarded", "interpreterLoaders"}

// useGenerated has stacks walked through generated code that no interpreter of the profiler
// knows. It is called before the profiler looks at the first process, and before
// useLargeTables.
func useGenerated(t *tracer.Tracer, met *jvms) error {
	if met == nil {
		return errors.New("its interpreters are not known")
	}
	handler, err := placeOf[ebpfapi.EbpfHandler](t, handlerField[:]...)
	if err != nil {
		return err
	}
	loaders, err := placeOf[[]interpreter.Loader](t, loadersField[:]...)
	if err != nil {
		return err
	}
	maps, err := mapsOf(t)
	if err != nil {
		return err
	}
	pages := maps["pid_page_to_mapping_info"]
	if pages == nil {
		return errors.New("this version of the profiler has no map of mappings")
	}
	code := generated.New(generated.Maps{
		EbpfHandler: *handler,
		Pages:       pages,
	}, met.claims)
	*loaders = append(*loaders, code.Loader)
	return nil
}

// claims tells whether an interpreter that the profiler reads takes care of the generated
// code of a process.
func (j *jvms) claims(pid libpf.PID) bool {
	j.lock.RLock()
	defer j.lock.RUnlock()
	for _, one := range (*j.met)[pid] {
		if _, ours := one.(*generated.Instance); !ours && one.UsesAnonymousMappings() {
			return true
		}
	}
	return false
}

// generatedAt is where a frame is in generated code that has no interpreter.
func generatedAt(f *libpf.Frame) (address uint64, ok bool) {
	if f.Type.Interpreter() != libpf.Native || f.Mapping.Valid() {
		return 0, false
	}
	return generated.Address(uint64(f.AddressOrLineno))
}

// generatedFrame is a frame of such code, of the process of the trace under way. Its mapping
// is named like the map of names that a runtime may have written, which internal/symbol
// reads: two processes may have different code at one address.
func (c *converter) generatedFrame(address uint64) profile.LocationID {
	key := mappingKey{path: fmt.Sprintf("/tmp/perf-%d.map", c.pid)}
	return c.b.Location(c.mapping(key, address, address+1), address, profile.KindJIT)
}

// walk is where the walk through a stack is.
type walk struct {
	generated bool   // the frame is in generated code that no interpreter reads
	address   uint64 // there
	root      bool   // and nothing is beyond it
}

// follows goes to the next frame of a stack. It is false where that cannot have called the
// frame before.
func (c *converter) follows(w *walk, f *libpf.Frame, program string) bool {
	called := w.generated
	w.address, w.generated = generatedAt(f)
	w.root = w.generated && c.erlangs.isRoot(c.pid, program, w.address)
	if w.generated {
		c.walked[program] = true
	}
	return !called || w.root || !c.returns.refutes(c.pid, f)
}

// isUnread tells whether samples fall into an interpreter of which the profiler cannot read
// what it interprets, and nothing else can be seen of it either.
func (c *converter) isUnread(file string) bool { return c.hit(file) && !c.walked[file] }
