// Package generated walks stacks through machine code that no file has: what a JIT
// compiler made in memory, of a runtime that the eBPF profiler has no part for.
//
// It owns the unwind table of such code, the marks of its addresses and which mappings of a
// process have it. It takes a loader's place beside the profiler's interpreters, and gives
// the kernel one table for all such code. It must never import a package of this module.
//
// The profiler knows the code of files, and generated code of the runtimes that it reads
// (HotSpot, V8, .NET, PHP, Erlang from 27 on). A stack that meets other code ends there.
// Many runtimes keep frame pointers in what they generate, always or when they are asked to:
// Erlang with +JPperf, Mono with disable_omit_fp, Julia, wasm engines. The kernel part can
// walk by frame pointer; what it lacks is a table which tells it to.
//
// Code in files that are no ELF files, as SBCL's, is not taken: the profiler does not hand
// over their mappings.
//
// The method. Loaders are asked about each binary. This one takes the dynamic loader, which
// every process but a static one has, and static programs. Its instance, one a process, is
// given the anonymous executable mappings whenever the profiler has read the memory map, and
// enters each one that nothing else has claimed. All belong to one file that does not exist,
// whose table has one row: walk by frame pointer. Its offsets are addresses with a mark: the
// profiler gives them back as they are, and Address takes the mark off.
//
// Where another interpreter of the process wants anonymous mappings, nothing is entered:
// its own part knows better.
//
// What it cannot tell is whether code keeps frame pointers. Without them, the kernel part
// reads the caller's address from a wrong place. It stops where that cannot be read, and
// where what it finds is no address of known code; what is left is found with AfterCall: a
// return address follows a call.
package generated
