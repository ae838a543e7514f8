package collision

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"whyhot/internal/explain/judge"
	"whyhot/internal/explain/ownline"
	"whyhot/internal/finding"
	"whyhot/internal/finding/percent"
	"whyhot/internal/profile"
)

// Rule is the rule.
const Rule = "hash-collisions"

// IsRule says whether findings of a rule are made here.
func IsRule(rule string) bool { return rule == Rule || rule == RuleHash }

// table is a kind of hash table.
type table struct {
	language string
	lookup   func() *regexp.Regexp // functions that look up, insert or remove
	compare  func() *regexp.Regexp // functions that compare keys; those below the look-up count
	hash     func() *regexp.Regexp // functions that hash them, wherever they run
	walk     func() *regexp.Regexp // look-ups that only walk a bucket of many: their own time counts too
	cure     string
	// hashes: hashing shows, unless it costs nothing.
	hashes bool
	// plain are comparisons of numbers and texts that libraries have: their hashes cost little or
	// are kept, and reading a key from memory is dear.
	plain func() *regexp.Regexp
}

func onUse(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var tables = []table{
	{
		language: "OCaml",
		lookup:   onUse(`^caml(Stdlib__|Stdlib)?_*Hashtbl__?(find|mem|replace|remove|add)\w*$`),
		compare:  onUse(`^(caml_(compare|equal|string_equal|string_compare)|do_compare_val|compare_val|caml\w+__(compare|equal)_\d+)$`),
		hash:     onUse(`^caml_hash(_mix_\w+)?$`),
		walk:     onUse(`Hashtbl__?(find_rec|mem_in_bucket|replace_bucket|remove_bucket)\w*$`),
		cure:     "Use Hashtbl.Make with a hash of the whole key: Hashtbl.hash reads ten meaningful values at most (Hashtbl.hash_param reads more)",
	},
	{
		language: "Java",
		lookup:   onUse(`\bjava\.util\.(HashMap|LinkedHashMap|HashSet|Hashtable|concurrent\.ConcurrentHashMap)(\$\w+)?\.(get\w*|put\w*|contains\w*|remove\w*|find\w*|compute\w*|merge|add)\(`),
		compare:  onUse(`\.(equals|compareTo|compareComparables|comparableClassFor|tieBreakOrder)\(`),
		hash:     onUse(`\.hash(Code)?\(`),
		walk:     onUse(`\bjava\.util\.HashMap\$TreeNode\.(find|putTreeVal|getTreeNode)\(`),
		hashes:   true,
		plain:    onUse(`\bjava\.lang\.\w+\.equals\(|\bjava\.lang\.(String\w*|Integer|Long)\.`),
		cure:     "Give the key class a hashCode that uses all the fields that equals compares, mixed: Objects.hash, or 31*a + b; a record has one",
	},
	{
		language: ".NET",
		lookup:   onUse(`(Dictionary|HashSet|Hashtable|ConcurrentDictionary)\x60?\d?(\[.*\])?[.:](FindEntry|FindValue|TryInsert|TryGetValue|ContainsKey|Contains|Add|AddIfNotPresent|Remove|get_Item|FindItemIndex)\b`),
		compare:  onUse(`[.:](Equals|IEquatable\S*|EqualsCore|InternalEquals|DefaultEquals|op_Equality)\b`),
		hash:     onUse(`[.:](GetHashCode|InternalGetHashCode)\b`),
		hashes:   true,
		plain:    onUse(`System\.(String|Int\d+|UInt\d+|Char|Guid)[.:]`),
		cure:     "Override GetHashCode with HashCode.Combine of all the fields that Equals compares; a record struct has both",
	},
	{
		language: "Python",
		lookup:   onUse(`^(_?Py_dict_lookup\w*|lookdict\w*|dictkeys_\w*lookup\w*|set_(add_entry|lookkey|contains_key)\w*|PyDict_\w+|dict_(subscript|get|contains)\w*)$`),
		compare:  onUse(`^(\w+\.)?__eq__$`),
		hash:     onUse(`^(\w+\.)?__hash__$`),
		hashes:   true,
		cure:     "Let __hash__ be hash((a, b, …)) of all that __eq__ compares; or make the key a tuple or a frozen dataclass",
	},
	{
		language: "Ruby",
		lookup:   onUse(`^(rb_hash_(aref|aset|lookup\w*|has_key|fetch\w*)|st_(lookup|insert|update|delete)|(find|find_table)_(entry|bin_ind\w*)\w*|find_table_\w+)$`),
		compare:  onUse(`(^|[#.])(eql\?|==)$`),
		hash:     onUse(`(^|[#.])hash$`),
		cure:     "Let hash be [a, b].hash of all that eql? compares; or make the key a Struct, a Data or an array",
	},
	{
		language: "C++",
		lookup:   onUse(`^(.* )?(std::(__\w+::)?(_Hashtable|__hash_table|unordered_\w+|__detail::_Map_base|_Hash\w*)|absl::\w*(flat|node)_hash|boost::unordered)<?.*(find|emplace|insert|erase|count|operator\[\]|_M_find\w*|contains|at)\b`),
		compare:  onUse(`(::operator==\b|\boperator==\b|equal_to<|::operator\(\).*[eE]q)`),
		hash:     onUse(`(std::hash<|_Hash_bytes|[hH]ash\w*::operator\(\)|hash_value|HashValue)`),
		hashes:   true,
		plain:    onUse(`equal_to<(unsigned |signed )?(char|short|int|long|unsigned|bool|\w+_t|.*\*|std::(__\w+::)?basic_string.*|std::string\w*)( const)?>|operator==.*basic_string`),
		cure:     "Hash all the members that operator== compares, each mixed in (boost::hash_combine, absl::Hash); std::hash of a number is the number itself",
	},
	{
		language: "Rust",
		lookup:   onUse(`^(<?hashbrown::|<?std::collections::hash::|std::collections::hash_map).*(get|insert|entry|contains\w*|remove\w*|find|rustc_entry)\b`),
		compare:  onUse(`(PartialEq|::eq$|\beq\b|Equivalent)`),
		hash:     onUse(`(::hash$|Hash(er)?\b.*(hash|write|finish)|sip|fxhash|ahash)`),
		hashes:   true,
		plain:    onUse(`<(u|i)(8|16|32|64|128|size) as|<str as|alloc::string::String as|core::str|<\[u8\]`),
		cure:     "Derive Hash, or hash all the fields that eq compares, with a hasher that spreads them in all bits",
	},
	{
		language: "Haskell",
		lookup:   onUse(`(HashMap|HashSet|HashTable)\w*_(\w*lookup\w*|insert\w*|member\w*|adjust\w*)`),
		compare:  onUse(`(zeze|GHCziClasses_\w*Eq|_\w*Eq\w*_)`),
		hash:     onUse(`(hashWithSalt|Hashable)`),
		cure:     "Derive Hashable by Generic, so that all the fields count",
	},
}

// What must show.
const (
	leastShare  = 0.15 // of the CPU, in comparisons below look-ups
	leastTimes  = 6    // what comparing takes, of what hashing takes
	leastEvents = 50
)

// Judge is the judge of hash tables with long chains.
func Judge(_ context.Context, s judge.Subject) (judge.Answer, error) {
	var out judge.Answer
	p := s.Profile
	if p.Total() <= 0 {
		return out, nil
	}
	own := ownline.Of(p)
	for i := range tables {
		t := &tables[i]
		of, ok := t.roles(p)
		if !ok {
			continue
		}
		if f, ok := t.find(s, of, own.IsOwn); ok {
			out.Found = append(out.Found, f)
		} else if f, ok := t.findHashing(s, of, own.IsOwn); ok {
			out.Found = append(out.Found, f)
		}
	}
	return out, nil
}

// role is what a function is to a table.
type role uint8

const (
	looks role = 1 << iota
	compares
	hashes
	walks
)

// roles are those of all functions of a profile; ok is false where none looks up: then the
// others are not asked, since most programs have no table of most kinds.
func (t *table) roles(p *profile.Profile) (of []role, ok bool) {
	of = make([]role, p.NumFunctions())
	for i := range of {
		name := p.Function(profile.FunctionID(i)).Name
		if name != "" && t.walk != nil && t.walk().MatchString(name) {
			of[i] = looks | walks
		} else if name != "" && t.lookup().MatchString(name) {
			of[i] = looks
		}
		ok = ok || of[i] != 0
	}
	if !ok {
		return nil, false
	}
	for i := range of {
		name := p.Function(profile.FunctionID(i)).Name
		if name == "" {
			continue
		}
		if t.compare().MatchString(name) && (t.plain == nil || !t.plain().MatchString(name)) {
			of[i] |= compares
		}
		if t.hash().MatchString(name) {
			of[i] |= hashes
		}
	}
	return of, true
}

// find adds up what a table's look-ups compare and hash.
func (t *table) find(s judge.Subject, of []role, isOwn func(profile.FunctionID) bool) (judge.Found, bool) {
	p := s.Profile
	var rows []int32
	var comparing, hashing, events int64
	asking, nearest := map[profile.Line]int64{}, map[profile.Line]int64{}
	walking := map[profile.Line][]int32{} // what else look-ups do, by the line that asks
	for i := range p.Samples() {
		sample := &p.Samples()[i]
		below, from, by, is := t.classify(p, of, sample.Stack, isOwn)
		if below == 0 && !is && t.looksUp(p, of, sample.Stack) {
			walking[from] = append(walking[from], int32(i)) //nolint:gosec // rows are numbered so
		}
		switch {
		case below&hashes != 0:
			hashing += sample.Value
		case is:
			comparing += sample.Value
			if from != (profile.Line{}) {
				asking[from] += sample.Value
			}
			if by.Line > 0 && by.Function != from.Function {
				nearest[by] += sample.Value
			}
			events += sample.Count
			rows = append(rows, int32(i)) //nolint:gosec // rows are numbered so
		}
	}
	share := float64(comparing) / float64(p.Total())
	if t.hashes && hashing == 0 {
		return judge.Found{}, false // a key that is its own hash, or keeps it: comparing is all that is left
	}
	if events < leastEvents || share < leastShare || comparing < leastTimes*hashing {
		return judge.Found{}, false
	}
	var place finding.Place
	if line, ok := ownline.Heaviest(asking); ok {
		place = ownline.Place(p, line)
	}
	for line := range asking { // the same look-ups walk from key to key
		rows = append(rows, walking[line]...)
	}
	slices.Sort(rows)
	f := t.finding(s, rows, hashing, place, t.hasher(p, of, isOwn))
	if line, ok := ownline.Heaviest(nearest); ok && 2*nearest[line] >= comparing {
		by := ownline.Place(p, line)
		_, name := ownline.Parts(by.Function)
		f.Fix.Steps = append([]string{fmt.Sprintf("The table is looked up in %s%s, of a library", name, where(by))}, f.Fix.Steps...)
	}
	return f, true
}

// looksUp says whether a look-up is the innermost function of a stack that has a role, and calls no
// function of the program: it walks from key to key.
func (t *table) looksUp(p *profile.Profile, of []role, id profile.StackID) bool {
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			if of[l.Function]&looks != 0 {
				return true
			}
			if k := p.Function(l.Function).Kind; k != profile.KindNative && k != profile.KindUnknown {
				return false
			}
		}
	}
	return false
}

