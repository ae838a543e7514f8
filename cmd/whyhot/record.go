package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

const recordLong = `Record where CPU time goes, into a pprof file that whyhot, go tool pprof,
speedscope and others read.

Give a command (after --), running processes (--pid) or the whole machine (-a). A
command keeps its input, output and exit status; Ctrl-C stops the recording and
writes the profile so far. Where a command succeeds and uses too little CPU time for
a sample, whyhot prints a note, writes no file and exits with 0.`

const recordExample = `  whyhot record -- jq .id big.json
  whyhot record -d 30 --pid 4711
  whyhot record -a -d 10 -o machine.pb.gz`

// recordFlags are the flags as they are typed.
type recordFlags struct {
	options   session.Options
	pids      []int
	callGraph string
	repeat    string
	times     bool
	noSQL     bool
	noJumps   bool
	noWaits   bool
	otlp      otlpFlags
}

func newRecordCmd() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:     "record [flags] -- COMMAND [ARGUMENT...]",
		Short:   "Record a profile of a command, a process or the whole machine",
		Long:    recordLong + "\n\n" + samplerHelp(),
		Example: recordExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.options.Target.Command = args
			f.options.Target.PIDs = f.pids
			return runRecord(cmd, &f)
		},
	}
	flags := cmd.Flags()
	// What stands behind the command's name is the command's own.
	flags.SetInterspersed(false)
	o := &f.options
	flags.IntVarP(&o.Settings.Frequency, "frequency", "F", 0, "sample rate: samples per second per CPU (default 199, and 997 at first where the sampler can change it; 49 with -a)")
	flags.StringVar(&f.repeat, "repeat", "", "run the command `N` times into one profile; auto: until there are 1,000 samples (what it writes is written again)")
	flags.VarP((*seconds)(&o.Settings.Duration), "duration", "d", "stop after this time: 30 (seconds), 500ms, 2m; a command is then terminated")
	flags.IntSliceVar(&f.pids, "pid", nil, "record the running process `PID` (several: 12,34)")
	flags.BoolVarP(&o.Target.System, "all", "a", false, "record the whole machine")
	flags.StringVarP(&o.Output, "output", "o", "", "file to write (default whyhot-NAME.pb.gz); with --pid or -a, - is standard output")
	flags.StringVar(&o.Sampler, "sampler", session.Auto, "how to record: "+strings.Join(session.Names(), ", "))
	flags.StringVar(&f.callGraph, "call-graph", string(collect.CallGraphAuto), "how to unwind stacks: auto, fp, dwarf or dwarf,BYTES (perf)")
	flags.BoolVar(&f.times, "times", true, "keep roughly when each sample was taken, so that explain finds growing costs (eBPF)")
	flags.BoolVar(&o.Plain, "plain", false, "start the command with its environment unchanged: Lua, R, Mono and Erlang are not asked for names")
	flags.BoolVar(&f.noSQL, "no-statements", false, "do not record which SQL statements run (eBPF; without this flag, their text without its values)")
	flags.BoolVar(&f.noJumps, "no-branches", false, "do not follow conditional jumps of hot loops, which slows a command by up to a quarter of a second (eBPF)")
	flags.BoolVar(&f.noWaits, "no-off-cpu", false, "do not record where threads wait, and for how long (eBPF)")
	flags.BoolVar(&o.NoSymbols, "no-symbols", false, "keep addresses only, do not symbolise")
	flags.StringSliceVar(&o.DebugDirs, "debug-dir", nil, "also look here for debug files, by build ID")
	flags.StringVar(&f.otlp.endpoint, "otlp", "", "send the profile to `HOST:PORT`; a file is then written with -o only ("+endpointHelp+")")
	f.otlp.add(flags)
	return cmd
}

