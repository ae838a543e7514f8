package session

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/collect/ebpf"
	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

// Each program spends its time in inner, which outer calls.
var generating = []struct {
	name, runtime, compiler, file string
	command                       func(dir string) []string
	inner, outer                  string
	source                        string
}{
	{
		"Mono", "mcs", "mcs", "Burn.cs", func(dir string) []string { return []string{"mono", filepath.Join(dir, "Burn.exe")} },
		"Burn.Inner(int)", "Burn+Work.Outer()", `
using System;
class Burn {
  public static double Inner(int n) { double s = 0; for (int i = 0; i < n; i++) s += (i % 7) * s + 1; return s; }
  class Work { public double Outer() { double t = 0; for (int i = 0; i < 10; i++) t += Inner(20000); return t; } }
  static void Main() {
    var w = new Work(); double t = 0; var end = DateTime.UtcNow.AddSeconds(1.5);
    while (DateTime.UtcNow < end) t += w.Outer();
    if (t == 1) Console.WriteLine(t);
  }
}
`,
	},
	{
		"Erlang", "erl", "erlc", "burn.erl", func(dir string) []string {
			return []string{"erl", "-noshell", "-pa", dir, "-run", "burn", "main"}
		},
		"burn:inner/2", "burn:outer/2", `
-module(burn).
-export([main/0, inner/2, outer/2]).
inner(0, S) -> S;
inner(N, S) -> inner(N - 1, (S * 31 + N) band 16#ffffff).
outer(0, S) -> S + 1;
outer(N, S) -> 1 + outer(N - 1, ?MODULE:inner(20000, S)).
turn(End, S) ->
    case erlang:monotonic_time(millisecond) < End of
        true -> turn(End, outer(10, S));
        false -> S
    end.
main() -> turn(erlang:monotonic_time(millisecond) + 1500, 1), halt().
`,
	},
}

// Runtimes that the eBPF profiler has no part for are asked for names and frame pointers.
func TestGeneratedCodeHasNames(t *testing.T) {
	if testing.Short() {
		t.Skip("loading the profiler takes seconds")
	}
	for _, c := range generating {
		t.Run(c.name, func(t *testing.T) {
			if _, err := tool.Find(c.runtime); err != nil {
				t.Skipf("%s is not installed", c.runtime)
			}
			dir := t.TempDir()
			source := filepath.Join(dir, c.file)
			if err := os.WriteFile(source, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.CommandContext(t.Context(), c.compiler, source)
			build.Dir = dir
			if text, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", c.compiler, err, text)
			}
			p, result := recordWith(t, &ebpf.Sampler{}, c.command(dir)...)
			if !strings.Contains(strings.Join(result.Notes, "\n"), c.name+" was asked for names") {
				t.Errorf("nothing tells what was set: %q", result.Notes)
			}
			inner, called, whole := int64(0), int64(0), int64(0)
			for _, s := range p.Samples() {
				stack := p.Stack(s.Stack)
				if nameOf(p, stack, 0) != c.inner {
					continue
				}
				inner += s.Count
				if nameOf(p, stack, 1) == c.outer {
					called += s.Count
				}
				if nameOf(p, stack, len(stack)-1) != "[truncated stack]" {
					whole += s.Count
				}
			}
			if float64(inner) < 0.5*float64(p.Count()) || float64(called) < 0.95*float64(inner) || float64(whole) < 0.95*float64(inner) {
				t.Errorf("of %d samples %d are in %s, of which %s called %d, and %d are whole: %v",
					p.Count(), inner, c.inner, c.outer, called, whole, p.Meta.Warnings)
			}
			for i := range p.NumMappings() {
				if path := p.Mapping(profile.MappingID(i)).Path; mapFile.MatchString(path) {
					if _, err := os.Stat(path); err == nil {
						t.Errorf("%s was left behind", path)
					}
				}
			}
		})
	}
}

func nameOf(p *profile.Profile, stack []profile.LocationID, i int) string {
	if i >= len(stack) {
		return ""
	}
	return p.Function(p.Lines(stack[i])[0].Function).Name
}

// Only what the recording has caused is taken away.
func TestMapsThatAreRemoved(t *testing.T) {
	const number = "/tmp/perf-4194999.map" // above the most that the kernel numbers
	if _, err := os.Stat(number); err == nil {
		t.Skip("it is there")
	}
	b := profile.NewBuilder()
	for _, path := range []string{number, "/tmp/perf-x.map", t.TempDir() + "/tmp/perf-1.map"} {
		b.Mapping(profile.Mapping{Path: path, Limit: 1})
	}
	p := b.Build(profile.Meta{})
	exists := func() bool {
		_, err := os.Stat(number)
		return err == nil
	}
	write := func() {
		if err := os.WriteFile(number, []byte("1 1 f\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(number) })
	}
	write()
	for name, c := range map[string]struct {
		maps  nameMaps
		began time.Time
	}{
		"nothing was set":          {nameMaps{}, time.Now().Add(-time.Hour)},
		"older than the recording": {nameMaps{env: []string{"A=b"}}, time.Now().Add(time.Hour)},
	} {
		if c.maps.remove(p, c.began); !exists() {
			t.Errorf("%s: it was removed", name)
			write()
		}
	}
	m := nameMaps{env: []string{"A=b"}}
	if m.remove(p, time.Now().Add(-time.Hour)); exists() {
		t.Error("it is still there")
	}
}

func TestPlain(t *testing.T) {
	o := Options{Plain: true}
	o.Target.Command = []string{"mono", "x.exe"}
	if m := o.nameMaps(); len(m.env) > 0 || len(m.notes) > 0 {
		t.Errorf("%+v", m)
	}
}
