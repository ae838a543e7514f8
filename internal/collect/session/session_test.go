package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/burn"
	"whyhot/internal/collect/command"
	"whyhot/internal/collect/ebpf"
	"whyhot/internal/collect/perf"
	"whyhot/internal/collect/preload"
	"whyhot/internal/collect/scripts/moments"
	"whyhot/internal/finding"
	"whyhot/internal/host/tool"
	"whyhot/internal/ingest"
	"whyhot/internal/profile"
)

// fake is a sampler that does what it is told.
type fake struct {
	name    string
	refusal error
	record  func(collect.Request, collect.Sink) (collect.Outcome, error)
}

func (f *fake) Name() string                                    { return f.name }
func (*fake) Needs() []string                                   { return nil }
func (*fake) CannotSee() []string                               { return nil }
func (f *fake) Available(context.Context, collect.Target) error { return f.refusal }
func (f *fake) Record(_ context.Context, r collect.Request, s collect.Sink) (collect.Outcome, error) {
	return f.record(r, s)
}

func TestChoose(t *testing.T) {
	lacking := &fake{name: "best", refusal: &collect.UnavailableError{Sampler: "best", Missing: "no licence", Remedy: "buy one"}}
	good := &fake{name: "good"}
	wrong := &fake{name: "wrong", refusal: errors.New("no process has ID 7")}
	for _, c := range []struct {
		name   string
		all    []collect.Sampler
		ask    string
		chosen string
		text   string // of the reason or of the error
	}{
		{"first that works", []collect.Sampler{good, lacking}, Auto, "good", "sees the most"},
		{"skips and says why", []collect.Sampler{lacking, good}, "", "good", "buy one"},
		{"none works", []collect.Sampler{lacking}, Auto, "", "no licence"},
		{"a wrong target is wrong for all", []collect.Sampler{wrong, good}, Auto, "", "no process has ID 7"},
		{"by name", []collect.Sampler{lacking, good}, "good", "good", "asked for"},
		{"by name, not working", []collect.Sampler{lacking, good}, "best", "", "buy one"},
		{"unknown name", []collect.Sampler{good}, "bad", "", "there are"},
	} {
		got, err := choose(t.Context(), c.all, c.ask, collect.Target{})
		switch {
		case c.chosen == "":
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.text)
			}
		case err != nil || got.sampler.Name() != c.chosen || !strings.Contains(got.why, c.text):
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

// A sampler that fails when it starts gives way to the next, unless the user
// asked for it or the command has run.
func TestAttempt(t *testing.T) {
	missing := &collect.UnavailableError{Sampler: "first", Missing: "the program was refused"}
	for _, c := range []struct {
		name     string
		ask      string
		outcome  collect.Outcome
		err      error
		recorder string // that made the profile
	}{
		{"gives way", Auto, collect.Outcome{}, missing, "second"},
		{"asked for", "first", collect.Outcome{}, missing, ""},
		{"the command ran", Auto, collect.Outcome{Exit: &command.Exit{}}, missing, ""},
		{"another error", Auto, collect.Outcome{}, errors.New("broken"), ""},
	} {
		by := ""
		first := &fake{name: "first", record: func(collect.Request, collect.Sink) (collect.Outcome, error) { return c.outcome, c.err }}
		second := &fake{name: "second", record: func(r collect.Request, s collect.Sink) (collect.Outcome, error) {
			by = filepath.Base(r.TempDir)
			return collect.Outcome{}, s(small())
		}}
		var said []string
		o := &Options{Sampler: c.ask, Chosen: func(s collect.Sampler, why string) { said = append(said, s.Name()+": "+why) }}
		chosen := choice{sampler: first, why: "works"}
		_, err := attempt(t.Context(), o, &collect.Request{}, []collect.Sampler{first, second}, &chosen, nil, t.TempDir(), &moments.Tracks{},
			func(*profile.Profile) error { return nil })
		if by != c.recorder || (err == nil) != (c.recorder != "") {
			t.Errorf("%s: recorded by %q, error %v", c.name, by, err)
		}
		if c.recorder != "" && (len(said) != 2 || !strings.Contains(said[1], "the program was refused")) {
			t.Errorf("%s: told %q", c.name, said)
		}
	}
}

func TestSuited(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph collect.CallGraph
		first string
	}{
		{Auto, collect.CallGraphAuto, ebpf.Name},
		{Auto, collect.CallGraphDWARF, perf.Name},
		{ebpf.Name, collect.CallGraphDWARF, ebpf.Name},
	} {
		got, refusals := suited(Samplers(), c.name, collect.Settings{CallGraph: c.graph})
		if got[0].Name() != c.first || (c.first == perf.Name) != (len(refusals) == 1) {
			t.Errorf("%+v: %s first, %v", c, got[0].Name(), refusals)
		}
	}
}

