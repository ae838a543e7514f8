package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/collect/count"
	"whyhot/internal/explain/repetition"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

const countLong = `Run a command once more and count its system calls: how often each was made, how
many bytes it moved, how many failed, and how many different paths were named.

With --calls, also count calls of functions: those that the recording shows to make
something (a template, an expression, a client), and how many different arguments
they have. Functions of C, C++, Rust and Go are counted by uprobes, those of Python,
Ruby, JavaScript, Perl, PHP and Java inside of what runs them, which makes the run
slower. Of these, all that are hot in the recording are counted, and what they are
given and give is looked at.

With --profile, the numbers are added to a recording of the same command, where
"whyhot explain" uses them: which calls are small, and whether files are looked
up that are the same each time.

Paths and arguments are told apart by a hash; neither they nor any data are kept.
While it runs, each system call of the machine takes a little longer.`

const countExample = `  whyhot count -- ./app input
  whyhot count --profile app.pb.gz -- ./app input
  whyhot count --calls --profile app.pb.gz -- ./app input
  whyhot count --json -d 5 -- ./server`

type countFlags struct {
	options count.Options
	calls   bool
	profile string
	json    bool
}

func newCountCmd() *cobra.Command {
	var f countFlags
	cmd := &cobra.Command{
		Use: "count [flags] -- COMMAND [ARGUMENT...]", Short: "Count the system calls of a command in a run of its own",
		Long: countLong, Example: countExample, Args: cobra.MinimumNArgs(1),
		RunE: f.run,
	}
	cmd.Flags().SetInterspersed(false)
	var g grouped
	g.add(cmd, "Run", func(fl *pflag.FlagSet) {
		fl.VarP((*seconds)(&f.options.Most), "duration", "d", "end the command after this time: 30 (seconds), 500ms, 2m")
	})
	g.add(cmd, "Functions", func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.calls, "calls", false, "also count calls of the functions that are hot in the recording, or make something on each call")
	})
	g.add(cmd, "Output", func(fl *pflag.FlagSet) {
		fl.StringVar(&f.profile, "profile", "", "add the numbers to the recording in `FILE`, which whyhot record wrote")
		fl.BoolVar(&f.json, "json", false, "write the numbers as JSON (docs/count.schema.json)")
	})
	g.use(cmd, "")
	return cmd
}

func (f *countFlags) run(cmd *cobra.Command, args []string) error {
	var recorded *profile.Profile
	if f.profile != "" {
		var err error
		if recorded, err = loadProfile(cmd, f.profile, loadFlags{noSymbols: true}); err != nil {
			return err
		}
		if !recorded.Meta.Recorded {
			return fmt.Errorf("--profile %s: not a recording of whyhot; record the command with: whyhot record -- COMMAND", f.profile)
		}
	}
	if f.calls && recorded == nil {
		return fmt.Errorf("--calls: missing --profile, which says which functions are worth counting")
	}
	temp, err := os.MkdirTemp("", "whyhot-count-")
	if err != nil {
		return fmt.Errorf("making a directory for the run: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // nothing better can be done
	o := f.options
	o.Command, o.TempDir = args, temp
	var left []string
	if f.calls {
		if o.Functions, left = countable(recorded); len(o.Functions) == 0 && len(left) == 0 {
			left = []string{fmt.Sprintf("whyhot's rules find no function in %s that makes a template, an expression, a client or the like and takes %.0f%% of the CPU or more", f.profile, 100*repetition.CandidateShare)}
		}
	}
	if f.json { // the standard output is for the numbers
		o.Streams.Out = os.Stderr
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM)
	defer stop()
	r, err := count.Run(ctx, o)
	if err != nil {
		return err
	}
	r.NotCounted = append(left, r.NotCounted...)
	if r.Exit.Failed() && !r.Ended {
		return &exitError{code: r.Exit.Status(), err: fmt.Errorf("the command failed: %s; nothing was added to a profile", r.Exit.Ending)}
	}
	if recorded != nil {
		if len(r.Calls) > 0 { // none where the kernel denies counting
			recorded.Meta.Calls = r.Calls
		}
		if f.calls {
			recorded.Meta.Functions = r.Functions
		}
		if err := wholefile.Write(f.profile, 0o644, func(w *os.File) error { return pprof.Write(w, recorded) }); err != nil {
			return fmt.Errorf("adding to %s: %w", f.profile, err)
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r.Report(args))
	}
	p := term.New(cmd.OutOrStdout(), os.Environ())
	if f.calls {
		printFunctions(p, r)
		p.Line()
	}
	if len(r.Calls) > 0 {
		printCalls(p, r)
	}
	if recorded != nil {
		sayLine(cmd.ErrOrStderr(), "whyhot: added to "+f.profile+"\nnext:  whyhot explain "+term.Quote(f.profile))
	}
	return p.Err()
}

func printCalls(p *term.Printer, r *count.Result) {
	t := term.Table{Columns: []term.Column{
		{Title: "calls", Right: true}, {Title: "a second", Right: true}, {Title: "bytes each", Right: true}, {Title: "failed", Right: true}, {Title: "system call"},
	}}
	paths, named := uint64(0), uint64(0)
	for _, c := range r.Calls {
		each, failed := "", ""
		if c.Bytes > 0 {
			each = fmt.Sprintf("%.0f", float64(c.Bytes)/float64(max(c.Count-c.Failed, 1)))
		}
		if c.Failed > 0 {
			failed = quantity.Count(int64(c.Failed)) //nolint:gosec // a count
		}
		perSecond := int64(float64(c.Count) / max(r.Elapsed.Seconds(), 1e-3))
		t.Add(term.Cell{Text: quantity.Count(int64(c.Count))}, term.Cell{Text: quantity.Count(perSecond)}, term.Cell{Text: each}, term.Cell{Text: failed}, term.Cell{Text: c.Name}) //nolint:gosec // a count
		if c.Paths > 0 {
			paths, named = c.Paths, named+c.Count
		}
	}
	t.Print(p)
	if paths > 0 {
		more := ""
		if r.Full {
			more = " or more"
		}
		p.Line()
		p.Line(fmt.Sprintf("%s calls named a path: %s%s different paths, %s calls each", quantity.Count(int64(named)), quantity.Count(int64(paths)), more, //nolint:gosec // counts
			strings.TrimSuffix(fmt.Sprintf("%.1f", float64(named)/float64(paths)), ".0")))
	}
}
