package rule

import "testing"

// Lines that read all rows to know how many there are get other advice than those that need them.
func TestLinesThatAskHowMany(t *testing.T) {
	for id, x := range map[string]struct{ asks, needs []string }{
		"python-orm": {
			[]string{"total = len(products)", "if len(Order.objects.filter(day=day)) > 3:", "    if orders:", "if not self.invoices.all():"},
			[]string{"names = [p.name for p in products]", "if order.open:  # soon", "width = len(p.name.strip())", "for p in Product.objects.all():"},
		},
		"ruby-activerecord": {
			[]string{"total = products.to_a.size", "return if shop.orders.where(open: true).length > 3"},
			[]string{"products.each { |p| puts p.name }", "total = products.sum(&:price)"},
		},
		"php-orm-hydration": {
			[]string{"$total = count($this->orders->findBy(['open' => true]));", "if (Order::where('open', 1)->get()->isEmpty()) {"},
			[]string{"foreach ($this->orders->findAll() as $order) {", "$total = count($lines);"},
		},
		"node-orm": {
			[]string{"const total = (await Order.find({ open: true })).length;"},
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
