package count

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/profile"
)

func countedFunctions(t *testing.T, functions []Function, args ...string) *Result {
	t.Helper()
	r, err := Run(t.Context(), Options{
		Command: args, TempDir: t.TempDir(), Functions: functions, Streams: command.Streams{In: os.Stdin, Out: os.Stderr, Err: os.Stderr},
	})
	un := (*collect.UnavailableError)(nil)
	if errors.As(err, &un) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit.Failed() {
		t.Fatalf("%+v", r.Exit)
	}
	return r
}

func (r *Result) function(name string) profile.FunctionCalls {
	for _, c := range r.Functions {
		if c.Name == name {
			return c
		}
	}
	return profile.FunctionCalls{}
}

const cProgram = `
__attribute__((noinline)) int same(const char *text, int n) { __asm__ volatile("" : : "r"(text), "r"(n)); return n; }
__attribute__((noinline)) int differ(const char *text, int n) { __asm__ volatile("" : : "r"(text), "r"(n)); return n; }
__attribute__((noinline)) int fill(char *to, const char *text, int n) { __builtin_memcpy(to, text, 8); __asm__ volatile("" : : "r"(to) : "memory"); return n; }
static const char cold[1 << 20] = {[1 << 19] = 't', 'e', 'x', 't'}; // a page of its own, which nothing reads before
__attribute__((noinline)) int reads(const char *text) { return *(const volatile char *)text; }
int main(void) {
  static char a[] = "one and the same text", b[] = "one and the same text", c[] = "text 000";
  int sum = 0;
  for (int i = 0; i < 400; i++) {
    sum += same(i % 2 ? a : b, 7);
    c[5] = (char)('0' + i % 10), c[6] = (char)('0' + i / 10 % 10);
    sum += differ(c, 7);
    char to[64] = {(char)('0' + i % 50)};
    sum += fill(to, a, 7);
    sum += reads(cold + (1 << 19));
  }
  return sum < 0;
}`

