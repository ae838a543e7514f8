package growth

import "whyhot/internal/profile"

// anyLanguage has what is said where there is nothing better.
const anyLanguage = profile.KindUnknown

// cures are the usual ones, by kind of work and language.
var cures = map[Kind]map[profile.Kind]string{
	Copy: {
		profile.KindPython: "Collect the parts in a list and join them once, append in place, or use collections.deque at the front.",
		profile.KindJS:     "Push into one array instead of spreading or concatenating it, join strings once, and avoid shift() on long arrays.",
		profile.KindRuby:   "Append in place with << or concat instead of +, and merge! instead of merge.",
		profile.KindPHP:    "Append with $a[] = … or array_push, and merge once with array_merge(...$parts) after the loop.",
		profile.KindPerl:   "Append with .= or push to the same variable, and pass references instead of copies.",
		profile.KindLua:    "Collect the pieces in a table and call table.concat once, and keep an index of the first element instead of moving the others.",
		profile.KindR:      "Make the vector or the list of its final length before the loop, or collect the parts in a list and combine them once: unlist, or do.call(rbind, parts).",
		profile.KindJava:   "Use one StringBuilder or ArrayList outside the loop, and an ArrayDeque at the front.",
		profile.KindGo:     "Use a strings.Builder, append to one slice, and avoid inserting or deleting at the front of a slice.",
		anyLanguage:        "Append in place: keep the end of the buffer, grow it by doubling, or collect the parts and join them once.",
	},
	Search: {
		profile.KindPython: "Keep the values in a set or a dict and look them up there.",
		profile.KindJS:     "Keep the values in a Set or a Map and look them up there.",
		profile.KindRuby:   "Keep the values in a Set or a Hash and look them up there.",
		profile.KindPHP:    "Keep the values as keys of an array and test with isset.",
		profile.KindPerl:   "Keep the values as keys of a hash and test with exists.",
		profile.KindLua:    "Keep the values as keys of a table and look them up there.",
		profile.KindR:      "Match all values in one call, or keep them as names of an environment and look them up there.",
		profile.KindJava:   "Keep the values in a HashSet or a HashMap, and do not index a LinkedList.",
		profile.KindGo:     "Keep the values in a map, or sort them once and search with slices.BinarySearch.",
		anyLanguage:        "Keep the values in a hash table or sort them once; keep lengths and positions instead of searching for them again.",
	},
	Compare: {anyLanguage: "Compare only what can be equal: look values up in a hash table, or sort them once."},
	Hash:    {anyLanguage: "Check that keys spread: a hash that collides makes every look-up walk a list. Else look up less often."},
	Sort:    {anyLanguage: "Sort once after the loop, or keep the order with a heap or a tree."},
	Free:    {anyLanguage: "Reuse the memory: allocate once outside the loop."},
	Alloc:   {anyLanguage: "Allocate once outside the loop, or reserve the final size first."},
	Fault:   {anyLanguage: "Reuse the memory instead of mapping fresh pages: allocate once outside the loop, or grow in place."},
	Collect: {anyLanguage: "Create fewer short-lived objects while much is kept alive, or give the heap more room."},
	Format:  {anyLanguage: "Format each part once, and append it."},
	"":      {anyLanguage: "Look for what goes through everything that is there: a search that could be a look-up by key, a sum or a position that could be kept, pairs of which only near ones count."},
}

func cureOf(k Kind, language profile.Kind) string {
	of := cures[k]
	if text := of[language]; text != "" {
		return text
	}
	return of[anyLanguage]
}
