package digest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func of(t *testing.T, text string) *Digest {
	t.Helper()
	d, err := New(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// runs makes the digests of ten runs of a program.
func runs(t *testing.T, program func(r *rand.Rand) string, first uint64) []*Digest {
	t.Helper()
	return someRuns(t, program, first, 10)
}

func someRuns(t *testing.T, program func(r *rand.Rand) string, first, n uint64) []*Digest {
	t.Helper()
	var out []*Digest
	for i := range n {
		out = append(out, of(t, program(rand.New(rand.NewPCG(first+i, 9)))))
	}
	return out
}

func address(r *rand.Rand) string { return fmt.Sprintf("0x%x", 0x550000000000+r.Uint64N(1<<32)<<4) }

// nodes prints a node a line, with its address.
func nodes(n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "node %s value %d\n", address(r), i*i)
		}
		fmt.Fprintf(&b, "%d nodes in %.3f ms\n", n, 2+r.Float64())
		return b.String()
	}
}

func shuffled(lines []string, r *rand.Rand, with string) string {
	lines = append([]string(nil), lines...)
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(lines, with) + "\n"
}

func TestSides(t *testing.T) {
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu")
	counts := make([]string, len(words))
	for i, w := range words {
		counts[i] = fmt.Sprintf("%s: %d", w, 100+i)
	}
	wrong := append([]string(nil), counts...)
	wrong[3] = "delta: 104"
	timed := func(seconds float64, items int) func(*rand.Rand) string {
		return func(r *rand.Rand) string {
			s := seconds * (1 + 0.1*r.Float64())
			return fmt.Sprintf("2026-11-22T09:%02d:%02d start\nread %d items in %.1f s (%.0f MB/s)\npeak memory: %.1f MB\ndone\n", r.IntN(60), r.IntN(60), items, s, 100/s, 50+s)
		}
	}
	lineEach := func(least, most int) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return strings.Repeat("tick\n", least+r.IntN(most-least+1)) + "done\n" }
	}
	for _, c := range []struct {
		name           string
		base, variant  func(*rand.Rand) string
		want           Answer
		says, baseline string
	}{
		{"addresses", nodes(50), nodes(50), Alike, "", ""},
		{"addresses, half of the work", nodes(50), nodes(25), Unlike, "lines", ""},
		{"addresses, one line fewer", nodes(50), nodes(49), Unlike, "", "node 0x"},
		{
			"addresses, one wrong value", nodes(50),
			func(r *rand.Rand) string { return strings.Replace(nodes(50)(r), "value 2025", "value 2026", 1) },
			Unlike, "", "value 2025",
		},
		{
			"lines in any order", func(r *rand.Rand) string { return shuffled(counts, r, "\n") },
			func(r *rand.Rand) string { return shuffled(counts, r, "\n") }, Alike, "", "",
		},
		{
			"lines in any order, one wrong", func(r *rand.Rand) string { return shuffled(counts, r, "\n") },
			func(r *rand.Rand) string { return shuffled(wrong, r, "\n") }, Unlike, "", "delta: 103",
		},
		{
			"words in any order", func(r *rand.Rand) string { return "{" + shuffled(counts, r, ", ") + "}" },
			func(r *rand.Rand) string { return "{" + shuffled(counts, r, ", ") + "}" }, Alike, "", "",
		},
		{"twice as fast", timed(2, 1000), timed(1, 1000), Alike, "", ""},
		{"twice as fast with half of the items", timed(2, 1000), timed(1, 500), Unlike, "", "read 1000 items"},
		{"number of lines varies", lineEach(40, 60), lineEach(40, 60), Alike, "", ""},
		{"number of lines varies, far fewer", lineEach(40, 60), lineEach(15, 22), Unlike, "lines", ""},
		{"random numbers", random, random, Unknown, "hardly anything", ""},
		{"random numbers, half of them", random, func(r *rand.Rand) string { s := random(r); return s[:len(s)/2] }, Unlike, "", ""},
		{
			"progress that is overwritten", func(r *rand.Rand) string {
				return strings.Repeat("10%\r", 20+r.IntN(3)) + "sum 7\nid " + address(r) + "\n"
			},
			func(r *rand.Rand) string {
				return strings.Repeat("10%\r", 3+r.IntN(3)) + "sum 7\nid " + address(r) + "\n"
			}, Alike, "", "",
		},
		{
			"a checksum that becomes random", func(r *rand.Rand) string { return "sum 7777\nid " + address(r) + "\n" },
			func(r *rand.Rand) string { return fmt.Sprintf("sum %d\nid %s\n", r.IntN(5000), address(r)) }, Unlike, "", "sum 7777",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Compare(runs(t, c.base, 0), runs(t, c.variant, 1000))
			if r.Answer != c.want || !strings.Contains(r.Why, c.says) || !strings.Contains(r.Baseline, c.baseline) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func random(r *rand.Rand) string {
	b := make([]byte, 20000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// Both sides are the same program, whose output has hundreds of small counts that
// differ from run to run: some agree within a side by chance.
func TestChanceIsNotTakenForADifference(t *testing.T) {
	histogram := func(r *rand.Rand) string {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, "bucket%c%c %d\n", 'a'+i%20, 'a'+i/20, r.IntN(2))
		}
		return b.String()
	}
	for k := range uint64(100) {
		if r := Compare(runs(t, histogram, k*100), runs(t, histogram, k*100+50)); r.Answer == Unlike {
			t.Errorf("trial %d: %+v", k, r)
		}
	}
}

func TestFewRunsSayNothing(t *testing.T) {
	a, b := runs(t, nodes(50), 0), runs(t, nodes(25), 100)
	if r := Compare(a[:3], b[:3]); r.Answer != Unknown || !strings.Contains(r.Why, "too few") {
		t.Errorf("%+v", r)
	}
}

// An output with more different lines than are kept apart.
func TestLongOutput(t *testing.T) {
	long := func(n int) func(r *rand.Rand) string {
		return func(r *rand.Rand) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "line of text %d\n", i)
			}
			return b.String() + "end " + address(r) + "\n"
		}
	}
	base := someRuns(t, long(mostKeys+1000), 0, 7)
	if base[0].keys[lines].buckets == nil {
		t.Fatal("each line has room of its own")
	}
	if r := Compare(base, someRuns(t, long(mostKeys+1000), 100, 7)); r.Answer != Alike {
		t.Errorf("the same: %+v", r)
	}
	if r := Compare(base, someRuns(t, long(mostKeys+999), 100, 7)); r.Answer != Unlike {
		t.Errorf("a line fewer: %+v", r)
	}
}

