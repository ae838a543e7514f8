package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"whyhot/internal/collect/command"
	"whyhot/internal/collect/session"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/fetch"
	"whyhot/internal/profile"
	"whyhot/internal/server/client"
)

type profileIn struct {
	File    string   `json:"file,omitempty" jsonschema:"profile to open: pprof, perf.data, folded stacks and others"`
	Command []string `json:"command,omitempty" jsonschema:"command to record, a word each; it has to be allowed by .whyhot.yaml"`
	Cwd     string   `json:"cwd,omitempty" jsonschema:"directory of the command, from the root"`
	Repeat  bool     `json:"repeat,omitempty" jsonschema:"run the command again until there are 1,000 samples"`
	URL     string   `json:"url,omitempty" jsonschema:"whyhot server to ask"`
	Service string   `json:"service,omitempty" jsonschema:"with url: whose samples"`
	Last    string   `json:"last,omitempty" jsonschema:"with url: of the last 30m, 24h or 7d (default 1h)"`
}

// profileOut is what a handle is about.
type profileOut struct {
	Profile  string    `json:"profile,omitempty" jsonschema:"handle for the other tools"`
	Own      []ownLine `json:"own,omitempty" jsonschema:"lines of the program's own code, those that pay most first"`
	OwnShare float64   `json:"own_share,omitempty" jsonschema:"share of all samples that lines of the program's own code pay for; the rest has none in its stack"`
	Leaves   []leaf    `json:"leaves,omitempty" jsonschema:"hottest lines of libraries, runtimes and the kernel: own lines pay for them"`
	From     string    `json:"from,omitempty"`
	Samples  int64     `json:"samples,omitempty"`
	Seconds  float64   `json:"seconds,omitempty"`
	Counts   string    `json:"counts,omitempty" jsonschema:"what a sample's value is"`
	Baseline string    `json:"baseline,omitempty" jsonschema:"hash of the tree that try compares with"`
	Notes    []string  `json:"notes,omitempty"`

	Base
}

func (o *profileOut) shorten() bool {
	return drop(&o.Notes, 1) || drop(&o.Leaves, 1) || drop(&o.Own, 1) || drop(&o.Notes, 0)
}

func (s *Server) profile(ctx context.Context, c *call, in profileIn) (*profileOut, error) {
	kinds := 0
	for _, given := range []bool{in.File != "", len(in.Command) > 0, in.URL != ""} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return nil, wrong("give exactly one of file, command and url", "file opens a profile, command records one, url asks a server", `{"file": "cpu.pb.gz"}`)
	}
	var h *handle
	var err error
	switch {
	case in.File != "":
		h, err = s.openFile(ctx, in.File)
	case in.URL != "":
		h, err = s.askServer(ctx, &in)
	default:
		h, err = s.record(ctx, c, &in)
	}
	if err != nil {
		return nil, err
	}
	if h, err = s.admit(ctx, h); err != nil {
		return nil, err
	}
	out := s.describe(h)
	out.Unexplained = s.unexplained(ctx, h)
	return out, nil
}

func (s *Server) openFile(ctx context.Context, file string) (*handle, error) {
	path, err := s.o.Rules.Path(file)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, wrong(file+" is not a file", "name a profile, or record one with command", "")
	}
	if !s.running.TryRLock() {
		return nil, s.busy()
	}
	defer s.running.RUnlock()
	p, err := fetch.Profile(ctx, path, fetch.Options{})
	if err != nil {
		return nil, wrong(err.Error(), "it has to be a profile: pprof, perf.data, perf script, folded stacks, speedscope, OTLP, .cpuprofile", "")
	}
	return &handle{path: path, profile: p}, nil
}

var lastTime = regexp.MustCompile(`^\d+[smhdw]$`)

func (s *Server) askServer(ctx context.Context, in *profileIn) (*handle, error) {
	if err := s.o.Rules.Network(); err != nil {
		return nil, err
	}
	if in.Service == "" {
		return nil, wrong("url without service", "say whose samples", fmt.Sprintf(`{"url": %q, "service": "NAME", "last": "1h"}`, clip(in.URL, 200)))
	}
	if in.Last == "" {
		in.Last = "1h"
	}
	if !lastTime.MatchString(in.Last) {
		return nil, wrong("invalid last: "+clip(in.Last, 40), "a time such as 30m, 24h or 7d", `{"last": "24h"}`)
	}
	asked, err := client.New(client.Options{URL: in.URL})
	if err != nil {
		return nil, wrong(err.Error(), "an address such as http://localhost:7878", "")
	}
	body, err := asked.Profile(ctx, url.Values{"service": {in.Service}, "from": {"now-" + in.Last}})
	if err != nil {
		return nil, err
	}
	defer body.Close() //nolint:errcheck // only read from
	name := strings.Join([]string{in.URL, in.Service, in.Last}, " ")
	p, err := fetch.Profile(ctx, name, fetch.Options{From: body})
	if err != nil {
		return nil, err
	}
	return &handle{profile: p}, nil
}