func TestDefaultOutput(t *testing.T) {
	for _, c := range []struct {
		target collect.Target
		want   string
	}{
		{collect.Target{Command: []string{"/usr/bin/jq", "."}}, "whyhot-jq.pb.gz"},
		{collect.Target{Command: []string{"./my prog*"}}, "whyhot-my_prog_.pb.gz"},
		{collect.Target{System: true}, "whyhot-system.pb.gz"},
		{collect.Target{PIDs: []int{1 << 30}}, "whyhot-pid1073741824.pb.gz"},
	} {
		if got := defaultOutput(c.target); got != c.want {
			t.Errorf("%+v: %s, want %s", c.target, got, c.want)
		}
	}
}

func small() *profile.Profile {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/bin/x", Limit: 0x1000})
	l := b.Location(m, 0x10, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "f", Mapping: m})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{l}), Count: 2, Value: 2})
	return b.Build(profile.Meta{ValueType: profile.ValueType{Type: "samples", Unit: "count"}})
}

func TestOutputAppearsWhenComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.pb.gz")
	o, err := openOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before it is complete")
	}
	if _, err := o.commit(small()); err != nil {
		t.Fatal(err)
	}
	o.abandon()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "p.pb.gz" {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}

	o, err = openOutput(filepath.Join(dir, "q.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	o.abandon()
	if entries, _ = os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("an abandoned file left %v", entries)
	}
}

func TestOutputThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "p.pb.gz")} {
		_, err := openOutput(path)
		if err == nil {
			t.Errorf("%s was opened", path)
		} else if strings.Contains(err.Error(), ".tmp") {
			t.Errorf("the error names a file that the user does not know: %v", err)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"nothing to record": {},
		"only one of":       {Target: collect.Target{System: true, PIDs: []int{1}}},
		"no process has ID": {Target: collect.Target{PIDs: []int{1 << 30}}},
		"own output":        {Target: collect.Target{Command: []string{"sh"}}, Output: Stdout},
		"command not found": {Target: collect.Target{Command: []string{"no-such-command"}}},
	} {
		if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o.Target, err, want)
		}
	}
}

