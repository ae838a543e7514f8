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

const agentLong = `Continuous profiling: record the whole machine and send OpenTelemetry profiles to
a server.

Batches wait on disk while the server is unreachable. Once it records, the agent
drops every capability that it no longer needs. To find out which service a
process belongs to, it reads four environment variables and the command line,
and sends the name alone; --service-names=false leaves both unread. For binaries
that had samples it uploads symbols, or all debug information, that the server
lacks and accepts.`

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
	services       bool
	debugInfoAsked bool // the user said what to upload, or where to
}

func newAgentCmd() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:     "agent --to HOST:PORT [flags]",
		Short:   "Record this machine continuously and send to a server",
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
	flags.IntVarP(&f.frequency, "frequency", "F", 19, "sample rate: samples per second per CPU")
	flags.Var((*seconds)(&f.batch), "batch", "send this often")
	flags.StringVar(&f.spool, "spool", "", "`DIR` for unsent batches (default $STATE_DIRECTORY/spool under systemd, else /var/lib/whyhot/spool)")
	flags.Int64Var(&f.spoolSize, "spool-size", 256, "size limit of the spool in `MiB`; beyond it the oldest batches are dropped")
	flags.StringVar(&f.metrics, "metrics", "", "serve Prometheus metrics on `ADDR`, like 127.0.0.1:9464")
	flags.StringVar(&f.debugInfo, "debuginfo", string(extract.Symbols), "for binaries with samples, upload `WHAT` the server lacks: symbols, full or off")
	flags.StringVar(&f.debugInfoTo, "debuginfo-to", "", "upload debug information to `HOST:PORT` (gRPC) instead of --to")
	flags.BoolVar(&f.services, "service-names", true, "name services by OTEL_SERVICE_NAME, unit, workload, jar or script (false: by process)")
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
		return fmt.Errorf("-F %d: must be between 1 and %d samples per second", f.frequency, agentFrequency)
	case f.batch < minBatch || f.batch > maxBatch:
		return fmt.Errorf("--batch %s: must be between %s and %s", f.batch, minBatch, maxBatch)
	case f.debugInfo != debugInfoOff && f.debugInfo != string(extract.Symbols) && f.debugInfo != string(extract.Full):
		return fmt.Errorf("--debuginfo %s: must be %s, %s or %s", f.debugInfo, extract.Symbols, extract.Full, debugInfoOff)
	case f.debugInfo == debugInfoOff && f.debugInfoTo != "":
		return errors.New("--debuginfo off and --debuginfo-to contradict each other")
	case f.spoolSize < 8 || f.spoolSize > 1<<20:
		return fmt.Errorf("--spool-size %d: must be between 8 and %d MiB", f.spoolSize, 1<<20)
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
		return fmt.Errorf("the agent needs eBPF, which does not work here: %w", err)
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
		Sampler: sampler, Settings: collect.Settings{Frequency: f.frequency, Batch: f.batch, Services: f.services}, Spool: kept, Sender: client,
		Resource: f.otlp.attributes(), Backoff: send.NewBackoff(send.FirstPause, send.LongestPause), LastSends: lastSends,
		Log: log.line, DebugInfo: debugInfo,
		Attached: func() error {
			log.line(fmt.Sprintf("recording at %d Hz, sending to %s every %s", f.frequency, f.otlp.endpoint, f.batch))
			return dropPrivileges(log)
		},
	})
	if waiting := kept.Stats(); waiting.Batches > 0 {
		log.line(fmt.Sprintf("%d batches are in the spool %s", waiting.Batches, f.spoolDir()))
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
		log.line("capabilities are not dropped: " + err.Error())
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
