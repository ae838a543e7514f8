//go:build ignore

// Words are kept once, with a search of the program's own.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func contains(all []string, word string) bool {
	for _, w := range all {
		if w == word { // WASTE
			return true
		}
	}
	return false
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var all []string
	for i := range n {
		word := fmt.Sprintf("word-%d", i*7919%n)
		if !contains(all, word) {
			all = append(all, word)
		}
	}
	fmt.Println(len(all))
}
