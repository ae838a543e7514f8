package perfdata

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"whyhot/internal/profile"
)

// synthetic handles a record that perf itself, not the kernel, wrote.
func (s *session) synthetic(rec *record) error {
	c := cursor{b: rec.body}
	switch rec.typ {
	case recFinishedRound:
		return s.settle(false)
	case recHeaderAttr:
		return s.headerAttr(rec)
	case recHeaderBuildID:
		if !s.facts.buildID(rec.misc, rec.body) {
			return rec.corrupt("too short")
		}
	case recHeaderFeature:
		id := c.u64()
		if c.short || id >= numFeatures {
			return rec.corrupt("it names no feature")
		}
		if err := s.facts.feature(int(id), c.b); err != nil {
			return rec.corrupt(err.Error())
		}
	case recEventUpdate:
		const updateName = 2
		typ, id := c.u64(), c.u64()
		if ev, ok := s.byID[id]; ok && typ == updateName {
			s.events[ev].name = cString(c.b)
		}
	case recTracingData:
		return s.src.skip((int64(c.u32()) + 7) &^ 7)
	case recAuxtrace:
		size := c.u64()
		if size > 1<<62 {
			return rec.corrupt("its trace has an impossible size")
		}
		return s.src.skip(int64(size))
	}
	return nil
}

func (s *session) headerAttr(rec *record) error {
	c := cursor{b: rec.body}
	c.u32()
	size := c.u32() // perf_event_attr.size
	if c.short || size < attrMinSize || uint64(size) > uint64(len(rec.body)) {
		return rec.corrupt("the event attribute does not fit")
	}
	e, err := parseAttr(rec.body[:size])
	if err != nil {
		return rec.corrupt(err.Error())
	}
	e.ids = words(rec.body[size:])
	if len(s.events) >= math.MaxUint16 {
		return rec.corrupt("too many events")
	}
	s.addEvent(e)
	return nil
}

// handle applies one of the kernel's records, in order of time.
func (s *session) handle(rec *record, ev int) error {
	c := cursor{b: rec.body}
	switch rec.typ {
	case recSample:
		return s.sample(rec, s.events[ev])
	case recMmap, recMmap2:
		return s.mmap(rec)
	case recComm:
		pid, tid := c.u32(), c.u32()
		name := cString(c.b)
		if c.short {
			return rec.corrupt("too short")
		}
		s.tasks.comm(pid, tid, name, rec.misc&miscCommExec != 0)
	case recFork, recExit:
		pid, ppid, tid, ptid := c.u32(), c.u32(), c.u32(), c.u32()
		if c.short {
			return rec.corrupt("too short")
		}
		if rec.typ == recFork {
			s.tasks.fork(pid, ppid, tid, ptid, rec.misc&miscForkExec == 0)
		} else {
			s.tasks.exit(pid, tid)
		}
	case recLost:
		c.u64() // event ID
		s.lost += c.u64()
	case recLostSamples:
		s.lost += c.u64()
	case recKsymbol:
		return s.ksymbol(rec)
	case recCgroup:
		id := c.u64()
		s.tasks.cgroup(id, cString(c.b))
	}
	if c.short {
		return rec.corrupt("too short")
	}
	return nil
}

// mmap handles MMAP and MMAP2.
func (s *session) mmap(rec *record) error {
	c := cursor{b: rec.body}
	pid := c.u32()
	c.u32() // tid
	start, size, off := c.u64(), c.u64(), c.u64()
	var buildID string
	if rec.typ == recMmap2 {
		file := c.bytes(24) // device and inode, or a build ID
		if rec.misc&miscMmapBuildID != 0 && file != nil && file[0] <= 20 {
			buildID = hex.EncodeToString(file[4 : 4+file[0]])
		}
		c.u64() // prot and flags
	}
	if c.short {
		return rec.corrupt("too short")
	}
	name := cString(c.b)
	if size == 0 {
		return nil
	}
	end := start + size
	if end < start {
		end = math.MaxUint64 // the kernel's own mapping goes to the very end
	}
	switch rec.misc & miscModeMask {
	case miscKernel:
		s.mmapKernel(name, buildID, start, end)
	case miscUser:
		if off > math.MaxUint64-(end-start) {
			return rec.corrupt(fmt.Sprintf("file offset %#x and size %#x are beyond any file", off, size))
		}
		bin := s.bins.user(pid, name, buildID, start, off)
		if !bin.absolute && bin.base > math.MaxUint64-(end-start)-off {
			return rec.corrupt(fmt.Sprintf("%#x bytes of %s from the offset %#x on are beyond any address", size, name, off))
		}
		s.tasks.process(pid).mmap(bin.region(start, end, off))
	}
	return nil
}

