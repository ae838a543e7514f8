package run

import (
	"context"
	"time"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/ending"
	"whyhot/internal/trial/digest"
)

// Spec is one execution.
type Spec struct {
	Args    []string
	Env     []string // the whole environment, K=V
	Dir     string   // "" for the current one
	Stdin   string   // file given as standard input; "" for /dev/null
	Outputs []string // files whose content is compared
	Pin     []int    // CPUs the tree may use; nil for all
	// Shift moves the program's stack by up to a page: so many bytes are added to
	// the name that the kernel puts on top of it, in slashes that change nothing.
	// Scripts see that name, so theirs stays as it is.
	Shift   int
	Timeout time.Duration
	// Filter sees every line of standard output, standard error and the output
	// files and returns what of it is compared. Lines keep their line feed; one
	// longer than a megabyte comes in pieces. It is called from several goroutines
	// and must not keep or change the line. nil compares everything.
	Filter func(name string, line []byte) []byte
	// Digests asks for the digest of an output that is not the reference one. It is
	// made when the command is over.
	Digests bool
	// Watch observes the tree while it runs: which processes have the library
	// loaded and how much memory each took. It costs CPU time, so only runs that
	// are not measured ask for it.
	Watch   bool
	Library *allocator.Library
	// Load is what loads a command that is a server, nil where it ends by itself.
	Load *Load
	// Bind puts a directory elsewhere for this run, nil for none.
	Bind *Bind

	turn *turn // of several that run in slices, else nil
}

// Result is what one execution did.
type Result struct {
	Wall         time.Duration
	User, System time.Duration
	PeakRSS      int64 // bytes; 0 when not known
	MinorFaults  int64
	MajorFaults  int64

	End         ending.Ending
	LeftRunning int // descendants that outlived the command and were ended
	StderrTail  string

	Stdout  Output
	Outputs []Output // as Spec.Outputs

	Processes []Process // of a watched run

	// Number and Instructions are what package metric adds, 0 when not known.
	Number       float64
	Instructions float64
	// Simulated says that times and memory are those of a simulator.
	Simulated bool
}

// CPU is the processor time in user and kernel mode.
func (r *Result) CPU() time.Duration { return r.User + r.System }

// Output is the fingerprint of something the command wrote.
type Output struct {
	Name    string // "standard output" or the file's name
	Length  int64
	SHA256  string
	Written bool // false for a file that the command left as it was
	// FirstDifference is the offset at which it differs from the reference
	// output, -1 when it does not or nobody could tell where. Lines are the lines
	// there.
	FirstDifference int64
	Lines           Lines
	// Digest and Reference are what is kept of it and of the reference where it
	// differs and Spec.Digests asked for that, else nil.
	Digest, Reference *digest.Digest
}

// Equal compares two outputs by length and hash.
func (o Output) Equal(p Output) bool {
	return o.Length == p.Length && o.SHA256 == p.SHA256 && o.Written == p.Written
}

// Process is one program seen in a watched run.
type Process struct {
	PID     int
	Program string // path of the executable
	CPU     time.Duration
	PeakRSS int64
	Threads int // the most that were seen at a time
	State   allocator.State
	Why     string // why the library cannot be loaded, where known
}

// Runner executes commands. The real one is New; tests bring their own.
type Runner interface {
	// Run executes spec and returns its measurements. A command that fails, is
	// killed or times out is a Result; an error means that it could not be
	// started or that ctx ended, after which nothing of it is left running.
	Run(ctx context.Context, spec Spec) (*Result, error)
}