// hasher is the program's function that hashes the keys: the one with most of that.
func (t *table) hasher(p *profile.Profile, of []role, isOwn func(profile.FunctionID) bool) finding.Place {
	by := map[profile.FunctionID]int64{}
	var best profile.FunctionID
	var most int64
	for i := range p.Samples() {
		sample := &p.Samples()[i]
		for _, loc := range p.Stack(sample.Stack) {
			for _, l := range p.Lines(loc) {
				if of[l.Function]&hashes == 0 || !isOwn(l.Function) {
					continue
				}
				by[l.Function] += sample.Value
				if v := by[l.Function]; v > most || v == most && l.Function < best {
					best, most = l.Function, v
				}
			}
		}
	}
	if most == 0 {
		return finding.Place{}
	}
	fn := p.Function(best)
	return finding.Place{Function: fn.Name, File: fn.File, Line: int(fn.StartLine)}
}

// classify reads a stack from its leaf to the look-up and on to the program's own line that
// asks: whether keys are compared, or a bucket of many is walked, or a key is hashed. by is the line
// next to the table's own functions, whoever's it is.
func (t *table) classify(p *profile.Profile, of []role, id profile.StackID, isOwn func(profile.FunctionID) bool) (below role, from, by profile.Line, is bool) {
	leaf, looked := true, false
	for _, loc := range p.Stack(id) {
		for _, l := range p.Lines(loc) {
			r := of[l.Function]
			if looked && r&looks == 0 && by == (profile.Line{}) {
				by = l
			}
			switch {
			case r&looks != 0:
				is = is || below&compares != 0 || leaf && r&walks != 0
				looked = true
			case looked && isOwn(l.Function):
				return below, l, by, is
			case !looked:
				below |= r
			}
			leaf = false
		}
	}
	return below, from, by, is
}

