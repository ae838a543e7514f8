package passes

import (
	"strings"
	"testing"
	"time"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/explain/judge"
	"whyhot/internal/profile"
)

// program is a source file with marks at the ends of lines, and stacks of it.
type program struct {
	judge.Facts

	path  string
	lines []string
	at    map[string]int32
	kind  profile.Kind
	b     *profile.Builder
	tick  int64

	beside map[string]string // other files
}

func read(path, code string, kind profile.Kind) *program {
	p := &program{path: path, lines: strings.Split(strings.Trim(code, "\n"), "\n"), at: map[string]int32{}, kind: kind, b: profile.NewBuilder()}
	for i, l := range p.lines {
		if n := strings.LastIndex(l, "@"); n >= 0 && len(l)-n == 2 {
			p.at[l[n:]] = int32(i + 1) //nolint:gosec // a short text
			p.lines[i] = strings.TrimRight(l[:n], " ")
		}
	}
	return p
}

// Source implements judge.Facts.
func (p *program) Source(path string) ([]string, bool) {
	if code, is := p.beside[path]; is {
		return strings.Split(code, "\n"), true
	}
	return p.lines, path == p.path
}

// Code implements judge.Facts: there is none. Nothing else is asked.
func (p *program) Code(*profile.Mapping, uint64) (file *elffile.File, vaddr uint64, ok bool) {
	return nil, 0, false
}

// add adds samples of a stack, outermost first: "name@mark" is the program's, another name a
// library's.
func (p *program) add(n int, stack string) {
	var locs []profile.LocationID
	for word := range strings.FieldsSeq(stack) {
		name, mark, own := strings.Cut(word, "@")
		if p.kind == profile.KindJava {
			name = "void A." + name + "()"
		}
		fn := profile.Function{Name: name, Kind: p.kind, File: "/usr/lib/python3/dist-packages/x.py"}
		if p.kind == profile.KindNative {
			fn.File = "/usr/include/x.h"
		}
		line := int32(1)
		if p.kind == profile.KindNative && own {
			fn.Mapping = p.b.Mapping(profile.Mapping{Path: "/me/app", Limit: 1})
		}
		if own {
			fn.File, line = p.path, p.at["@"+mark]
		}
		locs = append([]profile.LocationID{p.b.Location(0, 0, p.kind, profile.Line{Function: p.b.Function(fn), Line: line})}, locs...)
	}
	id := p.b.Stack(locs)
	for range n {
		p.tick++
		p.b.Sample(profile.Sample{Stack: id, Count: 1, Value: int64(time.Millisecond), Time: 1 + p.tick*int64(time.Millisecond)})
	}
}

// found are the titles of what is found.
func (p *program) found(t *testing.T) []judge.Found {
	t.Helper()
	return p.foundBy(t, p)
}

