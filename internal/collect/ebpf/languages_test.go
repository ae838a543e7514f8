package ebpf

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/host/tool"
	"whyhot/internal/profile"
)

// Each program spends its time in inner, which outer calls.
var programs = []struct {
	name, tool, file string
	args             []string
	kind             profile.Kind
	inner, outer     string // parts of the names
	source           string
}{
	{"CPython", "/usr/bin/python3", "burn.py", nil, profile.KindPython, "inner", "Work.outer", `
import time
def inner(n):
    s = 0
    for i in range(n): s += i * i
    return s
class Work:
    def outer(self): return inner(20000)
w, end = Work(), time.time() + 1.5
while time.time() < end: w.outer()
`},
	{"Node", "node", "burn.js", nil, profile.KindJS, "inner", "outer", `
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * i % 7; return s }
function outer() { let s = 0; for (let i = 0; i < 20; i++) s += inner(20000); return s }
const end = Date.now() + 1500; let t = 0
while (Date.now() < end) t += outer()
`},
	{"OpenJDK", "java", "Burn.java", nil, profile.KindJava, "inner", "Burn.main", `
public class Burn {
  static double inner(int n) { double s = 0; for (int i = 0; i < n; i++) s += Math.sqrt(i) * (i % 7); return s; }
  public static void main(String[] a) {
    long end = System.currentTimeMillis() + 2500; double t = 0;
    while (System.currentTimeMillis() < end) t += inner(200000);
    if (t == 1) System.out.println(t);
  }
}
`},
	{"PHP", "php", "burn.php", nil, profile.KindPHP, "inner", "Work::outer", `<?php
function inner($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i * $i; return $s; }
class Work { function outer() { return inner(20000); } }
$w = new Work; $end = microtime(true) + 1.5;
while (microtime(true) < $end) $w->outer();
`},
	// sort_by is written in C, and is the innermost Ruby method half of the time.
	{"Ruby", "ruby", "burn.rb", nil, profile.KindRuby, "inner", "outer", `
def inner(n)
  (1..n).to_a.sort_by { |x| -x }.sum
end
class Work
  def outer = inner(20000)
end
w, stop = Work.new, Time.now + 1.5
w.outer while Time.now < stop
`},
	{"Perl", "perl", "burn.pl", nil, profile.KindPerl, "Work::inner", "Work::outer", `
package Work;
sub new { bless {}, shift }
sub inner { my ($self, $n) = @_; my $s = 0; for my $i (1 .. $n) { $s += $i * $i } return $s }
sub outer { return shift->inner(20000) }
package main;
my ($w, $end) = (Work->new, time + 2);
$w->outer while time < $end;
`},
	{"Perl, by name alone", "perl", "plain.pl", nil, profile.KindPerl, "main::inner", "main::outer", `
use strict;
sub inner { my ($n) = @_; my $s = 0; for my $i (1 .. $n) { $s += $i * $i } return $s }
sub outer { return inner(20000) }
my $end = time + 2;
while (time < $end) { outer() }
`},
}

func TestInterpretersAndJITs(t *testing.T) {
	usable(t.Context(), t)
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			args := interpreted(t, c.tool, c.file, c.source, c.args...)
			settled(t, func(v *verdict) {
				p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: args}})
				if out.Exit.Failed() {
					t.Fatalf("the program failed: %v", out.Exit)
				}
				named := func(part string) float64 {
					return share(p, func(f *profile.Function) bool { return f.Kind == c.kind && strings.Contains(f.Name, part) })
				}
				// The compiler may have put inner into its caller; the caller is there then.
				if inner, outer := named(c.inner), named(c.outer); inner < 0.5 && c.kind != profile.KindJava || outer < 0.5 {
					v.Errorf("inner in %.3f, outer in %.3f of %d samples: %v", inner, outer, p.Count(), p.Meta.Warnings)
				}
				if native := share(p, func(f *profile.Function) bool { return f.Kind == profile.KindNative }); native < 0.5 {
					v.Errorf("machine code in %.3f of the samples", native)
				}
			})
		})
	}
}

// interpreted is the command that runs a program of a language whose tool is installed.
func interpreted(t *testing.T, language, name, source string, options ...string) []string {
	t.Helper()
	path, err := tool.Find(language)
	if err != nil {
		t.Skipf("%s is not installed", language)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) == ".java" {
		return compiled(t, file)
	}
	return append(append([]string{path}, options...), file)
}

