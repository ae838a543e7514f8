package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/host/allocator"
	memfree "whyhot/internal/host/memory"
)

var checks = []func(context.Context, Machine) Check{
	byEBPF, byPerf, byPreload, counters, kernelSymbols, kernelTypes, tracing, debugFiles,
	analyser, server, images,
	allocators, compilers, layout, valgrind, quiet, memory, disk, chromium,
}

// samplerOf are the samplers by the checks of them.
var samplerOf = map[string]string{"record-ebpf": "ebpf", "record-perf": "perf", "record-preload": "preload"}

// refused takes a sampler's error apart.
func refused(c *Check, err error) {
	c.Status, c.Found = Missing, err.Error()
	if un, ok := errors.AsType[*collect.UnavailableError](err); ok {
		c.Found, c.Do = un.Missing, un.Remedy
	}
}

func byEBPF(ctx context.Context, m Machine) Check {
	c := Check{
		ID: "record-ebpf", Name: "recording by eBPF", Status: Works, For: "whyhot record of commands, processes (--pid) and the whole machine (-a); whyhot agent",
		Found: "a BPF map and a clock on all processes were opened", Cost: "runs with the rights of root",
	}
	if err := m.Sampler(ctx, samplerOf[c.ID], true); err != nil {
		refused(&c, err)
	}
	return c
}

func byPerf(ctx context.Context, m Machine) Check {
	c := Check{ID: "record-perf", Name: "recording by perf", Status: Works, For: "whyhot record where eBPF is not allowed", Found: "perf starts, and its event was opened"}
	if level := first(m, "proc/sys/kernel/perf_event_paranoid"); level != "" {
		c.Found += "; kernel.perf_event_paranoid is " + level
	}
	if err := m.Sampler(ctx, samplerOf[c.ID], false); err != nil {
		refused(&c, err)
		return c
	}
	if err := m.Sampler(ctx, samplerOf[c.ID], true); err != nil {
		c.Status, c.Found = Limited, c.Found+"; commands only, not the whole machine"
		if un, ok := errors.AsType[*collect.UnavailableError](err); ok {
			c.Do = un.Remedy
		}
		c.Cost = "lets every user see what other processes execute"
	}
	return c
}

func byPreload(ctx context.Context, m Machine) Check {
	c := Check{
		ID: "record-preload", Name: "recording by a preloaded library", Status: Works, For: "whyhot record of a command, without any right",
		Found: "a timer signal in the program itself", Cost: "sees no kernel code and no statically linked program",
	}
	if err := m.Sampler(ctx, samplerOf[c.ID], false); err != nil {
		refused(&c, err)
	}
	return c
}

func counters(_ context.Context, m Machine) Check {
	c := Check{ID: "hardware-counters", Name: "hardware counters", Status: Works, For: "sampling by cycles; whyhot try --metric instructions without valgrind", Found: "the counter of retired instructions was opened"}
	if err := m.Counter(); err != nil {
		c.Status, c.Found = Limited, fmt.Sprintf("the processor's counters cannot be opened (%v); the clock samples, valgrind counts", err)
		c.Do = "on a virtual machine: give it the processor's PMU (libvirt: <pmu state='on'/>); else sudo sysctl kernel.perf_event_paranoid=2"
	}
	return c
}

func kernelSymbols(_ context.Context, m Machine) Check {
	c := Check{ID: "kernel-symbols", Name: "names of kernel functions", Status: Works, For: "stacks that end in the kernel", Found: "/proc/kallsyms shows addresses"}
	text, err := m.Read("proc/kallsyms")
	switch {
	case err != nil:
		c.Status, c.Found = Limited, err.Error()
	case !hasAddress(text):
		c.Status, c.Found, c.Do = Limited, "/proc/kallsyms hides addresses (kernel.kptr_restrict is "+first(m, "proc/sys/kernel/kptr_restrict")+")", "sudo sysctl kernel.kptr_restrict=1, and record as root"
		c.Cost = "shows root where the kernel lies in memory"
	}
	return c
}

func hasAddress(symbols string) bool {
	for line := range strings.Lines(symbols) {
		address, _, _ := strings.Cut(line, " ")
		if strings.Trim(address, "0") != "" {
			return true
		}
	}
	return false
}

