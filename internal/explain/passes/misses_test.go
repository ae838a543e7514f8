package passes

import (
	"testing"

	"whyhot/internal/profile"
)

const quotes = `
class Quotes {
  Quote quote(Request r) {
    return memo.computeIfAbsent(r.key(), k -> carrier.price(k));  @1
  }
  void main() {
    for (Request r : all) {
      Quote q = quote(r);  @2
      use(q);  @3
    }
  }
}
`

func TestResultsThatAreComputedThroughout(t *testing.T) {
	const java = "main@2 quote@1 price"
	checkAll(t, map[string]written{
		"computeIfAbsent": {"/me/Quotes.java", quotes, java, "main@3", profile.KindJava, RuleMisses, "@1 misses"},
		"an operator": {"/me/a.rb", `
def price(id)
  @prices[id] ||= fetch(id)  @1
end
def main(ids)
  ids.each { |id| use(price(id)) }  @3
end
`, "main@3 price@1 fetch", "main@3", profile.KindRuby, RuleMisses, "@1 misses"},
	})
	for name, x := range map[string]struct {
		parts [4]int // of the turns in which something is computed, in each quarter of the run
		want  bool
	}{
		"evenly":           {[4]int{10, 10, 10, 10}, true},
		"while it fills":   {[4]int{10, 10, 6, 1}, false},
		"at the beginning": {[4]int{10, 0, 0, 0}, false},
	} {
		p := read("/me/Quotes.java", quotes, profile.KindJava)
		for _, n := range x.parts {
			for turn := range 10 {
				if turn < n {
					p.add(8, java)
				} else {
					p.add(8, "main@3")
				}
				p.add(4, "main@3")
			}
		}
		found := p.found(t)
		if got := len(found) == 1 && found[0].Rule == RuleMisses; got != x.want {
			t.Errorf("%s: %v", name, found)
		}
	}
}
