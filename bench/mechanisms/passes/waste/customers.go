//go:build ignore

package main

import "fmt"

type customer struct {
	id   string
	city string
	tier int
}

type order struct {
	customer string
	cents    int
}

func byTier(orders []order, customers []customer) [4]int {
	var sums [4]int
	for _, o := range orders {
		for _, c := range customers {
			if c.id == o.customer { // WASTE
				sums[c.tier] += o.cents
				break
			}
		}
	}
	return sums
}

func main() {
	var customers []customer
	for i := 0; i < 4000; i++ {
		customers = append(customers, customer{fmt.Sprintf("customer-%05d", i*7919%100000), "x", i % 4})
	}
	var orders []order
	for i := 0; i < 150000; i++ {
		orders = append(orders, order{customers[i*31%4000].id, i % 900})
	}
	fmt.Println(byTier(orders, customers))
}
