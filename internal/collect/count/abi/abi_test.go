package abi

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var registerNames = map[int16]string{
	rax: "rax", rbx: "rbx", rcx: "rcx", rdx: "rdx", rsi: "rsi", rdi: "rdi", rsp: "rsp", r8: "r8", r9: "r9", r10: "r10", r11: "r11", Hidden: "hidden",
}

func (p Place) String() string {
	text := registerNames[p.Register]
	for _, offset := range p.Behind {
		text = fmt.Sprintf("[%s+%d]", text, offset)
	}
	return text
}

func (v Value) String() string {
	switch v.Kind {
	case Number:
		if v.Address {
			return "address " + v.At.String()
		}
		return fmt.Sprintf("number %v &%x", v.At, v.Mask)
	case Text:
		return "text " + v.At.String()
	case Block:
		if v.Ends {
			return fmt.Sprintf("block %v to %v", v.At, v.Len)
		}
		return fmt.Sprintf("block %v %d×%v", v.At, v.Size, v.Len)
	case Memory:
	}
	return fmt.Sprintf("memory %v %d", v.At, v.Size)
}

func (s Signature) String() string {
	write := func(all []Value) string {
		parts := make([]string, len(all))
		for i, v := range all {
			parts[i] = v.String()
		}
		return strings.Join(parts, ", ")
	}
	result := write(s.Results)
	if s.Unknown != nil {
		result = "unknown"
	}
	if s.Partial {
		result += " partial"
	}
	return write(s.Arguments) + " → " + result
}

