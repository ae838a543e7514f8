package goroutine

import (
	"errors"
	"fmt"
	"os"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect/codemap"
	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/symbol/gopcln"
)

// program is a Program with its probes.
type program struct {
	Program

	opened *os.File
	links  []link.Link
}

// lookAt attaches to the program of a process, where it is one of Go.
func (r *Recorder) lookAt(pid uint32) {
	at := fmt.Sprintf("/proc/%d/exe", pid)
	var info unix.Stat_t
	if r.givenUp || unix.Stat(at, &info) != nil {
		return // it is gone
	}
	id := file{info.Dev, info.Ino}
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
	executable, err := link.OpenExecutable(fmt.Sprintf("/proc/self/fd/%d", p.opened.Fd()))
	if err != nil {
		return p, fmt.Errorf("opening the program: %w", err)
	}
	for i, name := range []string{"runtime.gopark", "runtime.execute"} {
		address, err := gopcln.Function(bin, name)
		if err != nil {
			return p, err //nolint:wrapcheck // it says what it is about
		}
		offset, ok := bin.VaddrToOffset(address)
		if !ok {
			return p, fmt.Errorf("%s is not in the file", name)
		}
		for _, code := range bin.CodeRanges() {
			if code.Low <= address && address < code.High {
				p.Start, p.End, p.Offset = code.Low, code.High, offset-(address-code.Low)
			}
		}
		l, err := executable.Uprobe("", r.programs[i], &link.UprobeOptions{Address: offset})
		if err != nil {
			return p, fmt.Errorf("attaching to %s: %w", name, err)
		}
		p.links = append(p.links, l)
	}
	return p, nil
}

func (r *Recorder) detach() {
	for _, p := range r.files {
		if p == nil {
			continue
		}
		for _, l := range p.links {
			_ = l.Close() // nothing better can be done
		}
		p.links = nil
	}
}
