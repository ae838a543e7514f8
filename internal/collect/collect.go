// Package collect is the noun of recording: what can be recorded, with which
// settings, and the Sampler that every way of recording implements.
//
// It owns Target, Settings, Sampler and the error that says why a sampler
// cannot be used here and what makes it usable. It takes nothing but values and
// gives interfaces; the samplers live in rooms of their own below it
// (collect/perf, collect/preload), and collect/session chooses between them. It
// must never import one of those, nor ingest or symbol.
package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/collect/command"
	"whyhot/internal/host/environ"
	"whyhot/internal/host/userdir"
	"whyhot/internal/profile"
)

// Target says what to record: one command to start, running processes, or
// everything on the machine. Exactly one of the three is set.
type Target struct {
	Command []string
	PIDs    []int
	System  bool
}

// Validate says whether exactly one kind of target was chosen.
func (t Target) Validate() error {
	kinds := 0
	for _, set := range []bool{len(t.Command) > 0, len(t.PIDs) > 0, t.System} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		return errors.New("nothing to record: give a command after --, a process with --pid PID, or -a for the whole machine")
	case kinds > 1:
		return errors.New("give only one of: a command, --pid PID, -a")
	}
	for _, pid := range t.PIDs {
		if pid <= 0 {
			return fmt.Errorf("process ID %d: it must be a positive number", pid)
		}
	}
	return nil
}

// CallGraph is how a sampler walks the user's stack.
type CallGraph string

// The ways to walk a stack. Auto decides by what the target was compiled with.
const (
	CallGraphAuto  CallGraph = "auto"
	CallGraphFP    CallGraph = "fp"    // frame pointers: cheap, wrong for code built without them
	CallGraphDWARF CallGraph = "dwarf" // a copy of the stack's top, unwound later: right, ~10 kB a sample
)

// Settings are the user's wishes; zero values mean the sampler's default.
type Settings struct {
	Frequency  int           // samples a second and thread of CPU time
	CallGraph  CallGraph     // "" is auto
	StackBytes int           // how much stack CallGraphDWARF copies a sample
	Duration   time.Duration // 0: until the target ends or the context is done
	// Batch makes a continuous recording: a sampler that can gives the sink a
	// profile of what was seen each time this has passed. 0: one, at the end.
	Batch time.Duration
	// Times keeps when each sample was taken, to that precision, where the sampler can. 0:
	// not at all; RoughTimes: so that equal stacks still make few rows.
	Times time.Duration
	// Services has samples of the whole machine say which service their process belongs to;
	// see package service for what of a process is read. A sampler that cannot does not.
	Services bool
	// Statements has samples say which SQL statement they belong to, without its values, where
	// the sampler can see that.
	Statements bool
	// OffCPU also records where threads wait, and for how long, where the sampler can.
	OffCPU bool
	// Branches follows the conditional jumps of hot loops of a command for some milliseconds
	// each, where the sampler can.
	Branches bool
}

// RoughTimes are slices of ten milliseconds at first, which double with the length of a
// recording.
const RoughTimes time.Duration = -1

// Phase is a stage of a recording, for whoever shows progress.
type Phase string

// The phases, in their order.
const (
	PhaseStarting  Phase = "starting" // the target does not run yet
	PhaseRecording Phase = "recording"
	PhaseReading   Phase = "reading the samples"
	PhaseNaming    Phase = "naming functions"
	PhaseSending   Phase = "sending"
	PhaseWriting   Phase = "writing"
)

// Progress is one report of a recording under way. Bytes is what the sampler
// has gathered so far, 0 where it cannot tell.
type Progress struct {
	Phase   Phase
	Elapsed time.Duration
	Bytes   int64
	// Notes are, when PhaseRecording begins, facts about this recording that change how
	// to read it. A recording that has an end has them in its Outcome, too.
	Notes []string
}

