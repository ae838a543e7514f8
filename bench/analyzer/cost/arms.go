package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/host/tool"
)

// cost is what one process took.
type cost struct {
	cpu    float64 // seconds, user and system
	memory float64 // bytes, peak
	file   string
}

// arm is one way to read a unit.
type arm struct {
	name string
	run  func(ctx context.Context, u compdb.Unit, functions []string) (cost, error)
}

const (
	armSyntax  = "clang++-19 -fsyntax-only"
	armCompile = "clang++-19 -O3 -c"
)

func allArms(binary string) []arm {
	layers := []string{analyzer.LayerAST, analyzer.LayerIR}
	every := []string{"char", "bitfield", "pointer", "size", "volatile"}
	arms := []arm{
		{armSyntax, func(ctx context.Context, u compdb.Unit, _ []string) (cost, error) {
			return timed(ctx, u.Directory, append(clang(u), "-fsyntax-only"), nil)
		}},
		{armCompile, func(ctx context.Context, u compdb.Unit, _ []string) (cost, error) {
			return timed(ctx, u.Directory, append(clang(u), "-c", "-o", "/dev/null"), nil)
		}},
		{"whyhot AST", analyse(binary, func(r *analyzer.Request, _ []string) { r.Layers = layers[:1] })},
		{"whyhot AST and char worlds", analyse(binary, func(r *analyzer.Request, _ []string) {
			r.Layers, r.Predicates, r.Blame = layers, every[:1], true
		})},
		{"whyhot AST and all predicates", analyse(binary, func(r *analyzer.Request, _ []string) {
			r.Layers, r.Predicates, r.Blame = layers, every, true
		})},
		{"whyhot AST and hot functions", analyse(binary, func(r *analyzer.Request, functions []string) {
			r.Layers, r.Predicates, r.Blame, r.Functions = layers, every[:1], true, functions
		})},
	}
	if tidy, err := tool.Find("clang-tidy-19"); err == nil {
		arms = append(arms, arm{"clang-tidy-19 performance-*", func(ctx context.Context, u compdb.Unit, _ []string) (cost, error) {
			flags := slices.DeleteFunc(clang(u)[1:], func(a string) bool { return a == u.File })
			// The tree's own .clang-tidy might ask for more.
			return timed(ctx, u.Directory, slices.Concat([]string{tidy, "--quiet", "--config={}", "-checks=-*,performance-*", u.File, "--"}, flags), nil)
		}})
	}
	return arms
}

// clang is the unit's command line for clang's driver, without input from
// elsewhere and without an output.
func clang(u compdb.Unit) []string {
	args := []string{"clang++-19"}
	if strings.HasSuffix(u.File, ".c") {
		args[0] = "clang-19"
	}
	skip := false
	for _, a := range u.Arguments[1:] {
		switch {
		case skip:
			skip = false
		case a == "-o":
			skip = true
		case a != "-c":
			args = append(args, a)
		}
	}
	return append(args, "-w")
}

// analyse runs the analyser in a process of its own for the one unit, so that
// its start is counted too.
func analyse(binary string, fill func(*analyzer.Request, []string)) func(context.Context, compdb.Unit, []string) (cost, error) {
	return func(ctx context.Context, u compdb.Unit, functions []string) (cost, error) {
		req := analyzer.Request{Directory: u.Directory, Arguments: u.Arguments}
		fill(&req, functions)
		line, err := json.Marshal(struct {
			Version int `json:"version"`
			analyzer.Request
		}{1, req})
		if err != nil {
			return cost{}, err
		}
		return timed(ctx, u.Directory, []string{binary}, append(line, '\n'))
	}
}

func timed(ctx context.Context, dir string, args []string, stdin []byte) (cost, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &complaint
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(complaint.String(), "\n")
		return cost{}, fmt.Errorf("%w: %s", err, first)
	}
	if stdin != nil {
		var r analyzer.Reply
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			return cost{}, err
		}
		if len(r.Errors) > 0 {
			return cost{}, errors.New(r.Errors[0])
		}
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, errors.New("the system tells no resource usage")
	}
	return cost{
		cpu:    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		memory: float64(usage.Maxrss) * 1024,
	}, nil
}
