package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// written is a text with what is hot in it, and what is found.
type written struct {
	path, code, hot, other string
	kind                   profile.Kind
	rule, want             string // "" for silence
}

func checkAll(t *testing.T, all map[string]written) {
	t.Helper()
	for name, x := range all {
		p := read(x.path, x.code, x.kind)
		p.turns(x.hot, x.other)
		checkOne(t, name, p, x.rule, x.want)
	}
}

func TestRecursionsOverTheSameParts(t *testing.T) {
	const (
		python = "main@3 ways@1 ways@1 ways@1 ways@1"
		c      = "main@3 f@1 f@1 f@1"
	)
	checkAll(t, map[string]written{
		"two steps": {"/me/a.py", `
def ways(coins, amount, i=0):
    if amount == 0:
        return 1
    return ways(coins, amount - coins[i], i) + ways(coins, amount, i + 1)  @1
print(ways(COINS, 100))  @3
`, python, "main@3", profile.KindPython, RuleRecursion, "@1 ways"},
		"a step for each of a list": {"/me/a.py", `
def ways(rest):
    best = 0
    for length in LENGTHS:
        best = max(best, price(length) + ways(rest - length))  @1
    return best
print(ways(100))  @3
`, python, "main@3", profile.KindPython, RuleRecursion, "@1 ways"},
		"two texts that are cut": {"/me/a.js", `
function ways(a, b) {
  if (!a || !b) return 0;
  return a[0] === b[0] ? 1 + ways(a.slice(1), b.slice(1)) : Math.max(ways(a.slice(1), b), ways(a, b.slice(1)));  @1
}
console.log(ways(A, B));  @3
`, "main@3 ways@1 ways@1 ways@1", "main@3", profile.KindJS, RuleRecursion, "@1 ways"},
		"with types": {"/me/a.c", `
static int f(const char *a, int la, const char *b, int lb) {
  if (la == 0) return lb;
  return 1 + min(f(a, la - 1, b, lb), f(a, la, b, lb - 1));  @1
}
int main(void) { return f(A, 9, B, 9); }  @3
`, c, "main@3", profile.KindNative, RuleRecursion, "@1 f"},
		"kept by a decorator": {"/me/a.py", `
@functools.lru_cache(maxsize=None)
def ways(n):
    return ways(n - 1) + ways(n - 2)  @1
print(ways(100))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"kept in a table": {"/me/a.py", `
def ways(n):
    if n not in memo:
        memo[n] = ways(n - 1) + ways(n - 2)  @1
    return memo[n]
print(ways(100))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"branches of a tree": {"/me/a.py", `
def ways(node):
    if node is None:
        return 0
    return ways(node.left) + ways(node.right) + 1  @1
print(ways(ROOT))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"halves": {"/me/a.py", `
def ways(a, lo, hi):
    mid = (lo + hi) // 2
    return merged(ways(a, lo, mid), ways(a, mid, hi))  @1
print(ways(ALL, 0, 99))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"nodes that are made": {"/me/a.py", `
def ways(depth):
    if depth == 0:
        return None
    return Node(ways(depth - 1), ways(depth - 1))  @1
print(ways(20))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"all words that are built": {"/me/a.py", `
def ways(prefix, n):
    if n == 0:
        return [prefix]
    out = []
    for ch in LETTERS:
        out += ways(prefix + ch, n - 1)  @1
    return out
print(ways("", 5))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"a board that is written to": {"/me/a.c", `
static int f(int row, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    board[row] = i;
    found += f(row + 1, n);  @1
  }
  return found;
}
int main(void) { return f(0, 8); }  @3
`, c, "main@3", profile.KindNative, "", ""},
		"one of two": {"/me/a.py", `
def ways(s, i):
    if s[i] == "x":
        return 1 + ways(s, i + 1)  @1
    return ways(s, i + 2)
print(ways(S, 0))  @3
`, python, "main@3", profile.KindPython, "", ""},
		"one or the other": {"/me/a.js", `
function ways(s, i) {
  return s[i] === "x" ? 1 + ways(s, i + 1) : ways(s, i + 2);  @1
}
console.log(ways(S, 0));  @3
`, "main@3 ways@1 ways@1 ways@1", "main@3", profile.KindJS, "", ""},
		"with and without": {"/me/A.java", `
class A {
    static int ways(int i, int room) {
        int without = ways(i + 1, room);  @1
        if (weight[i] > room) return without;
        return Math.max(without, value[i] + ways(i + 1, room - weight[i]));
    }
    static void main(String[] a) { use(ways(0, 100)); }  @3
}
`, "main@3 ways@1 ways@1 ways@1", "main@3", profile.KindJava, RuleRecursion, "@1 ways"},
		"once, and deep": {"/me/a.py", `
def ways(n):
    return n * ways(n - 1)  @1
print(ways(100))  @3
`, python, "main@3", profile.KindPython, "", ""},
	})
}

func TestSumsOverRangesThatOverlap(t *testing.T) {
	checkAll(t, map[string]written{
		"a mean that moves": {"/me/a.py", `
def main(values, w):
    for i in range(len(values) - w):
        m = sum(values[i:i + w]) / w  @1
        use(m)  @3
`, "main@1 builtin_sum", "main@3", profile.KindPython, RuleWindow, "@1 values"},
		"a part that grows": {"/me/a.js", `
function main(prices) {
  for (let i = 1; i < prices.length; i++) {
    const s = prices.slice(0, i).reduce((a, b) => a + b, 0);  @1
    use(s);  @3
  }
}
`, "main@1 reduce", "main@3", profile.KindJS, RuleWindow, "@1 prices"},
		"a blur": {"/me/a.c", `
void blur(const unsigned char *src, int *dst, int w, int h, int r) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;  @3
      for (int dy = -r; dy <= r; dy++)
        for (int dx = -r; dx <= r; dx++) {
          int yy = y + dy, xx = x + dx;
          if (yy < 0 || xx < 0 || yy >= h || xx >= w) continue;
          sum += src[yy * w + xx];  @1
        }
      dst[y * w + x] = sum;
    }
}
`, "blur@1", "blur@3", profile.KindNative, RuleWindow, "@1 src"},
		"to the element of the loop around": {"/me/a.go", `
func main() {
	for i := 0; i < len(v); i++ {
		s := 0.0  @3
		for j := 0; j <= i; j++ {
			s += v[j]  @1
		}
		use(s)
	}
}
`, "main@1", "main@3", profile.KindGo, RuleWindow, "@1 v"},
		"a part that is kept inside of its list": {"/me/a.js", `
function main(text) {
  for (let i = 0; i < text.length; i++) {
    const part = text.slice(Math.max(0, i - 10), i + 10);  @1
    use(part);  @3
  }
}
`, "main@1 slice", "main@3", profile.KindJS, "", ""},
		"ranges one behind the other": {"/me/a.py", `
def main(values, w):
    for i in range(0, len(values), w):
        m = sum(values[i:i + w]) / w  @1
        use(m)  @3
`, "main@1 builtin_sum", "main@3", profile.KindPython, "", ""},
		"rows of a matrix": {"/me/a.go", `
func main() {
	for i := 0; i < n; i++ {
		s := 0.0  @3
		for j := 0; j < n; j++ {
			s += m[i*n+j]  @1
		}
		use(s)
	}
}
`, "main@1", "main@3", profile.KindGo, "", ""},
		"with weights": {"/me/a.go", `
func main() {
	for i := 0; i < n; i++ {
		s := 0.0  @3
		for k := -r; k <= r; k++ {
			s += v[i+k] * weight[k+r]  @1
		}
		use(s)
	}
}
`, "main@1", "main@3", profile.KindGo, "", ""},
		"parts by a table of bounds": {"/me/a.py", `
def main(values, starts):
    for i in range(len(starts) - 1):
        m = sum(values[starts[i]:starts[i + 1]])  @1
        use(m)  @3
`, "main@1 builtin_sum", "main@3", profile.KindPython, "", ""},
	})
}

func TestTheFirstLookedForAgain(t *testing.T) {
	checkAll(t, map[string]written{
		"a set that shrinks": {"/me/a.py", `
def main(todo):
    while todo:
        node = min(todo, key=lambda n: dist[n])  @1
        todo.remove(node)
        use(node)  @3
`, "main@1 builtin_min", "main@3", profile.KindPython, RuleSelection, "@1 todo"},
		"the least load": {"/me/A.java", `
class A {
    void main(List<Integer> load) {
        for (int i = 0; i < jobs.length; i++) {
            int w = load.indexOf(Collections.min(load));  @1
            load.set(w, load.get(w) + jobs[i]);
            use(w);  @3
        }
    }
}
`, "main@1 min", "main@3", profile.KindJava, RuleSelection, "@1 load"},
		"Dijkstra's algorithm without a heap": {"/me/a.c", `
void shortest(int n) {
  for (int round = 0; round < n; round++) {
    int u = -1, best = 1 << 30;  @3
    for (int v = 0; v < n; v++)
      if (!done[v] && dist[v] < best) {  @1
        best = dist[v];
        u = v;
      }
    done[u] = 1;
  }
}
`, "shortest@1", "shortest@3", profile.KindNative, RuleSelection, "@1 dist"},
		"the nearest centre": {"/me/a.py", `
def main(points):
    for p in points:
        best = min(centres, key=lambda c: far(c, p))  @1
        use(best)  @3
`, "main@1 builtin_min", "main@3", profile.KindPython, "", ""},
		"of a row each": {"/me/a.py", `
def main(table):
    for row in table:
        low = min(row)  @1
        use(low)  @3
`, "main@1 builtin_min", "main@3", profile.KindPython, "", ""},
		"the larger of two": {"/me/a.py", `
def main(jobs):
    for i, job in enumerate(jobs):
        best = max(best, rated(job))  @1
        best[i] = job
        use(best)  @3
`, "main@1 builtin_max", "main@3", profile.KindPython, "", ""},
		"all keys change": {"/me/a.py", `
def main(scores):
    for step in range(1000):
        for i in range(len(scores)):
            scores[i] = rated(i, step)
        best = max(scores)  @1
        use(best)  @3
`, "main@1 builtin_max", "main@3", profile.KindPython, "", ""},
	})
}

func TestCopiesToAddTo(t *testing.T) {
	checkAll(t, map[string]written{
		"PHP": {"/me/a.php", `
function main($products) {
    $items = [];
    foreach ($products as $p) {
        $items = array_merge($items, variants($p));  @1
        using($p);  @3
    }
    return $items;
}
`, "main@1 array_merge", "main@3", profile.KindPHP, RuleCopied, "@1 items"},
		"R": {"/me/a.R", `
main <- function(n) {
  x <- c()
  for (i in 1:n) {
    x <- c(x, i)  @1
    use(i)  @3
  }
}
`, "main@1 do_c", "main@3", profile.KindR, RuleCopied, "@1 x"},
		"numpy": {"/me/a.py", `
def main(rows):
    out = np.array([])
    for row in rows:
        out = np.append(out, row.value)  @1
        use(row)  @3
`, "main@1 append", "main@3", profile.KindPython, RuleCopied, "@1 out"},
		"a union of lists": {"/me/a.rb", `
def main(posts)
  tags = []
  posts.each do |post|
    tags = (tags + post.tags).uniq  @1
    use(post)  @3
  end
end
`, "main@1 rb_ary_plus", "main@3", profile.KindRuby, RuleCopied, "@1 tags"},
		"begun anew": {"/me/a.php", `
function main($products) {
    foreach ($products as $p) {
        $items = [1];
        $items = array_merge($items, variants($p));  @1
        using($p);  @3
    }
}
`, "main@1 array_merge", "main@3", profile.KindPHP, "", ""},
		"a number": {"/me/a.py", `
def main(rows):
    total = 0
    for row in rows:
        total = total + (row.high - row.low)  @1
        use(row)  @3
`, "main@1 float_add", "main@3", profile.KindPython, "", ""},
		"two others": {"/me/a.php", `
function main($products) {
    foreach ($products as $p) {
        $items = array_merge($defaults, $p);  @1
        using($p);  @3
    }
}
`, "main@1 array_merge", "main@3", profile.KindPHP, "", ""},
	})
}

func TestElementsThatAreCopied(t *testing.T) {
	checkAll(t, map[string]written{
		"another pair than a map's": {"/me/a.cc", `
void main() {
  for (const std::pair<std::string, Position> &entry : positions_) {  @1
    use(entry);  @3
  }
}
`, "main@1 std::pair<std::string,Position>::pair std::vector<Lot>::vector", "main@3", profile.KindNative, RuleElements, "@1 positions_;"},
		"by value": {"/me/a.cc", `
void main() {
  for (auto row : rows) {  @1
    use(row);  @3
  }
}
`, "main@1 std::basic_string<char>::basic_string", "main@3", profile.KindNative, RuleElements, "@1 rows;"},
		"by reference": {"/me/a.cc", `
void main() {
  for (const auto &row : rows) {  @1
    use(row);  @3
  }
}
`, "main@1 std::basic_string<char>::basic_string", "main@3", profile.KindNative, "", ""},
		"a map's pair": {"/me/a.cc", `
void main() {
  for (const std::pair<const std::string, Position> &entry : positions_) {  @1
    use(entry);  @3
  }
}
`, "main@1 std::vector<Lot>::vector", "main@3", profile.KindNative, "", ""},
		"numbers": {"/me/a.cc", `
void main() {
  for (int x : numbers()) {  @1
    use(x);  @3
  }
}
`, "main@1 std::vector<int>::vector", "main@3", profile.KindNative, "", ""},
		"what a call gives": {"/me/a.cc", `
void main() {
  for (auto x : numbers()) {  @1
    use(x);  @3
  }
}
`, "main@1 std::vector<int>::vector", "main@3", profile.KindNative, "", ""},
		"steps of a tree": {"/me/a.cc", `
void main() {
  for (auto entry : positions_) {  @1
    use(entry);  @3
  }
}
`, "main@1 std::_Rb_tree_increment", "main@3", profile.KindNative, "", ""},
	})
}

func TestSearchesByAFunction(t *testing.T) {
	checkAll(t, map[string]written{
		"JavaScript": {"/me/a.js", `
function main(orders, customers) {
  return customers.map(c => {
    const own = orders.filter(o => o.customer === c.id);  @1
    return use(own);  @3
  });
}
`, "main@1 filter", "main@3", profile.KindJS, RuleScan, "@1 orders"},
		"Python": {"/me/a.py", `
def main(customers, orders):
    for c in customers:
        total = sum(o.amount for o in orders if o.customer == c.id)  @1
        use(total)  @3
`, "main@1 builtin_sum", "main@3", profile.KindPython, RuleScan, "@1 orders"},
		"Python, by a generator in a function of its own": {"/me/a.py", `
def stock(rows, sku):
    return sum(r.quantity for r in rows if r.sku == sku and r.kind == "in")  @1
def main(rows):
    for sku in SKUS:
        total = stock(rows, sku)  @2
        use(total)  @3
`, "main@2 stock@1 builtin_sum stock.<locals>.<genexpr>@1", "main@3", profile.KindPython, RuleScan, "@1 rows"},
		"Java": {"/me/A.java", `
class A {
    void main(List<Customer> customers, List<Order> orders) {
        for (Customer c : customers) {
            int sum = orders.stream().filter(o -> o.customer().equals(c.id())).mapToInt(Order::amount).sum();  @1
            use(sum);  @3
        }
    }
}
`, "main@1 sum", "main@3", profile.KindJava, RuleScan, "@1 orders"},
		"C++": {"/me/a.cc", `
void main() {
  for (const auto &c : customers) {
    auto at = std::find_if(orders.begin(), orders.end(), [&](const Order &o) { return o.customer == c.id; });  @1
    use(at);  @3
  }
}
`, "main@1 std::find_if", "main@3", profile.KindNative, RuleScan, "@1 orders"},
		"PHP": {"/me/a.php", `
function main($customers, $orders) {
    foreach ($customers as $c) {
        $own = array_filter($orders, fn($o) => $o['customer'] === $c['id']);  @1
        using($own);  @3
    }
}
`, "main@1 array_filter", "main@3", profile.KindPHP, RuleScan, "@1 orders"},
		"the elements of the loop's own": {"/me/a.js", `
function main(customers) {
  for (const c of customers) {
    const open = c.orders.filter(o => o.state === c.open);  @1
    use(open);  @3
  }
}
`, "main@1 filter", "main@3", profile.KindJS, "", ""},
		"all but one": {"/me/a.rb", `
def main(items)
  items.each do |one|
    others = items.reject { |o| o == one }  @1
    use(others)  @3
  end
end
`, "main@1 rb_ary_reject", "main@3", profile.KindRuby, "", ""},
		"with what stays": {"/me/a.js", `
function main(orders, customers) {
  for (const c of customers) {
    const open = c.list.filter(o => o.state === OPEN);  @1
    use(open);  @3
  }
}
`, "main@1 filter", "main@3", profile.KindJS, "", ""},
	})
}

func TestPowersWithConstants(t *testing.T) {
	checkAll(t, map[string]written{
		"squares": {"/me/a.go", `
func main() {
	for _, p := range ps {
		s += math.Sqrt(math.Pow(p.x-cx, 2) + math.Pow(p.y-cy, 2))  @1
		use(s)  @3
	}
}
`, "main@1 math.pow", "main@3", profile.KindGo, RulePower, "@1 constant"},
		"a root": {"/me/a.c", `
double f(double d) {
  double r = pow(d, 1.5f);  @1
  return use(r);  @3
}
`, "f@1 __ieee754_pow_fma", "f@3", profile.KindNative, RulePower, "@1 constant"},
		"of two": {"/me/a.c", `
double f(int n) {
  double r = pow(2.0, n);  @1
  return use(r);  @3
}
`, "f@1 pow", "f@3", profile.KindNative, RulePower, "@1 constant"},
		"any exponent": {"/me/a.c", `
double f(double d, double gamma) {
  double r = pow(d, gamma) + pow(d, 2.2);  @1
  return use(r);  @3
}
`, "f@1 pow", "f@3", profile.KindNative, "", ""},
		"what takes the time is another call": {"/me/a.c", `
double f(double d) {
  double r = pow(d, 2) * lookup(d);  @1
  return use(r);  @3
}
`, "f@1 lookup", "f@3", profile.KindNative, "", ""},
	})
}

// The loop may stand several calls further out.
func TestSearchesOfAFunctionOfItsOwn(t *testing.T) {
	const ledger = `
class Ledger
  def load(path)
    CSV.foreach(path) do |row|
      book(Payment.new(row))  @3
    end
  end
  def book(payment)
    invoice = invoice_for(payment.reference)  @2
    invoice.settle(payment)
  end
  def invoice_for(number)
    @invoices.find { |inv| inv.number == number }  @1
  end
end
`
	checkAll(t, map[string]written{
		"two calls out": {"/me/a.rb", ledger, "load@3 book@2 invoice_for@1 rb_ary_each", "load@3", profile.KindRuby, RuleScan, "@1 invoices"},
		"a block of what is given is no loop around the call": {"/me/a.rb", strings.Replace(ledger, "    invoice = invoice_for(payment.reference)", "    invoice = invoice_for(payment.reference).select { |inv| inv.open? }", 1),
			"load@3 book@2 invoice_for@1 rb_ary_each", "load@3", profile.KindRuby, RuleScan, "@1 invoices"},
		"nor is it one where nothing is further out": {"/me/a.rb", `
def open_for(number)
  history(number).select { |inv| inv.open? }  @2
end
def history(number)
  @invoices.select { |inv| inv.number == number }  @1
end
open_for(ARGV[0])  @3
`, "<main>@3 open_for@2 history@1 rb_ary_select", "<main>@3", profile.KindRuby, "", ""},
		"made between": {"/me/a.rb", strings.Replace(ledger, "    invoice = invoice_for", "    @invoices = select(payment)\n    invoice = invoice_for", 1),
			"load@3 book@2 invoice_for@1 rb_ary_each", "load@3", profile.KindRuby, "", ""},
	})
}

// What a method makes of its own object is another for each object.
func TestMethodsOfAnotherObject(t *testing.T) {
	checkAll(t, map[string]written{
		"the object itself": {"/me/a.py", `
class Order:
    def to_row(self):
        row = asdict(self)  @1
        return row
def main():
    for order in orders():
        size += len(json.dumps(order.to_row()))  @3
`, "main@3 to_row@1 asdict", "main@3", profile.KindPython, "", ""},
		"a part of it": {"/me/a.py", `
class Order:
    def to_row(self):
        return expand(self.lines)  @1
def main():
    for order in orders():
        size += len(order.to_row())  @3
`, "main@3 to_row@1 expand", "main@3", profile.KindPython, "", ""},
		"a part that is not named so": {"/me/A.java", `
class Role {
    private final List<Grant> grants = load();
    String text() {
        return render(grants);  @1
    }
    static void all(List<Role> roles) {
        for (Role role : roles) {
            out.append(role.text());  @3
        }
    }
}
`, "all@3 text@1 render", "all@3", profile.KindJava, "", ""},
		"one object": {"/me/a.py", `
class Rates:
    def of(self, order):
        table = load_rates(self.path)  @1
        return table[order.currency]
def main(rates):
    for order in orders():
        total += rates.of(order)  @3
`, "main@3 of@1 load_rates", "main@3", profile.KindPython, RuleSame, "@1 load_rates"},
	})
}

// What an object keeps is converted again for each call of a method that searches it.
func TestConvertedAgainByCall(t *testing.T) {
	checkAll(t, map[string]written{
		"in Python": {"/me/a.py", `
class Book:
    def __init__(self, contacts):
        self.contacts = contacts
    def find(self, query):
        hits = []
        for c in self.contacts:
            if query in c.name.lower():  @1
                hits.append(c)
        return hits
def main(book):
    for q in queries:
        total += len(book.find(q))  @3
`, "main@3 find@1 lower", "main@3", profile.KindPython, RuleSame, "@1 c.name.lower"},
		"in Go": {"/me/a.go", `
func (b *Book) Find(query string) []int {
	var hits []int
	for i, c := range b.contacts {
		if strings.Contains(strings.ToLower(c.Name), query) {  @1
			hits = append(hits, i)
		}
	}
	return hits
}
func main() {
	for _, q := range queries {
		hits += len(book.Find(q))  @3
	}
}
`, "main.main@3 main.(*Book).Find@1 strings.ToLower", "main.main@3", profile.KindGo, RuleSame, "@1 strings.ToLower"},
		"of another object each time": {"/me/a.py", `
class Book:
    def __init__(self, contacts):
        self.contacts = contacts
    def find(self, query):
        hits = []
        for c in self.contacts:
            if query in c.name.lower():  @1
                hits.append(c)
        return hits
def main(books):
    for book in books:
        total += len(book.find(QUERY))  @3
`, "main@3 find@1 lower", "main@3", profile.KindPython, "", ""},
		"that grows meanwhile": {"/me/a.py", `
class Book:
    def __init__(self, contacts):
        self.contacts = contacts
    def find(self, query):
        hits = []
        for c in self.contacts:
            if query in c.name.lower():  @1
                hits.append(c)
        return hits
def main(book):
    for q in queries:
        book.add(q)
        total += len(book.find(q))  @3
`, "main@3 find@1 lower", "main@3", profile.KindPython, "", ""},
		"one of two in the line": {"/me/a.go", `
func find(contacts []Contact, query string) int {
	hits := 0
	for _, c := range contacts {
		if strings.Contains(strings.ToLower(c.Name), strings.ToLower(query)) {  @1
			hits++  @3
		}
	}
	return hits
}
`, "main.main main.find@1 strings.ToLower", "main.find@3", profile.KindGo, RuleSame, "@1 strings.ToLower"},
	})
}

// A word of one language is a name in another.
func TestNamesThatAreWordsElsewhere(t *testing.T) {
	checkAll(t, map[string]written{
		"end in C++": {"/me/a.cpp", `
double Pricer::value(const Trade &t) const {
    for (int k = 1; k <= t.periods; k++) {
        double end = t.start + k * tau;
        pv += rate * discount(t.currency, end);  @1
        show(pv);  @3
    }
}
`, "value@1 discount", "value@3", profile.KindNative, "", ""},
		"out in Python": {"/me/a.py", `
def main(lines):
    for line in lines:
        out = line.strip()
        total += weigh(out)  @1
        show(total)  @3
`, "main@1 weigh", "main@3", profile.KindPython, "", ""},
	})
}