// check compares what is read of a binary's functions: a signature, or why there is none.
func check(t *testing.T, binary string, want map[string]string) {
	t.Helper()
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	types, unread := Read(file)
	for name, want := range want {
		got, found := "", false
		for _, s := range symbols {
			if !strings.Contains(s.Name, name) || strings.HasSuffix(s.Name, ".cold") || elf.ST_TYPE(s.Info) != elf.STT_FUNC {
				continue
			}
			found = true
			if unread != nil {
				got = unread.Error()
				break
			}
			signature, err := types.Of(s.Name, s.Value)
			if got = signature.String(); err != nil {
				got = err.Error()
			}
			break
		}
		if !found || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func build(t *testing.T, compiler, source, text string, flags ...string) string {
	t.Helper()
	path, err := exec.LookPath(compiler)
	if err != nil {
		t.Skip("no " + compiler)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, source), filepath.Join(dir, "p")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(path, append(flags, "-o", out, in)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

const inC = `
#include <stdarg.h>
#define KEEP __attribute__((noipa))
struct span { int begin; short size; };
struct text { const char *at; unsigned long length; };
struct wide { long all[9]; };
struct point { int x, y, z; };
struct node { struct node *next; int value; };
struct padded { char a; int b; };
KEEP int named(const char *name, short day) { return name[0] + day; }
KEEP char *found(const struct node *in, unsigned char key) { return (char *)in + key; }
KEEP int spanned(struct span of) { return of.begin + of.size; }
KEEP int written(struct text t) { return t.at[0]; }
KEEP long eighth(long a, long b, long c, long d, long e, long f, long g, int h) { return a + b + c + d + e + f + g + h; }
KEEP int pointed(struct point *p) { return p->x; }
KEEP int gaps(const struct padded *p) { return p->b; }
KEEP struct wide widened(int n) { struct wide w = {{n}}; return w; }
KEEP double fraction(int n) { return n / 3.0; }
KEEP int rounded(double x) { return (int)x; }
KEEP int stored(int n, int *to) { return *to = n; }
KEEP int several(int n, ...) { va_list l; va_start(l, n); int m = va_arg(l, int); va_end(l); return m; }
KEEP void nothing(struct node *n) { n->value = 0; }
int main(int argc, char **argv) {
  struct node n = {0, argc}; struct point p = {argc, 2, 3}; struct text t = {argv[0], 3}; struct padded g = {1, argc}; int to;
  nothing(&n);
  return named(argv[0], 3) + *found(&n, 2) + spanned((struct span){argc, 2}) + written(t) + (int)eighth(1, 2, 3, 4, 5, 6, 7, argc) +
    pointed(&p) + gaps(&g) + (int)widened(argc).all[0] + (int)fraction(argc) + rounded(argc) + stored(argc, &to) + several(1, argc);
}`

// Optimised code says where its arguments are; other code has them where the convention says.
func TestC(t *testing.T) {
	for _, flags := range [][]string{{"-O2", "-g"}, {"-O0", "-g"}, {"-O2", "-g", "-gdwarf-4"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			span := "number rdi &ffffffff, number rdi &ffff00000000 → number rax &ffffffff"
			if flags[0] == "-O0" {
				span = "number rdi &ffffffffffff → number rax &ffffffff"
			}
			check(t, build(t, "gcc", "p.c", inC, flags...), map[string]string{
				"named":    "text rdi, number rsi &ffff → number rax &ffffffff",
				"found":    "address rdi, number rsi &ff → text rax",
				"spanned":  span,
				"written":  "block rdi 1×rsi → number rax &ffffffff",
				"eighth":   "number rdi &ffffffffffffffff, number rsi &ffffffffffffffff, number rdx &ffffffffffffffff, number rcx &ffffffffffffffff, number r8 &ffffffffffffffff, number r9 &ffffffffffffffff, number [rsp+8] &ffffffffffffffff, number [rsp+16] &ffffffff → number rax &ffffffffffffffff",
				"pointed":  "memory rdi 12 → number rax &ffffffff",
				"gaps":     "address rdi → number rax &ffffffff", // what is between may be anything
				"widened":  "number rsi &ffffffff → unknown",
				"fraction": "number rdi &ffffffff → unknown",
				"rounded":  errFloat.Error(),
				"stored":   errOutput.Error(),
				"several":  errVariadic.Error(),
				"nothing":  "address rdi → ",
			})
		})
	}
}

const inCPP = `
#include <string>
#include <string_view>
#include <vector>
#define KEEP __attribute__((noipa))
struct Rates {
  std::vector<int> all; std::string name;
  KEEP Rates(const std::string &of, int n) : all(n, 1), name(of) {}
  KEEP Rates(const Rates &of) : all(of.all), name(of.name) {}
  KEEP int price(const std::string &code, int day) const { return all[day] + code[0]; }
  KEEP std::string label(std::string_view code) const { return name + std::string(code); }
};
KEEP std::vector<long> numbers(const std::vector<short> &of) { return {of[0], of[1]}; }
KEEP int filled(std::string &into) { into += "x"; return 1; }
KEEP int owned(std::string text) { return text[0]; }
KEEP Rates made(int n) { return Rates("made", n); }
struct Handle { int *at; ~Handle() {} };
KEEP Handle held(const int &n) { return {new int(n)}; }
KEEP bool deep(const std::vector<std::string> &all) { return all.empty(); }
int main(int argc, char **argv) {
  Rates r(argv[0], argc + 2);
  std::string s = argv[0];
  return r.price(s, argc) + r.label(s)[0] + (int)numbers({1, 2})[argc] + filled(s) + owned(s) + made(3).all[0] + deep({s}) + *held(argc).at + Rates(r).all[0];
}`

func TestCPlusPlus(t *testing.T) {
	for _, x := range []struct {
		compiler string
		flags    []string
	}{{"g++", []string{"-std=c++17", "-O2", "-g"}}, {"g++", []string{"-std=c++17", "-O0", "-g"}}} {
		t.Run(x.compiler+" "+strings.Join(x.flags, " "), func(t *testing.T) {
			held := "address rsi → unknown"
			if slices.Contains(x.flags, "-O0") {
				held = errLayout.Error()
			}
			check(t, build(t, x.compiler, "p.cpp", inCPP, x.flags...), map[string]string{
				"RatesC2ERKS":  errCopy.Error(),
				"RatesC2ERKNS": "block [rsi+0] 1×[rsi+8], number rdx &ffffffff → ",
				"5price":       "address rdi, block [rsi+0] 1×[rsi+8], number rdx &ffffffff → number rax &ffffffff",
				"5label":       "address rsi, block rcx 1×rdx → block [hidden+0] 1×[hidden+8]",
				"7numbers":     "block [rsi+0] to [rsi+8] → block [hidden+0] to [hidden+8]",
				"6filled":      errOutput.Error(),
				"5owned":       "block [rdi+0] 1×[rdi+8] → number rax &ffffffff",
				"4made":        "number rsi &ffffffff → unknown",
				"4held":        held,
				"4deep":        "address rdi → number rax &ff",
			})
		})
	}
}

func TestRust(t *testing.T) {
	check(t, "testdata/calls", map[string]string{
		"width":    "block rdi 1×rsi, number rdx &ffffffff → number rax &ffffffffffffffff",
		"label":    "block rsi 1×rdx, number rcx &ffffffffffffffff → block [hidden+8] 1×[hidden+16]",
		"price":    "memory rdi 24, block [rsi+8] 1×[rsi+16], number rdx &ffff → number rax &ffffffffffffffff",
		"position": "block rdi 1×rsi, number rdx &ff → unknown",
		"first":    "address rdi, number rsi &ffffffffffffffff → number rax &ff", // one or many
		"single":   "memory rdi 4 → number rax &ffffffff",
		"scaled":   errFloat.Error(),
		"ways":     "number rdi &ffffffffffffffff, number rsi &ffffffffffffffff → number rax &ffffffffffffffff",
	})
}

const inGo = `package main

import "errors"

type store struct{ m map[string]int; n int }
type point struct{ x, y int32 }

//go:noinline
func (s *store) rate(code string, day int8) int { return s.m[code] + int(day) }
//go:noinline
func label(code string) (string, error) { if code == "" { return "", errors.New("no") }; return code + "!", nil }
//go:noinline
func shifted(p *point, by point) bool { return p.x > by.x }
//go:noinline
func bytes(b []byte, rest []int) []int32 { return make([]int32, len(b)+len(rest)) }
//go:noinline
func scaled(n int, by float64) int { return int(float64(n) * by) }
//go:noinline
func halved(n int) float64 { return float64(n) / 2 }
//go:noinline
func done(s *store) { s.n++ }

func main() {
	s := &store{}
	done(s)
	l, _ := label("a")
	f := func() int { return s.n }
	println(s.rate(l, 2), shifted(&point{1, 2}, point{3, 4}), len(bytes([]byte(l), nil)), scaled(3, 2), halved(3), called(f))
}

//go:noinline
func called(f func() int) int { return f() }
`

func TestGo(t *testing.T) {
	check(t, build(t, "go", "p.go", inGo, "build"), map[string]string{
		"main.(*store).rate": "address rax, block rbx 1×rcx, number rdi &ff → number rax &ffffffffffffffff",
		"main.label":         "block rax 1×rbx → block rax 1×rbx, address rcx, address rdi",
		"main.shifted":       "memory rax 8, number rbx &ffffffff, number rcx &ffffffff → number rax &ff",
		"main.bytes":         "block rax 1×rbx, address rdi, number rsi &ffffffffffffffff → block rax 4×rbx",
		"main.scaled":        errFloat.Error(),
		"main.halved":        "number rax &ffffffffffffffff → unknown",
		"main.done":          "address rax → ",
		"main.main.func1":    errClosure.Error(),
		"main.called":        "address rax → number rax &ffffffffffffffff",
	})
}

// GCC makes copies of functions for arguments that are always the same, or takes out what nobody
// reads.
func TestChangedArguments(t *testing.T) {
	check(t, build(t, "gcc", "p.c", `
static __attribute__((noinline, noclone)) int plain(int n) { return n * 7 % 5; }
static __attribute__((noinline)) int scaled(const char *name, int by) { int s = 0; while (*name) s = s * by + *name++; return s; }
struct pair { int a, b; };
static __attribute__((noinline)) int first(struct pair *p, int n) { return p->a % n + plain(n); }
int main(int argc, char **argv) {
  struct pair p = {argc, 2};
  return scaled(argv[0], 31) + scaled(argv[argc - 1], 31) + first(&p, argc) + first(&p, argc + 1);
}`, "-O2", "-g"), map[string]string{
		"plain":  "number rdi &ffffffff → number rax &ffffffff",
		"scaled": "text rdi → number rax &ffffffff",
		"first":  errChanged.Error(),
	})
}

// Of a function that the compiler changed, an argument that is nowhere may be passed in another way.
func TestPartial(t *testing.T) {
	n := &typ{kind: whole, size: 4}
	for _, x := range []struct {
		changed bool
		gone    state
		want    bool
	}{{true, absent, false}, {true, constant, true}, {false, absent, true}} {
		s, err := ofC(&function{changed: x.changed, result: n, parameters: []parameter{
			{t: n, located: true, parts: []part{{state: inRegister, register: rsi}}}, {t: n, located: true, parts: []part{{state: x.gone}}},
		}})
		if err != nil || len(s.Arguments) != 1 || s.ByContent() != x.want {
			t.Errorf("%+v: %v %v", x, s, err)
		}
	}
}

// Without debug information there is no signature, and the reason says what to do.
func TestNoTypes(t *testing.T) {
	check(t, build(t, "gcc", "p.c", inC, "-O2"), map[string]string{"named": ErrNoTypes.Error()})
}

func TestDecode(t *testing.T) {
	for name, x := range map[string]struct {
		code []byte
		want []part
	}{
		"a register":          {[]byte{0x55}, []part{{state: inRegister, register: rdi}}},
		"a register of SSE":   {[]byte{0x61}, []part{{state: elsewhere}}},
		"the stack":           {[]byte{0x91, 0x08}, []part{{state: inMemory, register: rsp, displacement: 16}}},
		"below the stack":     {[]byte{0x91, 0x6c}, []part{{state: inMemory, register: rsp, displacement: -12}}},
		"behind a register":   {[]byte{0x74, 0x80, 0x01}, []part{{state: inMemory, register: rsi, displacement: 128}}},
		"a constant":          {[]byte{0x0a, 0x01, 0x02, 0x9f}, []part{{state: constant}}},
		"two parts, one gone": {[]byte{0x93, 0x08, 0x38, 0x9f, 0x93, 0x08}, []part{{size: 8}, {offset: 8, size: 8, state: constant}}},
		"two registers":       {[]byte{0x54, 0x93, 0x08, 0x51, 0x93, 0x04}, []part{{size: 8, state: inRegister, register: rsi}, {offset: 8, size: 4, state: inRegister, register: rdx}}},
		"a word in the code":  {[]byte{0x9e, 0x02, 0x01, 0x02}, []part{{state: constant}}},
		"an address there":    {[]byte{0x91, 0x68, 0x06}, []part{{state: inMemory, register: rsp, displacement: -16, address: true}}},
		"something else":      {[]byte{0xf3, 0x01, 0x55}, nil},
		"cut":                 {[]byte{0x91, 0x80}, nil},
		"cut in a word":       {[]byte{0x9e, 0x05, 0x01}, nil},
	} {
		got, known := decode(x.code)
		if known != (x.want != nil) || fmt.Sprint(got) != fmt.Sprint(x.want) {
			t.Errorf("%s: %v %v, want %v", name, got, known, x.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, code := range [][]byte{{0x55}, {0x91, 0x6c}, {0x93, 0x08, 0x38, 0x9f, 0x93, 0x08}, {0x9e, 0x05, 0x01}} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		parts, known := decode(code)
		if known && len(parts) == 0 {
			t.Error("known, and nowhere")
		}
	})
}

// A binary that is cut, or whose bytes are others, is an error and no panic.
func FuzzOf(f *testing.F) {
	whole, err := os.ReadFile("testdata/calls")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, byte(0))
	f.Add(len(whole)/2, byte(0xff))
	f.Fuzz(func(t *testing.T, at int, to byte) {
		if at < 0 || at >= len(whole) {
			t.Skip()
		}
		changed := append([]byte{}, whole...)
		changed[at] = to
		file, err := elf.NewFile(strings.NewReader(string(changed)))
		if err != nil {
			return
		}
		symbols, err := file.Symbols()
		if err != nil {
			return
		}
		types, err := Read(file)
		if err != nil {
			return
		}
		for _, s := range symbols {
			_, _ = types.Of(s.Name, s.Value)
		}
	})
}
