// Package keep decides which labels a project keeps.
//
// It owns the Keeper: what keys and values there are, when they were used last, and which of
// a batch's are told apart. It takes sets of labels with how often the sampler fired, and
// gives the sets that are kept and what to tell the sender. It must never know a batch, an
// engine or a query.
package keep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"whyhot/internal/profile/label"
)

// Limits bound what a project keeps of labels. Zero values are the defaults.
type Limits struct {
	Keys   int // 64
	Values int // of each key that are told apart; 10,000
	// Batch is how many values of a key one batch may bring that are new; 100.
	Batch int
	// Sets is how many combinations of labels one batch may have; 1,000.
	Sets int
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		at    *int
		value int
	}{{&l.Keys, 64}, {&l.Values, 10_000}, {&l.Batch, 100}, {&l.Sets, 1000}} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
	return l
}

// stays is how many minutes a value has to be met for when half of the values that a key may
// have are in use: what starts and ends all the time, such as the numbers of processes, does
// not put out what stays.
const stays = 2

// Keeper decides which keys and values a project tells apart. Several goroutines may use it.
//
// Method. Below half of its bound a key takes every value, of one batch the heaviest. From
// there on a value is told apart when it is met again, minutes after the first time. At the
// bound the value that was used longest ago gives its place to it. Samples that are kept
// already stay as they are.
type Keeper struct {
	limits Limits

	mu   sync.Mutex
	keys map[string]*values
}

type values struct {
	last map[string]uint32 // when a value that is told apart was used last, in minutes
	met  map[string]uint32 // when another one was met first
}

// New makes one that knows no key.
func New(l Limits) *Keeper {
	return &Keeper{limits: l.withDefaults(), keys: map[string]*values{}}
}

// Renew has the values of these sets be told apart, which are in use, and forgets those that
// are in none of them and were not used in the last minutes.
func (k *Keeper) Renew(sets map[label.Set]bool, minute uint32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.keys
	k.keys = map[string]*values{}
	for _, s := range slices.Sorted(maps.Keys(sets)) {
		for key, value := range s.All {
			v := k.key(key)
			if v == nil || value == label.Other || len(v.last) >= k.limits.Values {
				continue
			}
			v.last[value] = 0
			if old := before[key]; old != nil {
				v.last[value] = old.last[value]
			}
		}
	}
	for key, old := range before {
		for value, last := range old.last {
			if last+stays < minute {
				continue
			}
			if v := k.key(key); v != nil { // a series of it may be on its way
				v.last[value] = last
			}
		}
	}
}

// key finds or makes a key; nil where there is no room for it.
func (k *Keeper) key(name string) *values {
	v := k.keys[name]
	if v == nil && len(k.keys) < k.limits.Keys {
		v = &values{last: map[string]uint32{}, met: map[string]uint32{}}
		k.keys[name] = v
	}
	return v
}

// Usage is how much of its bounds a key uses.
type Usage struct {
	Key    string
	Values int
}

// Usage lists the keys by the number of their values.
func (k *Keeper) Usage() (list []Usage, limits Limits) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, v := range k.keys {
		list = append(list, Usage{key, len(v.last)})
	}
	slices.SortFunc(list, func(a, b Usage) int { return cmp.Or(cmp.Compare(b.Values, a.Values), cmp.Compare(a.Key, b.Key)) })
	return list, k.limits
}

// Weighed is a set of a batch, and how often the sampler fired with it.
type Weighed struct {
	Set   label.Set
	Count int64
}

// Keep gives, for each set of a batch, the one that is kept, and says what is not: in words
// for the sender.
func (k *Keeper) Keep(sets []Weighed, minute uint32) (kept []label.Set, warnings []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := tally(sets)
	admitted := map[string]map[string]bool{}
	for _, key := range t.keys {
		v := k.key(key)
		if v == nil {
			warnings = append(warnings, fmt.Sprintf("label %q is not kept: the project has %d keys, the most it may have", key, k.limits.Keys))
			continue
		}
		kept := v.admit(t.values[key], minute, &k.limits)
		admitted[key] = kept
		if n := len(t.values[key]) - len(kept); n > 0 {
			warnings = append(warnings, fmt.Sprintf("label %q: %d of its %d values are kept as %s: too many are new", key, n, len(t.values[key]), label.Other))
		}
	}
	kept = make([]label.Set, len(sets))
	for i := range sets {
		kept[i] = rewritten(sets[i].Set, admitted, false)
	}
	if n := fold(sets, kept, admitted, k.limits.Sets); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d combinations of labels are kept as %s: a batch may have %d", n, label.Other, k.limits.Sets))
	}
	return kept, warnings
}

