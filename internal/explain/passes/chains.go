package passes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleChain is of hash tables of the program's own whose lookups walk a chain.
const RuleChain = "chain-per-lookup"

// chain is a loop that walks the elements of one slot of a hash table.
type chain struct {
	spot

	index string // of the slot, as it is written
	key   string // what is compared
	hash  string // the function that the index is made by, "" for none
	at    string // where that is
	part  bool   // it reads a part of the key, whatever its length
	adds  bool   // it only adds up what it reads
	slots int    // how many there are, where the text says that there are few; else 0
}

var (
	// toNext is a step along a chain.
	toNext = regexp.MustCompile(`\b(\w+)\s*=\s*(\w+)(?:->|\.)\w*(?i:next|link|chain|nxt)\w*`)
	// slotOf is an element of a table.
	slotOf = regexp.MustCompile(`^[&*(\s]*[A-Za-z_][\w.]*(?:(?:->|\.)\w+)*\[(.+)\][)\s]*(?:\.\w+|->\w+)?$`)
	// mixes is what makes a slot's number of a key.
	mixes = regexp.MustCompile(`%|[^&]&[^&]|>>|\^|\w\(`)
	// asText are comparisons of texts, whose length is not fixed.
	asText = regexp.MustCompile(`\b(?:strcmp|strcasecmp|strncmp|memcmp)\s*\(|\.(?:equals|Equals)\(`)
)

const (
	// fewSlots are so few that the table is in the cache: what takes long there is no waiting.
	fewSlots = 4096
	// leastFew is the share of the CPU from which a walk in such a table is told.
	leastFew = 0.5
)

// chains gives them, the dearest first. A walk alone says nothing: in a large table whose keys spread
// well, chains are short and each lookup waits for memory. So the hash has to be a bad one by its text,
// or the slots few.
//
// Example. for (a = slots[slot_of(id)]; a; a = a->next) if (!strcmp(a->id, id)) return a;
func (r *reader) chains() []chain {
	var out []chain
	for _, t := range r.byLoop(func(f *text.File, line profile.Line) (text.Loop, bool) {
		return loopThat(f, line, func(l text.Loop) bool { _, is := r.chainOf(f, l); return is })
	}) {
		if t.share < leastNested*r.part || !r.isOften(t.events) {
			continue
		}
		if x, ok := r.chainOf(t.file, t.loop); ok && (x.part || x.adds || x.slots > 0 && t.share >= leastFew*r.part) {
			x.spot = lineOf(t.best.Function, t.loop.First)
			x.rows, x.share = t.rows, t.share
			out = append(out, x)
		}
	}
	sortDearest(out)
	return out
}

// chainOf decides whether a loop walks a chain whose beginning is the slot of the key that it
// compares with. A list that an array has for something else, as that of a node's edges, has a number
// as it is, and no key.
func (r *reader) chainOf(f *text.File, l text.Loop) (x chain, ok bool) {
	fn, in := f.Function(l.First)
	if !in || !slices.Contains(inRows, f.Language()) {
		return x, false
	}
	_, header := f.Statement(l.First)
	element := ""
	var body []string
	for n := header.First; n <= l.Last; n++ {
		body = append(body, f.Code(n))
		if m := toNext.FindStringSubmatch(f.Code(n)); m != nil && m[1] == m[2] {
			element = m[1]
		}
	}
	if element == "" {
		return x, false
	}
	code := strings.Join(body, "\n")
	if x.key = soughtBy(code, element); x.key == "" {
		return x, false
	}
	x.part = asText.MatchString(code)
	first := valueBefore(f, fn, element, l.First, header.Last)
	for range mostSteps {
		if slotOf.MatchString(first) {
			break
		}
		name := strings.Trim(first, "&*() ")
		if first = valueBefore(f, fn, name, l.First, l.First-1); first == "" {
			return x, false
		}
	}
	m := slotOf.FindStringSubmatch(first)
	if m == nil {
		return x, false
	}
	x.index = m[1]
	return x, r.isMadeOf(f, fn, &x, l.First)
}

// isMadeOf says whether the index of a slot is made of the key, and finds the function by which.
func (r *reader) isMadeOf(f *text.File, fn text.Function, x *chain, before int) bool {
	key, value, mixed := text.Names(x.key), x.index, false
	for range mostSteps {
		mixed = mixed || mixes.MatchString(value)
		x.slots = cmp.Or(x.slots, slotsIn(f, value))
		for _, c := range f.Calls(value) {
			if mentions(c.Args, key) {
				r.hashedBy(f, x, c)
				return true
			}
		}
		names := text.Names(value)
		if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(key, n) }) {
			x.part = false
			return mixed
		}
		value = ""
		for _, n := range names {
			if v := valueBefore(f, fn, n, before, before-1); v != "" {
				value += " " + v
			}
		}
	}
	return false
}

