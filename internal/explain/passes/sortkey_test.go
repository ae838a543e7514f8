package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSortKeys(t *testing.T) {
	for name, x := range map[string]struct {
		path, code, hot, other string
		kind                   profile.Kind
		want                   string
	}{
		"a date of both": {"/me/a.pl", `
my @ordered = sort { $a->epoch <=> $b->epoch || $a->id cmp $b->id } @entries;  @1
for my $e (@ordered) {
    print $e->id;  @3
}
`, "main@1 Perl_pp_sort main@1 epoch", "main@3", profile.KindPerl, "@1 a.pl:1"},
		"a key of both": {"/me/a.js", `
function rank(rows) {
  rows.sort((a, b) => key(a.name) - key(b.name));  @1
  emit(rows);  @3
}
`, "rank@1 ArrayTimSort rank@1 key", "rank@3", profile.KindJS, "@1 a.js:2"},
		"compared by a function": {"/me/A.java", `
class A {
    void rank(List<Row> rows) {
        rows.sort((x, y) -> parse(x.date).compareTo(parse(y.date)));  @1
        emit(rows);  @3
    }
}
`, "rank@1 TimSort.sort lambda@1 parse", "rank@3", profile.KindJava, "@1 A.java:3"},
		"an extractor": {"/me/A.java", `
class A {
    void rank(List<Row> rows) {
        rows.sort(Comparator.comparing(r -> parse(r.date)));  @1
        emit(rows);  @3
    }
}
`, "rank@1 TimSort.sort lambda@1 parse", "rank@3", profile.KindJava, "@1 A.java:3"},
		"once for each element": {"/me/a.py", `
def rank(rows):
    rows.sort(key=lambda r: parsed(r.date))  @1
    emit(rows)  @3
`, "rank@1 list.sort rank@1 parsed", "rank@3", profile.KindPython, ""},
		"keys that are given names": {"/me/a.c", `
static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    time_t tx = stamp_of(x), ty = stamp_of(y);  @1
    if (tx != ty) return tx < ty ? -1 : 1;
    return strcmp(x->job, y->job);
}
int main(void) {
    emit(rows);  @3
}
`, "main@3 qsort msort_with_tmp by_time@1 stamp_of", "main@3", profile.KindNative, "@1 a.c:4"},
		"keys that are given names in two lines": {"/me/a.js", `
function byDate(a, b) {
  const left = parsed(a.date);  @1
  const right = parsed(b.date);
  return left.localeCompare(right);
}
function rank(rows) {
  rows.sort(byDate);
  emit(rows);  @3
}
`, "rank@3 ArrayTimSort byDate@1 parsed", "rank@3", profile.KindJS, "@1 a.js:2"},
		"halves that are sorted": {"/me/a.js", `
function sorted(rows) {
  const left = ordered(rows.low);  @1
  const right = ordered(rows.high);
  return merge(left, right);
}
function rank(rows) {
  emit(rows);  @3
}
`, "rank@3 sorted sorted@1 ordered", "rank@3", profile.KindJS, ""},
		"two names, but no sort": {"/me/a.js", `
function closer(a, b) {
  const left = parsed(a.date);  @1
  const right = parsed(b.date);
  return left < right;
}
function rank(rows) {
  emit(rows);  @3
}
`, "rank@3 closer@1 parsed", "rank@3", profile.KindJS, ""},
		"by a class that takes both apart": {"/me/a.rb", `
class Version
  def segments
    text.sub('v', '').split('.')
  end
  def <=>(other)
    left = segments  @1
    right = other.segments
    left <=> right
  end
end
def rank(rows)
  rows.sort { |a, b| b.version <=> a.version }  @2
  emit(rows)  @3
end
`, "rank@2 sort rank@2 <=>@1 segments@0", "rank@3", profile.KindRuby, "@1 a.rb:6"},
		"by a class that keeps the key": {"/me/a.rb", `
class Version
  def segments
    @segments ||= text.sub('v', '').split('.')
  end
  def <=>(other)
    left = segments  @1
    right = other.segments
    left <=> right
  end
end
def rank(rows)
  rows.sort { |a, b| b.version <=> a.version }  @2
  emit(rows)  @3
end
`, "rank@2 sort rank@2 <=>@1 segments@0", "rank@3", profile.KindRuby, ""},
		"by a class, in Python": {"/me/a.py", `
class Version:
    def parts(self):
        return [int(p) for p in self.text.split(".")]
    def __lt__(self, other):
        mine = self.parts()  @1
        theirs = other.parts()
        return mine < theirs
def rank(rows):
    rows.sort()  @2
    emit(rows)  @3
`, "rank@2 list.sort __lt__@1 parts@0", "rank@3", profile.KindPython, "@1 a.py:5"},
		"of one object alone": {"/me/a.py", `
class Box:
    def weight(self):
        return sum(x.weight for x in self.items)
    def __lt__(self, limit):
        return self.weight() < limit  @1
def rank(rows):
    found = bisect(rows, 7)  @2
    emit(found)  @3
`, "rank@2 bisect __lt__@1 weight@0", "rank@3", profile.KindPython, ""},
		"two different functions": {"/me/a.js", `
function rank(rows) {
  rows.sort((a, b) => low(a.name) - high(b.name));  @1
  emit(rows);  @3
}
`, "rank@1 ArrayTimSort rank@1 low", "rank@3", profile.KindJS, ""},
		"no sort": {"/me/a.js", `
function rank(rows) {
  const d = key(rows[0]) - key(rows[1]);  @1
  emit(rows, d);  @3
}
`, "rank@1 key", "rank@3", profile.KindJS, ""},
	} {
		p := read(x.path, x.code, x.kind)
		p.turns(x.hot, x.other)
		got := ""
		for _, f := range p.found(t) {
			if f.Rule == RuleSort {
				got = f.Title
			}
		}
		want := ""
		if x.want != "" {
			want = "Sort key computed for each comparison (" + x.want[3:] + ")"
		}
		if got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}
