package statement

import (
	"errors"
	"fmt"
	"os"

	"whyhot/internal/collect/codemap"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// lookAt attaches to what a process has mapped.
func (r *Recorder) lookAt(q request) {
	if q.path != "" {
		r.attach(q.pid, q.path, systemOf(q.path))
		return
	}
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", q.pid))
	regions, err := codemap.Of(int(q.pid))
	if err != nil {
		return // it is gone
	}
	for _, path := range codemap.Files(regions) {
		of := systemOf(path)
		if of == nil && path == exe {
			of = linked
		}
		if of != nil {
			r.attach(q.pid, path, of)
		}
	}
}

// attach puts probes into a binary, once.
func (r *Recorder) attach(pid uint32, path string, of *System) {
	at := fmt.Sprintf("/proc/%d/root%s", pid, path)
	id, ok := codemap.FileOf(at)
	if !ok {
		return
	}
	if code, known := r.files[id]; known {
		if code != nil { // by another name of the file
			r.mu.Lock()
			r.code[path] = code
			r.mu.Unlock()
		}
		return
	}
	r.files[id] = nil
	alone := systemOf(path) == of
	found, err := locate(at, of, alone)
	if errors.Is(err, errNone) {
		return
	}
	b := &watched{name: path, of: of, unweighted: map[shapeID]*tally{}}
	if err == nil {
		b.open, err = os.Open(at)
	}
	if err == nil {
		r.opened = append(r.opened, b.open)
		b.file, err = link.OpenExecutable(fmt.Sprintf("/proc/self/fd/%d", b.open.Fd()))
	}
	if err != nil {
		r.note(b, "statements are not seen: "+err.Error())
		return
	}
	within := &watched{name: path, of: of, file: b.file, inner: true, unweighted: map[shapeID]*tally{}}
	for _, f := range found.functions {
		if len(r.probes) >= mostProbes {
			r.note(b, fmt.Sprintf("statements of %s are not seen: there are too many databases", path))
			break
		}
		p := &probe{located: f, of: of, number: uint32(len(r.probes))} //nolint:gosec // bounded
		prog, err := r.load(p)
		if err != nil {
			r.note(b, "statements are not seen: "+err.Error())
			return
		}
		r.programs, r.probes = append(r.programs, prog), append(r.probes, p)
		to := b
		if f.role.isInner() {
			to = within
		}
		to.probes = append(to.probes, p)
	}
	r.mu.Lock()
	if of.library {
		r.files[id] = &codeOf{of, found.from, found.to}
		r.code[path] = r.files[id]
	}
	r.mu.Unlock()
	for _, w := range []*watched{b, within} {
		if len(w.probes) == 0 {
			continue
		}
		r.mu.Lock()
		for _, p := range w.probes {
			r.of[p.number] = w
		}
		r.mu.Unlock()
		r.binaries = append(r.binaries, w)
		r.putIn(w)
	}
}

func (r *Recorder) load(p *probe) (*ebpf.Program, error) {
	known := -1
	if r.known != nil {
		known = r.known.FD()
	}
	t := target{function: p.function, probe: int32(p.number), stateful: p.of.stateful(), nested: p.of.nested(), offset: p.located.text, counters: p.counters} //nolint:gosec // bounded
	attach := ebpf.AttachNone
	if r.multi {
		attach = ebpf.AttachTraceUprobeMulti
	}
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "whyhot_statement", Type: ebpf.Kprobe, AttachType: attach, License: "GPL",
		Instructions: program(t, descriptors{
			hits: r.maps["hits"].FD(), scratch: r.maps["scratch"].FD(), ring: r.maps["ring"].FD(), states: r.maps["states"].FD(), running: r.maps["running"].FD(), known: known,
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("loading a probe: %w", err)
	}
	return prog, nil
}
