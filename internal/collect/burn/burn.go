// Package burn builds the small C program that the tests of recording record,
// and looks at the profiles that they get. Only tests import it.
//
// It owns the program and what is known of it: three parts of its time are in
// heavy, one in light. It must never import a sampler.
package burn

import (
	_ "embed"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

//go:embed testdata/burn.c
var source []byte

// Build compiles the program, or skips the test where there is no compiler.
func Build(t *testing.T, flags ...string) string {
	t.Helper()
	if _, err := tool.Find("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	src, program := filepath.Join(dir, "burn.c"), filepath.Join(dir, "burn")
	if err := os.WriteFile(src, source, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O2", "-g", "-pthread", "-o", program, src}, flags...)
	if text, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", args, err, text)
	}
	return program
}

// Shares gives how much of the profile's value is in heavy and in light, by
// file offset: every address in a function's range counts for it.
func Shares(t *testing.T, p *profile.Profile, program string) (heavy, light float64) {
	t.Helper()
	symbols := symbolsOf(t, program)
	return share(p, symbols, "heavy", leafOnly), share(p, symbols, "light", leafOnly)
}

// Callers gives how much of the time in heavy and light has the right caller
// in its stack.
func Callers(t *testing.T, p *profile.Profile, program string) float64 {
	t.Helper()
	symbols := symbolsOf(t, program)
	all := share(p, symbols, "heavy", leafOnly) + share(p, symbols, "light", leafOnly)
	if all == 0 {
		return 0
	}
	return (share(p, symbols, "heavy_caller", wholeStack) + share(p, symbols, "light_caller", wholeStack)) / all
}

// Reaches gives the share of the profile's value with the function in its stack.
func Reaches(t *testing.T, p *profile.Profile, program, function string) float64 {
	t.Helper()
	return share(p, symbolsOf(t, program), function, wholeStack)
}

// Near tells whether a share that was seen in n samples fits the expected one:
// four standard errors and the clock's own unevenness.
func Near(got, want float64, n int64) bool {
	return math.Abs(got-want) <= 4*math.Sqrt(want*(1-want)/float64(max(n, 1)))+0.03
}

type reach bool

const (
	leafOnly   reach = false
	wholeStack reach = true
)

func share(p *profile.Profile, symbols map[string]span, name string, deep reach) float64 {
	wanted, ok := symbols[name]
	if !ok || p.Total() == 0 {
		return 0
	}
	var in int64
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		if len(stack) > 1 && deep == leafOnly {
			stack = stack[:1]
		}
		for _, id := range stack {
			if wanted.holds(p, id) {
				in += s.Value
				break
			}
		}
	}
	return float64(in) / float64(p.Total())
}
