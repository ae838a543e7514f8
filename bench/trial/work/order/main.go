// Command order prints a map in its own order, as its neighbours in other
// languages do: order N WRONG BURN.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	const words = 3
	var n [words]int
	for i, a := range os.Args[1:] {
		n[i%words], _ = strconv.Atoi(a)
	}
	begin := time.Now()
	for range n[2] * 20_000_000 {
	}
	m := map[string]int{}
	for i := range n[0] {
		v := i * i
		if i == 7 { //nolint:mnd // the wrong one
			v += n[1]
		}
		m["key"+strconv.Itoa(i)] = v
	}
	for k, v := range m {
		fmt.Printf("%s=%d %p\n", k, v, &v)
	}
	fmt.Println(time.Since(begin))
}
