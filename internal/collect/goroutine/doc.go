// Package goroutine sees where goroutines wait, while a recording runs.
//
// It owns the probes in the runtime of Go programs, the programs in the kernel that they call
// (program.go) and what these tell (recorder.go). It takes processes, and gives stacks with for
// how long and how often goroutines waited there. It must never import a sampler.
//
// Why. A goroutine that waits gives its thread to others, so nothing in the kernel has its
// stack: threads of the runtime are all that is seen to wait.
//
// How. A goroutine begins to wait in runtime.gopark, and goes on where runtime.execute has it
// run. At the first, its stack is walked by the kernel along frame pointers, which Go keeps on
// amd64 and arm64, on whatever stack the goroutine has; the caller of gopark is missing on it, as
// gopark has not made its frame yet, and is read where the call has put it. Both together cost a
// wait some 17 microseconds: where goroutines wait often, the probes are in for parts of the time,
// and what begins to wait then stands for all (windows.go).
//
// Example. time.Sleep → main.(*Waiter).Wait → main.main → runtime.main, 60 times, 6 s together
package goroutine