func samplerHelp() string {
	var b strings.Builder
	b.WriteString("Samplers, best first (--sampler auto uses the first that works):\n")
	for _, s := range session.Samplers() {
		fmt.Fprintf(&b, "  %s\n    needs\n", s.Name())
		for _, line := range s.Needs() {
			fmt.Fprintf(&b, "      - %s\n", line)
		}
		b.WriteString("    cannot see\n")
		for _, line := range s.CannotSee() {
			fmt.Fprintf(&b, "      - %s\n", line)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func runRecord(cmd *cobra.Command, f *recordFlags) error {
	o := &f.options
	if cmd.Flags().Changed("frequency") && o.Settings.Frequency < 1 {
		return frequencyError(o.Settings.Frequency)
	}
	if err := f.settings(); err != nil {
		return err
	}
	if o.Output == session.Stdout && xterm.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("the profile is binary: give -o FILE or pipe the output into another command")
	}
	stderr := cmd.ErrOrStderr()
	show := newRecordProgress(stderr, len(o.Target.Command) > 0)
	o.Progress, o.Ran = show.report, show.ran
	o.Chosen = func(s collect.Sampler, why string) {
		_, _ = fmt.Fprintf(stderr, "whyhot: recording with %s: %s\n", s.Name(), why)
	}
	if f.otlp.endpoint != "" {
		client, err := f.otlp.client()
		if err != nil {
			return fmt.Errorf("--otlp: %w", err)
		}
		defer func() { _ = client.Close() }() // everything was sent, or told of
		o.Deliver = func(ctx context.Context, p *profile.Profile) error { return f.otlp.deliver(ctx, client, p) }
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	result, err := session.Record(ctx, *o)
	show.clear()
	if result != nil {
		printNotes(stderr, result)
	}
	switch {
	case err == nil:
		printResult(stderr, result, f)
	case tooShort(result, err):
		_, _ = fmt.Fprintf(stderr, "whyhot: note: %s\n", tooShortText(result.Path, f))
		return nil
	}
	return commandError(result, err, ctx.Err() != nil)
}

// seconds is a duration that may be typed as a plain number.
type seconds time.Duration

func (s *seconds) Set(text string) error {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New("must be a time above zero, such as 30, 500ms or 2m")
	}
	*s = seconds(d)
	return nil
}

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (*seconds) Type() string { return "time" }

func (f *recordFlags) settings() error {
	s := &f.options.Settings
	s.Services = true // of the whole machine
	s.Statements, s.Branches, s.OffCPU = !f.noSQL, !f.noJumps, !f.noWaits
	if f.times {
		s.Times = collect.RoughTimes
	}
	switch n, err := strconv.Atoi(f.repeat); {
	case f.repeat == "":
	case f.repeat == session.Auto:
		f.options.Repeat = session.RepeatAuto
	case err != nil || n < 1:
		return fmt.Errorf("invalid --repeat %q: must be auto or a number above 0", f.repeat)
	default:
		f.options.Repeat = n
	}
	if s.Frequency < 0 || s.Frequency > maxFrequency {
		return frequencyError(s.Frequency)
	}
	kind, size, sized := strings.Cut(f.callGraph, ",")
	s.CallGraph = collect.CallGraph(kind)
	switch s.CallGraph {
	case collect.CallGraphAuto, collect.CallGraphFP, collect.CallGraphDWARF:
	default:
		return fmt.Errorf("--call-graph %s: must be auto, fp, dwarf or dwarf,BYTES", f.callGraph)
	}
	if !sized {
		return nil
	}
	bytes, err := strconv.Atoi(size)
	if err != nil || s.CallGraph != collect.CallGraphDWARF || bytes < minStack || bytes > maxStack || bytes%8 != 0 {
		return fmt.Errorf("--call-graph %s: a stack copy is dwarf,BYTES with a multiple of 8 between %d and %d", f.callGraph, minStack, maxStack)
	}
	s.StackBytes = bytes
	return nil
}

func frequencyError(hz int) error {
	return fmt.Errorf("-F %d: must be between 1 and %d samples per second", hz, maxFrequency)
}

const (
	maxFrequency = 20000
	minStack     = 1024
	maxStack     = 65528 // the kernel's limit: a record is less than 64 kB
)

// commandError gives whyhot the exit status of a command that failed, or that
// could not be started; what went wrong with the recording comes first.
func commandError(r *session.Result, err error, interrupted bool) error {
	start := (*command.StartError)(nil)
	switch {
	case errors.As(err, &start):
		return &exitError{code: start.Code, err: err}
	case r == nil || r.Exit == nil || !r.Exit.Failed() || r.EndedByUs:
		return err
	case err != nil:
		return &exitError{code: r.Exit.Status(), err: fmt.Errorf("%w; the command itself: %s", err, r.Exit)}
	case interrupted:
		return &exitError{code: r.Exit.Status(), err: fmt.Errorf("interrupted, and the command with it (%s); the profile has the samples until then", r.Exit)}
	}
	return &exitError{code: r.Exit.Status(), err: fmt.Errorf("the command failed: %s; the profile has the samples until then", r.Exit)}
}

// tooShort says that a command succeeded, by itself, and used too little CPU time to be
// seen. Whether one of a few milliseconds has a sample is chance, on which no exit status
// should depend.
func tooShort(r *session.Result, err error) bool {
	return errors.Is(err, collect.ErrNoSamples) && r != nil && r.Exit != nil && !r.Exit.Failed() && !r.EndedByUs
}

func tooShortText(path string, f *recordFlags) string {
	text := collect.ErrNoSamples.Error() + "; no profile is written"
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		text += fmt.Sprintf(" (%s is from an earlier recording)", path)
	}
	if f.options.Repeat == 0 {
		text += "; " + repeatHint(f.options.Target.Command)
	}
	return text
}

// repeatHint says how a short command has more samples.
func repeatHint(command []string) string {
	words := append([]string{programName, "record", "--repeat", session.Auto, "--"}, command...)
	return "where the command may be run several times: " + term.CommandLine(words)
}

func printNotes(w io.Writer, r *session.Result) {
	for _, note := range r.Notes {
		_, _ = fmt.Fprintf(w, "whyhot: %s\n", note)
	}
}

// adviceLines is how many binaries without names are listed.
const adviceLines = 3

// fewSamples is from how many samples on nothing is said of their number: a share of 10%
// is known to 4.2 points then.
const fewSamples = 200

// fewText says what to do about few samples, "" where there are enough.
func fewText(r *session.Result, f *recordFlags) string {
	if r.Samples >= fewSamples {
		return ""
	}
	text := fmt.Sprintf("few samples: a share of 10%% is known to ± %.0f points; ", 100*finding.ShareError(0.1, r.Samples))
	switch command := f.options.Target.Command; {
	case len(command) == 0:
		return text + "record for longer (-d), or more often (-F 997)"
	case f.options.Repeat == 0:
		return text + repeatHint(command)
	}
	return text + "give the command more work, or record more often (-F 4999)"
}

func printResult(w io.Writer, r *session.Result, f *recordFlags) {
	server := f.otlp.endpoint
	var b strings.Builder
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "whyhot: note: %s\n", warning)
	}
	for _, text := range []string{term.StartupText(r.Profile), fewText(r, f)} {
		if text != "" {
			fmt.Fprintf(&b, "whyhot: note: %s\n", text)
		}
	}
	for i, advice := range r.Unnamed {
		if i == adviceLines {
			fmt.Fprintf(&b, "whyhot: … and %d more without names\n", len(r.Unnamed)-i)
			break
		}
		fmt.Fprintf(&b, "whyhot: no names: %s\n", advice)
	}
	b.WriteString("whyhot: ")
	if r.Runs > 1 {
		fmt.Fprintf(&b, "ran %d times, ", r.Runs)
	}
	fmt.Fprintf(&b, "%s in %s", quantity.Samples(r.Samples), quantity.Duration(r.Duration))
	if r.Lost > 0 {
		fmt.Fprintf(&b, ", %s lost", quantity.Count(int64(r.Lost)))
	}
	if server != "" {
		fmt.Fprintf(&b, ", sent to %s", server)
	}
	switch r.Path {
	case "":
		b.WriteString("\n")
	case session.Stdout:
		fmt.Fprintf(&b, ", %s\n", quantity.Bytes(float64(r.Size)))
	default:
		name := term.Quote(r.Path)
		fmt.Fprintf(&b, " → %s (%s)\nnext:  whyhot explain %s\n       whyhot top %s\n", r.Path, quantity.Bytes(float64(r.Size)), name, name)
	}
	_, _ = io.WriteString(w, b.String())
}
