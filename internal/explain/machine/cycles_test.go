package machine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/machine"
	"whyhot/internal/host/tooltest"
)

const modelled = `
extern long other(long);
unsigned long chain(unsigned long s, long n) { do s *= 6364136223846793005ul; while (--n); return s; }
long ways(const long *a, long n) {
  long s = 1;
  do {
    if (*a & 1) { s = s * 3 ^ 5; __asm__ volatile("imul %0, %0; imul %0, %0" : "+r"(s)); } else __asm__ volatile("" : "+r"(s));
    a++;
  } while (--n);
  return s;
}
long calls(const long *a, long n) { long s = 0; do s += other(*a++); while (--n); return s; }
long chosen(const unsigned char *p, long n) {
  long s = 0;
  do switch (*p++) {
    case 0: s += 3; break;
    case 1: s *= 5; break;
    case 2: s ^= n; break;
    case 3: s -= 7; break;
    case 4: s = s << 3 | 1; break;
    case 5: s = -s; break;
    default: s++;
  } while (--n);
  return s;
}
static long twice(long x) { return x; }
`

// model compiles the functions to an object file, which nobody links.
func model(t *testing.T, function string, cpus ...string) ([]machine.Loop, error) {
	t.Helper()
	analyzertest.Use(t)
	dir := t.TempDir()
	source, object := filepath.Join(dir, "x.c"), filepath.Join(dir, "x.o")
	if err := os.WriteFile(source, []byte(modelled), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, "gcc", "-O2", "-w", "-c", source, "-o", object)
	loops, err := machine.Model(t.Context(), []machine.Code{{File: object, Function: function}}, cpus)
	if err != nil {
		return nil, err
	}
	if len(loops) != 1 || len(loops[0]) != 1 {
		t.Fatalf("%s: %+v", function, loops)
	}
	return loops[0], nil
}

// A multiplication that waits for the one before takes three cycles on all of them.
func TestChainOfMultiplications(t *testing.T) {
	loops, err := model(t, "chain", "skylake", "znver4")
	if err != nil {
		t.Fatal(err)
	}
	for _, cpu := range []string{"skylake", "znver4"} {
		if c := loops[0].Cycles[cpu]; c.Least < 2.9 || c.Most > 3.1 || c.Limit != "dependencies" {
			t.Errorf("%s: %+v", cpu, c)
		}
	}
}

func TestBranchesGiveTwoNumbers(t *testing.T) {
	loops, err := model(t, "ways", "znver4")
	if err != nil {
		t.Fatal(err)
	}
	if c := loops[0].Cycles["znver4"]; c.Most < c.Least+4 || c.Least < 1 {
		t.Errorf("%+v: two multiplications lie between the ways", c)
	}
}

func TestCallsAreCounted(t *testing.T) {
	loops, err := model(t, "calls", "znver4")
	if err != nil {
		t.Fatal(err)
	}
	if loops[0].Calls != 1 || loops[0].Cycles["znver4"].Least < 1 || loops[0].Step != 8 {
		t.Errorf("%+v", loops[0])
	}
}

// The table of a switch is full of relocations in an object file.
func TestSwitchOfAnObjectFile(t *testing.T) {
	loops, err := model(t, "chosen", "znver4")
	if err != nil {
		t.Fatal(err)
	}
	if l := loops[0]; l.Unresolved != 0 || l.Cycles["znver4"].Most <= l.Cycles["znver4"].Least || l.Step != 1 {
		t.Errorf("%+v", l)
	}
}

func TestWhatCannotBeModelledIsSaid(t *testing.T) {
	for function, want := range map[string]string{"absent": "no function absent", "twice": "no function twice"} {
		if _, err := model(t, function); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", function, err)
		}
	}
	if _, err := model(t, "chain", "pentium9"); err == nil || !strings.Contains(err.Error(), "pentium9") {
		t.Errorf("%v", err)
	}
}
