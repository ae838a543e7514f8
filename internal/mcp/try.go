package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"whyhot/internal/finding"
	"whyhot/internal/host/shellwords"
	"whyhot/internal/host/version"
	"whyhot/internal/mcp/allow"
	"whyhot/internal/trial"
	"whyhot/internal/trial/referee"
	"whyhot/internal/trial/statement"
)

type tryIn struct {
	Profile string   `json:"profile,omitempty" jsonschema:"handle whose baseline the tree is compared with: starts a task"`
	Task    string   `json:"task,omitempty" jsonschema:"task to poll"`
	Cancel  bool     `json:"cancel,omitempty" jsonschema:"with task: end it"`
	Preload []string `json:"preload,omitempty" jsonschema:"try this library preloaded (mimalloc, jemalloc, tcmalloc, or a .so below the root) instead of the tree"`
	Env     []string `json:"env,omitempty" jsonschema:"try this NAME=VALUE instead of the tree"`
	Finding string   `json:"finding,omitempty" jsonschema:"finding that the change is for"`
	Budget  int      `json:"budget,omitempty" jsonschema:"seconds of each measurement, a number such as 90, at most what .whyhot.yaml allows"`

	whatIf bool // a build as if the finding were fixed
}

// tryOut is how far a trial is, or what it came to.
type tryOut struct {
	Task     string   `json:"task,omitempty"`
	State    string   `json:"state,omitempty" jsonschema:"running or done"`
	Doing    string   `json:"doing,omitempty"`
	Seconds  float64  `json:"seconds,omitempty"`
	Fraction float64  `json:"fraction,omitempty"`
	Rounds   int      `json:"rounds,omitempty"`
	SoFar    *ratio   `json:"so_far,omitempty" jsonschema:"ratio until now, with a 95% interval from six rounds on (0 before): it narrows, and is no result"`
	Verdict  string   `json:"verdict,omitempty" jsonschema:"proved, faster, only here, slower, no difference, unclear, output differs, does less work, fails tests, fails, nothing to try"`
	Ratio    *ratio   `json:"ratio,omitempty" jsonschema:"baseline's time over the variant's, above 1 is faster, with a 95% interval"`
	Heldout  *ratio   `json:"heldout_ratio,omitempty" jsonschema:"the same on a workload that is not shown"`
	Says     string   `json:"says,omitempty"`
	Missing  []string `json:"missing_for_proof,omitempty"`
	Changed  []string `json:"changed,omitempty"`
	Measures []string `json:"changed_measures,omitempty" jsonschema:"changed files that measure or test: the baseline's were used"`
	Record   string   `json:"statement,omitempty" jsonschema:"signed record; whyhot verify FILE checks it"`
	Notes    []string `json:"notes,omitempty"`

	Base
}

type ratio struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

func (o *tryOut) shorten() bool {
	return drop(&o.Notes, 0) || drop(&o.Changed, 5) || drop(&o.Measures, 5) || drop(&o.Missing, 1)
}

// patience is how long a call waits for its task.
const patience = 8 * time.Second

func (s *Server) try(ctx context.Context, c *call, in tryIn) (*tryOut, error) {
	if in.Task != "" {
		return s.poll(ctx, c, &in)
	}
	if in.Cancel {
		return nil, wrong("cancel without task", "name the task that is to end", `{"task": "t1", "cancel": true}`)
	}
	h, err := s.find(in.Profile)
	if err != nil {
		return nil, err
	}
	terms, err := s.terms(c, h, &in)
	if err != nil {
		return nil, err
	}
	if h.tree == nil {
		return nil, wrong("no baseline was kept: "+clip(h.noTree, 300), "start the server in the program's directory, or with --root DIR", "")
	}
	t, err := s.start(h, func(ctx context.Context, t *task) (*referee.Ruling, string, error) {
		return s.judge(ctx, t, terms, in.Finding)
	})
	if err != nil {
		return nil, err
	}
	t.wait(ctx, patience)
	if ctx.Err() != nil { // the one who started it has cancelled
		t.cancel()
		return nil, ctx.Err()
	}
	return t.answer()
}

// poll tells how far a task is.
func (s *Server) poll(ctx context.Context, c *call, in *tryIn) (*tryOut, error) {
	s.mu.Lock()
	t := s.tasks[in.Task]
	s.mu.Unlock()
	if t == nil {
		return nil, wrong(fmt.Sprintf("unknown task %q", clip(in.Task, 40)), "try with profile starts one", "")
	}
	if in.Cancel {
		t.cancel()
		<-t.done
	}
	stop := t.report(ctx, c.req)
	t.wait(ctx, patience)
	stop()
	return t.answer()
}

