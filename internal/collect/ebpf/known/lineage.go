package known

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// mostChildren is how many processes are remembered. Those that nobody asked about for
// longest make room for others.
const mostChildren = 1 << 16

// Lineage is the attached program.
type Lineage struct {
	parents *ebpf.Map
	program *ebpf.Program
	hook    link.Link
}

// AttachLineage begins to add the children of known processes, and theirs, to known, which is the
// profiler's pid_page_to_mapping_info, and to keep all other new processes from being listed,
// by their tokens in reported, its reported_pids. The calling thread must see a tracefs.
func AttachLineage(known, reported *ebpf.Map) (*Lineage, error) {
	if !hasForm(known) || reported == nil || reported.KeySize() != 4 || reported.ValueSize() != 8 {
		return nil, errForm
	}
	fields, err := readFields()
	if err != nil {
		return nil, err
	}
	l := &Lineage{}
	if l.parents, err = ebpf.NewMap(&ebpf.MapSpec{
		Name: "whyhot_parents", Type: ebpf.LRUHash, KeySize: 4, ValueSize: 4, MaxEntries: mostChildren,
	}); err != nil {
		return nil, fmt.Errorf("following forks: %w", err)
	}
	if l.program, err = ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "whyhot_lineage", Type: ebpf.TracePoint, License: "Apache-2.0", Instructions: lineageProgram(fields, known.FD(), reported.FD(), l.parents.FD()),
	}); err == nil {
		l.hook, err = link.Tracepoint(group, event, l.program, nil)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("following forks: %w", err)
	}
	return l, nil
}

// Parent is the process that made another, where the profiler knew it then.
func (l *Lineage) Parent(pid uint32) (parent uint32, known bool) {
	if l == nil || l.parents.Lookup(pid, &parent) != nil {
		return 0, false
	}
	return parent, true
}

// Close ends it.
func (l *Lineage) Close() {
	if l == nil {
		return
	}
	if l.hook != nil {
		_ = l.hook.Close() // nothing is kept in it
	}
	if l.program != nil {
		_ = l.program.Close()
	}
	_ = l.parents.Close()
}
