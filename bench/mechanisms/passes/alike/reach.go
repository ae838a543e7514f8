//go:build ignore

package main

import (
	"crypto/sha256"
	"fmt"
	"sort"
)

type node struct {
	id   int
	next []int
}

func reach(nodes []node, from int) int {
	seen := make([]bool, len(nodes))
	queue := []int{from}
	count := 0
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		count++
		for _, m := range nodes[n].next {
			if !seen[m] {
				queue = append(queue, m)
			}
		}
	}
	return count
}

func main() {
	nodes := make([]node, 20000)
	for i := range nodes {
		h := sha256.Sum256([]byte(fmt.Sprint(i)))
		for j := 0; j < 4; j++ {
			nodes[i].next = append(nodes[i].next, (int(h[j])<<8|int(h[j+4]))%len(nodes))
		}
	}
	var sizes []int
	for i := 0; i < 400; i++ {
		sizes = append(sizes, reach(nodes, i*37%len(nodes)))
	}
	sort.Ints(sizes)
	fmt.Println(sizes[0], sizes[len(sizes)-1])
}
