package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whyhot/internal/collect/session"
	"whyhot/internal/explain/growth"
	"whyhot/internal/grow"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
	"whyhot/internal/report/growthview"
	"whyhot/internal/report/quantity"
	"whyhot/internal/report/term"
)

const growLong = `Runs a command at three to five sizes of its input, records each run, and lists
the lines whose CPU time grows faster than the input: with which power of the
size, and what share of the CPU time they have at ten times the largest size.

Write {n} where the size belongs in the command line and list sizes with --sizes.
For input files, list them with --input and write {input}; without it, each file
is the standard input. One input file is halved three times, by its records: text
by lines, CSV, JSON lines, JSON arrays and FASTA.

Runs are interleaved in random order, and what the command writes is discarded.
Start-up cost does not bend the exponent: it is part of what is fitted.`

const growExample = `  whyhot grow --sizes 10000,20000,40000 -- ./app {n}
  whyhot grow --input small.csv,medium.csv,large.csv -- ./app {input}
  whyhot grow --input big.jsonl -- ./app --file {input}
  whyhot grow --json --sizes 1e4,2e4,4e4 -- python3 report.py {n}
  whyhot grow --profile grown.pb.gz --html grown.html`

type growFlags struct {
	options grow.Options
	sizes   string
	profile string
	output  string
	html    string
	svg     string
	json    bool
}

func newGrowCmd() *cobra.Command {
	var f growFlags
	cmd := &cobra.Command{
		Use: "grow [flags] -- COMMAND [ARGUMENT...]", Short: "List the lines whose cost grows faster than the input",
		Long: growLong, Example: growExample, Args: cobra.ArbitraryArgs,
		RunE: f.run,
	}
	cmd.Flags().SetInterspersed(false)
	var g grouped
	g.add(cmd, "Sizes", f.what)
	g.add(cmd, "Recording", f.recorded)
	g.add(cmd, "Output", f.written)
	g.use(cmd, "")
	return cmd
}

func (f *growFlags) what(fl *pflag.FlagSet) {
	fl.StringVar(&f.sizes, "sizes", "", "the `N,N,N` that replace {n}, smallest first; with several inputs, how large each is")
	fl.StringSliceVar(&f.options.Inputs, "input", nil, "the `FILES` that replace {input}, smallest first; one file is halved")
}

func (f *growFlags) recorded(fl *pflag.FlagSet) {
	o := &f.options
	fl.IntVar(&o.Rounds, "rounds", 0, "how often each size is run (default: 5, more for short runs, fewer for long ones)")
	fl.IntVarP(&o.Frequency, "frequency", "F", grow.DefaultFrequency, "samples per second of CPU time")
	fl.StringVar(&o.Sampler, "sampler", session.Auto, "how to record: "+strings.Join(session.Names(), ", "))
	fl.StringSliceVar(&o.DebugDirs, "debug-dir", nil, "also look for debug files in `DIR`, by build ID")
}

func (f *growFlags) written(fl *pflag.FlagSet) {
	fl.BoolVar(&f.json, "json", false, "write the result as JSON (docs/grow.schema.json)")
	fl.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	fl.StringVar(&f.svg, "svg", "", "also write a chart to `FILE`")
	fl.StringVarP(&f.output, "output", "o", "", "also write all recordings, as one profile, to `FILE`")
	fl.StringVar(&f.profile, "profile", "", "run nothing: read the recordings from `FILE`, which -o wrote")
}

func (f *growFlags) run(cmd *cobra.Command, args []string) error {
	p, err := f.recording(cmd, args)
	if err != nil {
		return err
	}
	r, err := growth.Fit(p)
	if err != nil {
		return err
	}
	for path, write := range map[string]func(io.Writer, *growth.Result) error{f.html: growthview.Page, f.svg: growthview.Chart} {
		if path == "" {
			continue
		}
		if err := wholefile.Write(path, 0o644, func(w *os.File) error { return write(w, r) }); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	printer := term.New(cmd.OutOrStdout(), os.Environ())
	growthview.Text(printer, r)
	return printer.Err()
}

// recording makes the recordings, or reads them.
func (f *growFlags) recording(cmd *cobra.Command, args []string) (*profile.Profile, error) {
	o := &f.options
	if f.profile != "" {
		if len(args) > 0 || f.sizes != "" || len(o.Inputs) > 0 {
			return nil, fmt.Errorf("--profile runs nothing: leave out the command, --sizes and --input")
		}
		return loadProfile(cmd, f.profile, loadFlags{})
	}
	var err error
	if o.Sizes, err = parseSizes(f.sizes); err != nil {
		return nil, err
	}
	if o.Frequency < 1 || o.Frequency > maxFrequency {
		return nil, fmt.Errorf("-F %d: must be between 1 and %d samples per second", o.Frequency, maxFrequency)
	}
	if o.Rounds < 0 {
		return nil, fmt.Errorf("invalid --rounds %d: must be above 0", o.Rounds)
	}
	stderr := cmd.ErrOrStderr()
	o.Command = args
	o.Progress = func(round, rounds int, n float64) {
		of := ""
		if rounds > 0 {
			of = fmt.Sprintf(" of %d", rounds)
		}
		sayProgress(stderr, fmt.Sprintf("round %d%s, size %s", round, of, quantity.Count(int64(n))))
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	return f.record(ctx, stderr)
}

func (f *growFlags) record(ctx context.Context, stderr io.Writer) (*profile.Profile, error) {
	p, err := grow.Run(ctx, f.options)
	sayProgress(stderr, "")
	if err != nil || f.output == "" {
		return p, err
	}
	err = wholefile.Write(f.output, 0o644, func(w *os.File) error { return pprof.Write(w, p) })
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", f.output, err)
	}
	return p, nil
}
