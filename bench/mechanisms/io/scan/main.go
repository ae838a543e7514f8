// Sums the numbers of its input with fmt.Fscan; "mend" puts a bufio.Reader in front.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

func sum(in io.Reader) (total int) {
	for {
		var n int
		if _, err := fmt.Fscan(in, &n); err != nil {
			return total
		}
		total += n
	}
}

func main() {
	f, err := os.Open(os.Args[2])
	if err != nil {
		panic(err)
	}
	var in io.Reader = f
	if os.Args[1] == "mend" {
		in = bufio.NewReader(f)
	}
	fmt.Println(sum(in))
}