// foundBy are those of a program of which more is known.
func (p *program) foundBy(t *testing.T, facts judge.Facts) []judge.Found {
	t.Helper()
	a, err := Judge(t.Context(), judge.Subject{Facts: facts, Profile: p.b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range a.Notes {
		t.Error(n) // an internal error
	}
	for _, f := range a.Found {
		for _, step := range f.Fix.Steps {
			if strings.TrimSpace(step) == "" {
				t.Errorf("%s has a step without text", f.Title)
			}
		}
	}
	return a.Found
}

// turn adds samples in turns, as a loop gives them.
func (p *program) turns(hot, other string) {
	for range 40 {
		p.add(6, hot)
		p.add(4, other)
	}
}

func TestTheSameOnEachPass(t *testing.T) {
	for name, x := range map[string]struct {
		path, code, hot, other string
		kind                   profile.Kind
		want                   string // the line and what is called, "" for silence
	}{
		"a library's function": {"/me/a.py", `
import tables
def main(orders):
    for order in orders:  @2
        t = tables.parsed(TEXT)  @1
        use(t, order)  @3
`, "main@1 parsed", "main@3", profile.KindPython, "@1 tables.parsed"},
		"with what the loop changes": {"/me/a.py", `
def main(orders):
    for order in orders:
        t = tables.parsed(order)  @1
        use(t, order)  @3
`, "main@1 parsed", "main@3", profile.KindPython, ""},
		"with what is made of it": {"/me/a.py", `
def main(orders):
    for order in orders:
        text = order.text
        t = tables.parsed(text)  @1
        use(t, order)  @3
`, "main@1 parsed", "main@3", profile.KindPython, ""},
		"with what is made of what stays": {"/me/a.py", `
def main(orders, path):
    for order in orders:
        full = join(ROOT, path)
        t = tables.parsed(full)  @1
        use(t, order)  @3
`, "main@1 parsed", "main@3", profile.KindPython, "@1 tables.parsed"},
		"what reads on": {"/me/a.py", `
def main(orders, source):
    for order in orders:
        t = source.read(100)  @1
        use(t, order)  @3
`, "main@1 read", "main@3", profile.KindPython, ""},
		"nobody takes the result": {"/me/a.py", `
def main(orders, screen):
    for order in orders:
        screen.paint(WHITE)  @1
        use(order)  @3
`, "main@1 paint", "main@3", profile.KindPython, ""},
		"only where it is not there yet": {"/me/a.py", `
def main(orders):
    t = None
    for order in orders:
        if t is None:
            t = tables.parsed(TEXT)  @1
        use(t, order)  @3
`, "main@1 parsed", "main@3", profile.KindPython, ""},
		"no loop": {"/me/a.py", `
def main(orders):
    t = tables.parsed(TEXT)  @1
    use(t, orders)  @3
`, "main@1 parsed", "main@3", profile.KindPython, ""},
		"in a function that a loop calls": {"/me/a.py", `
TEXT = "a"
def price(order):
    t = tables.parsed(TEXT)  @1
    return use(t, order)  @3
def main(orders):
    for order in orders:
        total(price(order))  @2
`, "main@2 price@1 parsed", "main@2 price@3", profile.KindPython, "@1 tables.parsed"},
		"in a function that keeps it": {"/me/a.py", `
TEXT = "a"
@lru_cache
def price(order):
    t = tables.parsed(TEXT)  @1
    return use(t, order)  @3
def main(orders):
    for order in orders:
        total(price(order))  @2
`, "main@2 price@1 parsed", "main@2 price@3", profile.KindPython, ""},
		"with what its function is given": {"/me/a.py", `
def price(order):
    t = tables.parsed(order)  @1
    return use(t, order)  @3
def main(orders):
    for order in orders:
        total(price(order))  @2
`, "main@2 price@1 parsed", "main@2 price@3", profile.KindPython, ""},
		"the same ones for each": {"/me/a.py", `
def main(mails, terms):
    for mail in mails:
        for term in terms:
            p = rules.prepared(term)  @1
            use(p, mail)  @3
`, "main@1 prepared", "main@3", profile.KindPython, "@1 rules.prepared"},
		"others for each": {"/me/a.py", `
def main(mails):
    for mail in mails:
        for term in mail.terms:
            p = rules.prepared(term)  @1
            use(p, mail)  @3
`, "main@1 prepared", "main@3", profile.KindPython, ""},
		"the program's own function": {"/me/a.go", `
func table(text string) map[string]int {
	out := map[string]int{}
	for _, f := range strings.Fields(text) {  @4
		out[f] = len(f)
	}
	return out
}

func main() {
	for _, o := range orders {
		t := table(config)  @1
		use(t, o)  @3
	}
}
`, "main@1 table@4 Fields", "main@3", profile.KindGo, "@1 table"},
		"the program's own function that counts": {"/me/a.go", `
func table(text string) int {
	calls++
	return parse(text)  @4
}

func main() {
	for _, o := range orders {
		t := table(config)  @1
		use(t, o)  @3
	}
}
`, "main@1 table@4 parse", "main@3", profile.KindGo, "@4 parse"},
		"a container that is filled": {"/me/a.js", `
function main(orders) {
  for (const order of orders) {
    const seen = new BitSet(SIZE);  @1
    use(seen, order);  @3
  }
}
`, "main@1 BitSet", "main@3", profile.KindJS, ""},
		"an object that serves": {"/me/a.js", `
function main(orders) {
  for (const order of orders) {
    const check = new Validator(SCHEMA);  @1
    check.run(order);  @3
  }
}
`, "main@1 Validator", "main@3", profile.KindJS, "@1 new Validator"},
		"the bound of a loop": {"/me/a.c", `
void count(const char *s)
{
    size_t i = 0;
    while (i < text_length(s))  @1
        use(i++);  @3
}
`, "count@1 text_length", "count@3", profile.KindNative, "@1 text_length"},
		"a condition that asks": {"/me/a.c", `
void sort(struct state *L)
{
    while (smaller(L, -1, -2))  @1
        use(L);  @3
}
`, "sort@1 smaller", "sort@3", profile.KindNative, ""},
		"a state that others are given": {"/me/a.c", `
void run(struct state *L, struct item *items, int n)
{
    for (int i = 0; i < n; i++) {
        int k = parsed(L);  @1
        total += use(L, items[i], k);  @3
    }
}
`, "run@1 parsed", "run@3", profile.KindNative, ""},
		"numbers by chance": {"/me/a.py", `
import numpy as np
def main(orders):
    for order in orders:
        noise = np.random.normal(0, 1, SIZE)  @1
        use(noise, order)  @3
`, "main@1 normal", "main@3", profile.KindPython, ""},
		"a file that goes on": {"/me/a.py", `
def main(orders, fh):
    for order in orders:
        entry = pickle.load(fh)  @1
        use(entry, order)  @3
`, "main@1 load", "main@3", profile.KindPython, ""},
		"a model that learns": {"/me/a.py", `
def main(orders, batch):
    model = Net()
    for order in orders:
        out = model(batch)  @1
        use(out, order)  @3
`, "main@1 __call__", "main@3", profile.KindPython, ""},
		"counted rounds": {"/me/a.js", `
function main() {
  for (let round = 0; round < ROUNDS; round++) {
    const sum = tables.parsed(DATA);  @1
    use(sum, round);  @3
  }
}
`, "main@1 parsed", "main@3", profile.KindJS, ""},
		"the rounds of a benchmark": {"/me/a.rs", `
fn main() {
    for _ in 0..rounds {
        last = stats::summarised(&data);  @1
        trips += last.trips;  @3
    }
}
`, "main@1 summarised", "main@3", profile.KindNative, ""},
		"with what another call gives": {"/me/a.go", `
func main() {
	gen := newGenerator()
	for i := 0; i < n; i++ {
		ev := prepared(gen.line())  @1
		use(ev, i)  @3
	}
}
`, "main@1 prepared", "main@3", profile.KindGo, ""},
		"a method of an object of which nothing is known": {"/me/a.py", `
def main(orders):
    feed = Feed()
    for order in orders:
        item = feed.item(KIND)  @1
        use(item, order)  @3
`, "main@1 item", "main@3", profile.KindPython, ""},
		"what a function may change": {"/me/a.go", `
func main() {
	for d := range days {
		version(image, d)
		n := tables.Parsed(image)  @1
		use(n, d)  @3
	}
}
`, "main@1 Parsed", "main@3", profile.KindGo, ""},
		"weights of a kernel, by an inner loop": {"/me/a.c", `
static void pass(const float *in, float *out, int w, int h, float sigma)
{
    int radius = (int)ceilf(3 * sigma);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            float acc = 0, total = 0;
            for (int k = -radius; k <= radius; k++) {
                float wgt = expf(-(k * k) / (2 * sigma * sigma));  @1
                int sx = clampi(x + k, w - 1);  @3
                acc += wgt * in[y * w + sx];
                total += wgt;
            }
            out[y * w + x] = acc / total;
        }
    }
}
`, "pass@1 expf", "pass@3", profile.KindNative, "@1 expf"},
		"weights that differ by pixel": {"/me/a.c", `
static void pass(const float *in, float *out, int w, int h, float sigma)
{
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            float acc = 0;
            for (int k = -9; k <= 9; k++) {
                float d = in[y * w + x + k] - in[y * w + x];
                acc += expf(-d * d / (2 * sigma * sigma));  @1
                out[y * w + x] = acc;  @3
            }
        }
    }
}
`, "pass@1 expf", "pass@3", profile.KindNative, ""},
		"in a comprehension": {"/me/a.py", `
def main(orders):
    return [use(order, tables.parsed(TEXT)) for order in orders]  @1
def other():
    pass  @3
`, "main@1 parsed", "other@3", profile.KindPython, "@1 tables.parsed"},
		"what a comprehension goes through": {"/me/a.py", `
def main(orders):
    return [use(order) for order in tables.parsed(TEXT)]  @1
def other():
    pass  @3
`, "main@1 parsed", "other@3", profile.KindPython, ""},
	} {
		p := read(x.path, x.code, x.kind)
		p.turns(x.hot, x.other)
		checkOne(t, name, p, RuleSame, x.want)
	}
}

// Perl's stacks have the innermost line only: the text tells who calls.
func TestTheOneCallOfPerl(t *testing.T) {
	p := read("/me/a.pl", `
my $TEXT = join ' ', 1 .. 400;

sub weights {
    my ($text) = @_;
    my %out;
    for my $w (split ' ', $text) {
        $out{$w} = length $w;  @4
    }
    return \%out;
}

sub score {
    my ($doc) = @_;
    my $w = weights($TEXT);  @1
    return $w->{$doc};
}

for my $n (1 .. 1000) {
    $all += score($n);  @3
}
`, profile.KindPerl)
	p.turns("top@4", "top@3")
	checkOne(t, "Perl", p, RuleSame, "@1 weights")
}

// checkOne compares what is found with a mark and a name, "" for nothing.
func checkOne(t *testing.T, name string, p *program, rule, want string) {
	t.Helper()
	got := p.found(t)
	if want == "" {
		if len(got) > 0 {
			t.Errorf("%s: %s", name, got[0].Title)
		}
		return
	}
	mark, what, _ := strings.Cut(want, " ")
	if len(got) != 1 {
		t.Errorf("%s: %d findings, want %s", name, len(got), want)
		return
	}
	f := got[0]
	if f.Rule != rule || f.Place.Line != int(p.at[mark]) || !strings.Contains(f.Title, " "+what+" ") {
		t.Errorf("%s: %s %s at line %d, want %s at %d", name, f.Rule, f.Title, f.Place.Line, want, p.at[mark])
	}
}

// TestOnce: a call that takes long, in a loop that ends soon.
func TestOnce(t *testing.T) {
	p := read("/me/a.py", `
def main(hosts):
    for host in hosts:
        t = tables.parsed(TEXT)  @1
        use(t, host)  @3
`, profile.KindPython)
	p.add(300, "main@1 parsed")
	p.add(200, "main@3")
	checkOne(t, "one long call", p, RuleSame, "")
}

// TestAListThatGrowsWhileItIsSearched: no map can be made before the loop.
func TestAListThatGrowsWhileItIsSearched(t *testing.T) {
	for adds, want := range map[string]string{"x.keys = append(x.keys, k)": "beside it", "x.n++": "before the loop"} {
		p := read("/me/a.go", `
func (x *Index) Add(k string) {
	for _, o := range x.keys {
		if o == k {  @1
			return
		}
	}
	`+adds+`
}
func run(words []string) {
	for _, s := range words {
		ix.Add(s[:8])  @2
		show(s)  @3
	}
}
`, profile.KindGo)
		for range 40 {
			p.add(9, "run@2 main.Add@1")
			p.add(1, "run@3")
		}
		found := p.found(t)
		if len(found) != 1 || found[0].Rule != RuleScan || !strings.Contains(found[0].Fix.Steps[0], want) || strings.Contains(found[0].Evidence[1].Text, "does not change it") != (want == "before the loop") {
			t.Errorf("%s: %+v", adds, found)
		}
	}
}

func TestSearchesOnEachPass(t *testing.T) {
	for name, x := range map[string]struct {
		path, code, hot, other string
		kind                   profile.Kind
		want                   string
	}{
		"a list for each order": {"/me/a.go", `
func total(orders []order, customers []customer) {
	for _, o := range orders {
		for _, c := range customers {
			if c.id == o.customer {  @1
				use(c)  @3
				break
			}
		}
	}
}
`, "total@1", "total@3", profile.KindGo, "@1 customers"},
		"an array by its index": {"/me/a.c", `
int find(const struct part *all, int n, const char *code)
{
    for (int i = 0; i < n; i++)
        if (strcmp(all[i].code, code) == 0)  @1
            return i;
    return -1;
}
void main(void)
{
    for (int k = 0; k < 100; k++)
        use(find(parts, n, codes[k]));  @3
}
`, "main@3 find@1 strcmp", "main@3", profile.KindNative, "@1 all"},
		"another array each time": {"/me/a.c", `
int find(const struct part *all, int n, const char *code)
{
    for (int i = 0; i < n; i++)
        if (strcmp(all[i].code, code) == 0)  @1
            return i;
    return -1;
}
void main(void)
{
    for (int k = 0; k < 100; k++)
        use(find(groups[k].parts, n, code));  @3
}
`, "main@3 find@1 strcmp", "main@3", profile.KindNative, ""},
		"a frame that a function is given": {"/me/a.py", `
def rows_of(frame, name):
    return frame[frame["name"] == name]  @1
def main(frame, names):
    for name in names:
        use(rows_of(frame, name))  @3
`, "main@3 rows_of@1 compare", "main@3", profile.KindPython, "@1 frame"},
		"another frame that a function is given": {"/me/a.py", `
def rows_of(frame, name):
    return frame[frame["name"] == name]  @1
def main(frames, name):
    for frame in frames:
        use(rows_of(frame, name))  @3
`, "main@3 rows_of@1 compare", "main@3", profile.KindPython, ""},
		"a few words": {"/me/a.js", `
const WORDS = ['a', 'b', 'c'];
function keyword(tokens) {
  for (const t of tokens) {
    for (const w of WORDS) {
      if (w === t.text) return true;  @1
    }
    use(t);  @3
  }
}
`, "keyword@1", "keyword@3", profile.KindJS, ""},
		"a list of its own": {"/me/a.go", `
func total(orders []order) {
	for _, o := range orders {
		for _, l := range o.lines {
			if l.kind == o.kind {  @1
				use(l)  @3
			}
		}
	}
}
`, "total@1", "total@3", profile.KindGo, ""},
		"a list that the loop changes": {"/me/a.py", `
def main(orders, open):
    for order in orders:
        for o in open:
            if o.id == order.id:  @1
                use(o)  @3
        open.append(order)
`, "main@1", "main@3", profile.KindPython, ""},
		"nothing is compared with the outer loop": {"/me/a.py", `
def main(orders, items):
    for order in orders:
        for item in items:
            if item.kind == WANTED:  @1
                use(item)  @3
`, "main@1", "main@3", profile.KindPython, ""},
		"a mask": {"/me/a.py", `
def main(frame, names):
    for name in names:
        rows = frame[frame["name"] == name]  @1
        use(rows)  @3
`, "main@1 compare", "main@3", profile.KindPython, "@1 frame"},
		"a mask of two conditions": {"/me/a.py", `
def main(frame, names):
    for name in names:
        rows = frame.loc[(frame.name == name) & (frame.qty > 3)]  @1
        use(rows)  @3
`, "main@1 compare", "main@3", profile.KindPython, "@1 frame"},
		"a mask with an element of R": {"/me/a.R", `
main <- function(visits, ids) {
  for (i in seq_along(ids)) {
    mine <- visits[visits$id == ids[i], ]  @1
    use(mine)  @3
  }
}
`, "main@1 compare", "main@3", profile.KindR, "@1 visits"},
		"a mask of R": {"/me/a.R", `
main <- function(visits, ids) {
  for (id in ids) {
    mine <- visits[visits$id == id, ]  @1
    use(mine)  @3
  }
}
`, "main@1 compare", "main@3", profile.KindR, "@1 visits"},
		"a mask of what an object keeps, two calls out": {"/me/a.py", `
class Prices:
    def __init__(self, frame):
        self.frame = frame
    def __getitem__(self, key):
        return self.find(key).iloc[0]  @2
    def find(self, key):
        return self.frame[self.frame["sku"] == key]  @1
def main(prices, orders):
    for order in orders:
        total += prices[order.sku]  @4
        use(order)  @3
`, "main@4 __getitem__@2 find@1 compare", "main@3", profile.KindPython, "@1 self.frame"},
		"a mask of what an object gets again": {"/me/a.py", `
class Prices:
    def load(self, path):
        self.frame = read(path)
    def __getitem__(self, key):
        return self.find(key).iloc[0]  @2
    def find(self, key):
        return self.frame[self.frame["sku"] == key]  @1
def main(prices, orders):
    for order in orders:
        total += prices[order.sku]  @4
        use(order)  @3
`, "main@4 __getitem__@2 find@1 compare", "main@3", profile.KindPython, ""},
		"one mask": {"/me/a.py", `
def main(frame, name):
    rows = frame[frame["name"] == name]  @1
    use(rows)  @3
`, "main@1 compare", "main@3", profile.KindPython, ""},
		"a mask of what changes": {"/me/a.py", `
def main(frames, name):
    for frame in frames:
        rows = frame[frame["name"] == name]  @1
        use(rows)  @3
`, "main@1 compare", "main@3", profile.KindPython, ""},
	} {
		p := read(x.path, x.code, x.kind)
		for range 40 {
			p.add(9, x.hot)
			p.add(1, x.other)
		}
		checkOne(t, name, p, RuleScan, x.want)
	}
}

func TestLoopsThatWait(t *testing.T) {
	for name, x := range map[string]struct {
		path, code string
		kind       profile.Kind
		want       string
	}{
		"Java": {"/me/A.java", `
Job take() {
    Job job;
    while ((job = jobs.poll()) == null) {  @1
        Thread.onSpinWait();
    }
    return job;
}
void other() {
    use();  @3
}
`, profile.KindJava, "@1"},
		"Python": {"/me/a.py", `
def work(q):
    while not stop.is_set():
        try:
            job = q.get_nowait()  @1
        except Empty:
            continue
        use(job)
def other():
    use()  @3
`, profile.KindPython, "@1"},
		"C": {"/me/a.c", `
static void *reader(void *arg)
{
    while (!atomic_ready(&ring->ready))  @1
        ;
    return take(ring);
}
static void other(void)
{
    use();  @3
}
`, profile.KindNative, ""},
		"C++": {"/me/a.cpp", `
void reader() {
  while (!ready.load(std::memory_order_acquire)) {  @1
  }
}
void other() {
  use();  @3
}
`, profile.KindNative, "@1"},
		"Go": {"/me/a.go", `
func reader() {
	for {
		select {
		case job := <-jobs:
			use(job)
		default:  @1
		}
	}
}
func other() {
	use()  @3
}
`, profile.KindGo, "@1"},
		"a search by breadth": {"/me/A.java", `
void walk() {
    while (!queue.isEmpty()) {
        Node n = queue.poll();  @1
        if (n.seen) continue;
        use(n);
    }
}
void other() {
    use();  @3
}
`, profile.KindJava, ""},
		"one that sleeps": {"/me/a.py", `
def work(q):
    while True:
        job = q.get_nowait()  @1
        if job is None:
            time.sleep(0.1)
            continue
        use(job)
def other():
    use()  @3
`, profile.KindPython, ""},
		"a reader of tokens": {"/me/a.c", `
static void parse(struct lexer *l)
{
    for (;;) {
        int t = peek(l);  @1
        if (t == END)
            break;
        use(l, t);
    }
}
static void other(void)
{
    use();  @3
}
`, profile.KindNative, ""},
	} {
		p := read(x.path, x.code, x.kind)
		for range 40 {
			p.add(9, "work@1")
			p.add(1, "other@3")
		}
		got := p.found(t)
		if x.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %s", name, got[0].Title)
			}
			continue
		}
		if len(got) != 1 || got[0].Rule != RuleWait || got[0].Place.Line != int(p.at[x.want]) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Code that is generated as a program runs has lines that the file it is said to be of may not
// have: ERB's templates, what eval is given, a file that was shortened since.
func TestALineThatTheFileDoesNotHave(t *testing.T) {
	for path, kind := range map[string]profile.Kind{"/me/a.rb": profile.KindRuby, "/me/a.py": profile.KindPython, "/me/a.c": profile.KindNative} {
		p := read(path, "x = 1  @1", kind)
		p.at["@9"] = 9
		p.turns("main@1 render@9", "main@1 render@9 gsub")
		if found := p.found(t); len(found) > 0 {
			t.Errorf("%s: %+v", path, found)
		}
	}
}
