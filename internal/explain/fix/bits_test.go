package fix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
	"whyhot/internal/explain/fix"
)

// project writes files and gives the units that its .cpp files are.
func project(t *testing.T, std string, files map[string]string) (dir string, o fix.Options) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o = fix.Options{Binary: analyzertest.Path(t), Workers: 1}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) != ".cpp" {
			continue
		}
		u, err := compdb.FromCommand(dir, path, []string{"c++", "-std=" + std, "-O2", "-c", path})
		if err != nil {
			t.Fatal(err)
		}
		o.Units = append(o.Units, u)
	}
	return dir, o
}

// graph is a class in a header with two members; edge is used by count.cpp alone.
var graph = map[string]string{
	"graph.h": `#pragma once
#include <vector>
namespace net {
class Graph {
public:
  explicit Graph(unsigned n) : seen_(n), edge_(n, false) {}
  void visit(unsigned i) { seen_[i] = true; }
  const std::vector<bool> &seen() const { return seen_; }
  int edges() const;
  int hits() const;
private:
  std::vector<bool> seen_;
  std::vector<bool> edge_;
};
int total(const std::vector<bool> &of);
}
`,
	"hits.cpp": `#include "graph.h"
int net::Graph::hits() const {
  int n = 0;
  for (unsigned i = 0; i < seen_.size(); ++i)
    n += seen_[i];
  return n;
}
`,
	"count.cpp": `#include "graph.h"
int net::Graph::edges() const {
  int n = 0;
  for (unsigned i = 0; i < edge_.size(); ++i)
    n += edge_[i];
  return n;
}
`,
	"total.cpp": `#include "graph.h"
int net::total(const std::vector<bool> &of) {
  int n = 0;
  for (unsigned i = 0; i < of.size(); ++i)
    n += of[i];
  return n;
}
`,
	"main.cpp": `#include "graph.h"
#include <vector>
int main() {
  net::Graph g(9);
  g.visit(3);
  std::vector<bool> kept = g.seen();
  std::vector<bool> other(5);
  return net::total(kept) + g.hits() + other.size();
}
`,
}

func with(files map[string]string, name, text string) map[string]string {
	out := map[string]string{name: text}
	for n, t := range files {
		if n != name {
			out[n] = t
		}
	}
	return out
}

// A member of a class in a header changes in all units: with what returns it, what
// is copied from it, and what that is passed to, and with nothing else.
func TestBitsChangeInAllUnits(t *testing.T) {
	t.Parallel()
	for std, want := range map[string]string{"c++20": "std::vector<char8_t>", "gnu++98": "std::vector<BoolByte>"} {
		files := graph
		dir, o := project(t, std, files)
		p, err := fix.Propose(t.Context(), o, fix.Place{File: filepath.Join(dir, "hits.cpp"), Line: 4}, []string{fix.VectorBool})
		if err != nil || !p.Sound() || len(p.Assumptions) > 0 {
			t.Fatalf("%s: %v, %+v", std, err, p)
		}
		after := map[string]string{}
		for _, c := range p.Changes {
			after[filepath.Base(c.Path)] = string(c.After)
		}
		for file, lines := range map[string][]string{
			"graph.h":   {"const " + want + " &seen()", want + " seen_;", "std::vector<bool> edge_;", "total(const " + want + " &of)"},
			"total.cpp": {"total(const " + want + " &of)"},
			"main.cpp":  {want + " kept", "std::vector<bool> other"},
		} {
			for _, l := range lines {
				if !strings.Contains(after[file], l) {
					t.Errorf("%s: %s lacks %q:\n%s", std, file, l, after[file])
				}
			}
		}
		if len(p.Changes) != 3 || strings.Count(after["graph.h"], "struct BoolByte") != strings.Count(want, "BoolByte") {
			t.Errorf("%s: %d files change:\n%s", std, len(p.Changes), fix.Diff(p.Changes, dir))
		}
	}
}

// A finding's declarations change, not what a loop touches; what cannot change
// stays, and is said.
func TestBitsOfAFinding(t *testing.T) {
	t.Parallel()
	files := with(graph, "main.cpp", `#include "graph.h"
extern void publish(const std::vector<bool> &);
int main() {
  net::Graph g(9);
  publish(g.seen());
  return g.hits();
}
`)
	dir, o := project(t, "c++20", files)
	o.Declarations = []fix.Place{{File: filepath.Join(dir, "graph.h"), Line: 12}, {File: filepath.Join(dir, "graph.h"), Line: 13}}
	p, err := fix.Propose(t.Context(), o, fix.Place{File: filepath.Join(dir, "hits.cpp"), Line: 4}, []string{fix.VectorBool})
	if err != nil || !p.Sound() {
		t.Fatalf("%v, %+v", err, p)
	}
	diff := fix.Diff(p.Changes, dir)
	if !strings.Contains(diff, "+  std::vector<char8_t> edge_;") || strings.Contains(diff, "+  std::vector<char8_t> seen_;") {
		t.Errorf("want edge_ alone:\n%s", diff)
	}
	if text := fmt.Sprint(p.Notes); !strings.Contains(text, "seen_` stays as it is") || !strings.Contains(text, "publish") {
		t.Errorf("notes %s", text)
	}
}

// What a unit that clang cannot read does with it is an assumption.
func TestBitsInAUnitThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	dir, o := project(t, "c++20", with(graph, "broken.cpp", "#include \"graph.h\"\n#include \"gone.h\"\n"))
	p, err := fix.Propose(t.Context(), o, fix.Place{File: filepath.Join(dir, "hits.cpp"), Line: 4}, []string{fix.VectorBool})
	if err != nil || !p.Sound() || !strings.Contains(fmt.Sprint(p.Assumptions), "broken.cpp") {
		t.Errorf("%v, %+v", err, p)
	}
}

// The name of the new type must be free.
func TestBitsWhereTheNameIsTaken(t *testing.T) {
	t.Parallel()
	dir, o := project(t, "c++11", with(graph, "total.cpp", "#include \"graph.h\"\nstruct BoolByte {};\nint net::total(const std::vector<bool> &of) { return of.size(); }\n"))
	p, err := fix.Propose(t.Context(), o, fix.Place{File: filepath.Join(dir, "hits.cpp"), Line: 4}, []string{fix.VectorBool})
	if err != nil || p.Sound() || !strings.Contains(fmt.Sprint(p.Refusals), "BoolByte is taken") {
		t.Errorf("%v, %+v", err, p)
	}
}