// mmapKernel maps the kernel or a module. The kernel's name has the symbol
// behind it from which perf would work out a relocation.
func (s *session) mmapKernel(name, buildID string, start, end uint64) {
	if i := strings.IndexByte(name, ']'); i >= 0 && name[0] == '[' {
		name = name[:i+1]
	}
	if name == kernelName && start == 0 {
		return // addresses are hidden (kptr_restrict): any kernel address is taken for it
	}
	s.facts.addBuildID(name, buildID)
	s.kernel.add(s.bins.kernel(name, "").region(start, end, start))
}

// ksymbol maps code that the kernel made at run time: BPF programs and
// trampolines.
func (s *session) ksymbol(rec *record) error {
	const unregister = 1
	c := cursor{b: rec.body}
	start, size, typeAndFlags := c.u64(), uint64(c.u32()), c.u32()
	name := cString(c.b)
	if c.short {
		return rec.corrupt("too short")
	}
	if typeAndFlags>>16&unregister != 0 || size == 0 || start+size < start || name == "" {
		return nil
	}
	s.kernel.add(s.bins.kernel(name, name).region(start, start+size, start))
	return nil
}

// sample turns a SAMPLE into a row, or into a job where its user stack has to
// be unwound.
func (s *session) sample(rec *record, e *event) error {
	smp, ok := e.parseSample(rec.body)
	if !ok {
		return rec.corrupt("it is shorter than its own fields say")
	}
	s.samples++
	if s.first == 0 || smp.time < s.first {
		s.first = smp.time
	}
	s.last = max(s.last, smp.time)
	const noTask = ^uint32(0) // of a task that is already gone
	// The idle task never leaves the kernel. Process 0 in user mode is a task
	// whose number the recorder's PID namespace does not know.
	idle := smp.pid == 0 && rec.misc&miscModeMask != miscUser
	if idle && e.sampleType&sampleTID != 0 && !s.opts.KeepIdle {
		s.idle++
		return nil
	}
	var th *thread
	if smp.pid != noTask && e.sampleType&sampleTID != 0 {
		th = s.tasks.thread(smp.pid, smp.tid)
	}
	if th != nil && th.cgroup != smp.cgroup {
		th.cgroup, th.stale = smp.cgroup, true
	}
	row := profile.Sample{Labels: s.labelsOf(th), Count: 1, Value: int64(smp.period)}
	if s.opts.KeepTime {
		row.Time = int64(smp.time)
	}
	mode := rec.misc & miscModeMask
	if mode == miscUser && th != nil {
		th.proc.running()
	}
	ids, user := s.resolve.chain(&smp, mode, th)
	if len(smp.regs) > 0 {
		return s.jobs.add(ids[:user], row, &smp, th, e.regsUser, mode)
	}
	if len(ids) == 0 {
		ids = append(ids, s.resolve.address(smp.ip, mode, th))
	}
	s.out.intern.add(ids, row)
	return nil
}

// labelsOf is the label set of a thread's samples.
func (s *session) labelsOf(th *thread) profile.LabelSetID {
	if th == nil {
		return s.out.label(labelKey{pid: noID, tid: noID})
	}
	if !th.stale {
		return th.labels
	}
	k := labelKey{pid: noID, tid: noID}
	for _, l := range s.opts.Labels {
		switch l {
		case profile.LabelProcess:
			k.process = th.proc.main.comm
		case profile.LabelThread:
			k.thread = th.comm
		case profile.LabelPID:
			k.pid = th.proc.pid
		case profile.LabelTID:
			k.tid = th.tid
		case profile.LabelContainer:
			k.container = s.containerOf(th)
		}
	}
	th.labels = s.out.label(k)
	th.stale = false
	return th.labels
}

// containerOf is the container of a thread, "" where it is in none or that is not
// known.
func (s *session) containerOf(th *thread) string {
	if id := s.tasks.containers[th.cgroup]; id != "" {
		return id
	}
	return s.opts.Containers[th.proc.pid]
}
