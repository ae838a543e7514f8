package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whyhot/internal/explain"
	"whyhot/internal/fetch"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/server"
	"whyhot/internal/server/client"
	"whyhot/internal/server/project"
	"whyhot/internal/store"
	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/memory"
)

const openLong = `Serves the web UI for profiles in files, on this machine: flame graph, top, call
graph, lines, findings. Two files are compared. Nothing is kept: Ctrl-C ends it.

The profile is also there for other tools: "go tool pprof URL" with the address
that is printed.`

type openFlags struct {
	listen     string
	debugDirs  []string
	sampleType string
	sources    []string
}

func newOpenCmd() *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use: "open FILE [FILE]", Short: "Show profiles in the browser, two as a comparison", Long: openLong,
		Example: "  whyhot open cpu.pb.gz\n  whyhot open before.pb.gz after.pb.gz --source ~/src/parser",
		Args:    cobra.RangeArgs(1, 2),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`ADDRESS` of the loopback; port 0 for one that is free")
	flags.StringArrayVar(&f.debugDirs, "debug-dir", nil, "also look for debug files and binaries in `DIR` (repeatable)")
	flags.StringVar(&f.sampleType, "sample-type", "", "which `VALUE` to show of a pprof file that has several")
	flags.StringArrayVar(&f.sources, "source", nil, "show the source files below `DIR` beside their samples (repeatable)")
	return cmd
}

// opened is a file as the server has it.
type opened struct {
	service, version string
	body             bytes.Buffer
	findings         []byte
}

func (f *openFlags) run(cmd *cobra.Command, paths []string) error {
	if host, _, err := net.SplitHostPort(f.listen); err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return fmt.Errorf("invalid --listen %q: must be an address of the loopback, such as 127.0.0.1:7879", f.listen)
	}
	files := make([]*opened, len(paths))
	for i, path := range paths {
		var err error
		if files[i], err = f.read(cmd, path); err != nil {
			return err
		}
		files[i].version = filepath.Base(path)
	}
	if len(files) == 2 {
		files[1].service = files[0].service
		if files[0].version == files[1].version {
			files[0].version, files[1].version = paths[0], paths[1]
		}
	}
	data, err := os.MkdirTemp("", "whyhot-open-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data) //nolint:errcheck // the system clears its temporary directory
	return f.serve(cmd, data, files)
}

// read reads a file, names its addresses and judges it.
func (f *openFlags) read(cmd *cobra.Command, path string) (*opened, error) {
	load := loadFlags{sampleType: f.sampleType, debugDirs: f.debugDirs}
	p, err := readProfile(cmd, path, load)
	if err != nil {
		return nil, err
	}
	out := &opened{service: serviceOf(path)}
	if out.findings, err = f.judge(cmd, path, p); err != nil {
		return nil, err
	}
	// The page begins with the last hour: the file counts as recorded now.
	const half = 30 * time.Minute
	p.Meta.Start = time.Now().Add(-min(p.Meta.Duration, half))
	return out, pprof.Write(&out.body, p.Profile)
}

// serviceOf is what the page calls a file: its name without what follows a dot.
func serviceOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return cmp.Or(name, "profile")
}

func (f *openFlags) judge(cmd *cobra.Command, path string, p fetch.Fetched) ([]byte, error) {
	rules, err := explain.LoadRules()
	if err != nil {
		return nil, err
	}
	defer showBusy(cmd.ErrOrStderr(), "checking the rules")()
	report, err := explain.Explain(cmd.Context(), explain.Request{
		Profile: p.Profile, Path: path, Rules: rules, DebugDirs: f.debugDirs, Machine: true, Trials: learnt(p.Profile),
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(report)
}

// serve runs a server of one project in memory until it is stopped.
func (f *openFlags) serve(cmd *cobra.Command, data string, files []*opened) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	address := make(chan string, 1)
	var rows *store.Store
	s, err := server.Open(ctx, server.Options{
		Data: data, Listen: f.listen, NoWatch: true, Sources: f.sources, BinaryDirs: f.debugDirs,
		Open: func(ctx context.Context, dir, _ string) (project.Store, error) {
			var err error
			rows, err = store.Open(ctx, dir, func(context.Context, string) (engine.Engine, error) { return memory.New(), nil }, store.Options{
				Names: store.NameOptions{Off: true},
			})
			return rows, err
		},
		Listening: func(_ string, a net.Addr) { address <- "http://" + a.String() },
	})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	var failed error
	select {
	case base := <-address:
		failed = pushFiles(ctx, base, files)
		if failed == nil {
			failed = rows.Flush(ctx) // else they are seen some seconds later
		}
		if failed != nil {
			stop()
			return errors.Join(failed, <-ended, s.Close())
		}
		page, raw := addresses(base, files)
		sayLine(cmd.OutOrStdout(), fmt.Sprintf("open   %s\npprof  go tool pprof '%s'", page, raw))
		failed = <-ended
	case failed = <-ended:
	}
	if errors.Is(failed, context.Canceled) {
		failed = nil
	}
	return errors.Join(failed, s.Close())
}

// pushFiles gives the server what was read.
func pushFiles(ctx context.Context, base string, files []*opened) error {
	c, err := client.New(client.Options{URL: base})
	if err != nil {
		return err
	}
	for i, file := range files {
		receipt, err := c.Push(ctx, url.Values{keyService: {file.service}, keyVersion: {file.version}, "id": {fmt.Sprintf("file%d", i)}}, &file.body)
		if err != nil {
			return fmt.Errorf("%s: %w", file.version, err)
		}
		if receipt.Samples == 0 {
			return fmt.Errorf("%s: it has no samples of CPU time, which the page is about; whyhot top and whyhot flame show others", file.version)
		}
	}
	// Findings are a service's: those of the last file are what there is to do.
	last := files[len(files)-1]
	_, err = c.PostFindings(ctx, last.service, last.findings)
	return err
}

// addresses are those of the page and of the last file as pprof.
func addresses(base string, files []*opened) (page, raw string) {
	last := files[len(files)-1]
	of := func(o *opened) url.Values { return url.Values{keyService: {o.service}, keyVersion: {o.version}} }
	raw = base + "/api/v1/profile?" + of(last).Encode()
	if len(files) == 1 {
		return base + "/flame?" + of(last).Encode(), raw
	}
	v := url.Values{keyService: {last.service}, "compare.by": {keyVersion}, "compare.before": {files[0].version}, "compare.after": {last.version}}
	return base + "/compare?" + v.Encode(), raw
}
