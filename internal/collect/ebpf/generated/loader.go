package generated

import (
	"debug/elf"
	"path"
	"strings"
	"sync"

	"go.opentelemetry.io/ebpf-profiler/interpreter"
	"go.opentelemetry.io/ebpf-profiler/libpf"
	"go.opentelemetry.io/ebpf-profiler/libpf/pfelf"
	"go.opentelemetry.io/ebpf-profiler/process"
	"go.opentelemetry.io/ebpf-profiler/remotememory"
	"go.opentelemetry.io/ebpf-profiler/reporter"
)

// Code is the generated code of all processes.
type Code struct {
	tables *tables
	// Others tells whether an interpreter of the process, beside this one, wants its
	// anonymous mappings.
	others func(pid libpf.PID) bool

	mu      sync.Mutex
	entered map[libpf.PID]map[span][]prefix
}

// New is for the profiler's maps. others tells whether another interpreter takes care of the
// generated code of a process.
func New(maps Maps, others func(libpf.PID) bool) *Code {
	return &Code{tables: newTables(maps), others: others, entered: map[libpf.PID]map[span][]prefix{}}
}

// Loader is an interpreter.Loader.
func (c *Code) Loader(_ interpreter.EbpfHandler, info *interpreter.LoaderInfo) (interpreter.Data, error) {
	file, err := info.GetELF()
	if err != nil {
		return nil, err //nolint:wrapcheck // it stands beside the profiler's own, and is not seen
	}
	if !oneOfProcess(file, info.FileName()) {
		return nil, nil //nolint:nilnil // as the interface has it
	}
	return data{c}, nil
}

// oneOfProcess is true for one binary of each process: the dynamic loader, or a program that
// has none. Static programs in Go are left out: their stacks are not the thread's, and a
// frame pointer does not lead from generated code to them.
func oneOfProcess(file *pfelf.File, name string) bool {
	if file.ProgByType(elf.PT_INTERP) != nil {
		return false
	}
	if base := path.Base(name); strings.HasPrefix(base, "ld-") || strings.HasPrefix(base, "ld64") {
		return true
	}
	return (file.Type == elf.ET_EXEC || file.IsExecutable()) && !file.IsGolang()
}

// data is for all processes with one binary.
type data struct{ code *Code }

// Attach implements interpreter.Data.
func (d data) Attach(interpreter.EbpfHandler, libpf.PID, libpf.Address, remotememory.RemoteMemory) (interpreter.Instance, error) {
	return &Instance{code: d.code}, nil
}

// Unload implements interpreter.Data.
func (data) Unload(interpreter.EbpfHandler) {}

// Instance is for one process.
type Instance struct {
	interpreter.InstanceStubs

	code *Code
}

// UsesAnonymousMappings implements interpreter.Instance.
func (*Instance) UsesAnonymousMappings() bool { return true }

// Detach implements interpreter.Instance.
func (i *Instance) Detach(_ interpreter.EbpfHandler, pid libpf.PID) error {
	return i.code.set(pid, nil)
}

// SynchronizeMappings implements interpreter.Instance.
func (i *Instance) SynchronizeMappings(
	_ interpreter.EbpfHandler, _ reporter.ExecutableReporter, p process.Process, mappings []process.RawMapping,
) error {
	pid := p.PID()
	if i.code.others(pid) {
		return i.code.set(pid, nil)
	}
	var wanted []span
	for _, m := range mappings {
		if m.IsExecutable() && m.IsAnonymous() {
			wanted = append(wanted, span{m.Vaddr, m.Vaddr + m.Length})
		}
	}
	return i.code.set(pid, wanted)
}
