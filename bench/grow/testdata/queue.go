//go:build ignore

// Command queue puts the newest entry in front of a slice, which moves all others.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type entry struct {
	id   int
	text string
	time [4]int64
}

func newest(n int) []entry {
	var entries []entry
	for i := range n {
		e := entry{id: i, text: strings.Repeat("x", i%7)}
		entries = append([]entry{e}, entries...) // GROWS
	}
	return entries
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(len(newest(n)))
}
