package passes

import (
	"testing"

	"whyhot/internal/profile"
)

// TestLookAlikes: loops that do what the rules are about only by their looks. Each is a kind of
// program that is common.
func TestLookAlikes(t *testing.T) {
	for name, x := range map[string]struct {
		path, code, hot, other string
		kind                   profile.Kind
	}{
		"all pairs": {"/me/a.c", `
void forces(struct body *p, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j) continue;  @1
            fx += force(p, i, j);  @3
        }
}
`, "forces@1", "forces@3", profile.KindNative},
		"an alignment": {"/me/a.py", `
def lcs(a, b, n, m):
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i-1] == b[j-1]:  @1
                dp[i][j] = dp[i-1][j-1] + 1
            else:
                dp[i][j] = max(dp[i-1][j], dp[i][j-1])  @3
`, "lcs@1", "lcs@3", profile.KindPython},
		"an alignment in one index": {"/me/a.py", `
def lcs(a, b):
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:  @1
                dp[i + 1][j + 1] = dp[i][j] + 1  @3
`, "lcs@1", "lcs@3", profile.KindPython},
		"a small board": {"/me/a.c", `
int is_safe(int row, int num)
{
    for (int x = 0; x < N; x++)
        if (grid[row][x] == num) return 0;  @1
    return 1;
}
void solve(int row)
{
    for (int num = 1; num <= N; num++)
        use(is_safe(row, num));  @3
}
`, "solve@3 is_safe@1", "solve@3", profile.KindNative},
		"a condition of R": {"/me/a.R", `
pairs <- function(a, b) {
  for (i in seq_along(a)) {
    for (j in seq_along(b)) {
      if (a[i] == b[j]) hits <- hits + 1  @1
      use(hits)  @3
    }
  }
}
`, "pairs@1 compare", "pairs@3", profile.KindR},
		"what a method reads of its object": {"/me/a.py", `
class World:
    def energy(self):
        e = 0
        for p in self.particles:  @4
            e += p.m * p.v ** 2
        return e
    def run(self):
        while self.t < self.t_end:
            self.step()
            e = self.energy()  @1
            log.append(e)  @3
`, "run@1 energy@4 pow", "run@3", profile.KindPython},
		"what a function reads of its file": {"/me/a.py", `
board = [[0] * 9 for _ in range(9)]
def count_conflicts():
    return sum(row.count(1) for row in board)  @4
def search(moves):
    for r, c in moves:
        board[r][c] ^= 1
        n = count_conflicts()  @1
        use(n, r)  @3
`, "search@1 count_conflicts@4 count", "search@3", profile.KindPython},
		"rows of a cursor": {"/me/a.py", `
def load(cursor):
    while True:
        row = cursor.fetchone()
        if row is None:
            break
        rec = build_record(row)  @1
        use(rec)  @3
def build_record(row):
    return {k: v for k, v in zip(NAMES, row)}  @4
`, "load@1 build_record@4 zip", "load@3", profile.KindPython},
		"jobs of a list": {"/me/a.js", `
function main(jobs) {
  while (jobs.length) {
    const job = jobs.shift();
    const r = tables.parsed(job);  @1
    use(r);  @3
  }
}
`, "main@1 parsed", "main@3", profile.KindJS},
		"samples by chance": {"/me/a.py", `
def bootstrap(data, rng):
    for i in range(N):
        s = rng.choice(data, size=K)
        means[i] = stats.medians(s)  @1
        use(i)  @3
`, "bootstrap@1 medians", "bootstrap@3", profile.KindPython},
		"a list that a condition fills": {"/me/a.js", `
function main(events) {
  const active = [];
  for (const e of events) {
    if (e.w > T) active.push(e);
    const w = tables.weighed(active);  @1
    use(w, e);  @3
  }
}
`, "main@1 weighed", "main@3", profile.KindJS},
		"a buffer that is read into": {"/me/a.go", `
func main() {
	for off := int64(0); off < size; off += N {
		if _, err := r.ReadAt(buf, off); err != nil {
			break
		}
		m := tables.Decoded(buf)  @1
		use(m, off)  @3
	}
}
`, "main@1 Decoded", "main@3", profile.KindGo},
		"until it is small": {"/me/a.java", `
class Solver {
    void run(double[][] a, double[] x) {
        while (Tables.residual(a, x) > tol) {  @1
            relax(a, x);  @3
        }
    }
}
`, "run@1 residual", "run@3", profile.KindJava},
		"counters by an index of an index": {"/me/a.py", `
def main(events, owner):
    for a in events:
        counts[owner[a]] += 1
        m = tables.spread(counts)  @1
        use(m, a)  @3
`, "main@1 spread", "main@3", profile.KindPython},
		"generations": {"/me/a.py", `
def main(n):
    gens = [FIRST]
    while len(gens) < n:
        gens.append(tables.evolved(gens[-1]))  @1
        use(n)  @3
`, "main@1 evolved", "main@3", profile.KindPython},
		"one that may be missing": {"/me/a.rs", `
fn handle(&self, req: &Request) -> Page {
    self.routes.get(&req.path).map(|h| tables::rendered(&self.t, req))  @1
}
fn other() {
    use_it();  @3
}
`, "handle@1 rendered", "other@3", profile.KindNative},
		"a search by its best": {"/me/a.py", `
def find(start):
    open_set = [start]
    while open_set:
        cur = open_set.pop()  @1
        if cur in closed:
            continue
        use(cur)  @3
`, "find@1", "find@3", profile.KindPython},
		"a search by depth": {"/me/a.js", `
function walk(stack, seen) {
  while (true) {
    const n = stack.pop();  @1
    if (!n) break;
    if (seen.has(n)) continue;
    use(n);  @3
  }
}
`, "walk@1", "walk@3", profile.KindJS},
		"characters of a file": {"/me/a.cpp", `
void count(std::istream& in) {
  char c;
  while (in.get(c)) {  @1
    if (c == '\n') ++lines;  @3
  }
}
`, "count@1 get", "count@3", profile.KindNative},
	} {
		p := read(x.path, x.code, x.kind)
		for range 40 {
			p.add(8, x.hot)
			p.add(2, x.other)
		}
		for _, f := range p.found(t) {
			t.Errorf("%s: %s: %s", name, f.Rule, f.Title)
		}
	}
}
