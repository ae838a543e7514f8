// Package doctor says which features of whyhot work on this machine.
//
// It owns the list of checks and the report of them. It takes a Machine and gives a
// Report; what a check says comes from trying what the feature would do. It must never
// change the machine, ask the network or print.
package doctor

import (
	"context"
	"errors"
	"time"
)

// Version is that of the JSON form (docs/doctor.schema.json).
const Version = 1

// Status says whether a feature works.
type Status string

// The statuses.
const (
	Works   Status = "works"
	Limited Status = "limited" // it works, with less than it could
	Missing Status = "missing"
)

// Report is what doctor says.
type Report struct {
	Version int     `json:"version"`
	Whyhot  string  `json:"whyhot"` // its version
	System  string  `json:"system"` // PRETTY_NAME of os-release
	Kernel  string  `json:"kernel"`
	Checks  []Check `json:"checks"`
}

// Check is one of them.
type Check struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	For    string `json:"for"`            // the feature that needs it
	Found  string `json:"found"`          // what there is, or what the attempt said
	Do     string `json:"do,omitempty"`   // what to type where it does not work
	Cost   string `json:"cost,omitempty"` // what that takes or risks
}

// Machine is what is asked. Errors are what people read.
type Machine interface {
	// Read gives the text of a file of /proc, /sys or /etc, without the leading slash.
	Read(name string) (string, error)
	// Sampler tries what a recording would do first; on the whole system, or on a command.
	Sampler(ctx context.Context, name string, system bool) error
	// Counter opens a hardware counter.
	Counter() error
	// Trace attaches to a child.
	Trace(ctx context.Context) error
	// Program gives the path of the first program of these that starts.
	Program(names ...string) (string, error)
	// Own gives the path of a part of whyhot that answers.
	Own(ctx context.Context, part Part) (string, error)
	// Allocator gives the path of an allocator's library.
	Allocator(name string) (string, error)
	// Bolt gives the error of looking for BOLT.
	Bolt() error
	// Debug gives the directories with debug files that there are.
	Debug() []string
	// Noise gives sentences on how the machine is set up for measuring.
	Noise() []string
	// Room gives the free bytes of a directory's file system.
	Room() (dir string, free uint64, err error)
}

// Part is a program that whyhot starts.
type Part string

// The parts.
const (
	Analyser Part = "whyhot-analyzer"
	Server   Part = "whyhot-server"
	Images   Part = "whyhot-images"
)

// patience is how long one check may take.
const patience = 20 * time.Second

// Examine runs all checks, in the order in which people need the features.
func Examine(ctx context.Context, m Machine, whyhot string) Report {
	r := Report{Version: Version, Whyhot: whyhot, System: pretty(m), Kernel: first(m, "proc/sys/kernel/osrelease")}
	for _, check := range checks {
		one, cancel := context.WithTimeout(ctx, patience)
		r.Checks = append(r.Checks, check(one, m))
		cancel()
	}
	return r
}

// Recording gives the samplers that work.
func (r Report) Recording() []string {
	var out []string
	for _, c := range r.Checks {
		if name, ok := samplerOf[c.ID]; ok && c.Status != Missing {
			out = append(out, name)
		}
	}
	return out
}

// Fit is an error where nothing can record.
func (r Report) Fit() error {
	if len(r.Recording()) > 0 {
		return nil
	}
	return errors.New("doctor: no sampler works on this machine: see recording above; whyhot explain reads profiles of other machines")
}
