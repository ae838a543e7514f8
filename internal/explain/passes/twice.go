package passes

import (
	"fmt"
	"regexp"
	"strings"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/explain/text"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// RuleTwice is of keys that are looked up again after a question whether they are there.
const RuleTwice = "looked-up-twice"

// twice is a key that is looked up again right after a question whether it is there.
type twice struct {
	spot

	table, key string
}

// asking is a form of asking whether a table has a key, and how the same key is looked up or
// put in then; TABLE and KEY stand for the two.
type asking struct {
	asks *regexp.Regexp // the table and the key
	then string
}

// askings are those of compiled languages: an interpreter takes longer for the call of another
// method than a table for a key.
var askings = map[string][]asking{
	"Java": {{regexp.MustCompile(`([A-Za-z_][\w.]*(?:\(\))?)\.(?:containsKey|contains)\(\s*([^()]+(?:\([^()]*\))?)\s*\)`), `TABLE(?:\.(?:get|put|add|remove|getValue)\(\s*KEY\b|\[\s*KEY\s*\])`}},
	"JavaScript": {{regexp.MustCompile(`([A-Za-z_$][\w.$]*)\.has\(\s*([^()]+)\s*\)`), `TABLE\.(?:get|set)\(\s*KEY\b`},
		{regexp.MustCompile(`([A-Za-z_$][\w.$]*)\.hasOwnProperty\(\s*([^()]+)\s*\)`), `TABLE\[\s*KEY\s*\]`}},
	"Rust": {{regexp.MustCompile(`([A-Za-z_][\w.]*)\.contains_key\(\s*&?\s*([^()]+(?:\(\))?)\s*\)`), `TABLE(?:\.(?:get|get_mut|insert|entry)\(\s*&?\s*KEY\b|\[\s*&?\s*KEY\s*\])`}},
	"Go":   {{regexp.MustCompile(`_\s*,\s*\w+\s*:?=\s*([A-Za-z_][\w.]*)\[([^\[\]]+(?:\[[^\[\]]*\])?)\]\s*;`), `TABLE\[\s*KEY\s*\]`}},
	"C": {{regexp.MustCompile(`([A-Za-z_][\w.]*(?:->\w+)*)\.(?:count|contains|ContainsKey|find)\(\s*([^()]+(?:\([^()]*\))?)\s*\)`),
		`TABLE(?:\[\s*KEY\s*\]|\.(?:at|Add|find|insert|emplace|erase)\(\s*\{?\s*KEY\b)`}},
}

// lookUps are functions of runtimes that look a key up in a table, where they have names; in
// native code they must be below the line, which may ask a vector or a string otherwise.
var lookUps = regexp.MustCompile(`(?i)hash|find|tree|map(access|assign)|dict|lookup|getnode|bucket|contains|unordered|_Rb_|equal|compare|probe`)

// nearby are the lines behind a question in which the same key is looked up.
const nearby = 3

// lookedUpTwice gives them, the dearest first.
//
// Example. if (counts.containsKey(word)) counts.put(word, counts.get(word) + 1); else …
func (r *reader) lookedUpTwice() []twice {
	known := map[profile.Line]*twice{}
	for line := range r.innermost {
		f := r.file(line.Function)
		if f == nil {
			continue
		}
		for _, q := range askings[f.Language()] {
			x, ok := r.askedTwice(f, line, q)
			if !ok {
				continue
			}
			if first := known[x.line]; first != nil {
				first.rows = joinRows(first.rows, x.rows)
				continue
			}
			known[x.line] = &x
		}
	}
	return enough(r, known)
}

// askedTwice says whether a line asks in one form, and it or the ones behind it look the same key
// up again.
func (r *reader) askedTwice(f *text.File, line profile.Line, q asking) (x twice, ok bool) {
	statement, lines := f.Statement(int(line.Line))
	m := q.asks.FindStringSubmatch(statement)
	if m == nil {
		return x, false
	}
	x = twice{spot: lineOf(line.Function, lines.First), table: m[1], key: strings.TrimSpace(m[2])}
	x.rows = r.innermost[line]
	again := regexp.MustCompile(strings.NewReplacer("TABLE", `(?:^|[^\w.])`+regexp.QuoteMeta(x.table), "KEY", regexp.QuoteMeta(x.key)).Replace(q.then))
	ok = again.MatchString(strings.Replace(statement, m[0], "", 1))
	for n := lines.Last + 1; n <= lines.Last+nearby; n++ {
		if again.MatchString(f.Code(n)) {
			ok = true
			x.rows = joinRows(x.rows, r.innermost[lineOf(line.Function, n).line])
		}
	}
	return x, ok && (f.Language() != "C" || r.looksUp(x.rows))
}

// looksUp says whether most of some samples end in a function that looks a key up.
func (r *reader) looksUp(rows []int32) bool {
	n := 0
	for _, row := range rows {
		for _, l := range r.p.Lines(r.p.Stack(r.p.Samples()[row].Stack)[0]) {
			if !r.lines.IsOwn(l.Function) && lookUps.MatchString(ownline.WithoutTypes(r.p.Function(l.Function).Name)) {
				n++
				break
			}
		}
	}
	return 2*n > len(rows)
}

// askedOnce is how a language looks a key up once, whether it is there or not.
var askedOnce = map[string]string{
	"Java":       "merge, computeIfAbsent or getOrDefault; get and compare with null (Kotlin: getOrPut); of a set if (seen.add(x))",
	"JavaScript": "const v = map.get(key), and compare it with undefined",
	"Rust":       "entry(key): or_insert, or match it as Vacant or Occupied; if let Some(v) = map.get(&key); of a set if seen.insert(x)",
	"Go":         "v, ok := m[key] once, and use v; counts and sums: m[key]++",
	"C":          "auto [at, added] = m.try_emplace(key, value); or find once, and use at->second (C#: TryGetValue, TryAdd)",
}

func (r *reader) twiceFinding(s judge.Subject, x twice) judge.Found {
	place := ownline.Place(r.p, x.line)
	f := r.suspected(s, RuleTwice, place, x.rows, saving{share: x.share, least: 0.15, likely: 0.4, why: "looks keys up; each is looked up once then"}, x.table)
	f.Gain.High = min(f.Gain.High, 0.7*x.share)
	f.Title = fmt.Sprintf("Key looked up again after asking for it; ask once (%s)", at(place.File, place.Line))
	f.Fix.Steps = []string{askedOnce[r.file(x.line.Function).Language()]}
	f.Evidence = []finding.Evidence{
		r.quoted(place),
		{Kind: "repetition", Share: &x.share, Text: fmt.Sprintf("%s is asked for %s twice in a row: the key is hashed and compared each time", x.table, x.key)},
	}
	return f
}