func kernelTypes(_ context.Context, m Machine) Check {
	c := Check{ID: "kernel-types", Name: "types of the kernel (BTF)", Status: Works, For: "recording by eBPF on kernels whose layout is not known otherwise", Found: "/sys/kernel/btf/vmlinux can be read"}
	if _, err := m.Read("sys/kernel/btf/vmlinux"); err != nil {
		c.Status, c.Found, c.Do = Limited, err.Error()+"; offsets are worked out from the kernel's code", "a kernel with CONFIG_DEBUG_INFO_BTF=y, as distributions ship"
	}
	return c
}

func tracing(ctx context.Context, m Machine) Check {
	c := Check{ID: "ptrace", Name: "tracing of children", Status: Works, For: "whyhot record -- COMMAND from its first instruction", Found: "a child was attached to"}
	if err := m.Trace(ctx); err != nil {
		c.Status, c.Found = Limited, "a child cannot be attached to: "+err.Error()
		c.Do = "in a container: --cap-add SYS_PTRACE, or a seccomp profile that allows ptrace"
		c.Cost = "lets the container's processes read each other's memory"
	}
	return c
}

func debugFiles(_ context.Context, m Machine) Check {
	c := Check{ID: "debug-files", Name: "debug files", Status: Works, For: "names and lines of stripped programs and libraries"}
	if dirs := m.Debug(); len(dirs) > 0 {
		c.Found = "looked for in " + strings.Join(dirs, ", ")
		return c
	}
	c.Status, c.Found = Limited, "neither /usr/lib/debug nor a cache of debuginfod"
	c.Do = "install the -dbgsym packages of what is hot, or debuginfod-find debuginfo PROGRAM; whyhot itself asks no server"
	c.Cost = "disk space; debuginfod tells its server the build ID"
	return c
}

// part checks a program of whyhot's own.
func part(ctx context.Context, m Machine, p Part, c Check) Check {
	path, err := m.Own(ctx, p)
	if err != nil {
		c.Status, c.Found = Missing, err.Error()
		return c
	}
	c.Status, c.Found, c.Do, c.Cost = Works, path+" answers", "", ""
	return c
}

func analyser(ctx context.Context, m Machine) Check {
	return part(ctx, m, Analyser, Check{
		ID: "analyser", Name: "source and machine code analyser", For: "whyhot scan, fix, cycles, loops, try build; findings in C and C++ source",
		Do: "make analyzer", Cost: "clang-19 and LLVM 19 as packages (scripts/packages/analyzer.txt), and a build",
	})
}

func server(ctx context.Context, m Machine) Check {
	return part(ctx, m, Server, Check{ID: "server", Name: "server", For: "whyhot serve, open, store", Do: "make server", Cost: "a C++ compiler, and a build"})
}

func images(ctx context.Context, m Machine) Check {
	return part(ctx, m, Images, Check{ID: "images", Name: "reader of container images", For: "whyhot images scan", Do: "make images", Cost: "a build"})
}

func allocators(_ context.Context, m Machine) Check {
	c := Check{ID: "allocators", Name: "allocators to preload", Status: Works, For: "whyhot try --preload; whyhot hunt"}
	var found, absent, packages []string
	for _, name := range allocator.Names() {
		if _, err := m.Allocator(name); err == nil {
			found = append(found, name)
			continue
		}
		absent = append(absent, name)
		if a, ok := allocator.ByName(name); ok && a.Package != "" {
			packages = append(packages, a.Package)
		}
	}
	switch {
	case len(found) == 0:
		c.Status, c.Found = Missing, "none of "+strings.Join(absent, ", ")
	case len(absent) > 0:
		c.Status, c.Found = Limited, strings.Join(found, ", ")+"; not "+strings.Join(absent, ", ")
	default:
		c.Found = strings.Join(found, ", ")
	}
	if len(packages) > 0 {
		c.Do, c.Cost = "sudo apt-get install "+strings.Join(packages, " ")+" (names of Debian and Ubuntu)", "disk space: nothing uses them unless preloaded"
	}
	return c
}

func compilers(_ context.Context, m Machine) Check {
	c := Check{ID: "compilers", Name: "compilers", Status: Works, For: "whyhot try build, whyhot remarks: building a program in variants"}
	var found, absent []string
	for _, names := range [][]string{{"gcc"}, {"g++"}, {"clang-19", "clang"}} {
		if path, err := m.Program(names...); err == nil {
			found = append(found, path)
		} else {
			absent = append(absent, names[0])
		}
	}
	c.Found = strings.Join(found, ", ")
	switch {
	case len(found) == 0:
		c.Status, c.Found = Missing, "no gcc, g++ or clang that starts on PATH"
	case len(absent) > 0:
		c.Status, c.Found = Limited, c.Found+"; not "+strings.Join(absent, ", ")
	}
	if len(absent) > 0 {
		c.Do, c.Cost = "sudo apt-get install "+strings.Join(absent, " "), "disk space"
	}
	return c
}

