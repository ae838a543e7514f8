package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestArraysClearedForEachCall(t *testing.T) {
	const calls = "main@3 reaches@1 list_repeat"
	checkAll(t, map[string]written{
		"in Python": {"/me/a.py", `
def reaches(a, b):
    seen = [False] * len(near)  @1
    return walk(seen, a, b)
def main(pairs):
    for a, b in pairs:
        reaches(a, b)  @3
`, calls, "main@3", profile.KindPython, RuleCleared, "@1 for each call;"},
		"in a loop": {"/me/a.go", `
func main() {
	for _, p := range pairs {
		seen := make([]bool, len(near))  @1
		show(p, seen)  @3
	}
}
`, "main@1 runtime.mallocgc", "main@3", profile.KindGo, RuleCleared, "@1 for each call;"},
		"in Java": {"/me/A.java", `
class A {
  int hops(int a, int b) {
    Arrays.fill(dist, -1);  @1
    return walk(a, b);
  }
  void main() {
    for (int[] p : pairs) {
      hops(p[0], p[1]);  @3
    }
  }
}
`, "main@3 hops@1 fill", "main@3", profile.KindJava, RuleCleared, "@1 for each call;"},
		"optimised JavaScript": {"/me/a.js", `
function hops(a, b) {
  const seen = new Array(n).fill(false);  @1
  return walk(seen, a, b);
}
function main() {  @2
  for (const [a, b] of pairs) {
    hops(a, b);  @3
  }
}
`, "main@2 V8::ExitFrame v8::internal::Runtime_NewArray", "main@3", profile.KindJS, RuleCleared, "@1 for each call;"},
		"a table of C++": {"/me/a.cpp", `
static int distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));  @1
  return fill(d, a, b);
}
int main() {
  for (auto &a : words) {
    distance(a, b);  @3
  }
}
`, "main@3 distance@1 std::vector<std::vector<int>>::vector operator_new", "main@3", profile.KindNative, RuleCleared, "@1 row by"},
		"functions that call each other, in no loop": {"/me/a.py", `
def reaches(a, b):
    seen = [False] * len(near)  @1
    return even(seen, a, b)
def even(a, b):
    return reaches(a, b) or odd(a, b)  @2
def odd(a, b):
    return even(a, b)  @3
`, "even@2 odd@3 even@2 reaches@1 list_repeat", "odd@3", profile.KindPython, "", ""},
		"made once": {"/me/a.py", `
def main(pairs):
    seen = [False] * len(near)  @1
    for a, b in pairs:
        walk(seen, a, b)  @3
`, "main@1 list_repeat", "main@3", profile.KindPython, "", ""},
		"a list of fixed length": {"/me/a.py", `
def reaches(a, b):
    pair = [0] * 2  @1
    return walk(pair, a, b)
def main(pairs):
    for a, b in pairs:
        reaches(a, b)  @3
`, calls, "main@3", profile.KindPython, "", ""},
	})
}

// A call that uses its array for longer than it takes to clear needs it.
func TestAnArrayThatIsUsed(t *testing.T) {
	const walks = "main@3 reaches@2 walk"
	p := read("/me/a.py", `
def reaches(a, b):
    seen = [False] * len(near)  @1
    return walk(seen, a, b)  @2
def main(pairs):
    for a, b in pairs:
        reaches(a, b)  @3
`, profile.KindPython)
	p.turns(walks, "main@3 reaches@1 list_repeat")
	p.turns(walks, walks)
	checkOne(t, "used", p, "", "")
}
