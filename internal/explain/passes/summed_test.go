package passes

import (
	"testing"

	"whyhot/internal/profile"
)

func TestSummedWheneverAsked(t *testing.T) {
	checkAll(t, map[string]written{
		"a property": {"/me/a.py", `
class Position:
    def __init__(self):
        self.trades = []
    def quantity(self):  @2
        return sum(t.quantity for t in self.trades)  @1
    def add(self, trade):
        self.trades.append(trade)
        show(trade)  @3
`, "main quantity@1 listiter_next", "add@3", profile.KindPython, RuleSummed, "@2 goes through all of self.trades"},
		"of what does not grow": {"/me/a.py", `
class Position:
    def __init__(self, trades):
        self.trades = trades
    def quantity(self):
        return sum(t.quantity for t in self.trades)  @1
    def add(self, trade):
        show(trade)  @3
`, "main quantity@1 listiter_next", "add@3", profile.KindPython, "", ""},
		"kept": {"/me/a.py", `
class Position:
    @cached_property
    def quantity(self):
        return sum(t.quantity for t in self.trades)  @1
    def add(self, trade):
        self.trades.append(trade)
        show(trade)  @3
`, "main quantity@1 listiter_next", "add@3", profile.KindPython, "", ""},
	})
}

// The finding is the method's, not that of the generator in it, whichever is read first.
func TestSummedByAGenerator(t *testing.T) {
	for range 20 {
		p := read("/me/a.py", `
class Position:
    def quantity(self):
        return sum(t.quantity for t in self.trades)  @1
    def add(self, trade):
        self.trades.append(trade)
        show(trade)  @3
`, profile.KindPython)
		p.turns("main quantity@1 quantity.<locals>.<genexpr>@1 listiter_next", "add@3")
		p.turns("main quantity@1 sum", "add@3")
		got := p.found(t)
		if len(got) != 1 || got[0].Rule != RuleSummed || got[0].Place.Function != "quantity" {
			t.Fatalf("%+v", got)
		}
	}
}
