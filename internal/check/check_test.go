package check

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/ending"
	"whyhot/internal/profile"
	"whyhot/internal/trial"
	"whyhot/internal/trial/run"
)

// fake runs the shell and cp for real, and says of any other program that it takes as long
// as the file "cost" in its directory has it, in milliseconds, with some noise. Its clock
// moves by what its runs take.
type fake struct {
	real run.Runner
	now  time.Time
	rng  *rand.Rand
	runs int
	fail bool
	args []string // of the last run
}

func (f *fake) Now() time.Time { return f.now }

func (f *fake) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if name := filepath.Base(spec.Args[0]); name == "sh" || name == "cp" {
		return f.real.Run(ctx, spec)
	}
	f.runs++
	f.args = spec.Args
	data, err := os.ReadFile(filepath.Join(spec.Dir, "cost"))
	if err != nil {
		return nil, err
	}
	ms, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
	if err != nil {
		return nil, err
	}
	if lies, err := os.ReadFile(filepath.Join(spec.Dir, "lies")); err == nil {
		layout, _ := strconv.ParseFloat(strings.TrimSpace(string(lies)), 64)
		ms *= 1 + layout
	}
	took := time.Duration(ms * math.Exp(0.02*f.rng.NormFloat64()) * float64(time.Millisecond))
	f.now = f.now.Add(took)
	res := &run.Result{Wall: took, User: took, Stdout: run.Output{Name: run.Stdout, Written: true, FirstDifference: -1}}
	if _, err := os.Stat(filepath.Join(spec.Dir, "wrong")); err == nil {
		res.Stdout.SHA256, res.Stdout.FirstDifference = "other", 4
	}
	if f.fail {
		res.End = ending.Ending{Code: 3}
	}
	return res, nil
}

// bench is a repository whose program takes 100 ms.
type bench struct {
	*testing.T

	dir  string
	fake *fake
}

func newBench(t *testing.T) *bench {
	t.Helper()
	real, err := run.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Close)
	b := &bench{t, t.TempDir(), &fake{real: real, now: time.Unix(1000, 0), rng: rand.New(rand.NewPCG(1, 2))}}
	b.write("cost.in", "100\n")
	b.write("README.md", "read me\n")
	b.git("init", "-q")
	b.git("add", "-A")
	b.git("commit", "-qm", "base")
	return b
}

func (b *bench) git(args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org"}, args...)...)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) request() Request {
	return Request{
		Directory: b.dir, Base: "HEAD", Command: []string{"prog"}, Build: "cp cost.in cost", Env: os.Environ(),
		Limit: 0.02, Budget: time.Minute, Seed: 1, NoWhy: true,
	}
}

func (b *bench) check(r Request) (Result, error) {
	b.Helper()
	f := b.fake
	m := machine{runner: func() (run.Runner, func(), error) { return f, func() {}, nil }, clock: f}
	m.record = func(context.Context, job) (*profile.Profile, error) { return nil, errors.New("no sampler") }
	return runOn(b.Context(), m, r, nil)
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, cost string
		budget     time.Duration
		want       Verdict
		says       string
	}{
		{"slower", "110", time.Minute, Slower, "beyond the limit of 2%"},
		{"not slower", "100.1", time.Minute, NotSlower, "not slower by more than"},
		{"faster", "80", time.Minute, NotSlower, "it takes 80% of the base's time"},
		{"at the limit", "102", 20 * time.Second, Undecided, "with the limit of 2% in between"},
		{"no time", "103", 2 * time.Second, Undecided, "more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write("cost.in", c.cost+"\n")
			r := b.request()
			r.Budget = c.budget
			got, err := b.check(r)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.want || !strings.Contains(got.Says, c.says) {
				t.Errorf("%s: %s", got.Verdict, got.Says)
			}
			if c.want == Slower && (got.Low <= 1.02 || got.Ratio < got.Low || got.High < got.Ratio) {
				t.Errorf("slower by %v (%v to %v)", got.Ratio, got.Low, got.High)
			}
			if c.want == NotSlower && (got.Bound == nil || *got.Bound > 0.02) {
				t.Errorf("bound %v", got.Bound)
			}
			if got.Elapsed > 1.2*c.budget.Seconds()+1 {
				t.Errorf("it took %v of %v", got.Elapsed, c.budget)
			}
			if a := got.Calibration; a != nil && !a.Raised && a.Says != "" && got.Verdict != Undecided {
				t.Errorf("%s, and %q", got.Verdict, a.Says)
			}
			if got.Calibration == nil && c.budget > 10*time.Second {
				t.Error("the base was not run against itself")
			}
		})
	}
}

// The command runs in a copy of the tree: what it names outside the tree is named by its
// whole path.
func TestPathsThatLeadOut(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(filepath.Dir(b.dir), "input")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write("cost.in", "80\n")
	r := b.request()
	r.Command = []string{"prog", "../input", "--in=../input", "../absent", "README.md", "--level=2"}
	if _, err := b.check(r); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(outside)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"prog", real, "--in=" + real, "../absent", "README.md", "--level=2"}
	if got := b.fake.args; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A change that writes something else is no slower, and is told all the same.
