package explain

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
	"whyhot/internal/symbol"
)

// filters is a small program whose loops have what the source rules and the rules over
// machine code are both about.
const filters = `#include <stddef.h>
#include <stdint.h>
struct image { unsigned char *out; const unsigned char *in; int width, shift; };
__attribute__((noinline)) void darken(struct image *m) {
  for (int i = 0; i < m->width; i++)
    m->out[i] = m->in[i] >> m->shift;
}

__attribute__((noinline)) void threshold(uint8_t *bits, const uint8_t *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (in[i] > 7)
      bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

int grid[1024][1024];
__attribute__((noinline)) long columns(void) {
  long s = 0;
  for (int x = 0; x < 1024; x++)
    for (int y = 0; y < 1024; y++)
      s ^= grid[y][x] + s;
  return s;
}

struct text { char *to; size_t used, size; };
static inline void put(struct text *t, char c) { t->to[t->used++] = c; }
__attribute__((noinline)) void quote(struct text *t, const char *s, int n) {
  for (int i = 0; i < n; i++) {
    if (s[i] == '"')
      put(t, '\\');
    put(t, s[i]);
  }
}

int main(int argc, char **argv) {
  unsigned char b[64] = {0};
  struct image m = {b, b, argc, argc};
  struct text t = {(char *)b, 0, sizeof b};
  darken(&m);
  threshold(b, b, 8);
  quote(&t, argv[0], 1);
  return (int)columns() + b[0];
}
`

// compiledFilters is the program with its build.
func compiledFilters(t *testing.T, compiler string) (program string, build *source.Build) {
	t.Helper()
	program = tooltest.Compile(t, compiler, "filters.c", filters, "-O2", "-g")
	dir := filepath.Dir(program)
	write(t, dir, "compile_commands.json", fmt.Sprintf(`[{"directory": %q, "file": "filters.c", "command": "%s -O2 -g -c filters.c"}]`, dir, compiler))
	build, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return program, build
}

// sampledInLoops is a profile of a program with the same number of samples on each
// instruction of the innermost loops of a function, named and placed as every profile's
// addresses are.
func sampledInLoops(t *testing.T, analyser, program, function string) *profile.Profile {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var code *elf.Prog
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			code = p
		}
	}
	replies, errs := analyzer.Machine(t.Context(), analyser, []analyzer.MachineRequest{{File: program, Functions: []analyzer.MachineRange{{Symbol: function}}}})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	const base = 0x7f0000000000
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: program, Start: base, Limit: base + code.Memsz, Offset: code.Off})
	for _, l := range replies[0].Functions[0].Loops {
		if !l.Innermost {
			continue
		}
		for _, in := range l.Instructions {
			loc := b.Location(m, base+in.Address-code.Vaddr, profile.KindNative)
			b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 20, Value: 20})
		}
	}
	p, _ := symbol.New(symbol.Options{}).Symbolize(t.Context(), b.Build(profile.Meta{}))
	return p
}

// What is wrong with a loop is one finding, with what the source says of it and what its
// machine code does.
func TestALoopInSourceAndMachineCodeIsOneFinding(t *testing.T) {
	analyser := analyzertest.Use(t)
	for _, compiler := range []string{"gcc", "clang-19"} {
		program, build := compiledFilters(t, compiler)
		for function, want := range map[string]struct{ source, machine string }{
			"darken":    {"alias-char-write", "machine-reload"},
			"quote":     {"alias-char-write", "machine-reload"},
			"threshold": {"bit-by-bit", "machine-bit-set"},
			"columns":   {"column-walk", "column-per-pass"}, // the text says it before the machine code
		} {
			t.Run(compiler+" "+function, func(t *testing.T) {
				p := sampledInLoops(t, analyser, program, function)
				explain := func(s *SourceRequest) []finding.Finding {
					r, err := Explain(t.Context(), Request{Profile: p, Rules: builtin(t), Source: s, Machine: true})
					if err != nil {
						t.Fatal(err)
					}
					return r.Findings
				}
				alone := explain(nil)
				if !slices.ContainsFunc(alone, func(f finding.Finding) bool { return f.Rule == want.machine }) {
					t.Fatalf("machine code alone has %s", rulesIn(alone))
				}
				both := explain(&SourceRequest{Build: build, Options: source.Options{NoCache: true}})
				at := slices.IndexFunc(both, func(f finding.Finding) bool { return f.Rule == want.source })
				if at < 0 {
					t.Fatalf("the source has no %s: %s", want.source, rulesIn(both))
				}
				for _, f := range both {
					if strings.HasPrefix(f.Rule, "machine-") {
						t.Errorf("%s at %s:%d-%d stands beside %s at %s:%d-%d", f.Rule, f.Place.File, f.Place.Line, f.Place.EndLine, want.source, both[at].Place.File, both[at].Place.Line, both[at].Place.EndLine)
					}
				}
				if f := both[at]; f.Certainty != finding.Confirmed || !slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return e.Kind == "machine" }) {
					t.Errorf("%s is %s with %+v", f.Rule, f.Certainty, f.Evidence)
				}
			})
		}
		if err := os.RemoveAll(filepath.Dir(program)); err != nil {
			t.Error(err)
		}
	}
}

func rulesIn(found []finding.Finding) string {
	var out []string
	for _, f := range found {
		out = append(out, f.Rule)
	}
	return strings.Join(out, ", ")
}