// compiled is the command that runs a Java file's class.
func compiled(t *testing.T, file string) []string {
	t.Helper()
	javac, err := tool.Find("javac")
	if err != nil {
		t.Skip("javac is not installed")
	}
	if text, err := exec.CommandContext(t.Context(), javac, file).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, text)
	}
	class := strings.TrimSuffix(filepath.Base(file), ".java")
	return []string{"java", "-cp", filepath.Dir(file), class}
}

// goProgram builds a Go program from its only file.
func goProgram(t *testing.T, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module burn\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "burn")
	build := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", program}, flags...)...)
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return program
}

// Go programs are machine code to every sampler: addresses, named later.
func TestGoProgram(t *testing.T) {
	usable(t.Context(), t)
	source := `package main
import "time"
//go:noinline
func inner(n int) (s float64) { for i := range n { s += float64(i) / 3 }; return s }
func main() { t := 0.0; for end := time.Now().Add(time.Second); time.Now().Before(end); { t += inner(20000) }; if t == 1 { panic(t) } }
`
	program := goProgram(t, source)
	settled(t, func(v *verdict) {
		p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program}}})
		if got := nativeOf(p, program); got < 0.9 || whole(p) < 0.97 {
			v.Errorf("%.3f of %d samples in the program, %.3f whole", got, p.Count(), whole(p))
		}
	})
}

// A Go function without a frame has its caller above it.
func TestGoLeafHasItsCaller(t *testing.T) {
	usable(t.Context(), t)
	source := `package main
import ("os"; "strconv")
//go:noinline
func leaf(n int) (s int) { for i := range n { s += i * i ^ s }; return s }
//go:noinline
func middle(n int) int { return leaf(n) + leaf(n) }
func main() { rounds, _ := strconv.Atoi(os.Args[1]); t := 0; for range rounds { t += middle(200000) }; if t == 1 { panic(t) } }
`
	program := goProgram(t, source)
	symbols, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer symbols.Close()
	all, err := symbols.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string, address uint64) bool {
		return slices.ContainsFunc(all, func(s elf.Symbol) bool { return s.Name == name && s.Value <= address && address < s.Value+s.Size })
	}
	p, _ := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, "1500"}}})
	leaves, called := int64(0), int64(0)
	for _, s := range p.Samples() {
		stack := p.Stack(s.Stack)
		for k, at := range stack {
			if !in("main.leaf", p.Location(at).Address) {
				continue
			}
			leaves += s.Count
			if k+1 < len(stack) && in("main.middle", p.Location(stack[k+1]).Address) {
				called += s.Count
			}
		}
	}
	if leaves == 0 || float64(called) < 0.98*float64(leaves) {
		t.Errorf("%d of %d samples in main.leaf have main.middle above it", called, leaves)
	}
}

// A program that loads a library while it runs, forks, and becomes another one.
func TestLoadForkExec(t *testing.T) {
	usable(t.Context(), t)
	if _, err := tool.Find("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"lib.c": `static volatile double sink;
__attribute__((noinline)) void spin(void) { for (int i = 0; i < 100000; i++) sink += i * 0.5; }
void turn(long n) { while (n-- > 0) spin(); }
`,
		"main.c": `#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  void (*turn)(long) = (void (*)(long))dlsym(dlopen(argv[1], RTLD_NOW), "turn");
  if (argc == 2) {
    if (fork() == 0) { turn(2000); _exit(0); }
    turn(2000);
    wait(0);
    execl(argv[0], argv[0], argv[1], "again", (char *)0);
  }
  turn(2000);
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	library, program := filepath.Join(dir, "libturn.so"), filepath.Join(dir, "main")
	for _, args := range [][]string{
		{"-O2", "-shared", "-fPIC", "-fomit-frame-pointer", "-o", library, filepath.Join(dir, "lib.c")},
		{"-O2", "-fomit-frame-pointer", "-o", program, filepath.Join(dir, "main.c"), "-ldl"},
	} {
		if text, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc %v: %v\n%s", args, err, text)
		}
	}
	settled(t, func(v *verdict) {
		p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: []string{program, library}}, Settings: collect.Settings{Frequency: 499}})
		if out.Exit.Failed() {
			t.Fatalf("the program failed: %v", out.Exit)
		}
		if got := nativeOf(p, library); got < 0.9 || whole(p) < 0.9 {
			v.Errorf("%.3f of %d samples in the library, %.3f whole: %v", got, p.Count(), whole(p), p.Meta.Warnings)
		}
		pids := map[int64]bool{}
		for _, s := range p.Samples() {
			pid, _ := p.Label(s.Labels, profile.LabelPID)
			pids[pid.Num] = true
		}
		if len(pids) != 2 {
			v.Errorf("samples of %d processes, want 2", len(pids))
		}
	})
}
