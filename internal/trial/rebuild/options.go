package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/trial/rebuild/bolt"
	"whyhot/internal/trial/rebuild/cache"
	"whyhot/internal/trial/rebuild/wrapper"
	"whyhot/internal/trial/run"
)

// Options are the user's wishes.
type Options struct {
	Command string   // the build, a line for the shell
	Root    string   // the tree that is copied
	Dir     string   // where Command and Run are run, in Root
	Run     []string // the measured command
	Train   []string // lines for the shell; none to train with Run
	Env     []string
	Stdin   string // of Run, "" for none

	Work    string // directory for the copies, "" for the system's temporary one
	Keep    bool   // leave the copies
	Exclude []string
	WithVCS bool
	// Products are files in Root, by their paths from there, that the measured command
	// writes: what a build is kept for does not depend on them.
	Products []string

	Compiler    string // for all C and C++, "" for the build's own
	OnlyDir     string // relative to Root
	BoltBinary  string // relative to Root, "" for the one that Run starts
	BoltProfile BoltProfile
	Timeout     time.Duration // of one build, 0 for none
	Until       time.Time     // no command runs beyond it; zero for no such end
	Jobs        int           // builds at once, 0 for as many as suit the machine
	Cache       *cache.Cache  // of builds, nil to keep none; not used with Work or Keep

	Runner run.Runner
	// Sample counts where a program spends its time while a command runs; nil
	// where that is not possible.
	Sample func(ctx context.Context, job SampleJob) (bolt.Samples, error)
	// Feedback records a command as Sample does, and writes what the compilers of a
	// family read of it; nil where that is not possible.
	Feedback func(ctx context.Context, job SampleJob, family wrapper.Family, to string) (used int64, err error)
	Progress func(Step)
}

// BoltProfile is where BOLT's knowledge comes from.
type BoltProfile string

// The sources.
const (
	BoltAuto       BoltProfile = "auto"       // the best that works here
	BoltInstrument BoltProfile = "instrument" // a copy of the program counts
	BoltSample     BoltProfile = "sample"     // our own recorder
)

// SampleJob is a command to sample.
type SampleJob struct {
	Program string // whose addresses are wanted
	Args    []string
	Env     []string
	Dir     string
	Stdin   string
}

// Step is what is being done.
type Step struct {
	Name string // "baseline" or a variant's
	What string // "copy", "kept" (it was built before), "build", "instrument", "train", "optimise"
	N    int    // from 1
	Of   int
}

// Error is a step that failed in the user's own commands.
type Error struct {
	Side string // "baseline" or the variant's name
	Step string
	Why  string
	Log  string // file with everything that the step wrote
	Tail string // its end

	end ending.Ending // of the command, where one ran
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s of %s: %s", e.Step, e.Side, e.Why)
	if e.Tail != "" {
		text += "; the end of its output:\n" + e.Tail
	}
	if e.Log != "" {
		text += "\n(all of it: " + e.Log + ")"
	}
	return text
}

// Line is the error on one line, with the line of the output that tells most.
func (e *Error) Line() string {
	text := fmt.Sprintf("%s: %s", e.Step, e.Why)
	if line := telling(e.Tail); line != "" {
		text += ": " + line
	}
	if e.Log != "" {
		text += " (the whole output is in " + e.Log + ")"
	}
	return text
}

// telling is the first line that names an error, or the last one.
func telling(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	for _, l := range lines {
		if low := strings.ToLower(l); strings.Contains(low, "error") || strings.Contains(low, "undefined reference") || strings.Contains(low, "fatal") {
			return strings.TrimSpace(l)
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// check refuses what cannot work, before anything is copied.
func (o *Options) check() error {
	switch {
	case o.Command == "":
		return errors.New("no build command: give one with --build, for example --build 'make -j2'")
	case o.Jobs < 0:
		return errors.New("--build-jobs: a number of builds that run at once, or 0 for as many as suit the machine")
	case len(o.Run) == 0:
		return errors.New("no command to measure: give it with --run, for example --run './bench input', or after --")
	}
	switch o.BoltProfile {
	case BoltAuto, BoltInstrument:
	case BoltSample:
		if o.Sample == nil {
			return errors.New("--bolt-profile sample: no sampler works here")
		}
	default:
		return fmt.Errorf("--bolt-profile %s: must be auto, instrument or sample", o.BoltProfile)
	}
	for name, rel := range map[string]string{"--only-dir": o.OnlyDir, "--bolt-binary": o.BoltBinary} {
		if rel != "" && !filepath.IsLocal(rel) {
			return fmt.Errorf("%s %s: must be a path in the tree, relative to its top", name, rel)
		}
	}
	if o.OnlyDir != "" {
		if info, err := os.Stat(filepath.Join(o.Root, o.OnlyDir)); err != nil || !info.IsDir() {
			return fmt.Errorf("--only-dir %s: no such directory in %s", o.OnlyDir, o.Root)
		}
	}
	return nil
}

// workDir makes the directory for everything.
func (o *Options) workDir() (string, error) {
	parent := o.Work
	if parent == "" {
		parent = os.TempDir()
	}
	parent, err := filepath.Abs(parent)
	if err == nil {
		// The wrappers compare with physical paths.
		parent, err = filepath.EvalSymlinks(parent)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("--work %s: no such directory", o.Work)
	}
	if err != nil {
		return "", fmt.Errorf("a directory for the copies: %w", err)
	}
	dir, err := os.MkdirTemp(parent, "whyhot-try-")
	if err != nil {
		return "", fmt.Errorf("a directory for the copies: %w", err)
	}
	return dir, nil
}
