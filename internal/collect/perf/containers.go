package perf

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/cgroup"
	"whyhot/internal/collect"
	"whyhot/internal/collect/proctree"
)

// bitCgroup asks for records of control groups (Linux 5.7).
const bitCgroup = 1 << 32

// kernelNamesCgroups tells whether samples can carry their control group.
func kernelNamesCgroups(open opener) bool {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY, Sample_type: unix.PERF_SAMPLE_CGROUP,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | bitCgroup,
	}
	return open(&attr) == nil
}

// initialCgroupNamespace is the number of the name space that the machine starts
// with (PROC_CGROUP_INIT_INO).
const initialCgroupNamespace = "cgroup:[4026531835]"

// cgroupsTell tells whether the control groups that perf can record name every
// container. They are those of one tree: where the machine has several, the
// containers may be in another one, and in a name space of its own only the part
// of the tree below it is seen.
func cgroupsTell() bool {
	space, err := os.Readlink("/proc/self/ns/cgroup")
	if err != nil || space != initialCgroupNamespace {
		return false
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	return err == nil && bytes.Count(text, []byte("\n")) == 1
}

// containers are the IDs of containers by process, read while the processes run;
// nil where the recording tells itself. It is used by one goroutine.
type containers struct {
	target collect.Target
	pids   []int
	byPID  map[uint32]string
}

// lookEvery is how often new processes are looked for.
const lookEvery = time.Second

// watchContainers begins to look after the processes of a target.
func watchContainers(t collect.Target, pids []int, recorded bool) *containers {
	if recorded && cgroupsTell() {
		return nil
	}
	c := &containers{target: t, pids: pids, byPID: map[uint32]string{}}
	c.look()
	return c
}

// look reads the control groups of what runs now.
func (c *containers) look() {
	if c == nil {
		return
	}
	pids := proctree.All()
	if !c.target.System {
		pids = proctree.Descendants(c.pids)
	}
	for _, pid := range pids {
		if id := cgroup.Process(uint32(pid)); id != "" {
			c.byPID[uint32(pid)] = id
		}
	}
}

// known are the containers that were found.
func (c *containers) known() map[uint32]string {
	if c == nil {
		return nil
	}
	return c.byPID
}

// ticks is when to look again; nil, which never comes, where there is no need.
func (c *containers) ticks() (ticks <-chan time.Time, stop func()) {
	if c == nil {
		return nil, func() {}
	}
	t := time.NewTicker(lookEvery)
	return t.C, t.Stop
}