// tallied is what a batch has: its keys in order, and how heavy the values of each are.
type tallied struct {
	keys   []string
	values map[string]map[string]int64
}

func tally(sets []Weighed) tallied {
	t := tallied{values: map[string]map[string]int64{}}
	for i := range sets {
		for key, value := range sets[i].Set.All {
			of := t.values[key]
			if of == nil {
				of = map[string]int64{}
				t.values[key] = of
				t.keys = append(t.keys, key)
			}
			of[value] += sets[i].Count
		}
	}
	slices.Sort(t.keys)
	return t
}

// admit chooses those of a batch's values that are told apart.
func (v *values) admit(counts map[string]int64, minute uint32, l *Limits) map[string]bool {
	kept := map[string]bool{}
	var others []string
	for value := range counts {
		if _, known := v.last[value]; known || value == label.Other {
			kept[value] = true
			if known {
				v.last[value] = max(v.last[value], minute)
			}
			continue
		}
		others = append(others, value)
	}
	slices.SortFunc(others, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	for i, value := range others {
		if i == l.Batch {
			break
		}
		if 2*len(v.last) >= l.Values && !v.stayed(value, minute, l) {
			continue
		}
		if len(v.last) >= l.Values {
			v.evict()
		}
		v.last[value] = minute
		delete(v.met, value)
		kept[value] = true
	}
	return kept
}

// stayed says that a value was met some minutes ago, too.
func (v *values) stayed(value string, minute uint32, l *Limits) bool {
	first, met := v.met[value]
	switch {
	case met:
		return minute >= first+stays
	case len(v.met) >= l.Values:
		clear(v.met) // what is still there is met again
	}
	v.met[value] = minute
	return false
}

// evict has the sixteenth of the values that were used longest ago not be told apart any
// more.
func (v *values) evict() {
	type used struct {
		value string
		last  uint32
	}
	list := make([]used, 0, len(v.last))
	for value, last := range v.last {
		list = append(list, used{value, last})
	}
	slices.SortFunc(list, func(a, b used) int { return cmp.Or(cmp.Compare(a.last, b.last), strings.Compare(a.value, b.value)) })
	for _, u := range list[:len(list)/16+1] {
		delete(v.last, u.value)
	}
}

// rewritten is a set with label.Other in the place of what is not told apart, or of everything.
func rewritten(s label.Set, admitted map[string]map[string]bool, all bool) label.Set {
	same := !all
	for key, value := range s.All {
		same = same && admitted[key][value]
	}
	if same {
		return s
	}
	var pairs []label.Pair
	for key, value := range s.All {
		if admitted[key] == nil {
			continue
		}
		if all || !admitted[key][value] {
			value = label.Other
		}
		pairs = append(pairs, label.Pair{Key: key, Value: value})
	}
	return label.Of(pairs)
}

// fold has the lightest combinations beyond a bound become label.Other altogether.
func fold(sets []Weighed, kept []label.Set, admitted map[string]map[string]bool, most int) (folded int) {
	counts := map[label.Set]int64{}
	for i := range sets {
		counts[kept[i]] += sets[i].Count
	}
	if len(counts) <= most {
		return 0
	}
	order := make([]label.Set, 0, len(counts))
	for s := range counts {
		order = append(order, s)
	}
	slices.SortFunc(order, func(a, b label.Set) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	gone := map[label.Set]label.Set{}
	for _, s := range order[most:] {
		gone[s] = rewritten(s, admitted, true)
	}
	for i := range kept {
		if to, ok := gone[kept[i]]; ok {
			kept[i] = to
		}
	}
	return len(gone)
}
