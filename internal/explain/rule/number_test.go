package rule

import "testing"

// Lines that read all rows to know how many there are, or the sum of a column, get other advice than
// those that need them.
func TestLinesThatAskForANumber(t *testing.T) {
	for id, x := range map[string]struct{ asks, needs []string }{
		"python-orm": {
			[]string{"total = len(products)", "if len(Order.objects.filter(day=day)) > 3:", "    if orders:", "if not self.invoices.all():", "return sum(e.cents for e in self.entries)", "top = max([b.at for b in account.bids.filter(open=True)], default=None)"},
			[]string{"names = [p.name for p in products]", "if order.open:  # soon", "width = len(p.name.strip())", "for p in Product.objects.all():", "total = sum(p for p in parts)", "lines = [p.name for p in self.parts]"},
		},
		"ruby-activerecord": {
			[]string{"total = products.to_a.size", "return if shop.orders.where(open: true).length > 3", "total = products.sum(&:price)", "due = invoices.inject(0) { |a, i| a + i.due }", "account.entries.map(&:cents).sum"},
			[]string{"products.each { |p| puts p.name }", "total = products.sum(:price)", "names = products.map { |p| p.name }"},
		},
		"php-orm-hydration": {
			[]string{"$total = count($this->orders->findBy(['open' => true]));", "if (Order::where('open', 1)->get()->isEmpty()) {", "$due = $account->entries->sum(fn ($e) => $e->cents);", "$sum = Order::where('open', 1)->get()->sum('cents');"},
			[]string{"foreach ($this->orders->findAll() as $order) {", "$total = count($lines);", "$sum = $account->entries()->sum('cents');"},
		},
		"node-orm": {
			[]string{"const total = (await Order.find({ open: true })).length;", "const due = orders.reduce((sum, o) => sum + o.cents, 0);"},
			[]string{"const orders = await Order.find({ open: true });", "if (name.length > 3) {"},
		},
		"dotnet-ef-tracking": {
			[]string{"var total = db.Orders.Where(o => o.Open).ToList().Count;", "if ((await db.Orders.ToListAsync()).Count > 3)"},
			[]string{"var orders = db.Orders.Where(o => o.Open).ToList();"},
		},
	} {
		asks := &only(t, id).Entries[0].Swap.Cases
		is := func(line string) bool {
			for i := range *asks {
				if (*asks)[i].Line.MatchString(line) {
					return true
				}
			}
			return false
		}
		for _, line := range x.asks {
			if !is(line) {
				t.Errorf("%s: %s", id, line)
			}
		}
		for _, line := range x.needs {
			if is(line) {
				t.Errorf("%s: not %s", id, line)
			}
		}
	}
}
