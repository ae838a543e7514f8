package passes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
)

// RuleProbes is of hash tables of the program's own whose lookups go from slot to slot.
const RuleProbes = "probes-per-lookup"

// probes is a loop that looks for a key in one slot of a table after the other.
type probes struct {
	spot // of the loop, at the step to the next slot

	step float64 // the share of that line
	hash string  // the function that gives the first slot, "" for none
}

var (
	// nextSlot is the step to the next slot of a table that goes round.
	nextSlot = regexp.MustCompile(`\b(\w+)\s*=\s*\(?\s*(\w+)\s*\+\s*\w+\s*\)?\s*[%&]\s*[\w(]`)
	// comparesKeys is what decides whether the key is there.
	comparesKeys = regexp.MustCompile(`==|!=|(?i:equals?|memcmp|strcmp|\beq)\w*\s*\(`)
	// hashes is how the number of a slot comes from a key.
	hashes = regexp.MustCompile(`(?i:hash|crc|fnv|murmur|digest)`)
)

// leastStep is the part of a loop's samples that the step has where it is taken often: a lookup that
// finds its key in the first slot never comes there.
const leastStep = 0.1

// probings gives them, the dearest first.
//
// Example. do { if (equal(entries[i].key, key)) return &entries[i]; i = (i + 1) % capacity; } while (i != start);
// where i began as hash(key) % capacity: 21% of the CPU are in the last line, 93% in the loop.
func (r *reader) probings() []probes {
	var out []probes
	for line, rows := range r.innermost {
		f := r.file(line.Function)
		if f == nil || !slices.Contains(inRows, f.Language()) {
			continue
		}
		m := nextSlot.FindStringSubmatch(f.Code(int(line.Line)))
		if m == nil || m[1] != m[2] {
			continue
		}
		fn, in := f.Function(int(line.Line))
		loops := f.Loops(int(line.Line))
		if !in || len(loops) == 0 {
			continue
		}
		loop := loops[0]
		if loop.First < fn.First || !goesFromSlotToSlot(f, loop, m[1]) {
			continue
		}
		x := probes{spot: spot{line: line}, step: r.p.Share(rows)}
		hash, ok := firstSlot(f, fn, m[1], loop)
		if !ok {
			continue
		}
		x.hash = hash
		for at, more := range r.innermost {
			if r.file(at.Function) == f && loop.Has(int(at.Line)) {
				x.rows = append(x.rows, more...)
			}
		}
		slices.Sort(x.rows)
		x.share = r.p.Share(x.rows)
		if r.isSure(x.share, leastNested*r.part) && r.isOften(int64(len(rows))) && x.step >= leastStep*x.share {
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// goesFromSlotToSlot says whether a loop compares keys with elements of a table at an index.
func goesFromSlotToSlot(f *text.File, l text.Loop, index string) bool {
	element, compares := regexp.MustCompile(`\[\s*`+regexp.QuoteMeta(index)+`\s*\]`), false
	found := false
	for n := l.First; n <= l.Last; n++ {
		code := f.Code(n)
		found = found || element.MatchString(code)
		compares = compares || comparesKeys.MatchString(code)
	}
	return found && compares
}

// firstSlot follows where an index begins: ok where that is made of a hash.
func firstSlot(f *text.File, fn text.Function, index string, l text.Loop) (hash string, ok bool) {
	for range mostSteps {
		value := valueBefore(f, fn, index, l.First, l.First)
		if value == "" {
			return "", false
		}
		for _, c := range f.Calls(value) {
			if hashes.MatchString(c.Last()) {
				return c.Last(), true
			}
		}
		names := text.Names(value)
		if slices.ContainsFunc(names, hashes.MatchString) {
			return "", true
		}
		if len(names) == 0 {
			return "", false
		}
		index = names[0]
	}
	return "", false
}

func (r *reader) probingFinding(s judge.Subject, x probes) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleProbes, place, x.rows, saving{share: x.share, least: 0.3, likely: 0.8, why: "goes from slot to slot; where keys spread over a table that has room there is about one"})
	f.Title = fmt.Sprintf("Hash table lookups probe many slots; check hash and load (%s)", at(place.File, place.Line))
	spread := "Mix all bits of the key into the hash (multiplications and shifts, as the last step of MurmurHash3 does)"
	if x.hash != "" {
		spread += ": " + x.hash
	}
	f.Fix.Steps = []string{spread, "Keep a part of the slots free (a quarter to a half), and rebuild the table when deleted ones pile up"}
	f.Fix.Caveats = []string{"The number of slots per lookup, counted once, says which of both it is"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.step, Text: fmt.Sprintf("the step to the next slot (%s) is taken often: a lookup that finds its key at once never comes there", strings.Trim(r.file(x.line.Function).Code(place.Line), " \t;"))},
	}
	return f
}
