//go:build ignore

package main

import (
	"fmt"
	"sort"
	"strings"
)

type rule struct {
	prefix string
	code   int
}

func ruleTable(text string) []rule {
	var out []rule
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 2 {
			out = append(out, rule{f[0], len(f[1])})
		}
	}
	sort.Slice(out, func(i, j int) bool { return len(out[i].prefix) > len(out[j].prefix) })
	return out
}

func classify(records []string, config string) map[int]int {
	counts := map[int]int{}
	for _, record := range records {
		rules := ruleTable(config) // WASTE
		for _, r := range rules {
			if strings.HasPrefix(record, r.prefix) {
				counts[r.code]++
				break
			}
		}
	}
	return counts
}

func main() {
	var b strings.Builder
	for i := 0; i < 300; i++ {
		fmt.Fprintf(&b, "%x%x %s\n", i*7919, i, strings.Repeat("x", i%9+1))
	}
	var records []string
	for i := 0; i < 20000; i++ {
		records = append(records, fmt.Sprintf("%x%d", i*7919%2000000, i))
	}
	fmt.Println(classify(records, b.String()))
}
