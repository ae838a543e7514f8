package perf

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/paranoia"
)

// event is what makes the kernel take a sample.
type event struct {
	name     string // as perf's -e takes it
	userOnly bool   // the kernel's own code is not seen
}

// bitBuildID asks for build IDs in mmap records (Linux 5.12).
const bitBuildID = 1 << 34

// opener tries one event on one target; the kernel's answer is the error.
type opener func(attr *unix.PerfEventAttr) error

// openFor opens an event as the recording will: on this process for a command
// to be started, on the first of the given processes, or on the first CPU.
func openFor(t collect.Target) opener {
	pid, cpu := 0, -1
	switch {
	case t.System:
		pid, cpu = -1, 0
	case len(t.PIDs) > 0:
		pid = t.PIDs[0]
	}
	return func(attr *unix.PerfEventAttr) error {
		attr.Size = uint32(unsafe.Sizeof(*attr))
		fd, err := unix.PerfEventOpen(attr, pid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

// chooseEvent takes hardware cycles where the processor (or the hypervisor)
// counts them, the CPU clock elsewhere; with the kernel's code where that is
// permitted, without it elsewhere.
func chooseEvent(open opener) (event, error) {
	kinds := []struct {
		name         string
		kind, config uint64
	}{
		{"cycles", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
		{"cpu-clock", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK},
	}
	var last error
	for _, k := range kinds {
		for _, userOnly := range []bool{false, true} {
			attr := unix.PerfEventAttr{Type: uint32(k.kind), Config: k.config, Bits: unix.PerfBitDisabled}
			name := k.name
			if userOnly {
				attr.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
				name += ":u"
			}
			err := open(&attr)
			if err == nil {
				return event{name, userOnly}, nil
			}
			last = err
			if !refused(err) {
				break
			}
		}
	}
	return event{}, last
}

func refused(err error) bool { return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) }

// kernelNamesBuilds tells whether mmap records can carry build IDs.
func kernelNamesBuilds(open opener) bool {
	attr := unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitMmap | unix.PerfBitMmap2 | bitBuildID,
	}
	return open(&attr) == nil
}

// explain turns the kernel's refusal into what is missing and what to do.
func explain(err error, t collect.Target) error {
	un := &collect.UnavailableError{Sampler: Name}
	paranoid, known := paranoia.Level()
	needed := 2
	if t.System {
		needed = 0
	}
	switch {
	case errors.Is(err, unix.ESRCH):
		return fmt.Errorf("no process has ID %d", t.PIDs[0])
	case errors.Is(err, unix.ENOSYS):
		un.Missing = "this kernel (or the sandbox around it) has no perf_event_open"
		un.Remedy = "whyhot record --sampler preload -- COMMAND…"
	case refused(err) && known && paranoid > needed:
		un.Missing = fmt.Sprintf("kernel.perf_event_paranoid is %d, this needs %d or less, or %s", paranoid, needed, passesParanoia(paranoid))
		un.Remedy = fmt.Sprintf("sudo sysctl kernel.perf_event_paranoid=%d", min(needed, 1))
	case refused(err) && len(t.PIDs) > 0 && foreign(t.PIDs[0]):
		un.Missing = fmt.Sprintf("process %d belongs to another user, which needs the capabilities CAP_PERFMON and CAP_SYS_PTRACE", t.PIDs[0])
		un.Remedy = fmt.Sprintf("sudo whyhot record --pid %d", t.PIDs[0])
	case refused(err):
		un.Missing = "perf_event_open is denied although kernel.perf_event_paranoid allows it: by a seccomp filter or a security module, as in containers"
		un.Remedy = "start the container with --cap-add PERFMON (docker, podman) or record from the host with --pid PID"
	default:
		un.Missing = fmt.Sprintf("perf_event_open failed: %v", err)
	}
	return un
}

// passesParanoia is what a level does not hold up.
func passesParanoia(level int) string {
	if level > paranoia.KernelMost {
		return "root"
	}
	return "the capability CAP_PERFMON"
}

func foreign(pid int) bool {
	var st unix.Stat_t
	err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &st)
	return err == nil && int(st.Uid) != os.Geteuid()
}
