//go:build ignore

// A report is built in a strings.Builder.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%d;%.2f\n", i, float64(i)/3)
	}
	fmt.Println(text.Len())
}
