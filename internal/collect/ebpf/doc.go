// Package ebpf records with the OpenTelemetry eBPF profiler, which unwinds
// stacks in the kernel: native code by its unwind tables, interpreters and JIT
// compilers by their own data.
//
// It owns loading and attaching the profiler, the ways round what stands in its
// way (a finite limit on locked memory, an unmounted tracefs), following the
// processes of a target, and turning its traces into a profile. It takes a
// collect.Request and gives one profile.Profile whose native frames are addresses
// without names, as every sampler gives them. It must never import
// internal/symbol, internal/ingest or another sampler; nothing else may import
// the profiler's packages.
//
// What it reads of processes. Memory maps, names, control groups and, for
// interpreters, the memory that holds their call frames; of generated code, the bytes
// before return addresses. Environment variables
// and arguments are not read.
//
// Units. The CPU clock fires on every processor at the asked frequency; a sample
// weighs one period, in nanoseconds.
package ebpf
