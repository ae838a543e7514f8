package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"whyhot/internal/fleet/debuginfo/store"
	"whyhot/internal/fleet/receive"
	"whyhot/internal/host/heap"
	"whyhot/internal/host/wholefile"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/report/quantity"
)

const receiveLong = `Receive OpenTelemetry profiles and write each batch as a pprof file.

For testing an agent, a collector or a profiler without a server. A batch that a
sender retries because the answer was lost is written once. Debug information that
agents upload is kept where --debug-dir, gdb and others find it. Ctrl-C stops it.`

const receiveExample = `  whyhot receive -o batches
  whyhot agent --to localhost:4317          in another terminal
  whyhot top --debug-dir batches/debuginfo batches/20261121-101500-1f0c2a-7.pb.gz`

// receiveFlags are the flags as they are typed.
type receiveFlags struct {
	listen, listenHTTP, output, cert, key string
	maxMessage                            int
	debugInfo                             string
	debugInfoSize                         int64
}

func newReceiveCmd() *cobra.Command {
	var f receiveFlags
	cmd := &cobra.Command{
		Use:     "receive [flags]",
		Short:   "Receive OpenTelemetry profiles and write them as pprof files",
		Long:    receiveLong,
		Example: receiveExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("debuginfo") {
				f.debugInfo = filepath.Join(f.output, "debuginfo")
			}
			return runReceive(cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:4317", "`ADDR` for OTLP/gRPC, \"\" for none")
	flags.StringVar(&f.listenHTTP, "listen-http", "127.0.0.1:4318", "`ADDR` for OTLP/HTTP, \"\" for none")
	flags.StringVarP(&f.output, "output", "o", ".", "`DIR` to write into")
	flags.StringVar(&f.cert, "tls-cert", "", "certificate `FILE` (PEM); without it there is no TLS")
	flags.StringVar(&f.key, "tls-key", "", "key `FILE` (PEM) of the certificate")
	flags.IntVar(&f.maxMessage, "max-message", 16, "largest request in `MiB`, decompressed")
	flags.StringVar(&f.debugInfo, "debuginfo", "", "`DIR` for debug information, \"\" to accept none (default OUTPUT/debuginfo)")
	flags.Int64Var(&f.debugInfoSize, "debuginfo-size", 16, "size limit of the debug information, in `GiB`")
	return cmd
}

func runReceive(cmd *cobra.Command, f *receiveFlags) (err error) {
	switch {
	case f.maxMessage < 1 || f.maxMessage > 1024:
		return fmt.Errorf("--max-message %d: must be between 1 and 1024 MiB", f.maxMessage)
	case f.debugInfoSize < 1 || f.debugInfoSize > 1<<20:
		return fmt.Errorf("--debuginfo-size %d: must be between 1 and %d GiB", f.debugInfoSize, 1<<20)
	}
	options := receive.Options{MaxMessage: f.maxMessage << 20}
	if f.cert != "" || f.key != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		options.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if err := os.MkdirAll(f.output, 0o777); err != nil {
		return fmt.Errorf("create the directory: %w", err)
	}
	kept := &batchDir{dir: f.output, log: cmd.ErrOrStderr(), from: time.Now().Format(batchTime)}
	if f.debugInfo != "" && f.listen != "" {
		log := &agentLog{w: cmd.ErrOrStderr()}
		debugInfo, openErr := store.Open(f.debugInfo, store.Options{MaxTotal: f.debugInfoSize << 30, Log: log.line})
		if openErr != nil {
			return fmt.Errorf("--debuginfo: %w", openErr)
		}
		defer func() { err = errors.Join(err, debugInfo.Close()) }()
		options.Services = append(options.Services, debugInfo.Register)
	}
	server := receive.New(options, kept.take)
	heap.BoundServer(server.Memory())
	group, ctx := errgroup.WithContext(cmd.Context())
	serving := false
	for _, one := range []struct {
		name, addr string
		serve      func(context.Context, net.Listener) error
	}{{"gRPC", f.listen, server.ServeGRPC}, {"HTTP", f.listenHTTP, server.ServeWeb}} {
		if one.addr == "" {
			continue
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", one.addr)
		if err != nil {
			return fmt.Errorf("listen for %s: %w", one.name, err)
		}
		defer func() { _ = l.Close() }() // a second time where it was served
		serving = true
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "whyhot: listening for OTLP/%s on %s\n", one.name, l.Addr())
		group.Go(func() error { return one.serve(ctx, l) })
	}
	if !serving {
		return errors.New("nothing to listen on: give --listen or --listen-http")
	}
	err = group.Wait()
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "whyhot: %s samples in %s batches\n", quantity.Count(kept.samples.Load()), quantity.Count(kept.batches.Load()))
	return err
}

// batchTime is how files are named after their batch's time.
const batchTime = "20060102-150405"

// batchDir writes each batch into a file of its own.
type batchDir struct {
	dir              string
	log              io.Writer
	from             string // when this process began
	mu               sync.Mutex
	batches, samples atomic.Int64
	unnamed          int
}

// take implements receive.Handler. The file's name ends in the batch's identity, by
// which a batch that arrives again is known, also after a restart.
func (d *batchDir) take(_ context.Context, b receive.Batch) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	start := b.Profile.Meta.Start
	if start.IsZero() {
		start = time.Now()
	}
	id := b.ID
	if id == "" {
		d.unnamed++
		id = fmt.Sprintf("%s.%d", d.from, d.unnamed)
	}
	path := filepath.Join(d.dir, start.UTC().Format(batchTime)+"-"+id+".pb.gz")
	if _, err := os.Stat(path); err == nil {
		return nil, nil
	}
	err := wholefile.Write(path, 0o644, func(w *os.File) error { return pprof.Write(w, b.Profile) })
	if err != nil {
		return nil, fmt.Errorf("write the batch: %w", err)
	}
	d.batches.Add(1)
	d.samples.Add(b.Profile.Count())
	_, _ = fmt.Fprintf(d.log, "whyhot: %s samples → %s\n", quantity.Count(b.Profile.Count()), path)
	return nil, nil
}
