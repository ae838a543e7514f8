package goroutine

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/cilium/ebpf/link"

	"whyhot/internal/collect/codemap"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/symbol/gopcln"
)

// program is a Program with its probes.
type program struct {
	Program

	opened  *os.File
	file    *link.Executable
	offsets [probes]uint64
	links   [probes]link.Link // nil while the probe is out
}

// The probes, by the functions that they are in.
const (
	begins = iota // of a wait
	goesOn
	probes
)

var functions = [probes]string{begins: "runtime.gopark", goesOn: "runtime.execute"}

// lookAt attaches to the program of a process, where it is one of Go.
func (r *Recorder) lookAt(pid uint32) {
	at := fmt.Sprintf("/proc/%d/exe", pid)
	id, ok := codemap.FileOf(at)
	if !ok {
		return // it is gone
	}
	p, seen := r.files[id]
	if !seen {
		var err error
		p, err = r.attach(at)
		if err != nil && p != nil {
			r.notes = append(r.notes, fmt.Sprintf("where goroutines of %s wait is not seen: %v", p.Path, err))
			p = nil
		}
		r.files[id] = p
	}
	if p == nil {
		return
	}
	regions, err := codemap.Of(int(pid))
	if err != nil {
		return
	}
	for _, m := range regions {
		if m.Path == p.Path && m.Offset <= p.Offset && p.Offset-m.Offset < m.High-m.Low {
			r.processes[pid] = process{p, m.Low + (p.Offset - m.Offset) - p.Start}
		}
	}
}

// attach puts the probes into a program. Without an error and a program the file is none of Go.
func (r *Recorder) attach(at string) (p *program, err error) {
	path, err := os.Readlink(at)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it is gone
	}
	bin, err := elffile.Open(at)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it has other code
	}
	defer func() { err = errors.Join(err, bin.Close()) }()
	if !gopcln.Is(bin) {
		return nil, nil //nolint:nilnil // see above
	}
	p = &program{Program: Program{Path: path, BuildID: bin.BuildID()}}
	if p.opened, err = os.Open(at); err != nil { // it stays as it is, whatever becomes of the process
		return p, err //nolint:wrapcheck // it names the file
	}
	if p.file, err = link.OpenExecutable(fmt.Sprintf("/proc/self/fd/%d", p.opened.Fd())); err != nil {
		return p, fmt.Errorf("opening the program: %w", err)
	}
	addresses, err := gopcln.Functions(bin, functions[:]...)
	if err != nil {
		return p, err //nolint:wrapcheck // it says what it is about
	}
	for i, address := range addresses {
		var ok bool
		if p.offsets[i], ok = bin.VaddrToOffset(address); !ok {
			return p, fmt.Errorf("%s is not in the file", functions[i])
		}
		for _, code := range bin.CodeRanges() {
			if code.Low <= address && address < code.High {
				p.Start, p.End, p.Offset = code.Low, code.High, p.offsets[i]-(address-code.Low)
			}
		}
	}
	return p, r.putIn(p)
}

// putIn has the probes in a program, where it is time for them.
func (r *Recorder) putIn(p *program) error {
	for i := range probes {
		if p.links[i] != nil || !r.isIn(i) {
			continue
		}
		l, err := p.file.Uprobe("", r.programs[i], &link.UprobeOptions{Address: p.offsets[i]})
		if err != nil {
			return fmt.Errorf("attaching to %s: %w", functions[i], err)
		}
		p.links[i] = l
	}
	return nil
}

// takeOut takes probes out of all programs, at once: for each the kernel waits until no processor can
// be within it.
func (r *Recorder) takeOut(which ...int) {
	var all sync.WaitGroup
	for _, p := range r.files {
		for _, probe := range which {
			if p == nil || p.links[probe] == nil {
				continue
			}
			l := p.links[probe]
			p.links[probe] = nil
			all.Go(func() { _ = l.Close() }) // nothing better can be done
		}
	}
	all.Wait()
}
