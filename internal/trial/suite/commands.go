package suite

import (
	"maps"
	"slices"
	"time"

	"whyhot/internal/host/environ"
)

// Command is a benchmark of a suite for whoever runs it otherwise than Run does. Paths
// start from the directory of the suite's file.
type Command struct {
	Name          string
	Command       []string
	Env           []string // NAME=VALUE, on top of the environment
	Dir           string
	Stdin         string // from Dir
	Setup         string // a shell command that is run in Dir before
	Timeout       time.Duration
	IgnoreFailure bool
}

// Commands are the benchmarks with the suite's defaults and values filled in.
func (f *File) Commands() []Command {
	out := make([]Command, 0, len(f.Benchmarks))
	for i := range f.Benchmarks {
		b := f.filled(f.Benchmarks[i])
		c := Command{
			Name: b.Name, Command: substituteAll(b.Command, f.Set), Dir: b.Dir,
			Stdin: substitute(b.Stdin, f.Set), Setup: b.Setup, Timeout: time.Duration(b.Timeout),
			IgnoreFailure: b.IgnoreFailure != nil && *b.IgnoreFailure,
		}
		for _, k := range slices.Sorted(maps.Keys(b.Env)) {
			c.Env = environ.Set(c.Env, k+"="+substitute(b.Env[k], f.Set))
		}
		out = append(out, c)
	}
	return out
}
