package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"whyhot/internal/collect"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/agent"
	"whyhot/internal/fleet/agent/privilege"
	"whyhot/internal/fleet/agent/spool"
	"whyhot/internal/fleet/send"
	"whyhot/internal/host/heap"
	"whyhot/internal/report/term"
)

const agentLong = `Record the whole machine all the time and send it to a server as OpenTelemetry
profiles.

Batches wait on disk while the server is away. Once it runs, the agent gives up
every capability that recording does not need. It reads neither environment
variables nor arguments of processes. Of binaries that had samples, the server gets
the symbols, or all debug information, where it lacks them and takes them.`

const agentExample = `  whyhot agent --to profiles.example.org:4317 --token-file /etc/whyhot/token
  whyhot agent --to http://localhost:4318 --metrics 127.0.0.1:9464`

// agentFlags are the flags as they are typed.
type agentFlags struct {
	otlp           otlpFlags
	frequency      int
	batch          time.Duration
	spool, metrics string
	spoolSize      int64
	debugInfo      string
	debugInfoTo    string
	debugInfoAsked bool // the user said what to upload, or where to
}

func newAgentCmd() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:     "agent --to HOST:PORT [flags]",
		Short:   "Record this machine all the time and send the profiles to a server",
		Long:    agentLong,
		Example: agentExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.debugInfoAsked = cmd.Flags().Changed("debuginfo") || cmd.Flags().Changed("debuginfo-to")
			return runAgent(cmd, &f)
		},
	}
	f.batch = 5 * time.Second
	flags := cmd.Flags()
	flags.StringVar(&f.otlp.endpoint, "to", "", "send to `HOST:PORT` (required; "+endpointHelp+")")
	flags.IntVarP(&f.frequency, "frequency", "F", 19, "samples a second and CPU")
	flags.Var((*seconds)(&f.batch), "batch", "send this often")
	flags.StringVar(&f.spool, "spool", "", "`DIR` for batches that wait (default $STATE_DIRECTORY/spool under systemd, else /var/lib/whyhot/spool)")
	flags.Int64Var(&f.spoolSize, "spool-size", 256, "most that may wait, in `MiB`; the oldest batches are dropped beyond")
	flags.StringVar(&f.metrics, "metrics", "", "serve Prometheus metrics on `ADDR`, like 127.0.0.1:9464")
	flags.StringVar(&f.debugInfo, "debuginfo", string(extract.Symbols), "of binaries with samples, upload `WHAT` the server lacks: symbols, full or off")
	flags.StringVar(&f.debugInfoTo, "debuginfo-to", "", "upload debug information to `HOST:PORT` (gRPC) in place of --to")
	f.otlp.add(flags)
	if err := cmd.MarkFlagRequired("to"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

const (
	agentFrequency = 1000 // the most
	minBatch       = time.Second
	maxBatch       = 10 * time.Minute
	lastSends      = 5 * time.Second
	debugInfoOff   = "off"
)

func (f *agentFlags) check() error {
	switch {
	case f.frequency < 1 || f.frequency > agentFrequency:
		return fmt.Errorf("-F %d: give between 1 and %d samples a second", f.frequency, agentFrequency)
	case f.batch < minBatch || f.batch > maxBatch:
		return fmt.Errorf("--batch %s: give between %s and %s", f.batch, minBatch, maxBatch)
	case f.debugInfo != debugInfoOff && f.debugInfo != string(extract.Symbols) && f.debugInfo != string(extract.Full):
		return fmt.Errorf("--debuginfo %s: give %s, %s or %s", f.debugInfo, extract.Symbols, extract.Full, debugInfoOff)
	case f.debugInfo == debugInfoOff && f.debugInfoTo != "":
		return errors.New("--debuginfo off and --debuginfo-to contradict each other")
	case f.spoolSize < 8 || f.spoolSize > 1<<20:
		return fmt.Errorf("--spool-size %d: give between 8 and %d MiB", f.spoolSize, 1<<20)
	}
	return nil
}

// spoolDir is where batches wait.
func (f *agentFlags) spoolDir() string {
	if f.spool != "" {
		return f.spool
	}
	if state := os.Getenv("STATE_DIRECTORY"); state != "" {
		return filepath.Join(state, "spool")
	}
	return "/var/lib/whyhot/spool"
}

func runAgent(cmd *cobra.Command, f *agentFlags) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	heap.BoundAgent()
	sampler := &ebpf.Sampler{}
	target := collect.Target{System: true}
	if err := sampler.Available(cmd.Context(), target); err != nil {
		if un := (*collect.UnavailableError)(nil); errors.As(err, &un) {
			un.Remedy = strings.ReplaceAll(un.Remedy, "whyhot record", "whyhot agent")
		}
		return fmt.Errorf("the agent records with eBPF alone, and cannot: %w", err)
	}
	client, err := f.otlp.client()
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	kept, err := spool.Open(f.spoolDir(), f.spoolSize<<20)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	log := &agentLog{w: cmd.ErrOrStderr()}
	debugInfo, err := f.uploader(log)
	if err != nil {
		return err
	}
	a := agent.New(agent.Options{
		Sampler: sampler, Settings: collect.Settings{Frequency: f.frequency, Batch: f.batch}, Spool: kept, Sender: client,
		Resource: f.otlp.attributes(), Backoff: send.NewBackoff(send.FirstPause, send.LongestPause), LastSends: lastSends,
		Log: log.line, DebugInfo: debugInfo,
		Attached: func() error {
			log.line(fmt.Sprintf("recording at %d Hz, sending to %s every %s", f.frequency, f.otlp.endpoint, f.batch))
			return dropPrivileges(log)
		},
	})
	if waiting := kept.Stats(); waiting.Batches > 0 {
		log.line(fmt.Sprintf("%d batches wait in %s", waiting.Batches, f.spoolDir()))
	}
	if f.metrics != "" {
		stop, err := serveMetrics(cmd.Context(), f.metrics, a)
		if err != nil {
			return err
		}
		defer stop()
	}
	err = a.Run(cmd.Context())
	log.line(a.Summary())
	return err
}

// dropPrivileges is called when the profiler runs.
func dropPrivileges(log *agentLog) error {
	ebpf.FreeMemlock()
	err := privilege.Keep(ebpf.NeededCapabilities())
	if errors.Is(err, errors.ErrUnsupported) {
		log.line("the capabilities stay as they are: " + err.Error())
		return nil
	}
	return err
}

// serveMetrics serves until stop is called.
func serveMetrics(ctx context.Context, addr string, a *agent.Agent) (stop func(), err error) {
	handler, err := a.Metrics()
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	go func() { _ = server.Serve(l) }() // it ends with Close
	return func() { _ = server.Close() }, nil
}

// agentLog writes lines for people and for the journal.
type agentLog struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *agentLog) line(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintln(l.w, "whyhot:", term.Clean(text)) // nothing to do about a closed stderr
}
