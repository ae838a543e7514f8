package passes

import (
	"strings"
	"testing"

	"whyhot/internal/profile"
)

// A place that is too little to be told alone belongs to the finding of its rule.
func TestLesserPlaces(t *testing.T) {
	const code = `
Plan Catalog::planFor(const Subscriber& s) const {
  auto it = plans_.find(s.plan);
  return it->second;  @1
}
Rates Catalog::ratesOf(const Subscriber& s) const {
  auto it = rates_.find(s.plan);
  return it->second;  @2
}
int main() {
  rate(catalog.planFor(caller));  @3
  rate(catalog.ratesOf(caller));  @4
  print();  @5
}
`
	for name, x := range map[string]struct {
		plan, rates int
		share       float64 // of the finding, 0 for none
		steps       int
	}{
		"one has enough":   {340, 60, 0.4, 2},
		"both have enough": {340, 200, 0.34, 1},
		"none has enough":  {60, 60, 0, 0},
		"one has nothing":  {340, 10, 0.34, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := read("/me/a.cpp", code, profile.KindNative)
			p.add(x.plan, "main@3 Catalog::planFor@1 Plan::Plan std::vector<Band>::vector")
			p.add(x.rates, "main@4 Catalog::ratesOf@2 Rates::Rates std::vector<Band>::vector")
			p.add(1000-x.plan-x.rates, "main@5")
			found := p.found(t)
			if x.share == 0 {
				if len(found) > 0 {
					t.Fatalf("%q", found[0].Title)
				}
				return
			}
			f := found[0]
			if got := *f.Share.Inclusive; got < x.share-0.005 || got > x.share+0.005 || f.Gain.High > got+*f.Share.Error+0.01 || len(f.Fix.Steps) != x.steps {
				t.Errorf("%.3f, %+v, %q", got, f.Gain, f.Fix.Steps)
			}
			if x.steps == 2 && !strings.Contains(f.Fix.Steps[1], "Likewise at a.cpp:7, 6") {
				t.Errorf("%q", f.Fix.Steps)
			}
		})
	}
}
