// Package moments puts what a runtime does at a time into the stacks of samples.
//
// It owns Track: which functions and lines of a script a process was executing at which
// times; the choice of the moment that a sample belongs to; and the place in the stack where
// the script's frames go. It takes tracks and profiles and gives profiles. It must never read
// a process, a file or a runtime's format: packages that do so fill tracks.
//
// A profile is joined in two steps. Mark is for the profile as it was recorded, whose samples
// still have exact times: it keeps the nearest moment of each. Splice is for the profile with
// names: among the moments around that one it takes the nearest in which the script does what
// the machine code of the sample does, and puts its frames between the machine code of the
// runtime and what has called it, where other interpreters' frames are as well.
package moments
