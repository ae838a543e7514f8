// Package wrapper puts itself between a build and its compilers.
//
// It owns the search for the compilers, archivers and compiler caches on a PATH,
// the small shell scripts that stand in for them, the environment that makes a
// build use the scripts, and the log of what they saw. It takes flags and gives
// a directory to put in front of PATH. It knows nothing of what the flags are
// for; of this module it imports packages of internal/host only.
//
// The scripts hand over to the real program with exec, so that a build sees its
// output, its exit status and nothing of the script. A shell script and not this
// program, since a shell starts in a thirtieth of the time and a build calls its
// compiler thousands of times.
package wrapper
