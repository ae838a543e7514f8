package analyzer

import (
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer/analyzertest"
	"whyhot/internal/explain/compdb"
)

// A unit in which functions know of each other in all the ways that passes use.
const related = `#include <cstddef>
#include <string>
#include <vector>

static int gap = 3;
static const int steps[4] = {1, 2, 3, 4};
int opened;

template <typename T> struct Row {
  std::vector<T> cells;
  void fill(T with) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = with;
  }
};

struct Shape {
  virtual ~Shape() = default;
  virtual void draw(unsigned char *out, const int *n) const = 0;
};

namespace {
struct Box : Shape {
  void draw(unsigned char *out, const int *n) const override {
    for (int i = 0; i < *n; i++)
      out[i] = (unsigned char)i;
  }
};

int odd(const char *p, unsigned char *out, const int *n);
int even(const char *p, unsigned char *out, const int *n) {
  for (int i = 0; i < *n; i++)
    out[i] = (unsigned char)p[i];
  return *p ? odd(p + 1, out, n) : 1;
}
int odd(const char *p, unsigned char *out, const int *n) { return *p ? even(p + 1, out, n) : 0; }

int scaled(int x, int by) {
  int sum = 0;
  for (int i = 0; i < by; i++)
    sum += x * steps[i & 3];
  return sum;
}

// Called once.
void spread(unsigned char *out, const int *n, int every) {
  for (int i = 0; i < *n; i += every)
    out[i] = (unsigned char)scaled(i, 2);
}
}

inline void copied(unsigned char *out, const std::string &from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    out[i] = from[i] ^ 1;
}

void rows(Row<unsigned char> &r, Row<int> &s) {
  r.fill(1);
  s.fill(scaled(2, 3));
}

Shape *make() { return new Box; }

int walk(const char *p, unsigned char *out, const int *n) { return even(p, out, n); }

void outside(unsigned char *out, const int *n) {
  spread(out, n, gap);
  auto last = [&](int from) {
    for (int i = from; i < *n; ++i)
      out[i] = 7;
  };
  last(opened);
}
`

// What is said of a function again is what a new process says of it, whatever an edit
// changes beside it.
func TestKeptFunctionsAreAsNewOnes(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{"", "-g "} {
		dir := t.TempDir()
		file := filepath.Join(dir, "related.cpp")
		writeFileOf(t, file, related)
		u := unitOfLine(t, dir, "c++ -O2 -std=c++17 "+flags+"-c related.cpp")
		r := NewResident()
		defer r.Close()
		reused := func(what string) int {
			t.Helper()
			warm, cold := saved(t, r, u), saved(t, nil, u)
			if len(cold.Errors) > 0 {
				t.Fatalf("%s: %v", what, cold.Errors)
			}
			if cold.Reused != 0 {
				t.Errorf("%s: a new process reuses %d functions", what, cold.Reused)
			}
			if got, want := said(t, warm, dir), said(t, cold, dir); got != want {
				t.Errorf("%s%s, %d reused:\n%s\nnew process:\n%s", flags, what, warm.Reused, got, want)
			}
			return warm.Reused
		}
		reused("the first text")
		all := reused("the same text")
		if all == 0 {
			t.Fatal("of the same text nothing is reused")
		}
		text := related
		for _, e := range []struct {
			what, old, now string
			some           bool // of the functions is reused
		}{
			{"lines above all", "static int gap", "\n\n\nstatic int gap", true},
			{"a line between", "Shape *make", "// Makes one.\nShape *make", true},
			{"another constant", "r.fill(1)", "r.fill(2)", true},
			{"a local variable that somebody writes", "int walk(", "void widen(int by) { gap = by; }\nint walk(", true},
			{"an argument that is always the same", "scaled(2, 3)", "scaled(2, 2)", true},
			{"a second call of a local function", "Shape *make", "void twice(unsigned char *out, const int *n) { spread(out, n, 5); }\nShape *make", true},
			{"a function that nobody called", "int walk(", "void use(unsigned char *out, const std::string &s) { copied(out, s); }\nint walk(", true},
			{"its address", "int walk(", "void (*chosen)(unsigned char *, const std::string &) = copied;\nint walk(", true},
			{"a variable that is gone", "void (*chosen)(unsigned char *, const std::string &) = copied;\n", "", true},
			{"a call in a circle", "*p ? odd(p + 1, out, n) : 1", "*p ? odd(p + 2, out, n) : 1", true},
			{"another order", "int walk(const char *p, unsigned char *out, const int *n) { return even(p, out, n); }\n", "", true},
			{"a method of a table", "out[i] = (unsigned char)i;", "out[i] = (unsigned char)(i + 1);", true},
			{"a local class that is not made", "return new Box;", "return nullptr;", true},
			{"a loop that starts elsewhere", "last(opened)", "last(opened + 1)", true},
			{"a function's attribute", "inline void copied", "__attribute__((noinline)) inline void copied", true},
			{"a declaration's attribute", "int opened;", "extern \"C\" unsigned long strlen(const char *) noexcept;\nint opened;", true},
			{"other type", "int opened;", "unsigned opened;", true},
			{"the text before", "unsigned opened;", "int opened;", true},
		} {
			if !strings.Contains(text, e.old) {
				t.Fatalf("%s: no %q", e.what, e.old)
			}
			text = strings.Replace(text, e.old, e.now, 1)
			writeFileOf(t, file, text)
			if n := reused(e.what); (n > 0) != e.some {
				t.Errorf("%s%s: %d functions reused", flags, e.what, n)
			}
		}
		if whole := saved(t, r, u, true); whole.Reused != 0 || said(t, whole, dir) != said(t, saved(t, nil, u), dir) {
			t.Errorf("asked for the whole unit: %d functions reused", whole.Reused)
		}
	}
}

// What was found by kept functions holds until the whole unit is analysed: nobody else gets it.
func TestKeptFunctionsAreNotCached(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.cpp")
	writeFileOf(t, file, related)
	u := unitOfLine(t, dir, "c++ -O2 -std=c++17 -c a.cpp")
	cache, err := OpenCache(t.TempDir(), analyzertest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	r := NewResident()
	defer r.Close()
	ask := func(whole bool) Outcome {
		t.Helper()
		var got Outcome
		opts := Options{Binary: analyzertest.Path(t), Workers: 1, Resident: r, Whole: whole, Cache: cache, Predicates: []string{"char"}, AST: ASTRequest{Layers: []string{LayerIR}}}
		if err := Run(t.Context(), []compdb.Unit{u}, opts, func(o Outcome) { got = o }); err != nil || got.Err != nil {
			t.Fatal(err, got.Err)
		}
		return got
	}
	ask(false)
	writeFileOf(t, file, strings.Replace(related, "r.fill(1)", "r.fill(2)", 1))
	if first := ask(false); first.Cached || first.Reply.Reused == 0 {
		t.Errorf("after an edit: cached %v, %d functions reused", first.Cached, first.Reply.Reused)
	}
	if second := ask(true); second.Cached || second.Reply.Reused != 0 {
		t.Errorf("the whole: cached %v, %d functions reused", second.Cached, second.Reply.Reused)
	}
	if third := ask(false); !third.Cached {
		t.Error("the answer on the whole unit is not cached")
	}
}
