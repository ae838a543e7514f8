package passes

import (
	"testing"

	"whyhot/internal/profile"
)

// A function uses what the loop that calls it gives it, the same each time.
func TestTheSameIsGivenOnEachPass(t *testing.T) {
	checkAll(t, map[string]written{
		"folded": {"/me/a.rs", `
pub fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();  @1
    walk(&a, b)
}
pub fn best(&self, typed: &str) -> usize {
    let mut best = 9;
    for k in self.known.iter() {
        best = best.min(distance(typed, k));  @2
    }
    best
}
`, "best@2 distance@1 str::to_lowercase", "best@2", profile.KindNative, RuleSame, "@1 a.to_lowercase"},
		"each of the same list": {"/me/a.py", `
def score(a, b):
    return compare(a, b.lower())  @1
class Names:
    def best(self, typed):
        return max(score(typed, k) for k in self.known)  @2
def main(names, queries):
    for q in queries:
        found = names.best(q)  @3
        print(q, found)
`, "main@3 best@2 score@1 lower", "main@3", profile.KindPython, RuleSame, "@1 b.lower"},
		"each of the same list, in nested loops": {"/me/a.py", `
def score(a, b):
    return compare(a, b.lower())  @1
def main(known, queries):
    for q in queries:
        for k in known:
            s = score(q, k)  @2
            print(q, s)  @3
`, "main@2 score@1 lower", "main@3", profile.KindPython, RuleSame, "@1 b.lower"},
		"each of a list that grows": {"/me/a.py", `
def score(a, b):
    return compare(a, b.lower())  @1
class Names:
    def add(self, name):
        self.known.append(name)
    def best(self, typed):
        return max(score(typed, k) for k in self.known)  @2
def main(names, queries):
    for q in queries:
        found = names.best(q)  @3
        names.add(found)
`, "main@3 best@2 score@1 lower", "main@3", profile.KindPython, "", ""},
		"each of another list": {"/me/a.py", `
def score(a, b):
    return compare(a, b.lower())  @1
class Names:
    def best(self, typed, known):
        return max(score(typed, k) for k in known)  @2
def main(names, queries):
    for q in queries:
        found = names.best(q, q.candidates)  @3
        print(q, found)
`, "main@3 best@2 score@1 lower", "main@3", profile.KindPython, "", ""},
		"a pattern": {"/me/a.py", `
def matches(pattern, line):
    return re.compile(pattern).match(line)  @1
def select(lines, pattern):
    for line in lines:
        if matches(pattern, line):  @2
            yield line
`, "select@2 matches@1 compile", "select@2", profile.KindPython, RuleSame, "@1 re.compile"},
		"another each time": {"/me/a.py", `
def matches(pattern, line):
    return re.compile(pattern).match(line)  @1
def select(line, patterns):
    for pattern in patterns:
        if matches(pattern, line):  @2
            yield line
`, "select@2 matches@1 compile", "select@2", profile.KindPython, "", ""},
		"changed before": {"/me/a.py", `
def matches(pattern, line):
    pattern = pattern + line
    return re.compile(pattern).match(line)  @1
def select(lines, pattern):
    for line in lines:
        if matches(pattern, line):  @2
            yield line
`, "select@2 matches@1 compile", "select@2", profile.KindPython, "", ""},
		"changed by the loop": {"/me/a.py", `
def matches(pattern, line):
    return re.compile(pattern).match(line)  @1
def select(lines, pattern):
    for line in lines:
        if matches(pattern, line):  @2
            pattern = line
`, "select@2 matches@1 compile", "select@2", profile.KindPython, "", ""},
		"made for the call": {"/me/a.py", `
def matches(pattern, line):
    return re.compile(pattern).match(line)  @1
def select(lines, patterns):
    for line in lines:
        if matches(patterns.pop(), line):  @2
            yield line
`, "select@2 matches@1 compile", "select@2", profile.KindPython, "", ""},
	})
}

// What a function moves on, or where a call says that it moved, is another value next time.
func TestWhatMovesOnIsNotTheSame(t *testing.T) {
	checkAll(t, map[string]written{
		"a place in a text, further on behind the call": {"/me/a.c", `
int next_row(struct src *c, struct row *r)
{
    int used = 0;
    int n = sscanf(c->p, "%d;%d %n", &r->id, &r->at, &used);  @1
    c->p += used;
    return n == 2;
}
int main(void) {
    for (int i = 0; i < rows; i++) {
        next_row(&c, &r);  @2
        other(i);  @3
    }
}
`, "main@2 next_row@1 sscanf", "main@3", profile.KindNative, "", ""},
		"a loop that goes on as long as the call gives something": {"/me/a.c", `
int next_row(struct src *c, struct row *r)
{
    int n = parsed(c->text, "%d;%d %n");  @1
    return n == 2;
}
int main(void) {
    while (next_row(&c, &r)) {  @2
        other();  @3
    }
}
`, "main@2 next_row@1 parsed", "main@3", profile.KindNative, "", ""},
		"a call that says where it ended": {"/me/a.c", `
void sum(char *p) {
    for (int i = 0; i < rows; i++) {
        total += strtol(p, &p, 10) * i;  @1
        other(i);  @3
    }
}
`, "sum@1 strtol", "sum@3", profile.KindNative, "", ""},
		"another part that is counted": {"/me/a.c", `
double cost_of(struct plan *c)
{
    double n = evaluated(c->text);  @1
    c->asked += 1;
    return n * 2;
}
int main(void) {
    for (int i = 0; i < rows; i++) {
        total += cost_of(plan) * i;  @2
        other(i);  @3
    }
}
`, "main@2 cost_of@1 evaluated", "main@3", profile.KindNative, RuleSame, "@1 evaluated"},
	})
}
