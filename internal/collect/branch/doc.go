// Package branch follows the conditional jumps of hot loops for some thousand executions, and
// says how many of their outcomes can be foreseen.
//
// It owns the choice of the loops while a recording runs, the probes on their jumps, and the
// predictor that their outcomes are given to. It takes the sampled addresses of a process and
// gives profile.Branch. It must never import a sampler, nor read anything of the process but
// its code and its flags.
//
// Why. A jump that is guessed wrong costs 15 to 20 cycles, and only a counter of the processor
// tells which are: virtual machines and locked down kernels have none. The outcomes themselves
// can be had anywhere: a uprobe on the jump is met before it is executed, when the flags that it
// asks are in the saved registers. The kernel emulates jumps, so no instruction is stepped.
//
// Cost. One execution that meets a probe takes about a microsecond. A round follows one loop
// until it has sequenceSize outcomes, mostRounds loops in all. Samples of that time are not
// counted: see Recorder.Disturbs. Docs: docs/decisions/0547.
//
// Units. Addresses are virtual addresses of the file, as its sections have them.
package branch