func (t *table) finding(s judge.Subject, rows []int32, hashing int64, place, hasher finding.Place) judge.Found {
	p := s.Profile
	share := p.Share(rows)
	margin := finding.ShareError(share, p.Count())
	id := finding.ID(Rule, place, t.language)
	const least, likely = 0.6, 0.95
	f := finding.Finding{
		ID: id, Rule: Rule, Certainty: finding.Suspected, Place: place,
		Title: "Keys of a hash table collide" + where(place),
		Share: finding.Share{Inclusive: &share, Error: &margin},
		Gain: &finding.Gain{Low: least * share, Likely: likely * share, High: min(1, share+margin), Reach: share,
			Basis: percent.Text(share) + " of the CPU compares keys; a table whose keys spread compares about one for each lookup"},
		Fix: finding.Fix{Kind: "code", Steps: []string{t.cure}, Caveats: []string{"Equal keys must keep equal hashes"}},
		Evidence: []finding.Evidence{{Kind: "collision", Share: &share, Text: fmt.Sprintf(
			"look-ups go from key to key and compare them for %s of the CPU, and hash them for %s", percent.Text(share), percent.Text(float64(hashing)/float64(p.Total())))}},
		Next: s.Versus(id),
	}
	if hasher.Function != "" {
		at := hasher.Function
		if hasher.Line > 0 {
			at += where(hasher)
		}
		f.Evidence = append(f.Evidence, finding.Evidence{Kind: "collision", Text: "the keys are hashed by " + at})
		f.Fix.Steps = append([]string{"Mend " + at + ": it gives many keys the same hash"}, f.Fix.Steps...)
	}
	return judge.Found{Finding: f, Samples: slices.Clone(rows), Removes: true, Takes: true}
}

func where(p finding.Place) string {
	if p.File == "" || p.Line == 0 {
		if name := cmp.Or(p.Function, filepath.Base(p.Binary)); name != "" && name != "." {
			return " in " + name
		}
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", filepath.Base(p.File), p.Line)
}