// report sends progress to a client that asked for it.
func (t *task) report(ctx context.Context, req *sdk.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return func() {}
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for tick := time.NewTicker(time.Second); ; {
			t.mu.Lock()
			p := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: t.fraction, Total: 1, Message: t.doing}
			t.mu.Unlock()
			_ = req.Session.NotifyProgress(ctx, p) // a client that does not listen
			select {
			case <-tick.C:
			case <-ended:
				tick.Stop()
				return
			}
		}
	}()
	return func() { close(ended); <-gone }
}

// terms are how a trial is made: by the configuration, and by a command that was
// recorded here.
func (s *Server) terms(c *call, h *handle, in *tryIn) (referee.Terms, error) {
	r := s.o.Rules
	t := referee.Terms{
		Build: r.Try.Build, Test: r.Try.Test, Workload: r.Try.Workload, Heldout: append(slices.Clip(r.Try.Heldout), s.o.Heldout...),
		Harness: r.Try.Harness, Products: r.Try.Products, Preload: in.Preload, Env: in.Env,
		Budget: r.Budget, Rounds: s.o.Rounds, Private: s.private, Layouts: layouts,
	}
	if len(in.Preload)+len(in.Env) > 1 {
		return t, wrong("several settings", "try one at a time", "")
	}
	if in.whatIf {
		if in.Finding == "" || t.Build == "" {
			return t, wrong("build needs a finding, and try.build in "+allow.Name, "ask the user to add how the program is built", "try:\n  build: 'make -j2'")
		}
		t.WhatIf, t.BuildDir = in.Finding, r.Try.BuildDir
	}
	if t.Workload == "" && h.command != nil {
		if err := s.may(c, h.command); err != nil {
			return t, err
		}
		if h.cwd != r.Root {
			return t, wrong("the recorded command ran in "+s.shown(h.cwd), "ask the user to add try.workload, a command that runs in the root", "try:\n  workload: './program input'")
		}
		t.Workload = shellwords.Join(h.command)
	}
	if t.Workload == "" {
		return t, wrong("no workload: nothing says which command is measured", "record the command with profile, or ask the user to add try.workload to "+allow.Name+"; commands that a profile of others names are not run", "try:\n  workload: './program input'")
	}
	if in.Budget < 0 || time.Duration(in.Budget)*time.Second > r.Budget {
		return t, wrong(fmt.Sprintf("a budget of %d seconds", in.Budget), fmt.Sprintf("the user allows %.0f seconds: leave budget out, or ask the user for the line in retry_with", r.Budget.Seconds()), fmt.Sprintf("budget: %ds", max(in.Budget, 1)))
	}
	if in.Budget > 0 {
		t.Budget = time.Duration(in.Budget) * time.Second
	}
	for _, e := range in.Env {
		name, _, ok := strings.Cut(e, "=")
		if !ok || !envName.MatchString(name) || forbidden.MatchString(name) {
			return t, wrong(fmt.Sprintf("the setting %q", clip(e, 80)), "NAME=VALUE, and no variable that has the program load other code", `{"env": ["MALLOC_ARENA_MAX=1"]}`)
		}
	}
	for i, p := range in.Preload {
		if !strings.ContainsAny(p, "/.") {
			continue // the name of an allocator that is installed
		}
		full, err := r.Path(p)
		if err != nil {
			return t, err
		}
		t.Preload = slices.Clone(t.Preload)
		t.Preload[i] = full
	}
	return t, nil
}

// layouts decide on a small difference of programs that are built.
const layouts = 4

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// forbidden has a program or its interpreter run something else.
	forbidden = regexp.MustCompile(`^(LD_.*|PATH|IFS|ENV|BASH_ENV|SHELL|PERL5OPT|PERL5LIB|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|NODE_OPTIONS|NODE_PATH|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_.*|CC|CXX|MAKEFLAGS|DYLD_.*)$`)
)

// judge makes the trial and writes what it came to.
func (s *Server) judge(ctx context.Context, t *task, terms referee.Terms, id string) (*referee.Ruling, string, error) {
	r, err := referee.Try(ctx, t.handle.tree.Baseline, terms, t)
	if err != nil {
		return nil, "", err
	}
	if id != "" && r.Known != nil && terms.WhatIf == "" {
		t.handle.learn(id, r.Known.Trials())
	}
	if s.o.Rules.Edited(s.started) {
		r.Notes = append(r.Notes, allow.Name+" was changed since the server was started: the change takes effect when it is started again")
	}
	path, err := s.sign(terms, r)
	if err != nil {
		r.Notes = append(r.Notes, "no statement was written: "+err.Error())
	}
	return r, path, nil
}

