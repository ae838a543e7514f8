package count

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
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

// Run runs the command and counts its calls.
func Run(ctx context.Context, o Options) (*Result, error) {
	if runtime.GOARCH != "amd64" {
		return nil, &collect.UnavailableError{Sampler: "count", Missing: "system calls are counted on x86-64 only"}
	}
	m, detach, err := attach()
	if err != nil {
		return nil, err
	}
	defer m.close()
	defer detach()
	own, err := ownNamespace()
	if err != nil {
		return nil, err
	}
	probes, err := attachFunctions(m, own, slices.DeleteFunc(slices.Clone(o.Functions), func(f Function) bool { return f.Symbol == "" || f.Timed }))
	if err != nil {
		return nil, err
	}
	defer probes.close()
	timers, err := attachTimers(m, own, slices.DeleteFunc(slices.Clone(o.Functions), func(f Function) bool { return f.Symbol == "" || !f.Timed }))
	if err != nil {
		return nil, err
	}
	defer timers.close()
	var within []inside.Function
	for _, f := range o.Functions {
		if f.Inside != nil {
			within = append(within, *f.Inside)
		}
	}
	interpreters, err := inside.Prepare(o.TempDir, within)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	p, err := command.Start(command.Options{Args: o.Command, Dir: o.Dir, Env: interpreters.Environment, Streams: o.Streams, HoldDir: o.TempDir})
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	if err := m.processes.Put(uint32(p.PID()), uint64(1)); err != nil { //nolint:gosec // process numbers are positive
		p.Kill()
		return nil, fmt.Errorf("naming the process to the kernel: %w", err)
	}
	begin := time.Now()
	if err := p.Release(); err != nil {
		p.Kill()
		return nil, err //nolint:wrapcheck // it says what it is about
	}
	r := &Result{}
	r.Ended = wait(ctx, p, o.Most)
	r.Exit, r.Elapsed = p.Exit(), time.Since(begin)
	detach()
	probes.detach()
	timers.detachAll()
	if err := r.read(m); err != nil {
		return nil, err
	}
	if err := r.readFunctions(probes, timers, interpreters); err != nil {
		return nil, err
	}
	return r, nil
}

// readFunctions reads how often functions were called.
func (r *Result) readFunctions(p *probes, t *timers, interpreters *inside.Run) (err error) {
	if r.Functions, err = p.read(); err != nil {
		return err
	}
	timed, err := t.read()
	if err != nil {
		return err
	}
	r.Functions = append(r.Functions, timed...)
	counted, err := interpreters.Read()
	if err != nil {
		return err //nolint:wrapcheck // it says what it is about
	}
	r.Functions, r.NotCounted, r.Ways = append(r.Functions, counted.Functions...), append(p.failed, counted.NotCounted...), counted.Ways
	if len(t.failed) > 0 {
		r.NotCounted = append(r.NotCounted, strings.Join(t.failed, ", ")+": not timed: the binary has no symbol for it, or too many ways out of it")
	}
	sortFunctions(r.Functions)
	return nil
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

func attach() (m maps, detach func(), err error) {
	unavailable := func(err error) error {
		verifier := (*ebpf.VerifierError)(nil) // gives EACCES, too
		denied := errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EACCES) && !errors.As(err, &verifier)
		if !denied {
			return fmt.Errorf("counting in the kernel: %w", err) // not what a privilege would mend
		}
		un := &collect.UnavailableError{Sampler: "count", Missing: "the kernel denies counting: " + err.Error()}
		if os.Geteuid() != 0 {
			un.Remedy = "sudo whyhot count …"
		}
		return un
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return maps{}, nil, unavailable(err)
	}
	own, err := ownNamespace()
	if err != nil {
		return maps{}, nil, err
	}
	if m, err = newMaps(); err != nil {
		return maps{}, nil, unavailable(err)
	}
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "whyhot_count", Type: ebpf.RawTracepoint, Instructions: program(m, own), License: "GPL"})
	if err != nil {
		m.close()
		return maps{}, nil, unavailable(err)
	}
	l, err := link.AttachRawTracepoint(link.RawTracepointOptions{Name: "sys_exit", Program: prog})
	if err != nil {
		m.close()
		return maps{}, nil, unavailable(errors.Join(err, prog.Close()))
	}
	done := false
	return m, func() {
		if !done {
			done = true
			_, _ = l.Close(), prog.Close() // nothing better can be done
		}
	}, nil
}

// read reads the tables.
func (r *Result) read(m maps) error {
	byName := map[string]*profile.Calls{}
	var number uint32
	var perCPU []tally
	for each := m.tallies.Iterate(); each.Next(&number, &perCPU); {
		var sum tally
		for _, t := range perCPU {
			sum.Calls += t.Calls
			sum.Bytes += t.Bytes
			sum.Failed += t.Failed
			sum.Named += t.Named
		}
		if sum.Calls == 0 {
			continue
		}
		of := nameOf(int32(number)) //nolint:gosec // below mostNumbers
		c := byName[of.name]
		if c == nil {
			c = &profile.Calls{Name: of.name}
			byName[of.name] = c
		}
		c.Count += sum.Calls
		c.Failed += sum.Failed
		if of.bytes {
			c.Bytes += sum.Bytes
		}
		if of.path > 0 { // those of a descriptor are another call
			c.Count = sum.Named
			if without := sum.Calls - sum.Named; without > 0 {
				byName[of.name+" of a descriptor"] = &profile.Calls{Name: of.name + " of a descriptor", Count: without}
			}
		}
	}
	var hash, one uint64
	different := uint64(0)
	for each := m.paths.Iterate(); each.Next(&hash, &one); {
		different++
	}
	r.Full = different >= mostPaths
	for _, c := range byName {
		if c.Count == 0 {
			continue
		}
		if isPath(c.Name) {
			c.Paths = different
		}
		r.Calls = append(r.Calls, *c)
	}
	slices.SortFunc(r.Calls, func(a, b profile.Calls) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return nil
}

func isPath(name string) bool {
	return slices.ContainsFunc(calls, func(c numbered) bool { return c.name == name && c.path > 0 })
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
