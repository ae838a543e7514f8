// Package scripts records what interpreters execute whose frames the sampler cannot read.
//
// It owns the table of such runtimes: which environment makes one announce itself to the
// recording, and how it is followed from then on. It takes the environment and the directory
// of a recording, and gives the environment of the command and, at the end, the tracks of its
// processes. It must never change what a script computes or prints, or record samples.
//
// An interpreter that starts runs a file of ours, by a variable that the runtime has for that.
// The file leaves another one in the recording's directory, which says which process it is,
// and what is needed to follow it.
package scripts
