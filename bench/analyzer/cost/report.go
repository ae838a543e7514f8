package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// report prints for every arm its CPU time, its memory and the ratios of its
// time to those of the two compilations.
func report(arms []arm, table []map[string]cost, rng *rand.Rand) {
	if len(table) == 0 {
		return
	}
	fmt.Printf("%-32s %10s %11s %11s  %-24s %-24s\n", "", "CPU s", "peak median", "peak max", "/ -fsyntax-only", "/ -O3 -c")
	for _, a := range arms {
		var peaks []float64
		for _, row := range table {
			peaks = append(peaks, row[a.name].memory/(1<<20))
		}
		slices.Sort(peaks)
		fmt.Printf("%-32s %10.1f %8.0f MiB %7.0f MiB  %-24s %-24s\n", a.name, sum(table, a.name),
			peaks[len(peaks)/2], peaks[len(peaks)-1],
			ratio(table, a.name, armSyntax, rng), ratio(table, a.name, armCompile, rng))
	}
	for _, a := range arms {
		worst(table, a.name)
	}
}

// worst names the units whose cost most exceeds a compilation's.
func worst(table []map[string]cost, name string) {
	const most = 3
	over := func(row map[string]cost) float64 { return row[name].cpu - row[armCompile].cpu }
	sorted := slices.SortedFunc(slices.Values(table), func(a, b map[string]cost) int { return cmp.Compare(over(b), over(a)) })
	for _, row := range sorted[:min(most, len(sorted))] {
		if over(row) > 0 && name != armCompile {
			fmt.Printf("%s: %s takes %.1f s, %s %.1f s\n", row[name].file, name, row[name].cpu, armCompile, row[armCompile].cpu)
		}
	}
}

func sum(table []map[string]cost, name string) float64 {
	s := 0.0
	for _, row := range table {
		s += row[name].cpu
	}
	return s
}

// ratio is the ratio of the sums with the 95 % interval of drawing as many
// units with replacement.
func ratio(table []map[string]cost, a, b string, rng *rand.Rand) string {
	if _, ok := table[0][b]; !ok {
		return ""
	}
	const draws = 2000
	var rs []float64
	drawn := make([]map[string]cost, len(table))
	for range draws {
		for i := range drawn {
			drawn[i] = table[rng.IntN(len(table))]
		}
		rs = append(rs, sum(drawn, a)/sum(drawn, b))
	}
	slices.Sort(rs)
	return fmt.Sprintf("%.2f (%.2f to %.2f)", sum(table, a)/sum(table, b), rs[draws/40], rs[draws-draws/40])
}