func TestMeasuredNumbers(t *testing.T) {
	for line, want := range map[string]string{
		"took 5.1 ms":                        "took # ms",
		"read 500 items in 5ms":              "read 500 items in #",
		"real\t0m1.25s":                      "real #",
		"rate: 12 MB/s of 7":                 "rate: # MB/s of 7",
		"[12:03:59] 3 jobs":                  "[#] 3 jobs",
		"elapsed_ms=17 checksum=17":          "elapsed_ms=# checksum=17",
		"  value   17 ":                      "value 17 ",
		"Maximum resident set size: 1024 kB": "Maximum resident set size: # kB",
		"BM_Sort 4020 ns 4019 ns 172000":     "BM_Sort # ns # ns 172000",
		"0.5 seconds, 3 errors":              "# seconds, 3 errors",
		"10%\r20%\rdone 3":                   "done 3",
		"1e-05 s and 1.5e3 things, 12s":      "# s and 1.5e3 things, #",
		"thread 7: 8 steps":                  "thread 7: 8 steps",
		"12 monkeys":                         "12 monkeys",
	} {
		var s splitter
		s.split(shown([]byte(line)))
		if string(s.line) != want {
			t.Errorf("%q: got %q, want %q", line, s.line, want)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("node 0x1 3\nx\r\n", "12:03 5ms\n\xff\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		var base, variant []*Digest
		for range 8 {
			base, variant = append(base, of(t, a)), append(variant, of(t, a))
		}
		if r := Compare(base, variant); r.Answer == Unlike {
			t.Errorf("%q is unlike itself: %+v", a, r)
		}
		for i := range variant {
			variant[i] = of(t, b)
		}
		_ = Compare(base, variant)
	})
}