// hashedBy notes the function that makes a number of a key. One that has no loop and calls nothing
// reads as much of a long key as of a short one.
func (r *reader) hashedBy(f *text.File, x *chain, c text.Call) {
	x.hash = c.Last()
	w := &walked{reader: r}
	for _, in := range w.filesWith(f, x.hash) {
		all := definitions(in, x.hash)
		if len(all) == 0 {
			continue
		}
		fn := all[0].fn
		x.at = at(in.Path, fn.First)
		code := body(in, fn)
		x.slots = cmp.Or(x.slots, slotsIn(in, code))
		x.adds = onlyAdds.MatchString(code) && !multiplies.MatchString(code)
		for n := fn.First; n <= fn.Last; n++ {
			_, loops := in.Begins(n)
			x.part = x.part && !loops && len(in.Loops(n)) == 0 && (n == fn.First || !slices.ContainsFunc(in.Calls(in.Code(n)), func(c text.Call) bool {
				return c.Last() != "memcpy" && c.Last() != x.hash
			}))
		}
		return
	}
	x.part = false
}

var (
	// onlyAdds is a hash that adds a byte of the key, or takes its exclusive or, and multiplies is one that
	// also moves what it has.
	onlyAdds   = regexp.MustCompile(`\w\s*[+^]=\s*(?:\(\s*(?:unsigned\s+)?(?:char|int|u?int8_t)\s*\)\s*)?\*?\s*\w+(?:\+\+|\[\w+(?:\+\+)?\])?\s*;`)
	multiplies = regexp.MustCompile(`\w\s*\*\s*(?:\w|\()|\*=|<<|>>|rot`)
	// cuts is what makes the number of a slot of a hash.
	cuts = regexp.MustCompile(`%\s*\(?\s*(\w+)|[^&]&\s*\(?\s*(\w+)(?:\s*-\s*1)?`)
)

// slotsIn is the number of slots by which code cuts a hash, where it is written in the file, and few;
// else 0.
func slotsIn(f *text.File, code string) int {
	for _, m := range cuts.FindAllStringSubmatch(code, -1) {
		if n := numberOf(f, m[1]+m[2]); n > 1 && n <= fewSlots {
			return n
		}
	}
	return 0
}

// numberOf is the value of a word: a number, or a name that a file gives one.
func numberOf(f *text.File, word string) int {
	if n, err := strconv.ParseInt(strings.TrimRight(word, "uUlL"), 0, 32); err == nil {
		return int(n)
	}
	if !constant.MatchString(word) {
		return 0
	}
	is := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\s*=?\s*\(?\s*(0x[0-9a-fA-F]+|\d+)[uUlL]*\s*(?:<<\s*(\d+))?`)
	for n := 1; n <= f.Len(); n++ {
		if m := is.FindStringSubmatch(f.Code(n)); m != nil {
			value, _ := strconv.ParseInt(m[1], 0, 32)
			by, _ := strconv.Atoi(m[2])
			return int(value) << min(by, 31) //nolint:mnd // more are many
		}
	}
	return 0
}

// valueBefore is what a name is given in the header of a loop, or last before it.
func valueBefore(f *text.File, fn text.Function, name string, before, last int) string {
	if name == "" {
		return ""
	}
	gives := regexp.MustCompile(`(?:^|[^\w.>])` + regexp.QuoteMeta(name) + `\s*:?=\s*([^=;][^;]*)`)
	for n := last; n > fn.First; n-- {
		statement, lines := f.Statement(n)
		if m := gives.FindStringSubmatch(statement); m != nil && lines.First <= before {
			return strings.TrimSpace(m[1])
		}
	}
	return ""
}

func (r *reader) chainFinding(s judge.Subject, x chain) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleChain, place, x.rows, saving{share: x.share, least: 0.2, likely: 0.8, why: "walks the elements of one slot; where keys spread over enough slots there is about one"})
	f.Title = fmt.Sprintf("Hash table chains are walked; check hash and size (%s)", at(place.File, place.Line))
	enough := "As many slots as elements, doubled when there are more elements"
	switch {
	case x.part:
		f.Fix.Steps = []string{fmt.Sprintf("Hash the whole key (FNV-1a, xxh3): %s (%s) reads a part of it, so keys that differ elsewhere share a slot", x.hash, x.at), enough}
	case x.adds:
		f.Fix.Steps = []string{fmt.Sprintf("Multiply at each step (FNV-1a, xxh3): %s (%s) adds up what it reads, so that many keys have one sum", x.hash, x.at), enough}
	default:
		f.Fix.Steps = []string{fmt.Sprintf("The table has %d slots: %s", x.slots, strings.ToLower(enough[:1])+enough[1:]), "Where it has fewer elements than slots: a hash that spreads them (FNV-1a, xxh3)"}
	}
	f.Fix.Steps = append(f.Fix.Steps, "Keep the hash in each element, and compare keys only where it is equal")
	f.Fix.Caveats = []string{"The longest chain, counted once, says which of both it is", "Where chains are short, each lookup waits for memory: a table without chains (open addressing) needs less of it"}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("Each lookup compares %s with the elements of slot %s, one at a time", strings.TrimSpace(x.key), strings.TrimSpace(x.index))},
	}
	return f
}