func layout(_ context.Context, m Machine) Check {
	c := Check{ID: "bolt", Name: "BOLT", Status: Works, For: "whyhot try build --bolt", Found: "llvm-bolt starts"}
	if err := m.Bolt(); err != nil {
		c.Status, c.Found, c.Do, c.Cost = Missing, "no llvm-bolt that starts on PATH", "sudo apt-get install bolt-19 (Debian 12 and later)", "disk space"
	}
	return c
}

func valgrind(_ context.Context, m Machine) Check {
	return program(m, Check{ID: "valgrind", Name: "valgrind", For: "whyhot try --metric instructions where there are no hardware counters", Do: "sudo apt-get install valgrind", Cost: "programs run many times slower under it"}, "valgrind")
}

func chromium(_ context.Context, m Machine) Check {
	return program(m, Check{ID: "chromium", Name: "chromium", For: "whyhot's own tests of its pages; no command needs it", Do: "sudo apt-get install chromium", Cost: "disk space"}, "chromium", "chromium-browser", "google-chrome")
}

func program(m Machine, c Check, names ...string) Check {
	path, err := m.Program(names...)
	if err != nil {
		c.Status, c.Found = Missing, err.Error()
		return c
	}
	c.Status, c.Found, c.Do, c.Cost = Works, path, "", ""
	return c
}

func quiet(_ context.Context, m Machine) Check {
	c := Check{ID: "noise", Name: "quiet for measurements", Status: Works, For: "narrow intervals of whyhot try and hunt", Found: "nothing in the settings makes the clock uneven"}
	said := m.Noise()
	fields := strings.Fields(first(m, "proc/loadavg"))
	cpus := strings.Count(text(m, "proc/stat"), "\ncpu")
	if len(fields) > 0 {
		if load, err := strconv.ParseFloat(fields[0], 64); err == nil && cpus > 0 && load > float64(cpus)/2 {
			said = append(said, fmt.Sprintf("the load average is %s on %d CPUs", fields[0], cpus))
		}
	}
	if first(m, "sys/devices/system/cpu/smt/active") == "1" {
		said = append(said, "pairs of CPUs share a core (SMT)")
	}
	if len(said) > 0 {
		c.Status, c.Found = Limited, strings.Join(said, "; ")
		c.Do, c.Cost = "stop what else runs; whyhot try interleaves its runs and widens its intervals otherwise", "longer trials"
	}
	return c
}

const (
	mib        = 1 << 20
	leastRAM   = 1024 * mib
	leastSpace = 2048 * mib
)

func memory(_ context.Context, m Machine) Check {
	c := Check{ID: "memory", Name: "memory", Status: Works, For: "large profiles; debug information of large programs"}
	if free, known := memfree.FreeIn(text(m, "proc/meminfo")); known {
		c.Found = fmt.Sprintf("%d MiB available", free/mib)
		if free < leastRAM {
			c.Status, c.Do = Limited, "read large profiles on another machine (whyhot explain FILE)"
		}
		return c
	}
	c.Status, c.Found = Limited, "/proc/meminfo does not say what is available"
	return c
}

func disk(_ context.Context, m Machine) Check {
	c := Check{ID: "disk", Name: "room for temporary files", Status: Works, For: "recordings under way; builds of variants"}
	dir, free, err := m.Room()
	switch {
	case err != nil:
		c.Status, c.Found = Missing, err.Error()
		c.Do = "export TMPDIR=DIR, of a directory that can be written to"
	case free < leastSpace:
		c.Status, c.Do = Limited, "export TMPDIR=DIR, of a file system with 2 GiB free"
		fallthrough
	default:
		c.Found = fmt.Sprintf("%d MiB free in %s", free/mib, dir)
	}
	return c
}

// text is a file's, "" where it cannot be read.
func text(m Machine, name string) string {
	out, err := m.Read(name)
	if err != nil {
		return ""
	}
	return out
}

// first is the first line of a file.
func first(m Machine, name string) string {
	line, _, _ := strings.Cut(text(m, name), "\n")
	return strings.TrimSpace(line)
}

func pretty(m Machine) string {
	for line := range strings.Lines(text(m, "etc/os-release")) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(v, `"'`)
		}
	}
	return "Linux"
}