func TestOutputThatDiffers(t *testing.T) {
	b := newBench(t)
	r := b.request()
	r.Build = "cp cost.in cost; [ ! -e change ] || : > wrong"
	b.write("change", "")
	b.git("add", "-A")
	b.write("cost.in", "80\n")
	got, err := b.check(r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != NotSlower || !strings.Contains(got.Commands[0].OutputDiffers, "standard output") {
		t.Errorf("%s: %+v", got.Verdict, got.Commands[0])
	}
}

// Documentation changes nothing that runs, and neither does a change that builds the same.
func TestIdentical(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		b := newBench(t)
		if got, err := b.check(b.request()); err != nil || got.Verdict != Identical || b.fake.runs > 0 {
			t.Errorf("%s after %d runs, %v", got.Verdict, b.fake.runs, err)
		}
	})
	t.Run("documentation", func(t *testing.T) {
		b := newBench(t)
		b.write("README.md", "read it\n")
		got, err := b.check(b.request())
		if err != nil || got.Verdict != Identical || b.fake.runs != 2 || !strings.Contains(got.Says, "README.md") {
			t.Errorf("%s after %d runs: %s, %v", got.Verdict, b.fake.runs, got.Says, err)
		}
	})
	t.Run("always", func(t *testing.T) {
		b := newBench(t)
		b.write("README.md", "read it\n")
		r := b.request()
		r.Always = true
		if got, err := b.check(r); err != nil || got.Verdict != NotSlower {
			t.Errorf("%s, %v", got.Verdict, err)
		}
	})
	// The file is not a program and a run opens it: its bytes count.
	t.Run("what a run reads", func(t *testing.T) {
		b := newBench(t)
		b.write("cost.in", "100.0\n")
		if got, err := b.check(b.request()); err != nil || got.Verdict != NotSlower || b.fake.runs < 20 {
			t.Errorf("%s after %d runs, %v", got.Verdict, b.fake.runs, err)
		}
	})
}

func TestWhatKeepsFromAVerdict(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(b *bench, r *Request)
		says string
	}{
		{"no base", func(_ *bench, r *Request) { r.Base = "nowhere" }, `no revision "nowhere"`},
		{"no limit", func(_ *bench, r *Request) { r.Limit = -1 }, "--limit"},
		{"nothing to do", func(_ *bench, r *Request) { r.Command, r.Build = nil, "" }, "nothing to measure"},
		{"build", func(b *bench, r *Request) { r.Build = "echo broken; exit 4" }, "broken"},
		{"test", func(b *bench, r *Request) { r.Test = "echo bad; false" }, "the change fails its tests"},
		{"command", func(b *bench, _ *Request) { b.fake.fail = true }, "fails before the change"},
		{"program", func(_ *bench, r *Request) { r.Command = []string{"./prog"} }, "neither in git nor made by the build"},
		{"share", func(_ *bench, r *Request) { r.Share = []string{"../x"} }, "--share"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write("cost.in", "120\n")
			r := b.request()
			c.set(b, &r)
			if got, err := b.check(r); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %v", got.Verdict, err)
			}
		})
	}
}

// Where the base alone differs from itself by more than the limit, the limit is raised.
func TestTheLimitIsRaised(t *testing.T) {
	b := newBench(t)
	b.write("cost.in", "104\n")
	r := b.request()
	// Files that a copy has later are slower: a machine whose second copy is at fault.
	r.Build = "cp cost.in cost"
	f := b.fake
	m := machine{clock: f, runner: func() (run.Runner, func(), error) { return slowCopy{f}, func() {}, nil }}
	got, err := runOn(t.Context(), m, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Calibration == nil || !got.Calibration.Raised || got.Limit < 0.08 || got.Verdict == Slower {
		t.Errorf("%s: %s, %+v", got.Verdict, got.Says, got.Calibration)
	}
}

// slowCopy makes a copy that cp makes slower by a tenth.
type slowCopy struct{ *fake }

func (s slowCopy) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	res, err := s.fake.Run(ctx, spec)
	if err == nil && filepath.Base(spec.Args[0]) == "cp" {
		err = os.WriteFile(filepath.Join(spec.Args[len(spec.Args)-1], "cost"), []byte("110"), 0o644)
	}
	return res, err
}

// A change of versions whose packages are cold is not run.
func TestColdDependencies(t *testing.T) {
	b := newBench(t)
	b.write("requirements.txt", "lib==1.0\n")
	b.git("add", "-A")
	b.git("commit", "-qm", "lib")
	b.write("requirements.txt", "lib==1.1\n")
	for _, c := range []struct {
		file string
		runs bool
	}{{"/usr/lib/python3/site-packages/lib/a.py", true}, {"/app/main.py", false}} {
		b.fake.runs = 0
		r := b.request()
		r.Always, r.Profile = true, oneFunction("f", c.file)
		got, err := b.check(r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Bump == nil || got.Bump.Hot != c.runs || (b.fake.runs > 0) != c.runs || got.Bump.Packages[0].To != "1.1" {
			t.Errorf("%s: %d runs, %+v", c.file, b.fake.runs, got.Bump)
		}
	}
}

func oneFunction(name, file string) *profile.Profile {
	p := profile.NewBuilder()
	f := p.Function(profile.Function{Name: name, File: file})
	loc := p.Location(0, 0, profile.KindUnknown, profile.Line{Function: f, Line: 3})
	p.Sample(profile.Sample{Stack: p.Stack([]profile.LocationID{loc}), Count: 100, Value: 100})
	return p.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
}

func TestMetricIsKept(t *testing.T) {
	b := newBench(t)
	b.write("cost.in", "130\n")
	r := b.request()
	r.Metric = trial.Wall
	if got, err := b.check(r); err != nil || got.Metric != "wall" || got.Commands[0].Unit != "seconds" || math.Abs(got.Commands[0].After-0.13) > 0.01 {
		t.Errorf("%+v, %v", got.Commands, err)
	}
}
