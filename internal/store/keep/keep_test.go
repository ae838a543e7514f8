package keep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/profile/label"
)

func set(pairs ...string) label.Set {
	var list []label.Pair
	for _, p := range pairs {
		key, value, _ := strings.Cut(p, "=")
		list = append(list, label.Pair{Key: key, Value: value})
	}
	return label.Of(list)
}

func one(key, value string, count int64) Weighed { return Weighed{set(key + "=" + value), count} }

func kept(k *Keeper, minute uint32, sets ...Weighed) (values []string, warnings []string) {
	out, warnings := k.Keep(sets, minute)
	for _, s := range out {
		for _, v := range s.All {
			values = append(values, v)
		}
	}
	return values, warnings
}

func TestKeepsTheHeaviestOfABatch(t *testing.T) {
	k := New(Limits{Values: 100, Batch: 2})
	values, warnings := kept(k, 1, one("id", "a", 1), one("id", "b", 5), one("id", "c", 3))
	if !slices.Equal(values, []string{label.Other, "b", "c"}) || len(warnings) != 1 || !strings.Contains(warnings[0], `"id": 1 of its 3 values`) {
		t.Errorf("%q, %q", values, warnings)
	}
	// What is known does not count as new.
	if values, warnings = kept(k, 1, one("id", "a", 1), one("id", "b", 5), one("id", "c", 3)); !slices.Equal(values, []string{"a", "b", "c"}) || len(warnings) != 0 {
		t.Errorf("%q, %q", values, warnings)
	}
}

func TestValuesThatStay(t *testing.T) {
	k := New(Limits{Values: 20, Batch: 100})
	for i := range 10 {
		kept(k, 1, one("pid", fmt.Sprint("old", i), 1))
	}
	// Half is in use: what comes and goes is not told apart, what stays is.
	for minute := uint32(2); minute < 20; minute++ {
		values, _ := kept(k, minute, one("pid", fmt.Sprint("short", minute), 9), one("pid", "long", 1))
		want := []string{label.Other, label.Other}
		if minute >= 4 {
			want[1] = "long"
		}
		if !slices.Equal(values, want) {
			t.Fatalf("minute %d: %q", minute, values)
		}
	}
	// At the bound those go that were used longest ago, and never the newest.
	for minute := uint32(30); minute < 60; minute++ {
		values, _ := kept(k, minute, one("pid", fmt.Sprint("new", minute/3), 1), one("pid", "long", 1))
		if values[1] != "long" || minute%3 == 2 && values[0] != fmt.Sprint("new", minute/3) {
			t.Fatalf("minute %d: %q", minute, values)
		}
	}
	if usage, _ := k.Usage(); usage[0].Values > 20 {
		t.Errorf("%d values", usage[0].Values)
	}
	if values, _ := kept(k, 60, one("pid", "old0", 1)); values[0] != label.Other {
		t.Error("what was used longest ago is still told apart")
	}
}

func TestBoundsOfKeysAndSets(t *testing.T) {
	k := New(Limits{Keys: 2, Sets: 2})
	sets := []Weighed{{set("a=1", "b=1", "c=1"), 3}, {set("a=2", "b=1"), 2}, {set("a=3"), 1}}
	out, warnings := k.Keep(sets, 1)
	want := []label.Set{set("a=1", "b=1"), sets[1].Set, set("a=" + label.Other)}
	if !slices.Equal(out, want) || len(warnings) != 2 {
		t.Errorf("%q, %q", out, warnings)
	}
}

func TestRenew(t *testing.T) {
	k := New(Limits{})
	kept(k, 1, one("pod", "a", 1), one("pod", "b", 1), one("gone", "x", 1))
	kept(k, 10, one("pod", "c", 1))
	k.Renew(map[label.Set]bool{set("pod=a"): true}, 10)
	usage, _ := k.Usage()
	if want := []Usage{{"pod", 2}}; !slices.Equal(usage, want) { // a is in use, and c just came
		t.Errorf("%v", usage)
	}
}