// mostOutput is how much of a failed command's messages are read.
const mostOutput = 1 << 16

func (s *Server) record(ctx context.Context, c *call, in *profileIn) (*handle, error) {
	dir, err := s.o.Rules.Path(in.Cwd)
	if err != nil {
		return nil, err
	}
	if err := s.may(c, in.Command); err != nil {
		return nil, err
	}
	if !s.running.TryRLock() {
		return nil, s.busy()
	}
	defer s.running.RUnlock()
	// The budget ends the recording; what was seen by then is still written.
	const around = time.Minute // to start the sampler, and to name and write what it saw
	ctx, cancel := context.WithTimeout(ctx, s.o.Rules.Budget+around)
	defer cancel()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close() //nolint:errcheck // nothing is written
	said, err := os.CreateTemp(s.private, "stderr-")
	if err != nil {
		return nil, err
	}
	defer said.Close() //nolint:errcheck // only read from
	o := session.Options{
		Dir: dir, Sampler: session.Auto, Output: strings.TrimSuffix(said.Name(), ".err") + ".pb.gz",
		// The streams of this process are the protocol's.
		Streams: command.Streams{In: null, Out: null, Err: said},
	}
	o.Target.Command = in.Command
	o.Settings.Duration = s.o.Rules.Budget
	if in.Repeat {
		o.Repeat = session.RepeatAuto
	}
	r, err := session.Record(ctx, o)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the recording was not written %s after the budget of %s: the machine is busy, or has too little memory", around, s.o.Rules.Budget)
	}
	if err == nil && r.Exit != nil && r.Exit.Failed() && !r.EndedByUs {
		err = errors.New("the command failed: " + r.Exit.String())
	}
	if err != nil {
		return nil, wrong(err.Error()+tail(said.Name()), "run it by hand until it works; cwd is the directory that it starts in", "")
	}
	p, err := fetch.Profile(ctx, r.Path, fetch.Options{})
	if err != nil {
		return nil, err
	}
	return &handle{path: r.Path, profile: p, command: in.Command, cwd: dir}, nil
}

// tail is the end of what a command wrote.
func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return ""
	}
	const shown = 400
	data = data[max(0, len(data)-mostOutput):]
	return "; the end of its messages: " + clip(string(data[max(0, len(data)-shown):]), shown)
}

// describe is the answer about a handle.
func (s *Server) describe(h *handle) *profileOut {
	p := h.profile.Profile
	out := &profileOut{
		Profile: h.id, From: clip(h.path, 300), Samples: p.Count(), Seconds: rounded(p.Meta.Duration.Seconds()),
		Counts: clip(p.Meta.ValueType.Type+" "+p.Meta.ValueType.Unit, 60),
	}
	if h.command != nil {
		out.From = commandLine(h.command)
	}
	if h.tree != nil {
		out.Baseline = h.tree.Sum()[:16]
	} else {
		out.Notes = append(out.Notes, "no baseline was kept, so that try has nothing to compare with: "+clip(h.noTree, 300))
	}
	lines := ownline.Of(p)
	own, covered := s.own(p, lines)
	out.Own, out.OwnShare, out.Leaves = own, rounded(covered), s.leaves(p, lines)
	if covered < worthIt {
		out.Notes = append(out.Notes, "hardly a stack has a line of the program's own code: it is an interpreter's or a library's, has no names, or the stacks are cut")
	}
	for _, n := range append(h.profile.Hints(), p.Meta.Warnings...) {
		out.Notes = append(out.Notes, clip(n, 300))
	}
	return out
}

// shown is a file's path as an agent knows it: from the root where it is below that.
func (s *Server) shown(path string) string {
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(s.o.Rules.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return clip(path, 200)
}

// within reads a source file that a profile names, if it is one that may be read.
func (s *Server) within(p *profile.Profile) func(path string) ([]string, bool) {
	finder := sourceFinder(s.o.Rules.Root, p.Meta.Start)
	return func(path string) ([]string, bool) {
		if full, err := s.o.Rules.Path(path); err == nil {
			return finder(full)
		}
		return nil, false
	}
}
