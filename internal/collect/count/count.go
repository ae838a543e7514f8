package count

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/count/inside"
	"whyhot/internal/profile"
)

// Options of a run.
type Options struct {
	Command []string
	Dir     string // where it runs, "" for this process's
	Streams command.Streams
	TempDir string        // a private directory that the caller removes
	Most    time.Duration // the command is ended after this time; 0: never
	// Functions are counted besides; what cannot be is in Result.NotCounted.
	Functions []Function
}

// Result is what was counted.
type Result struct {
	Calls []profile.Calls // most frequent first
	// Functions are those that were asked for and could be counted, most frequent first.
	Functions  []profile.FunctionCalls
	NotCounted []string // why not, a sentence each
	Ways       []string // of counting inside of interpreters, as sys.setprofile of Python
	// Full: there were more different paths than were kept.
	Full    bool
	Elapsed time.Duration
	Exit    command.Exit
	Ended   bool // by us, when the time was over
}

// namespace is the name space in which processes have their numbers.
type namespace struct{ device, inode uint64 }

func ownNamespace() (namespace, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil {
		return namespace{}, fmt.Errorf("looking at the name space of processes: %w", err)
	}
	return namespace{st.Dev, st.Ino}, nil
}

// Run runs the command and counts its calls. Where the kernel denies counting, functions inside of
// interpreters are counted all the same, and what is not is in NotCounted.
func Run(ctx context.Context, o Options) (*Result, error) {
	var within []inside.Function
	for _, f := range o.Functions {
		if f.Inside != nil {
			within = append(within, *f.Inside)
		}
	}
	k, err := attachKernel(o.Functions)
	denied := (*collect.UnavailableError)(nil)
	if err != nil && (!errors.As(err, &denied) || len(within) == 0) {
		return nil, err
	}
	defer k.close()
	interpreters, err := inside.Prepare(o.TempDir, within)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	p, err := command.Start(command.Options{Args: o.Command, Dir: o.Dir, Env: interpreters.Environment, Streams: o.Streams, HoldDir: o.TempDir})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	if err := k.follow(p.PID()); err != nil {
		p.Kill()
		return nil, err
	}
	begin := time.Now()
	if err := p.Release(); err != nil {
		p.Kill()
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	r := &Result{}
	r.Ended = wait(ctx, p, o.Most)
	r.Exit, r.Elapsed = p.Exit(), time.Since(begin)
	if err := k.read(r); err != nil {
		return nil, err
	}
	counted, err := interpreters.Read()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	r.Functions, r.NotCounted, r.Ways = append(r.Functions, counted.Functions...), append(r.NotCounted, counted.NotCounted...), counted.Ways
	if denied != nil {
		r.NotCounted = append(r.NotCounted, "system calls and functions of machine code: "+denied.Missing)
	}
	sortFunctions(r.Functions)
	return r, nil
}

const grace = 200 * time.Millisecond

func wait(ctx context.Context, p *command.Process, most time.Duration) (ended bool) {
	var over <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-p.Done():
		return false
	case <-over:
	case <-ctx.Done():
	}
	p.Stop(grace)
	return true
}

// Report is the JSON form of what was counted: docs/count.schema.json.
type Report struct {
	Version int             `json:"version"`
	Command []string        `json:"command"`
	Seconds float64         `json:"seconds"`
	Full    bool            `json:"full,omitempty"`
	Calls   []profile.Calls `json:"calls"`

	Functions  []profile.FunctionCalls `json:"functions,omitempty"`
	NotCounted []string                `json:"not_counted,omitempty"`
}

// ReportVersion grows when a field changes its meaning or goes.
const ReportVersion = 1

// Report gives the JSON form.
func (r *Result) Report(command []string) Report {
	return Report{ReportVersion, command, r.Elapsed.Seconds(), r.Full, append([]profile.Calls{}, r.Calls...), r.Functions, r.NotCounted}
}
