//go:build ignore

// A report is built with +=.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	text := ""
	for i := range n {
		text += fmt.Sprintf("%d;%.2f\n", i, float64(i)/3) // WASTE
	}
	fmt.Println(len(text))
}