// Equal texts at two addresses are one argument; texts that differ are as many as there are.
func TestFunctionsOfMachineCode(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(cProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O1", "-fno-ipa-cp", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := countedFunctions(t, []Function{
		{Name: "same", Symbol: "same", Binary: binary, Texts: true}, {Name: "differ", Symbol: "differ", Binary: binary, Texts: true},
		{Name: "fill", Symbol: "fill", Binary: binary, Texts: true, Filled: 1}, {Name: "reads", Symbol: "reads", Binary: binary, Texts: true},
		{Name: "main", Symbol: "main", Binary: binary}, {Name: "absent", Symbol: "absent", Binary: binary},
	}, binary)
	for name, want := range map[string]profile.FunctionCalls{
		"same":   {Name: "same", Count: 400, Different: 1},
		"differ": {Name: "differ", Count: 400, Different: 100},
		"fill":   {Name: "fill", Count: 400, Different: 1},
		"reads":  {Name: "reads", Count: 400, Different: 1},
		"main":   {Name: "main", Count: 1},
	} {
		if got := r.function(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if len(r.NotCounted) != 1 || len(r.Functions) != 5 {
		t.Errorf("%v %v", r.Functions, r.NotCounted)
	}
}

const timedProgram = `
#include <unistd.h>
__attribute__((noinline)) int late(int n) { if (n == 299) usleep(200000); __asm__ volatile("" : : "r"(n)); return n; }
__attribute__((noinline)) int itself(int n) { int m = n ? itself(n - 1) : 0; __asm__ volatile("" : : "r"(m)); return m + 1; }
__attribute__((noinline)) int frequent(int n) { __asm__ volatile("" : : "r"(n)); return n; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 400; i++)
    sum += late(i) + itself(3);
  for (int i = 0; i < 3000000; i++)
    sum ^= frequent(i) & 1;
  return sum < 0;
}`

// The time of a call counts where the number of the call belongs; a function that calls itself has
// none, and one that is called often is left alone after a while.
func TestTimesOfMachineCode(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(timedProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O1", "-fno-ipa-cp", "-fno-ipa-pure-const", "-fno-optimize-sibling-calls", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var functions []Function
	for _, name := range []string{"late", "itself", "frequent", "main", "absent", "gone"} {
		functions = append(functions, Function{Name: name, Symbol: name, Binary: binary, Timed: true})
	}
	r := countedFunctions(t, functions, binary)
	late := r.function("late")
	if late.Count != 400 || len(late.Times) != 9 || late.Times[8] < 190_000_000 || slices.Max(late.Times) != late.Times[8] {
		t.Errorf("%+v", late)
	}
	if c := r.function("itself"); c.Count != 1600 || c.Times != nil {
		t.Errorf("%+v", c)
	}
	if c := r.function("frequent"); c.Count < enoughCalls || !c.Stopped || len(c.Times) < 16 {
		t.Errorf("%+v", c)
	}
	if c := r.function("main"); c.Count != 1 || len(c.Times) != 1 || c.Times[0] < late.Times[8] {
		t.Errorf("%+v", c)
	}
	if len(r.Functions) != 4 || len(r.NotCounted) != 2 || !strings.HasPrefix(r.NotCounted[0], "absent, gone: ") || !strings.HasSuffix(r.NotCounted[1], "build with -g)") {
		t.Errorf("%v %v", r.Functions, r.NotCounted)
	}
}

const timedGo = `package main

import "time"

//go:noinline
func late(n int) int {
	if n == 299 {
		time.Sleep(200 * time.Millisecond)
	}
	return n
}

//go:noinline
func itself(n int) int {
	if n == 0 {
		return 0
	}
	return itself(n-1) + 1
}

func main() {
	done := make(chan int)
	for range 4 {
		go func() {
			sum := 0
			for n := range 100 {
				sum += itself(3) + n
			}
			done <- sum
		}()
	}
	for range 4 {
		<-done
	}
	for n := range 400 {
		late(n)
	}
}
`

// A goroutine goes on in another thread after it has slept: its call is still the same one.
func TestTimesOfGo(t *testing.T) {
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(timedGo), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", binary, source)
	build.Env = append(os.Environ(), "GO111MODULE=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := countedFunctions(t, []Function{
		{Name: "main.late", Symbol: "main.late", Binary: binary, Timed: true, Go: true}, {Name: "main.itself", Symbol: "main.itself", Binary: binary, Timed: true, Go: true},
	}, binary)
	late := r.function("main.late")
	if late.Count < 400 || len(late.Times) != 9 || late.Times[8] < 190_000_000 || slices.Max(late.Times) != late.Times[8] {
		t.Errorf("%+v", late)
	}
	if c := r.function("main.itself"); c.Count < 1600 || c.Times != nil {
		t.Errorf("%+v", c)
	}
}

const lookedProgram = `
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))
struct node { int value; struct node *next; };
struct text { const char *at; unsigned long length; };
KEEP int length(const char *text) { return (int)strlen(text); }
KEEP int another(const char *text) { static int n; return n++ + (text[0] == 0); }
KEEP struct node *itself(struct node *n) { n->value++; return n; }
KEEP char *fresh(const char *text) { char *out = strdup(text); return out; }
KEEP double half(int n) { return n / 2.0; }
KEEP int cut(struct text t) { return (int)t.length; }
KEEP int kept(int n) { static int has[4]; if (!has[n]) { usleep(20000); has[n] = n + 1; } return has[n]; }
KEEP void stored(struct node *n) { n->value++; }
KEEP long ways(int r, int c) { return r == 0 || c == 0 ? 1 : ways(r - 1, c) + ways(r, c - 1); }
int main(void) {
  char texts[10][300];
  struct node n = {0};
  long sum = 0;
  static char zeros[8]; // of which only the length differs
  memset(texts, 'a', sizeof texts);
  for (int i = 0; i < 10; i++)
    texts[i][280 + i] = 0; // they differ after what is told apart by itself
  for (int i = 0; i < 1000; i++) {
    const char *text = texts[i * i % 10];
    sum += length(text) + another(text) + itself(&n)->value + (long)half(i % 4) + fresh(text + 279)[0];
    stored(&n);
    sum += kept(i % 4) + (int)half(1000 + i / 5);
    sum += cut((struct text){zeros, i % 3});
  }
  sum += ways(6, 6);
  return sum < 0;
}`

// What functions of machine code are given and give is told apart, also within each other.
func TestLooksOfMachineCode(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(source, []byte(lookedProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O1", "-g", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var functions []Function
	for _, name := range []string{"length", "another", "itself", "fresh", "half", "stored", "ways", "kept", "cut"} {
		functions = append(functions, Function{Name: name, Symbol: name, Binary: binary, Timed: true})
	}
	r := countedFunctions(t, functions, binary)
	for name, want := range map[string]profile.FunctionCalls{
		"length":  {Count: 1000, Looked: 1000, Different: 6, Repeated: 994, Same: 994, Results: 6, Plain: 1000, Contents: true, Cyclic: 0},
		"another": {Count: 1000, Looked: 1000, Different: 6, Repeated: 994, Same: 0, Results: 1000, Plain: 1000, Contents: true},
		"itself":  {Count: 1000, Looked: 1000, Different: 1, Repeated: 999, Same: 999, Results: 1, Plain: 1000, Nothing: 1000},
		"fresh":   {Count: 1000, Looked: 1000, Different: 6, Repeated: 994, Same: 994, Results: 6, Contents: true},
		"half":    {Count: 2000, Looked: 2000, Different: 204, Repeated: 1796, Contents: true},
		"cut":     {Count: 1000, Looked: 1000, Different: 3, Repeated: 997, Same: 997, Results: 3, Contents: true, Plain: 1000},
		"stored":  {Count: 1000, Looked: 1000, Different: 1, Repeated: 999, Same: 999, Results: 1, Nothing: 1000},
		"kept":    {Count: 1000, Looked: 1000, Different: 4, Repeated: 996, Same: 996, Results: 4, Contents: true, Plain: 1000},
		"ways":    {Count: 1847, Looked: 1847, Different: 48, Repeated: 1799, Same: 1799, Contents: true, Plain: 1847},
	} {
		got := r.function(name)
		if got.FirstTime == 0 || got.AgainTime == 0 {
			t.Errorf("%s: no time: %+v", name, got)
		}
		got.Name, got.Times, got.Cyclic, got.FirstTime, got.AgainTime = "", nil, 0, 0, 0
		if name == "ways" {
			got.Results = 0
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	// Once it has waited for each argument, it gives what it has kept.
	if c := r.function("kept"); c.FirstTime < 80_000_000 {
		t.Errorf("%+v", c)
	}
	// The same again at once is no round of all arguments, nor are few of many.
	if c := r.function("half"); c.Cyclic > 100 {
		t.Errorf("%+v", c)
	}
	if c := r.function("kept"); c.Cyclic < 900 {
		t.Errorf("%+v", c)
	}
}
