package perfdata

import (
	"whyhot/internal/host/cgroup"
	"whyhot/internal/profile"
)

// process is what threads of one pid share.
type process struct {
	pid     uint32
	space   space
	threads map[uint32]*thread
	main    *thread
	ending  bool // the main thread has exited
	execing bool // the next mapping is the first of a new program
	// before is the memory of the program before the last exec, until the new
	// one is seen running: the exec itself is sampled with the old registers.
	before []region
}

// thread is one task; its comm is "" while not known.
type thread struct {
	proc   *process
	tid    uint32
	comm   string
	cgroup uint64             // of its last sample
	labels profile.LabelSetID // of its samples
	stale  bool               // labels must be made anew
}

// tasks are the processes and threads as they are at the time of the record
// that is being handled.
type tasks struct {
	procs  map[uint32]*process
	ended  []*process // in order of their end, their memory still known
	states *uint32    // of address spaces, see space
	// containers are the IDs of containers by control group, "" for none.
	containers map[uint64]string
}

// maxEnded is how many ended processes keep their memory map: the kernel still
// samples a task on its way out.
const maxEnded = 1024

func newTasks(states *uint32) *tasks {
	return &tasks{procs: map[uint32]*process{}, states: states, containers: map[uint64]string{}}
}

func (t *tasks) process(pid uint32) *process {
	if p := t.procs[pid]; p != nil {
		return p
	}
	return t.newProcess(pid)
}

func (t *tasks) newProcess(pid uint32) *process {
	p := &process{pid: pid, space: newSpace(t.states), threads: map[uint32]*thread{}}
	p.main = p.newThread(pid)
	if pid == 0 {
		p.main.comm = idleName
	}
	t.procs[pid] = p
	return p
}

func (p *process) newThread(tid uint32) *thread {
	th := &thread{proc: p, tid: tid, stale: true}
	p.threads[tid] = th
	return th
}

func (t *tasks) thread(pid, tid uint32) *thread {
	p := t.process(pid)
	if th := p.threads[tid]; th != nil {
		return th
	}
	return p.newThread(tid)
}

// idleName is what the kernel calls the idle task; no record says so.
const idleName = "swapper"

// comm names a thread, which an exec does too.
func (t *tasks) comm(pid, tid uint32, name string, exec bool) {
	th := t.thread(pid, tid)
	th.comm = name
	th.stale = true
	if exec {
		th.proc.execing = true
	}
	if th == th.proc.main {
		// The process label of every thread is the name of the main thread.
		for _, other := range th.proc.threads {
			other.stale = true
		}
	}
}

// fork makes a thread, or a process. withMemory says that the child has a copy
// of its parent's memory; perf clears it for tasks that it found running.
func (t *tasks) fork(pid, ppid, tid, ptid uint32, withMemory bool) {
	parent := t.thread(ppid, ptid)
	if pid == ppid {
		if tid != pid {
			parent.proc.newThread(tid).comm = parent.comm
		}
		return
	}
	if tid != pid {
		t.thread(pid, tid)
		return
	}
	p := t.newProcess(pid)
	p.main.comm = parent.comm
	if withMemory {
		p.space = parent.proc.space.fork()
		if parent.proc.before != nil {
			p.space.changed() // the child sees less
		}
	}
}

// cgroup tells where in the tree of control groups one is.
func (t *tasks) cgroup(id uint64, path string) {
	was, known := t.containers[id]
	t.containers[id] = cgroup.ContainerID(path)
	if known && was == t.containers[id] {
		return
	}
	for _, p := range t.procs {
		for _, th := range p.threads {
			th.stale = th.stale || th.cgroup == id
		}
	}
}

// mmap maps r into a process.
func (p *process) mmap(r region) {
	if p.execing {
		p.before = p.space.snapshot()
		p.space.clear()
		p.execing = false
	}
	p.space.add(r)
}

// running notes that the process runs its own code.
func (p *process) running() {
	if p.before != nil {
		p.before = nil
		p.space.changed()
	}
}

// exit notes the end of a thread. A process keeps its name when its last thread
// is gone; its memory map goes some time later.
func (t *tasks) exit(pid, tid uint32) {
	p := t.procs[pid]
	if p == nil {
		return
	}
	if tid == pid {
		p.ending = true
	} else {
		delete(p.threads, tid)
	}
	if !p.ending || len(p.threads) > 1 {
		return
	}
	t.ended = append(t.ended, p)
	if len(t.ended) > maxEnded {
		t.ended[0].space.clear()
		t.ended[0] = nil
		t.ended = t.ended[1:]
	}
}
