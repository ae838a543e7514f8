// Package hunt goes from a command line to changes that are proved, without a
// person.
//
// It owns the way: the recording, what of the findings can be tried, the race that
// says what is worth a proof (hunt/race), the proof on rounds that nobody has seen
// before, the combination of what won, and what is kept of it all, so that a hunt
// that was interrupted goes on and a later one starts from what is known. It takes a
// Request (data) and tells a Listener how far it is. It gives a Result that nobody
// has to finish.
//
// It must never import report, nor know of flags and terminals.
package hunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/collect/command"
	"whyhot/internal/explain"
	"whyhot/internal/hunt/keep"
	"whyhot/internal/trial"
	"whyhot/internal/trial/experiment"
	"whyhot/internal/trial/rebuild"
)

// Level is the confidence with which everything that a hunt calls proved, and the
// combination of it, is faster: the chance that anything of it is not is 5%.
const Level = 0.95

// What of that 5% the proofs may spend, and what the combination.
const (
	proofAlpha       = 0.04
	combinationAlpha = 0.01
)

// Request is a hunt.
type Request struct {
	Command []string
	Suite   string // file of benchmarks, in place of Command
	Only    string // regular expression for names of benchmarks

	Directory string
	Env       []string
	Stdin     string // file given to every run, "" for none

	Build    rebuild.Options // without a command, nothing is built
	BuildDir string          // with the compile_commands.json, "" for none
	Check    string          // command for the shell that has to succeed with every change

	Metric        trial.MetricChoice
	Ignore        []string
	Outputs       []string
	IgnoreFailure bool
	Pin           []int
	Timeout       time.Duration

	Budget time.Duration
	Rules  explain.Rules
	Again  bool   // measure also what is known from earlier hunts, and begin anew
	State  string // directory for what is kept, "" for the user's usual one
	Apply  bool   // write the patches that are proved
	// Version of this program, for the archive.
	Version string
}

// Listener is told how far a hunt is.
type Listener interface {
	experiment.Listener

	// Stage says what begins now, and how much of the budget is left.
	Stage(text string, left time.Duration)
}

// InterruptedError says that somebody ended the hunt, which can go on.
type InterruptedError struct{ Stage string }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted while %s: the same command goes on from here", e.Stage)
}

// check finds what is wrong with a request before anything is done.
func (r *Request) check() error {
	switch {
	case r.Suite == "" && len(r.Command) == 0:
		return errors.New("missing command: give it after --, as in: whyhot hunt -- COMMAND")
	case r.Suite != "" && len(r.Command) > 0:
		return errors.New("--suite names the commands: give none after --")
	case r.Suite == "-":
		return errors.New("a hunt reads the suite more than once: keep it in a file")
	case r.Budget <= 0:
		return errors.New("--budget is a time above 0, for example 30m")
	case r.BuildDir != "" && r.Build.Command == "":
		return errors.New("-p says where the source is; to try what is found there, say how the program is built with --build, for example --build 'make -j2'")
	case r.Apply && r.Build.Command == "":
		return errors.New("--apply writes patches of the source: say how the program is built with --build")
	}
	return nil
}

// findProgram finds the program of the command before anything is announced or kept. It
// runs before it is built for the first time, so a build does not provide it.
func (r *Request) findProgram() error {
	if r.Suite != "" {
		return nil
	}
	_, err := command.FindIn(r.Directory, r.Env, r.Command[0])
	if err != nil && r.Build.Command != "" {
		return fmt.Errorf("%w; build the program before the hunt", err)
	}
	return err
}

// name is how people call what is hunted.
func (r *Request) name() []string {
	if r.Suite != "" {
		return []string{r.Suite}
	}
	return r.Command
}

// stateDir is where the hunt is kept: the same request finds it again.
func (r *Request) stateDir() (string, error) {
	if r.State != "" {
		return filepath.Abs(r.State)
	}
	words := append([]string{r.Directory, r.Suite, r.Only, r.Build.Command, r.Build.Root, r.BuildDir, r.Check, r.Metric.Name, r.Metric.Pattern, r.Stdin}, r.Command...)
	return keep.Default(os.Getenv, words...)
}

// Run carries out a hunt. When ctx ends, what is known is kept and the error is an
// *InterruptedError; the same request goes on from there. The result may come with
// an error.
func Run(ctx context.Context, r Request, l Listener) (*Result, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(r.Directory)
	if err != nil {
		return nil, fmt.Errorf("the current directory: %w", err)
	}
	r.Directory = dir
	if err := r.findProgram(); err != nil {
		return nil, err
	}
	h, err := prepare(ctx, r, l)
	if err != nil {
		return nil, err
	}
	defer h.close()
	h.bench = newMachine(h)
	return h.run(ctx)
}

// prepare opens the place of the hunt, with what an interrupted one has left there.
func prepare(ctx context.Context, r Request, l Listener) (*hunt, error) {
	path, err := r.stateDir()
	if err != nil {
		return nil, err
	}
	dir, err := keep.Open(path)
	if err != nil {
		return nil, err
	}
	h := &hunt{request: r, listener: l, dir: dir, now: time.Now}
	h.mark = h.now()
	if err := h.open(ctx); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// hunt is one on its way.
type hunt struct {
	request  Request
	listener Listener
	dir      *keep.Dir
	state    state
	bench    bench
	now      func() time.Time
	mark     time.Time // until when the time is counted
	subject  subject
}

func (h *hunt) close() { _ = h.dir.Close() } // the kernel gives it free anyway

// spent is the time that the hunt has taken, over all its processes.
func (h *hunt) spent() time.Duration { return h.state.Spent + h.now().Sub(h.mark) }

func (h *hunt) left() time.Duration { return max(0, h.request.Budget-h.spent()) }

// leftUntil is the time until a share of the budget is spent.
func (h *hunt) leftUntil(share float64) time.Duration {
	return time.Duration(share*float64(h.request.Budget)) - h.spent()
}

// save keeps what is known now.
func (h *hunt) save() error {
	now := h.now()
	h.state.Spent += now.Sub(h.mark)
	h.mark = now
	return h.dir.Save(&h.state)
}

func (h *hunt) stagef(format string, args ...any) {
	h.state.Doing = fmt.Sprintf(format, args...)
	h.listener.Stage(h.state.Doing, h.left())
}

// run takes the steps that are still to be taken.
func (h *hunt) run(ctx context.Context) (*Result, error) {
	for _, step := range []struct {
		phase phase
		do    func(context.Context) error
	}{{phaseLook, h.look}, {phaseRace, h.race}, {phaseProof, h.prove}, {phaseCombine, h.combine}, {phaseKeep, h.keep}} {
		if h.state.Phase > step.phase {
			continue
		}
		h.state.Phase = step.phase
		err := step.do(ctx)
		if err == nil {
			h.state.Phase = step.phase + 1
		}
		if saveErr := h.save(); saveErr != nil {
			return h.result(), errors.Join(err, saveErr)
		}
		if ctx.Err() != nil && err != nil {
			return h.result(), &InterruptedError{h.state.Doing}
		}
		if err != nil {
			return nil, err
		}
	}
	result := h.result()
	if h.request.Apply {
		if err := h.apply(ctx, result); err != nil {
			return result, err
		}
	}
	return result, nil
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func listed(names []string) string { return strings.Join(names, ", ") }
