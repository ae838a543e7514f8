package term

import (
	"strings"

	"whyhot/internal/finding/price"
	"whyhot/internal/report/quantity"
)

// Bill says in the header what all of a profile costs.
func (p *Printer) Bill(r *price.Rate) {
	if r == nil {
		return
	}
	b := r.Of(1)
	p.facts([]string{"together " + strings.Join(quantity.Bill(&b), ", ") + ", if it goes on like this"})
}

// billColumns are those of a table whose rows have shares: money, then CO2.
func billColumns(r *price.Rate) []Column {
	if r == nil {
		return nil
	}
	list := []Column{{Title: "cores", Right: true, Optional: 5}}
	if r.Prices.CoreHour > 0 {
		list = append(list, Column{Title: Clean(r.Prices.Currency) + "/year", Right: true})
	}
	if r.Prices.CO2 > 0 {
		list = append(list, Column{Title: "kg CO2/year", Right: true, Optional: 4})
	}
	return list
}

func billCells(r *price.Rate, share float64, write func(float64) string) []Cell {
	if r == nil {
		return nil
	}
	b := r.Of(share)
	cells := []Cell{{Text: write(b.Cores), Style: &styles.dim}}
	if r.Prices.CoreHour > 0 {
		cells = append(cells, Cell{Text: write(b.Money)})
	}
	if r.Prices.CO2 > 0 {
		cells = append(cells, Cell{Text: write(b.CO2), Style: &styles.dim})
	}
	return cells
}

// change writes a difference of amounts.
func change(v float64) string {
	if v > 0 {
		return "+" + quantity.Amount(v)
	}
	return quantity.Amount(v)
}
