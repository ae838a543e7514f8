package perf

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/framepointer"
)

// Defaults. The frequencies are odd so that they do not run in step with the
// kernel's and the programs' own round-numbered timers. The stack sizes are a
// balance: 8 kB is perf's own default and cuts deep C++ stacks short; beyond
// 64 kB the kernel refuses.
const (
	targetFrequency = 199
	systemFrequency = 49
	targetStack     = 16 << 10
	systemStack     = 8 << 10
	// MaxStack is the most that one sample can hold (a record is at most 64 kB).
	MaxStack = 65528
)

// plan is everything that is decided before perf is started.
type plan struct {
	event     event
	frequency int
	callGraph collect.CallGraph
	why       string // the reason for callGraph, "" where the user chose it
	stack     int
	buildIDs  bool
	cgroups   bool  // samples carry their control group
	maxSize   int64 // bytes perf may write, 0 for no limit
	buffer    int   // bytes of ring buffer per CPU, 0 for perf's own choice
}

func (s *Sampler) plan(r *collect.Request, open opener) (plan, error) {
	ev, err := chooseEvent(open)
	if err != nil {
		return plan{}, explain(err, r.Target)
	}
	p := plan{
		event: ev, frequency: r.Settings.Frequency, callGraph: r.Settings.CallGraph,
		stack: r.Settings.StackBytes, buildIDs: kernelNamesBuilds(open), cgroups: kernelNamesCgroups(open), maxSize: roomIn(r.TempDir),
		buffer: bufferSize(runtime.NumCPU(), mayLockMemory()),
	}
	if p.frequency == 0 {
		p.frequency = targetFrequency
		if r.Target.System {
			p.frequency = systemFrequency
		}
	}
	if p.stack == 0 {
		p.stack = targetStack
		if r.Target.System {
			p.stack = systemStack
		}
	}
	if p.callGraph == "" || p.callGraph == collect.CallGraphAuto {
		p.callGraph, p.why = chooseCallGraph(r.Target)
	}
	return p, nil
}

// chooseCallGraph walks by frame pointers only where every piece of code that
// the target is seen to load keeps them; one library without them loses the
// callers of its functions.
func chooseCallGraph(t collect.Target) (collect.CallGraph, string) {
	var verdicts []framepointer.Verdict
	switch {
	case t.System:
		return collect.CallGraphDWARF, "not every program on the machine can be expected to keep frame pointers"
	case len(t.PIDs) > 0:
		for _, pid := range t.PIDs {
			verdicts = append(verdicts, framepointer.Process(pid))
		}
	default:
		verdicts = append(verdicts, framepointer.Program(t.Command[0]))
	}
	for _, v := range verdicts {
		if !v.Walkable {
			return collect.CallGraphDWARF, v.Because
		}
	}
	return collect.CallGraphFP, verdicts[0].Because
}

// roomIn allows a recording to fill half of what is free.
func roomIn(dir string) int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0
	}
	return int64(st.Bavail) * st.Bsize / 2
}

// bufferSize is per CPU. perf's own half a megabyte holds 60 stack copies, which
// on a busy machine is lost before perf gets its turn; more than that is locked
// memory, which needs a privilege.
func bufferSize(cpus int, privileged bool) int {
	const each, total = 8 << 20, 128 << 20
	if !privileged {
		return 0
	}
	size := each
	for size > each/8 && size*cpus > total {
		size /= 2
	}
	return size
}

// capIPCLock is the bit of CAP_IPC_LOCK.
const capIPCLock = 14

func mayLockMemory() bool {
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&hdr, &data[0]); err != nil {
		return false
	}
	return data[0].Effective&(1<<capIPCLock) != 0
}

// namesCgroups tells whether the recording says in which control group each sample
// was taken.
func (p *plan) namesCgroups(t *tool) bool { return p.cgroups && t.knows("all-cgroups") }

// arguments are those of perf after its name. Descriptor 3 takes commands, 4
// answers them.
func (p *plan) arguments(t *tool, target collect.Target, pids []int, output string) []string {
	graph := string(p.callGraph)
	if p.callGraph == collect.CallGraphDWARF {
		graph = fmt.Sprintf("dwarf,%d", p.stack)
	}
	args := []string{
		"record", "-o", output, "-e", p.event.name, "-F", strconv.Itoa(p.frequency),
		"--call-graph", graph, "--delay=-1", "--control", "fd:3,4", "--no-buildid-cache",
	}
	if p.buildIDs && t.knows("buildid-mmap") {
		args = append(args, "--buildid-mmap")
	}
	if p.namesCgroups(t) {
		args = append(args, "--all-cgroups")
	}
	if p.maxSize > 0 && t.knows("max-size") {
		args = append(args, fmt.Sprintf("--max-size=%dM", max(p.maxSize>>20, 1)))
	}
	if p.buffer > 0 {
		args = append(args, fmt.Sprintf("--mmap-pages=%dK", p.buffer>>10))
	}
	if target.System {
		return append(args, "-a")
	}
	var ids []string
	for _, pid := range slices.Compact(slices.Sorted(slices.Values(pids))) {
		ids = append(ids, strconv.Itoa(pid))
	}
	return append(args, "-p", strings.Join(ids, ","))
}
