// Program shapes makes a profile of itself in the file that its argument names.
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

type point struct{ x, y, z int }

// It takes and gives values: nothing is allocated.
//
//go:noinline
func between(a, b point) point {
	return point{(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2}
}

func main() {
	if len(os.Args) > 1 {
		f, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	a, b := point{}, point{1 << 40, 2 << 40, 3 << 40}
	for i := range 20_000_000 {
		m := between(a, b)
		if i%41 == 0 {
			m = point{i, 1 << 40, 1 << 41}
		}
		a, b = b, m
	}
	fmt.Println(a.x, b.y)
}
