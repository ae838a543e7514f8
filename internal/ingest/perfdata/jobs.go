package perfdata

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"whyhot/internal/ingest/unwind"
	"whyhot/internal/profile"
)

const (
	// maxJobs is how many stacks are gathered before they are unwound.
	maxJobs = 4096
	// maxFrames bounds one user stack.
	maxFrames = 1024
)

// job is one recorded user stack that waits to be unwound. Its slices point
// into the record.
type job struct {
	row    profile.Sample
	kernel []profile.LocationID
	view   view
	pid    uint32
	regs   unwind.Registers
	stack  []byte
	cut    bool // the stack goes on beyond what was recorded
	walk   bool
	ips    []uint64
	end    unwind.End
}

// jobs unwinds stacks in batches, on all processors. Records are handled in
// order and samples keep theirs; only the walks themselves run side by side.
type jobs struct {
	s       *session
	finder  *unwind.Finder
	walkers []*unwind.Walker
	list    []job
	total   int64 // stacks that were walked
	cut     int64
	lost    int64
	foreign int64 // stacks of another kind of processor
	ids     []profile.LocationID
}

func (j *jobs) init(s *session) {
	j.s = s
	j.finder = unwind.NewFinder(s.opts.DebugDirs)
}

// add puts off a sample until its user stack is unwound. kernel are its kernel
// frames.
func (j *jobs) add(kernel []profile.LocationID, row profile.Sample, smp *sample, th *thread, regsMask uint64, mode uint16) error {
	w := job{row: row, kernel: slices.Clone(kernel)}
	regs, ok := x86Registers(smp, regsMask)
	if !ok {
		j.foreign++
		regs = unwind.Registers{}
		if mode == miscUser {
			w.ips = append(w.ips, smp.ip)
		}
	}
	w.regs, w.stack, w.cut = regs, smp.stack, smp.full
	w.walk = ok && !j.s.opts.NoUnwind && len(smp.stack) > 0
	if th != nil {
		th.proc.space.snapshot()
		w.view = th.proc.view()
		w.pid = th.proc.pid
	}
	j.list = append(j.list, w)
	if len(j.list) < maxJobs {
		return nil
	}
	return j.run()
}

const abi64 = 2 // PERF_SAMPLE_REGS_ABI_64

// x86Registers turns the recorded registers into DWARF's numbering. ok is false
// for other processors and for 32-bit programs.
func x86Registers(smp *sample, mask uint64) (regs unwind.Registers, ok bool) {
	const known = 1<<24 - 1 // the x86 registers of asm/perf_regs.h without SIMD
	if smp.regsABI != abi64 || mask&^known != 0 {
		return regs, false
	}
	b := smp.regs
	for m := mask; m != 0 && len(b) >= 8; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if d := dwarfNumber[i]; d >= 0 {
			regs.Value[d] = binary.LittleEndian.Uint64(b)
			regs.Valid |= 1 << d
		}
		b = b[8:]
	}
	return regs, regs.Valid>>unwind.RIP&1 == 1 && regs.Valid>>unwind.RSP&1 == 1
}

// dwarfNumber maps perf's order of registers (ax bx cx dx si di bp sp ip flags
// cs ss ds es fs gs r8…r15) to DWARF's.
var dwarfNumber = [24]int8{
	0, 3, 2, 1, 4, 5, 6, 7, unwind.RIP, -1,
	-1, -1, -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
}

// run unwinds what was gathered and adds the samples.
func (j *jobs) run() error {
	if len(j.list) == 0 {
		return nil
	}
	workers := min(runtime.GOMAXPROCS(0), 1+len(j.list)/16)
	for len(j.walkers) < workers {
		j.walkers = append(j.walkers, unwind.NewWalker())
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, walker := range j.walkers[:workers] {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(j.list)); i = next.Add(1) - 1 {
				j.list[i].unwind(walker, j.s)
			}
		})
	}
	wg.Wait()
	for i := range j.list {
		j.finish(&j.list[i])
	}
	clear(j.list)
	j.list = j.list[:0]
	return nil
}

// unwind walks one stack. It runs beside others and changes nothing but w.
func (w *job) unwind(walker *unwind.Walker, s *session) {
	if !w.walk {
		if w.regs.Valid>>unwind.RIP&1 == 1 {
			w.ips = append(w.ips, w.regs.Value[unwind.RIP])
		}
		return
	}
	in := unwind.Input{
		Regs: w.regs, Stack: w.stack, Max: maxFrames,
		Find: func(addr uint64) (*unwind.Module, uint64) {
			r := w.view.find(addr)
			if r == nil || r.bin.absolute {
				return nil, 0
			}
			return r.bin.unwindInfo(s, w.pid), addr - r.start + r.off
		},
	}
	w.ips, w.end = walker.Walk(&in, make([]uint64, 0, 32))
}

// unwindInfo opens the binary once, when the first stack leads through it.
func (bin *image) unwindInfo(s *session, pid uint32) *unwind.Module {
	bin.once.Do(func() {
		id := bin.buildID
		if id == "" {
			id = s.facts.buildIDs[bin.path]
		}
		bin.module = s.jobs.finder.Find(bin.path, id, pid)
		if bin.module == nil && bin.kind != profile.KindVDSO {
			bin.missing = true
		}
	})
	return bin.module
}

// finish adds the sample of an unwound stack.
func (j *jobs) finish(w *job) {
	ids := j.ids[:0]
	ids = append(ids, w.kernel...)
	for _, ip := range w.ips {
		ids = append(ids, j.s.resolve.find(&w.view, ip, ""))
	}
	if w.walk {
		j.total++
		switch {
		case w.end == unwind.EndStack && w.cut:
			j.cut++
			ids = append(ids, j.s.out.truncatedFrame())
		case w.end == unwind.EndLost:
			j.lost++
		}
	}
	j.ids = ids
	j.s.out.intern.add(ids, w.row)
}

// warnings says what could not be unwound and why.
func (j *jobs) warnings() {
	if j.cut > 0 {
		j.s.warnf("%d of %d user stacks are longer than what was recorded of them; their outer frames are shown as %s (record more with --call-graph dwarf,32768)",
			j.cut, j.total, profile.TruncatedStack)
	}
	if j.foreign > 0 {
		j.s.warnf("%d user stacks are not unwound: only 64-bit x86 programs are; they show the leaf only", j.foreign)
	}
	var missing []string
	for _, bin := range j.s.bins.list {
		if bin.missing && len(missing) < 5 {
			missing = append(missing, bin.path)
		}
	}
	if j.lost > 0 && len(missing) > 0 {
		j.s.warnf("%d of %d user stacks could not be followed to their end; no unwind tables were found for %s (gone, or not the recorded version)",
			j.lost, j.total, strings.Join(missing, ", "))
	}
}
