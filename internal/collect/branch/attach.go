package branch

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/link"
)

const (
	// longestRound is for how long probes stay where outcomes are few.
	longestRound = 100 * time.Millisecond
	lookEvery    = time.Millisecond
	// fewestOutcomes are those with which a sequence says something.
	fewestOutcomes = firstSize / 4
	// quiet is for how many looks nothing has come when the probes are out: the kernel takes
	// them out at once, and waits then until no processor can be within one.
	quiet = 3
)

// round is what one gives: outcomes, none where hardly any was executed, and the time in which
// the program met probes.
type round struct {
	sequence []Outcome
	from, to time.Time
}

// follow follows the jumps of a binary in one process; offsets are where its file has them.
func follow(file string, pid uint32, sites []site, offsets []uint64) (r round, err error) {
	r.from = time.Now()
	defer func() {
		if err != nil || r.to.IsZero() {
			r.to = time.Now()
		}
	}()
	table, err := ebpf.NewMap(&ebpf.MapSpec{Name: "whyhot_branches", Type: ebpf.Array, KeySize: 4, ValueSize: tableSize, MaxEntries: 1})
	if err != nil {
		return r, fmt.Errorf("making a table in the kernel: %w", err)
	}
	defer func() { _ = table.Close() }() // what it held is read, or not wanted
	p, err := load(file, pid, sites, table.FD())
	defer p.close()
	if err != nil {
		return r, err
	}
	attached := make(chan error, 1)
	go func() { attached <- p.attach(offsets) }()
	value, err := r.wait(table, uint64(sizeFor(sites)), attached)
	if err != nil {
		return r, err
	}
	r.sequence = sequenceOf(value, sites)
	out := make(chan struct{})
	go func() { p.detach(); close(out) }()
	err = r.end(table, out)
	<-out
	return r, err
}

// wait looks at the table until it is full, or nothing more is to be waited for.
func (r *round) wait(table *ebpf.Map, size uint64, attached chan error) (value []byte, err error) {
	var end time.Time
	for end.IsZero() || time.Now().Before(end) {
		select {
		case err := <-attached:
			if err != nil {
				return nil, err
			}
			end = time.Now().Add(longestRound)
		case <-time.After(lookEvery):
		}
		before := time.Now()
		if value, err = table.LookupBytes(uint32(0)); err != nil {
			if end.IsZero() {
				<-attached
			}
			return nil, fmt.Errorf("reading a table of the kernel: %w", err)
		}
		switch n := count(value); {
		case n == 0:
			r.from = before
		case n >= size && !end.IsZero():
			return value, nil
		}
	}
	return value, nil
}

// end waits until the program meets no probes any more.
func (r *round) end(table *ebpf.Map, out chan struct{}) error {
	last, same := uint64(0), 0
	for r.to = time.Now(); same < quiet; {
		select {
		case <-out:
			return nil
		case <-time.After(lookEvery):
		}
		value, err := table.LookupBytes(uint32(0))
		if err != nil {
			return fmt.Errorf("reading a table of the kernel: %w", err)
		}
		if same++; count(value) != last {
			last, same, r.to = count(value), 0, time.Now()
		}
	}
	return nil
}

func count(value []byte) uint64 { return binary.NativeEndian.Uint64(value[offCount:]) }

// sequenceOf reads what the program has written.
func sequenceOf(value []byte, sites []site) []Outcome {
	n := min(count(value), uint64(sizeFor(sites))) //nolint:gosec // small
	if n < fewestOutcomes {
		return nil
	}
	out := make([]Outcome, 0, n)
	for at := range n {
		word := binary.NativeEndian.Uint16(value[offOutcomes+wordSize*at:])
		if number := int(word >> flagBits); number < len(sites) {
			out = append(out, Outcome{number, isTaken(sites[number].condition, byte(word&(1<<flagBits-1)))})
		}
	}
	return out
}

// probes are one program for all jumps, or where the kernel is older than 6.6 one for each.
type probes struct {
	multi    bool
	pid      uint32
	file     *link.Executable
	programs []*ebpf.Program
	links    []link.Link
}

func load(file string, pid uint32, sites []site, table int) (*probes, error) {
	p := &probes{multi: features.HaveBPFLinkUprobeMulti() == nil, pid: pid}
	var err error
	if p.file, err = link.OpenExecutable(file); err != nil {
		return p, fmt.Errorf("reading the program: %w", err)
	}
	kind, numbers := ebpf.AttachNone, make([]int32, len(sites))
	for i := range numbers {
		numbers[i] = int32(i) //nolint:gosec // small
	}
	if p.multi {
		kind, numbers = ebpf.AttachTraceUprobeMulti, []int32{-1}
	}
	for _, number := range numbers {
		prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{
			Name: "whyhot_branch", Type: ebpf.Kprobe, AttachType: kind, License: "GPL", Instructions: program(number, int32(sizeFor(sites)), table),
		})
		if err != nil {
			return p, fmt.Errorf("loading a probe: %w", err)
		}
		p.programs = append(p.programs, prog)
	}
	return p, nil
}

func (p *probes) attach(offsets []uint64) error {
	if p.multi {
		cookies := make([]uint64, len(offsets))
		for i := range cookies {
			cookies[i] = uint64(i) //nolint:gosec // small
		}
		l, err := p.file.UprobeMulti(nil, p.programs[0], &link.UprobeMultiOptions{Addresses: offsets, Cookies: cookies, PID: p.pid})
		if err != nil {
			return fmt.Errorf("attaching probes: %w", err)
		}
		p.links = []link.Link{l}
		return nil
	}
	for i, offset := range offsets {
		l, err := p.file.Uprobe("branch", p.programs[i], &link.UprobeOptions{Address: offset, PID: int(p.pid)})
		if err != nil {
			return fmt.Errorf("attaching a probe: %w", err)
		}
		p.links = append(p.links, l)
	}
	return nil
}

// detach takes all out at once: for each the kernel waits until no processor can be within it.
func (p *probes) detach() {
	var all sync.WaitGroup
	for _, l := range p.links {
		all.Go(func() { _ = l.Close() }) // nothing better can be done
	}
	all.Wait()
	p.links = nil
}

func (p *probes) close() {
	p.detach()
	for _, prog := range p.programs {
		_ = prog.Close() // it is loaded no more, or the kernel has taken it already
	}
}
