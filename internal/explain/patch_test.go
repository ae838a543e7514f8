package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/fix"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
)

// ofEveryKind has a loop for each kind of finding in source.
const ofEveryKind = `#include <cstddef>
#include <stdexcept>
#include <vector>

struct Text { unsigned char *out; const int *in; std::size_t n; int shift; };
void shifted(Text &s) {
  for (std::size_t i = 0; i < s.n; i++)
    s.out[i] = s.in[i] >> s.shift;
}

void in_lambda(Text &s) {
  auto run = [&] {
    for (std::size_t i = 0; i < s.n; i++)
      s.out[i] = s.in[i] >> s.shift;
  };
  run();
}

class Packer {
public:
  void pack() {
    for (std::size_t i = 0; i < s.n; i++)
      s.out[i] = s.in[i] >> s.shift;
  }

private:
  Text s;
};
void inlined(Packer &p) { p.pack(); }

void polled(volatile int *flag, int *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] += *flag;
}

int parse(int);
int caught(const std::vector<int> &v) {
  int bad = 0;
  for (int x : v) {
    try {
      if (x < 0)
        throw std::runtime_error("negative");
    } catch (const std::runtime_error &) {
      bad++;
    }
  }
  return bad;
}

struct Flags { unsigned a : 1, done : 1; int k; };
int flags(Flags *f, int n) {
  for (int i = 0; i < n; i++)
    f->done = f->k > i;
  return f->done;
}

double sum(const double *a, const int *at, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[at[i]];
  return s;
}

void own(int *p, int n) {
  int i = 0;
  do
    p[i] = parse(i);
  while (++i < n);
}
`

const ownRule = `matchers:
  - id: no-do
    message: a do loop
    matcher: doStmt().bind("loop")
    fix: [write it as a for loop]
`

// What explain and scan name at a line, fix finds there: it writes a patch, or says why
// there is none and what to do by hand.
func TestFixFindsWhatIsNamed(t *testing.T) {
	analyzertest.Use(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, rulesDir := t.TempDir(), t.TempDir()
	write(t, dir, "a.cpp", ofEveryKind)
	write(t, dir, "compile_commands.json", fmt.Sprintf(`[{"directory": %q, "file": "a.cpp", "command": "clang++-19 -std=c++20 -O3 -c a.cpp"}]`, dir))
	write(t, rulesDir, "own.yaml", ownRule)
	rules, err := LoadRules(rulesDir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := source.Options{Stores: source.Stores(), Remarks: true, Workers: 1}
	r, err := Scan(t.Context(), ScanRequest{Build: b, Suspected: true, Rules: rules, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	patched := map[int]bool{}
	for _, f := range r.Findings {
		// One of each rule, and those of the loops that a patch can free.
		if seen[f.Rule] && f.Rule != "alias-char-write" {
			continue
		}
		seen[f.Rule] = true
		for _, subject := range []string{f.ID, finding.Line{File: f.Place.File, Line: f.Place.Line}.String()} {
			p, err := Patch(t.Context(), PatchRequest{Subject: subject, Rules: rules, Options: source.Options{Workers: 1}, Build: func() (*source.Build, error) { return b, nil }})
			switch {
			case p.Sound():
				patched[f.Place.Line] = true
			case err != nil && !strings.Contains(err.Error(), "by hand: "), err == nil && (len(p.Refusals) == 0 || len(p.Advice) == 0):
				t.Errorf("%s, %s of line %d: %v, %+v", subject, f.Rule, f.Place.Line, err, p)
			case len(fix.KindsFor(f.Rule)) == 0 && subject == f.ID && !strings.Contains(err.Error(), strings.Join(f.Fix.Steps, "; ")):
				t.Errorf("%s: the error has not the finding's advice: %v", f.ID, err)
			}
		}
	}
	for _, rule := range []string{"alias-char-write", "volatile-loop", "exceptions-control-flow", "bitfield-flag", "no-do"} {
		if !seen[rule] {
			t.Errorf("nothing of %s: the test tests less than it says", rule)
		}
	}
	if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return strings.HasPrefix(f.Rule, "missed-") }) {
		t.Error("no remark")
	}
	for line, text := range strings.Split(ofEveryKind, "\n") {
		if strings.Contains(text, "i < s.n") && !patched[line+1] {
			t.Errorf("no patch of line %d", line+1)
		}
	}
}
