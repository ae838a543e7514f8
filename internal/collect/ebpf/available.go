package ebpf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/cilium/ebpf"
	perf "github.com/elastic/go-perf"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/paranoia"
)

// capability is one that the profiler needs. Alternatives are any of which serves.
type capability struct {
	bit  uint
	name string
	also uint // another one that includes it
}

// The capabilities, by what the kernel asks for: loading BPF programs, opening
// clocks on every processor, reading the memory and maps of other users'
// processes, the files that they map, and the kernel's symbols.
var capabilities = []capability{
	{unix.CAP_BPF, "CAP_BPF", unix.CAP_SYS_ADMIN},
	{unix.CAP_PERFMON, "CAP_PERFMON", unix.CAP_SYS_ADMIN},
	{unix.CAP_SYS_PTRACE, "CAP_SYS_PTRACE", unix.CAP_SYS_PTRACE},
	{unix.CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE", unix.CAP_SYS_ADMIN},
	{unix.CAP_SYSLOG, "CAP_SYSLOG", unix.CAP_SYS_ADMIN},
	{unix.CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", unix.CAP_DAC_OVERRIDE},
}

// NeededCapabilities is the part of this process's capabilities, one bit each, that a
// recording under way still needs: programs and libraries that start later are
// read, and their unwind tables given to the kernel.
func NeededCapabilities() uint64 {
	effective, needed := effectiveCapabilities(), uint64(0)
	for _, c := range capabilities {
		if effective&(1<<c.bit) != 0 {
			needed |= 1 << c.bit
		} else {
			needed |= effective & (1 << c.also)
		}
	}
	return needed
}

func capabilityList() string {
	names := make([]string, 0, len(capabilities))
	for _, c := range capabilities {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// Available implements collect.Sampler. It asks the kernel rather than guessing:
// a small BPF map and a clock are opened and closed again.
func (*Sampler) Available(_ context.Context, _ collect.Target) error {
	for _, check := range []func() *collect.UnavailableError{
		machine, kernelVersion, privileges, bpfAllowed, clockAllowed, symbolsReadable,
	} {
		if un := check(); un != nil {
			un.Sampler = Name
			return un
		}
	}
	return nil
}

func machine() *collect.UnavailableError {
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		return nil
	}
	return &collect.UnavailableError{Missing: "it runs on x86-64 and arm64 only"}
}

const (
	oldestMajor = 5
	oldestMinor = 10
)

func kernelVersion() *collect.UnavailableError {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil //nolint:nilerr // the other checks will tell
	}
	release := unix.ByteSliceToString(u.Release[:])
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil || major > oldestMajor || major == oldestMajor && minor >= oldestMinor {
		return nil //nolint:nilerr // a name in another form says nothing
	}
	return &collect.UnavailableError{Missing: fmt.Sprintf("it needs Linux %d.%d or later; this is %s", oldestMajor, oldestMinor, release)}
}

func privileges() *collect.UnavailableError {
	missing := missingCapabilities(effectiveCapabilities())
	if len(missing) == 0 {
		return nil
	}
	un := &collect.UnavailableError{Missing: "it needs " + strings.Join(missing, ", ")}
	switch {
	case os.Geteuid() != 0:
		un.Remedy = "sudo whyhot record …"
	case len(missing) <= fewCapabilities:
		un.Remedy = containerWith(missing)
	default:
		un.Remedy = privilegedContainer
	}
	return un
}

const (
	privilegedContainer = "start the container with --privileged --pid=host (docker, podman), or run whyhot on the host"
	// fewCapabilities is how many are better given one by one.
	fewCapabilities = 2
)

// containerWith says how root in a container gets capabilities.
func containerWith(missing []string) string {
	var flags strings.Builder
	for _, name := range missing {
		flags.WriteString(" --cap-add " + strings.TrimPrefix(name, "CAP_"))
	}
	return "start the container with" + flags.String() + " --pid=host (docker, podman), or run whyhot on the host"
}

// effectiveCapabilities is the set of this process, one bit each.
func effectiveCapabilities() uint64 {
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&hdr, &data[0]); err != nil {
		return 0
	}
	return uint64(data[1].Effective)<<32 | uint64(data[0].Effective)
}

func missingCapabilities(effective uint64) []string {
	var out []string
	for _, c := range capabilities {
		if effective&(1<<c.bit|1<<c.also) == 0 {
			out = append(out, c.name)
		}
	}
	return out
}

func bpfAllowed() *collect.UnavailableError {
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err == nil {
		_ = m.Close() // nothing was written
		return lockdown()
	}
	un := &collect.UnavailableError{Missing: fmt.Sprintf("the kernel denies BPF: %v", err)}
	switch {
	case errors.Is(err, unix.EPERM):
		un.Missing = "BPF is denied despite the capabilities: by a seccomp filter, a user namespace or a security module, as in containers"
		un.Remedy = privilegedContainer
	case errors.Is(err, unix.ENOSYS):
		un.Missing = "this kernel was built without BPF"
	}
	return un
}

const lockdownFile = "/sys/kernel/security/lockdown"

func lockdown() *collect.UnavailableError {
	text, _ := os.ReadFile(lockdownFile) // without the file there is no lockdown
	if !strings.Contains(string(text), "[confidentiality]") {
		return nil
	}
	return &collect.UnavailableError{Missing: "the kernel is locked down for confidentiality, so that BPF cannot read memory; reboot without lockdown=confidentiality"}
}

func clockAllowed() *collect.UnavailableError {
	attr := &perf.Attr{Options: perf.Options{Disabled: true}}
	attr.SetSampleFreq(1)
	err := perf.CPUClock.Configure(attr)
	if err == nil {
		var clock *perf.Event
		if clock, err = perf.Open(attr, perf.AllThreads, 0, nil); err == nil {
			_ = clock.Close() // it never ran
			return nil
		}
	}
	level, _ := paranoia.Level()
	return clockRefused(err, level)
}

// clockRefused explains an error of perf_event_open, which the capabilities that are
// there by now let through everywhere but in a sandbox, and at a level of paranoia
// that distributions add.
func clockRefused(err error, paranoid int) *collect.UnavailableError {
	switch {
	case errors.Is(err, unix.EACCES) && paranoid > paranoia.KernelMost:
		return &collect.UnavailableError{
			Missing: fmt.Sprintf("kernel.perf_event_paranoid is %d, at which this kernel requires CAP_SYS_ADMIN", paranoid),
			Remedy:  "sudo sysctl kernel.perf_event_paranoid=2",
		}
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &collect.UnavailableError{
			Missing: "perf_event_open is denied despite CAP_PERFMON: by a seccomp filter or a security module, as in containers",
			Remedy:  privilegedContainer,
		}
	case errors.Is(err, unix.ENOSYS):
		return &collect.UnavailableError{Missing: "this kernel (or the sandbox around it) has no perf_event_open", Remedy: privilegedContainer}
	}
	return &collect.UnavailableError{Missing: fmt.Sprintf("a CPU clock event on all processes cannot be opened: %v", err), Remedy: "record with --sampler perf"}
}

// symbolsReadable tells whether the kernel shows its addresses, which the
// profiler needs to find its way in kernel memory.
func symbolsReadable() *collect.UnavailableError {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return &collect.UnavailableError{Missing: fmt.Sprintf("the kernel's symbols cannot be read: %v", err)}
	}
	defer func() { _ = f.Close() }() // only read from
	if addressesShown(f) {
		return nil
	}
	return &collect.UnavailableError{
		Missing: "the kernel hides its addresses (kernel.kptr_restrict is 2)", Remedy: "sudo sysctl kernel.kptr_restrict=1",
	}
}

// addressesShown tells whether a list of the kernel's symbols has addresses. Those of
// data that each processor has of its own come first on x86-64 in many kernels
// (Debian 12's 6.1 is one), and begin at address 0.
func addressesShown(symbols io.Reader) bool {
	for lines := bufio.NewScanner(symbols); lines.Scan(); {
		address, _, _ := strings.Cut(lines.Text(), " ")
		if strings.Trim(address, "0") != "" {
			return true
		}
	}
	return false
}

const (
	// traceSize is the most that one trace takes in the kernel's buffer.
	traceSize = 25 << 10
	// bufferLimit is how much of the kernel's memory a recording may take.
	bufferLimit = 1 << 30
)

// checkBuffer refuses a frequency for which the kernel's buffer, which holds a
// second of the longest stacks, would not fit.
func checkBuffer(frequency, cpus int) error {
	if frequency*cpus*traceSize <= bufferLimit {
		return nil
	}
	return &collect.UnavailableError{
		Sampler: Name, Missing: fmt.Sprintf("%d samples per second on each of %d CPUs need more than 1 GiB of kernel memory", frequency, cpus),
		Remedy: fmt.Sprintf("record with -F %d or less, or with --sampler perf", bufferLimit/cpus/traceSize),
	}
}
