// Package drift says where the lines of a text are in a later version of it.
//
// It owns the one promise that a line is named only where there is no doubt: a line that
// was changed, or that could as well be another one of the same text, is nowhere. It takes
// two texts as lines and gives line numbers. It imports nothing of ours and reads no file.
//
// The way is that of patience diff (Bram Cohen): lines that are unique in both texts, in
// the same order, are anchors, and between them only what is equal without a choice
// counts.
package drift

import (
	"slices"
	"sort"
	"strings"
)

// None is where a line is that is nowhere for certain.
const None = -1

// Split gives the lines of a text without their ends.
func Split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// Map gives for every line of before, counted from 0, its number in after, or None.
// Indentation and space at the end do not count.
func Map(before, after []string) []int {
	a, b := trimmed(before), trimmed(after)
	out := make([]int, len(a))
	if slices.Equal(a, b) {
		for i := range out {
			out[i] = i
		}
		return out
	}
	for i := range out {
		out[i] = None
	}
	// Frames around both texts make their ends lines like others.
	pairs := append([]pair{{-1, -1}}, anchors(a, b)...)
	pairs = append(pairs, pair{len(a), len(b)})
	for i, p := range pairs {
		if p.a >= 0 && p.a < len(a) {
			out[p.a] = p.b
		}
		if i == 0 {
			continue
		}
		// What lies between two anchors is placed where it is equal as a whole.
		from := pairs[i-1]
		if slices.Equal(a[from.a+1:p.a], b[from.b+1:p.b]) {
			for k := from.a + 1; k < p.a; k++ {
				out[k] = from.b + 1 + (k - from.a - 1)
			}
		}
	}
	return out
}

// pair is a line in both texts.
type pair struct{ a, b int }

// anchors are the lines that are unique in both texts and that their neighbours confirm:
// a line that stands among others was moved, or typed again elsewhere.
func anchors(a, b []string) []pair {
	inA, inB := only(a), only(b)
	var all []pair
	for i, text := range a {
		if at, ok := inA[text]; !ok || at != i || text == "" {
			continue
		}
		j, ok := inB[text]
		if ok && same(a, b, i-1, j-1) && same(a, b, i+1, j+1) && (says(a, i-1) || says(a, i+1)) {
			all = append(all, pair{i, j})
		}
	}
	return rising(all)
}

// same says whether two lines are equal, or both an end of their text.
func same(a, b []string, i, j int) bool {
	if i < 0 || j < 0 || i >= len(a) || j >= len(b) {
		return i < 0 && j < 0 || i >= len(a) && j >= len(b)
	}
	return a[i] == b[j]
}

// says is false for lines of brackets alone, which are everywhere.
func says(lines []string, i int) bool {
	return i < 0 || i >= len(lines) || strings.Trim(lines[i], "{}()[]; ") != ""
}

// only finds the lines whose text no other line has.
func only(lines []string) map[string]int {
	at, twice := make(map[string]int, len(lines)), map[string]bool{}
	for i, text := range lines {
		if _, seen := at[text]; seen {
			twice[text] = true
		}
		at[text] = i
	}
	for text := range twice {
		delete(at, text)
	}
	return at
}

// rising is the longest part of pairs, which rise in a, that rises in b, too.
func rising(all []pair) []pair {
	tails := make([]int, 0, len(all)) // index of the pair that ends the best part of each length
	before := make([]int, len(all))
	for i, p := range all {
		at := sort.Search(len(tails), func(k int) bool { return all[tails[k]].b >= p.b })
		before[i] = None
		if at > 0 {
			before[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	if len(tails) == 0 {
		return nil
	}
	out := make([]pair, 0, len(tails))
	for i := tails[len(tails)-1]; i != None; i = before[i] {
		out = append(out, all[i])
	}
	slices.Reverse(out)
	return out
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimSpace(l)
	}
	return out
}