// Request is one recording to make.
type Request struct {
	Target   Target
	Settings Settings
	Dir      string // where a command runs, "" for this process's
	// Env are assignments that a command's environment has beside this process's.
	Env []string
	// Exact may be nil. It tells of which processes the times of samples are to be exact: since
	// Outcome.From, or where Settings.Times is a precision, since the epoch. It is asked for
	// each sample.
	Exact func(pid uint32) bool
	// Streams are given to the command as they are; nil ones are the process's own.
	Streams command.Streams
	// TempDir is a private directory that the caller removes; "" where batches are taken
	// as they come and nothing is kept.
	TempDir string
	// CacheDir is where a sampler may keep what it learned of binaries for the next
	// recording, "" nowhere.
	CacheDir string
	// Progress may be nil. It is called from one goroutine at a time.
	Progress func(Progress)
	// Executable may be nil. A continuous recording tells it of each binary with
	// samples and a GNU build ID, once a batch for as long as it returns true. It is
	// called from one goroutine at a time, and must not block.
	Executable func(Executable) (again bool)
}

// Environ is the environment of a command, nil for this process's own.
func (r *Request) Environ() []string {
	if len(r.Env) == 0 {
		return nil
	}
	return environ.Set(os.Environ(), r.Env...)
}

// Executable is a binary that had samples.
type Executable struct {
	BuildID string // GNU, in lower-case hex
	Path    string // as its processes have it
	PID     int    // a process that runs it, or did a moment ago
	// File gives the file as it was when it was loaded, although it may have been
	// replaced since; who called it closes it. It is nil where the sampler does not
	// have it. It is called at most once, before Request.Executable returns.
	File func() *os.File
}

// BinariesDir is where a sampler leaves copies of binaries that can no longer be
// found at their paths, under those paths. It need not exist, and there is none, "",
// without a TempDir.
func (r *Request) BinariesDir() string {
	if r.TempDir == "" {
		return ""
	}
	return filepath.Join(r.TempDir, "binaries")
}

// CacheDir is where those who record keep what they learned of binaries: the service's
// own directory (systemd.exec(5)), that of the machine for root, else the user's. Root's
// does not depend on HOME, which may be that of the user who called sudo. "" means that
// there is none.
func CacheDir() string {
	if dir, _, _ := strings.Cut(os.Getenv("CACHE_DIRECTORY"), ":"); filepath.IsAbs(dir) {
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/cache/whyhot"
	}
	dir, err := userdir.Cache(os.Getenv)
	if err != nil {
		return ""
	}
	return dir
}

// Report calls the request's Progress if there is one.
func (r *Request) Report(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}

// Sink takes the profiles of one recording, in order. A sampler that cannot
// stream calls it once; a continuous one once a batch.
type Sink func(*profile.Profile) error

// Outcome is what is left to say after the last profile.
type Outcome struct {
	// Exit is how the command ended; nil where no command was started.
	Exit *command.Exit
	// EndedByUs is true when the command was still running at the end of the
	// recording and was told to stop.
	EndedByUs bool
	// Notes are facts about this recording that change how to read it.
	Notes []string
	// From is when exact times of samples count from.
	From time.Time
}

// Sampler is one way of recording.
type Sampler interface {
	// Name is what --sampler calls it.
	Name() string
	// Needs lists privileges, packages and kernel features.
	Needs() []string
	// CannotSee lists what will be missing from its profiles.
	CannotSee() []string
	// Available says whether the target can be recorded here and now: nil, or
	// an *UnavailableError with the remedy.
	Available(ctx context.Context, t Target) error
	// Record blocks until the recording is over and the sink has everything.
	// When ctx is done it stops recording and still delivers what there is.
	Record(ctx context.Context, r Request, sink Sink) (Outcome, error)
}

// UnavailableError says why a sampler cannot be used and the one thing to do.
type UnavailableError struct {
	Sampler string
	Missing string // the setting, capability, package or property that is missing
	Remedy  string // a command line or an instruction
}

func (e *UnavailableError) Error() string {
	if e.Remedy == "" {
		return fmt.Sprintf("%s: %s", e.Sampler, e.Missing)
	}
	return fmt.Sprintf("%s: %s\n    to fix: %s", e.Sampler, e.Missing, e.Remedy)
}

// ErrNoSamples says that the recording worked and saw no CPU time.
var ErrNoSamples = errors.New("no samples: the target used too little CPU time to be seen")

// CheckPIDs says which of the processes do not exist.
func CheckPIDs(pids []int) error {
	for _, pid := range pids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
			return fmt.Errorf("no process has ID %d", pid)
		}
	}
	return nil
}
