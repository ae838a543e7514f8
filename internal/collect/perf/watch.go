package perf

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/proctree"
	"whyhot/internal/host/cgroup"
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

// watch is what is seen of the target's processes while they run, and what the
// recording does not tell. It is used by one goroutine.
type watch struct {
	target     collect.Target
	pids       []int
	containers map[uint32]string // IDs by process; nil where the recording tells them
	kept       *kept
	ticks      int
}

// watchProcesses begins to look after the processes of a target.
func watchProcesses(t collect.Target, pids []int, containersTold bool) *watch {
	w := &watch{target: t, pids: pids, kept: newKept()}
	if !containersTold {
		w.containers = map[uint32]string{}
	}
	w.look(w.usual())
	return w
}

// looking says which look it is: what is there for long need not be read each time.
type looking uint8

const (
	quickLook looking = iota // at what is new
	wholeLook                // at everything
)

// look reads what runs now.
func (w *watch) look(l looking) {
	pids := proctree.All()
	if !w.target.System {
		pids = proctree.Descendants(w.pids)
	}
	for _, pid := range pids {
		if w.containers != nil {
			if id := cgroup.Process(uint32(pid)); id != "" {
				w.containers[uint32(pid)] = id
			}
		}
		w.kept.look(pid, l)
	}
}

// looksEvery is how many reports of progress there are to a look.
const looksEvery = 5

// tick is told of each report of progress. New processes are looked for seldom, but
// soon after the start.
func (w *watch) tick() {
	if w.ticks%looksEvery == 0 {
		w.look(w.usual())
	}
	w.ticks++
}

// usual is how to look while the recording goes on: a machine has many processes.
func (w *watch) usual() looking {
	if w.target.System {
		return quickLook
	}
	return wholeLook
}
