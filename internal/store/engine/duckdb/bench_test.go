//go:build cgo

package duckdb

import (
	"testing"
)

// What it takes to hand over an answer of 200,000 rows beside what the query takes:
// the difference of the two.
func BenchmarkAnswer(b *testing.B) {
	e, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	const sql = "SELECT i::UINTEGER, i::BIGINT, i::BIGINT FROM range(200000) t(i)"
	for _, c := range []struct {
		name  string
		yield func(into *[3]int) func(chunk) error
	}{
		{"query", func(*[3]int) func(chunk) error { return nil }},
		{"query and columns", func(into *[3]int) func(chunk) error {
			var keys []uint32
			var counts, sums []int64
			return func(ch chunk) error {
				keys, counts, sums = more(keys, ch, 0), more(counts, ch, 1), more(sums, ch, 2)
				*into = [3]int{len(keys), len(counts), len(sums)}
				return nil
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				var rows [3]int
				if err := e.writer.query(b.Context(), sql, c.yield(&rows)); err != nil {
					b.Fatal(err)
				}
				if c.name != "query" && rows != [3]int{200000, 200000, 200000} {
					b.Fatal(rows)
				}
			}
		})
	}
}
