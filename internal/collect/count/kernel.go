package count

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

// kernel is what counts in the kernel: system calls, and functions of machine code. A nil one
// counts nothing.
type kernel struct {
	maps   maps
	detach func()
	probes *probes
	timers *timers
}

// attachKernel attaches the programs. The error is an UnavailableError where the kernel denies it.
func attachKernel(functions []Function) (k *kernel, err error) {
	if runtime.GOARCH != "amd64" {
		return nil, &collect.UnavailableError{Sampler: "count", Missing: "system calls are counted on x86-64 only"}
	}
	own, err := ownNamespace()
	if err != nil {
		return nil, err
	}
	m, detach, err := attach(own)
	if err != nil {
		return nil, err
	}
	k = &kernel{maps: m, detach: detach}
	defer func() {
		if err != nil {
			k.close()
			k = nil
		}
	}()
	if k.probes, err = attachFunctions(k.maps, own, slices.DeleteFunc(slices.Clone(functions), func(f Function) bool { return f.Symbol == "" || f.Timed })); err != nil {
		return k, err
	}
	k.timers, err = attachTimers(k.maps, own, slices.DeleteFunc(slices.Clone(functions), func(f Function) bool { return f.Symbol == "" || !f.Timed }))
	return k, err
}

// follow names the process whose calls are counted, and those of all that it starts.
func (k *kernel) follow(pid int) error {
	if k == nil {
		return nil
	}
	if err := k.maps.processes.Put(uint32(pid), uint64(1)); err != nil { //nolint:gosec // process numbers are positive
		return fmt.Errorf("naming the process to the kernel: %w", err)
	}
	return nil
}

func (k *kernel) close() {
	if k == nil {
		return
	}
	k.detach()
	if k.probes != nil {
		k.probes.close()
	}
	if k.timers != nil {
		k.timers.close()
	}
	k.maps.close()
}

// read ends the counting, and reads what was counted.
func (k *kernel) read(r *Result) (err error) {
	if k == nil {
		return nil
	}
	k.detach()
	k.probes.detach()
	k.timers.detachAll()
	if err := r.read(k.maps); err != nil {
		return err
	}
	if r.Functions, err = k.probes.read(); err != nil {
		return err
	}
	timed, err := k.timers.read()
	if err != nil {
		return err
	}
	r.Functions, r.NotCounted = append(r.Functions, timed...), k.probes.failed
	if failed := k.timers.failed; len(failed) > 0 {
		r.NotCounted = append(r.NotCounted, strings.Join(failed, ", ")+": not timed: the binary has no symbol for it, or too many ways out of it")
	}
	if unknown := k.timers.looks.unknown(); unknown != "" {
		r.NotCounted = append(r.NotCounted, "the arguments of "+unknown)
	}
	return nil
}

func attach(own namespace) (m maps, detach func(), err error) {
	unavailable := func(err error) error {
		verifier := (*ebpf.VerifierError)(nil) // gives EACCES, too
		denied := errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EACCES) && !errors.As(err, &verifier)
		if !denied {
			return fmt.Errorf("counting in the kernel: %w", err) // not what a privilege would mend
		}
		un := &collect.UnavailableError{Sampler: "count", Missing: "the kernel denies counting: " + err.Error()}
		if os.Geteuid() != 0 {
			un.Remedy = "sudo whyhot count …"
		}
		return un
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return maps{}, nil, unavailable(err)
	}
	if m, err = newMaps(); err != nil {
		return maps{}, nil, unavailable(err)
	}
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "whyhot_count", Type: ebpf.RawTracepoint, Instructions: program(m, own), License: "GPL"})
	if err != nil {
		m.close()
		return maps{}, nil, unavailable(err)
	}
	l, err := link.AttachRawTracepoint(link.RawTracepointOptions{Name: "sys_exit", Program: prog})
	if err != nil {
		m.close()
		return maps{}, nil, unavailable(errors.Join(err, prog.Close()))
	}
	done := false
	return m, func() {
		if !done {
			done = true
			_, _ = l.Close(), prog.Close() // nothing better can be done
		}
	}, nil
}

// read reads the tables.
func (r *Result) read(m maps) error {
	byName := map[string]*profile.Calls{}
	var number uint32
	var perCPU []tally
	for each := m.tallies.Iterate(); each.Next(&number, &perCPU); {
		var sum tally
		for _, t := range perCPU {
			sum.Calls += t.Calls
			sum.Bytes += t.Bytes
			sum.Failed += t.Failed
			sum.Named += t.Named
		}
		if sum.Calls == 0 {
			continue
		}
		of := nameOf(int32(number)) //nolint:gosec // below mostNumbers
		c := byName[of.name]
		if c == nil {
			c = &profile.Calls{Name: of.name}
			byName[of.name] = c
		}
		c.Count += sum.Calls
		c.Failed += sum.Failed
		if of.bytes {
			c.Bytes += sum.Bytes
		}
		if of.path > 0 { // those of a descriptor are another call
			c.Count = sum.Named
			if without := sum.Calls - sum.Named; without > 0 {
				byName[of.name+" of a descriptor"] = &profile.Calls{Name: of.name + " of a descriptor", Count: without}
			}
		}
	}
	var hash, one uint64
	different := uint64(0)
	for each := m.paths.Iterate(); each.Next(&hash, &one); {
		different++
	}
	r.Full = different >= mostPaths
	for _, c := range byName {
		if c.Count == 0 {
			continue
		}
		if isPath(c.Name) {
			c.Paths = different
		}
		r.Calls = append(r.Calls, *c)
	}
	slices.SortFunc(r.Calls, func(a, b profile.Calls) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return nil
}