// recordWith records a command with the named sampler and reads the file back.
func recordWith(t *testing.T, sampler collect.Sampler, args ...string) (*profile.Profile, *Result) {
	t.Helper()
	target := collect.Target{Command: args}
	if err := sampler.Available(t.Context(), target); err != nil {
		t.Skipf("%v", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	result, err := Record(t.Context(), Options{
		Target: target, Sampler: sampler.Name(), Output: path,
		Streams: command.Streams{In: null, Out: null, Err: null},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, result
}

// selfShares books samples on the innermost function.
func selfShares(p *profile.Profile) map[string]float64 {
	out := map[string]float64{}
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) == 0 {
			continue
		}
		lines := p.Lines(stack[0])
		name := p.Function(lines[len(lines)-1].Function).Name
		out[name] += float64(s.Value) / float64(p.Total())
	}
	return out
}

// Both samplers must tell the same story of a program that does nothing in the
// kernel: here one that allocates from a hundred places.
func TestSamplersAgree(t *testing.T) {
	if _, err := tool.Find("g++"); err != nil {
		t.Skip("g++ is not installed")
	}
	program := filepath.Join(t.TempDir(), "alloc-storm")
	build := exec.CommandContext(t.Context(), "g++", "-O2", "-g", "-o", program, "../../../examples/alloc-storm/alloc_storm.cpp")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a, _ := recordWith(t, &perf.Sampler{}, program, "2000")
	b, _ := recordWith(t, &preload.Sampler{}, program, "2000")
	sa, sb := selfShares(a), selfShares(b)
	compared := 0
	for name, share := range sa {
		if share < 0.05 {
			continue
		}
		compared++
		// Two samples of the same share; samples come in runs, so that the
		// error is larger than the formula's, and a tick is not a random moment.
		limit := 2*(finding.ShareError(share, a.Count())+finding.ShareError(sb[name], b.Count())) + 0.02
		if d := share - sb[name]; d > limit || d < -limit {
			t.Errorf("%s: perf %.3f of %d samples, preload %.3f of %d", name, share, a.Count(), sb[name], b.Count())
		}
	}
	if compared < 3 {
		t.Errorf("only %d functions have 5%%: %v", compared, sa)
	}
}

func TestFileHasEverything(t *testing.T) {
	program := burn.Build(t)
	p, result := recordWith(t, &preload.Sampler{}, program, "plain", "60")
	if result.Samples != p.Count() || result.Size == 0 || result.Exit == nil || result.Exit.Failed() {
		t.Errorf("result %+v", result)
	}
	if got := p.Meta.Command; len(got) != 3 || got[0] != program {
		t.Errorf("command %q", got)
	}
	for i := range p.NumLocations() {
		id := profile.LocationID(i)
		l := p.Location(id)
		m := p.Mapping(l.Mapping)
		if l.Address == 0 || m.BuildID == "" && strings.HasPrefix(m.Path, "/") {
			t.Errorf("location %+v in %+v", l, m)
		}
		if m.Path == program && p.Function(p.Lines(id)[0].Function).Name == "" {
			t.Errorf("%#x of the program has no name", l.Address)
		}
	}
}

// What is delivered needs no file, unless one was asked for or the delivery fails.
func TestDelivery(t *testing.T) {
	away := errors.New("the server is away")
	for name, c := range map[string]struct {
		output string
		err    error
		file   bool
	}{
		"delivered":          {},
		"delivered and kept": {output: "asked for", file: true},
		"not delivered":      {err: away, file: true},
		"neither":            {output: "asked for", err: away, file: true},
	} {
		path := filepath.Join(t.TempDir(), "p.pb.gz")
		out, err := openOutput(path)
		if err != nil {
			t.Fatal(err)
		}
		delivered := int64(0)
		o := Options{NoSymbols: true, Output: c.output, Deliver: func(_ context.Context, p *profile.Profile) error {
			delivered = p.Count()
			return c.err
		}}
		result := Result{Path: path}
		err = result.finish(t.Context(), &o, &collect.Request{}, small(), &moments.Tracks{}, out)
		out.abandon()
		if !errors.Is(err, c.err) || delivered != small().Count() || result.Samples != small().Count() {
			t.Errorf("%s: %v, %d samples delivered, %+v", name, err, delivered, result)
		}
		if _, err := os.Stat(path); (err == nil) != c.file || (result.Path != "") != c.file {
			t.Errorf("%s: file %v, path %q", name, err, result.Path)
		}
	}
}

// A command that ended by itself, and a signal while its functions are named.
func TestAnInterruptWhileNamingLosesNothing(t *testing.T) {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGTERM)
	defer signal.Stop(arrived)
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	out, err := openOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.abandon()
	var result Result
	o := Options{Output: path}
	request := collect.Request{Progress: func(p collect.Progress) {
		if p.Phase != collect.PhaseNaming {
			return
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		<-arrived
	}}
	if err := result.finish(t.Context(), &o, &request, small(), &moments.Tracks{}, out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil || result.Samples == 0 {
		t.Errorf("%d samples, %v", result.Samples, err)
	}
}

func TestFailedCommandStillGivesAProfile(t *testing.T) {
	program := burn.Build(t)
	_, result := recordWith(t, &preload.Sampler{}, "sh", "-c", `"$0" plain 60; exit 6`, program)
	if result.Exit == nil || result.Exit.Code != 6 {
		t.Errorf("exit %v", result.Exit)
	}
}