// sign writes the statement of a trial that measured something.
func (s *Server) sign(terms referee.Terms, r *referee.Ruling) (string, error) {
	if r.Known == nil || s.o.Statements == "" {
		return "", nil
	}
	key, err := statement.Key(s.o.KeyDir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(s.o.Statements, 0o700); err != nil {
		return "", err
	}
	of := statementOf(terms, r)
	name := fmt.Sprintf("%s-%s.json", of.Predicate.Time.UTC().Format("20060102T150405.000"), r.Tree[:12])
	path := filepath.Join(s.o.Statements, name)
	return path, statement.Write(path, of, key)
}

func statementOf(terms referee.Terms, r *referee.Ruling) statement.Statement {
	t := statement.Trial{
		Verdict: string(r.Verdict), Ratio: r.Ratio, Heldout: r.Heldout, Says: r.Says, Missing: r.Missing, Changed: r.Changed,
		Build: terms.Build, Test: terms.Test, Workload: terms.Workload, Preload: terms.Preload, Env: terms.Env, Harness: terms.Harness,
		Rounds: r.Known.Rounds, Seed: r.Known.Seed, Level: r.Known.Level, Machine: r.Known.Machine, Time: time.Now(), Whyhot: version.String(),
		Outputs: r.Known.Variants[0].Outputs,
	}
	for _, h := range terms.Heldout {
		t.Unknown = append(t.Unknown, statement.Hash(h))
	}
	return statement.New(r.Baseline, r.Tree, t)
}

// answer is what is to be said of a task now.
func (t *task) answer() (*tryOut, error) {
	open := t.handle.open()
	t.mu.Lock()
	defer t.mu.Unlock()
	out := &tryOut{Base: Base{Unexplained: open}, Task: t.id, State: "running", Doing: t.doing, Seconds: rounded(time.Since(t.began).Seconds())}
	if !t.isDone() && t.ruling == nil && t.err == nil {
		out.Fraction, out.Rounds, out.SoFar = rounded(t.fraction), t.rounds, t.soFar
		if t.foreseen != "" {
			out.Notes = []string{clip(inArguments(t.foreseen, t.allowed), 300)}
		}
		return out, nil
	}
	if t.err != nil {
		if _, told := errors.AsType[*problem](t.err); told {
			return nil, t.err
		}
		return nil, wrong(clip(t.err.Error(), 600), "make sure that build, test and workload work by hand in the root", "")
	}
	r := t.ruling
	out.State, out.Doing, out.Verdict, out.Says = "done", "", string(r.Verdict), clip(inArguments(r.Says, t.allowed), 800)
	out.Ratio, out.Heldout, out.Record = ratioOf(r.Ratio), ratioOf(r.Heldout), t.statement
	out.Missing, out.Changed, out.Measures = clipAll(r.Missing, 8, 300), clipAll(r.Changed, 50, 120), clipAll(r.Measures, 50, 120)
	out.Notes = clipAll(r.Notes, 8, 300)
	for _, texts := range [][]string{out.Missing, out.Notes} {
		for i := range texts {
			texts[i] = inArguments(texts[i], t.allowed)
		}
	}
	if r.Known != nil {
		out.Rounds = r.Known.Rounds
		if r.Known.Stopped == trial.StopInterrupted {
			out.Notes = append(out.Notes, "interrupted: the numbers are what was measured until then")
		}
	}
	return out, nil
}

var (
	budgetFlag = regexp.MustCompile(`--budget (\d+[smh])\b`)
	metricFlag = regexp.MustCompile(`[;,] --metric cpu [^;]*`)
)

// inArguments says with the arguments of try what a text says with the flags of the command
// line: an agent has the former. It has no choice of a metric, and no budget above the one
// that the user allows.
func inArguments(text string, allowed time.Duration) string {
	text = metricFlag.ReplaceAllString(text, "")
	return budgetFlag.ReplaceAllStringFunc(text, func(flag string) string {
		d, err := time.ParseDuration(budgetFlag.FindStringSubmatch(flag)[1])
		if err != nil {
			return flag
		}
		if allowed > 0 && d > allowed {
			return fmt.Sprintf("budget %.0f (seconds; %s allows %.0f: ask the user for the line budget: %.0fs)", d.Seconds(), allow.Name, allowed.Seconds(), d.Seconds())
		}
		return fmt.Sprintf("budget %.0f (seconds)", d.Seconds())
	})
}

func ratioOf(i *finding.Interval) *ratio {
	if i == nil {
		return nil
	}
	return &ratio{rounded(i.Estimate), rounded(i.Low), rounded(i.High)}
}
