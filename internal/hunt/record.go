package hunt

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/run"
)

const (
	profileName = "profile.pb.gz"
	recording   = "recording"
)

// first runs the command for the first time: how long it takes, what it writes into the
// tree, and what decides.
func (h *hunt) first(ctx context.Context, lines []line) (cpu time.Duration, err error) {
	// Before anything is announced: what is announced may be written into a file of the
	// tree (hunt >log), which is no part of the program either.
	h.state.Doing = recording
	before, err := h.request.stamps(ctx)
	if err != nil {
		return 0, err
	}
	h.stagef(recording)
	watch := noise.Start()
	h.state.Run, cpu, err = h.once(ctx, lines)
	if err != nil {
		return 0, err
	}
	h.decide(watch.Busy(cpu))
	// What the command wrote into the tree is there now, and is no part of what is
	// built from it.
	after, err := h.request.stamps(ctx)
	if err != nil {
		return 0, err
	}
	h.state.Products = after.Since(before)
	h.request.Build.Products = h.state.Products
	h.subject, err = h.request.subjectOf(ctx, h.state.Products)
	h.state.Subject = h.subject
	return cpu, err
}

// decide has CPU time decide where others keep the machine busy and nobody has said
// what does: a process that waits for a CPU takes longer, and how long is chance.
func (h *hunt) decide(busy float64) {
	const share = 0.5
	if h.request.Metric.Given() || h.request.Suite != "" || busy < share*float64(runtime.NumCPU()) {
		return
	}
	h.state.Metric = string(trial.CPU)
	h.request.Metric.Name = h.state.Metric
	text := fmt.Sprintf("other processes keep %.1f of %d CPUs busy, so CPU time decides (--metric wall: elapsed time)", busy, runtime.NumCPU())
	h.state.notef("%s", text)
	h.listener.Remark(text)
}

// line is a command as the recording runs it.
type line struct {
	args  []string
	env   []string
	dir   string
	stdin string
}

func (h *hunt) lines() ([]line, error) {
	r := &h.request
	if r.Suite != "" {
		return h.suiteLines()
	}
	return []line{{args: r.Command, env: r.Env, dir: r.Directory, stdin: r.Stdin}}, nil
}

// once runs everything once and says how long it takes. A command that fails is not
// worth hunting.
func (h *hunt) once(ctx context.Context, lines []line) (wall, cpu time.Duration, err error) {
	runner, err := run.New()
	if err != nil {
		return 0, 0, err
	}
	defer runner.Close()
	for _, l := range lines {
		r, err := runner.Run(ctx, run.Spec{Args: l.args, Env: l.env, Dir: l.dir, Stdin: l.stdin, Pin: h.request.Pin, Timeout: h.request.Budget})
		if err != nil {
			return 0, 0, err
		}
		if r.End.Failed() && !h.request.IgnoreFailure || r.End.Limit > 0 {
			text := r.StderrTail
			if text != "" {
				text = "; its last words:\n" + text
			}
			hint := ""
			if r.End.Limit == 0 && r.End.Signal == 0 {
				hint = " (where that is its usual status: --ignore-failure)"
			}
			return 0, 0, fmt.Errorf("%s: %s%s%s", shellwords.Join(l.args), r.End.String(), hint, text)
		}
		wall += r.Wall
		cpu += r.User + r.System
	}
	return wall, cpu, nil
}

// buildPlain builds the program as it is: what that takes says which other builds the
// budget has room for.
func (h *hunt) buildPlain(ctx context.Context, lines []line) error {
	h.stagef("building it as it is")
	until := h.now().Add(h.left())
	plain, err := h.bench.plain(ctx, lines[0].args, until)
	if err != nil && ctx.Err() == nil && h.now().After(until) {
		return fmt.Errorf("the build alone takes longer than --budget %s: %w", h.request.Budget, err)
	}
	if err != nil {
		return err
	}
	h.state.Build, h.state.Level, h.state.Has = plain.Took, plain.Level, plain.Has
	h.state.Compilers, h.state.NoCounts = plain.Families, plain.NoCounts != ""
	if plain.NoCounts != "" {
		h.state.notef("no instrumented PGO: %s", plain.NoCounts)
	}
	return nil
}

// times is how often the recording runs the command: for enough CPU time to judge by,
// but not for more than a part of the budget.
func (h *hunt) times(cpu time.Duration) int {
	const wanted, most, part = 3 * time.Second, 500, 12
	n := int(wanted/max(cpu, time.Millisecond)) + 1
	room := int(h.request.Budget / part / max(h.state.Run, time.Millisecond))
	return max(1, min(n, most, room))
}

// record makes a profile of the command, which runs as often as it takes to have
// samples.
func (h *hunt) record(ctx context.Context, lines []line, times int) error {
	script := h.dir.Path("record.sh")
	if err := wholefile.Write(script, 0o600, wholefile.Bytes([]byte(scriptOf(lines, times)))); err != nil {
		return fmt.Errorf("preparing the recording: %w", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	_, err = session.Record(ctx, session.Options{
		Target: collect.Target{Command: []string{"/bin/sh", script}}, Sampler: session.Auto,
		Settings: collect.Settings{Frequency: 499},
		Streams:  command.Streams{In: null, Out: null, Err: null},
		Output:   h.dir.Path("raw-" + profileName),
		Deliver: func(_ context.Context, p *profile.Profile) error {
			p.Meta.Command = h.request.name()
			return wholefile.Write(h.dir.Path(profileName), 0o600, func(f *os.File) error { return pprof.Write(f, p) })
		},
	})
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// scriptOf runs the commands one after the other, several times.
func scriptOf(lines []line, times int) string {
	var b strings.Builder
	b.WriteString("i=0\nwhile [ $i -lt " + strconv.Itoa(times) + " ]; do\n")
	for _, l := range lines {
		in := l.stdin
		if in == "" {
			in = os.DevNull
		}
		fmt.Fprintf(&b, "(cd %s && %s <%s >/dev/null 2>&1)\n", shellwords.Quote(l.dir), shellwords.Join(l.args), shellwords.Quote(in))
	}
	b.WriteString("i=$((i+1))\ndone\n")
	return b.String()
}
