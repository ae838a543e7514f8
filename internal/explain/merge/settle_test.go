package merge

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

func TestWhatFollowsFromACauseIsMinor(t *testing.T) {
	of := func(id string, share float64, samples ...int32) judge.Found {
		f := found(id, id, finding.Place{}, samples...)
		f.Share.Inclusive = &share
		return f
	}
	cause := func(share float64, samples ...int32) judge.Found {
		f := of("cause", share, samples...)
		f.Removes = true
		return f
	}
	// asked is a service that rows of the profile ask for.
	asked := func(share float64, demand ...int32) judge.Found {
		f := of("gc", share, 8, 9)
		f.Service, f.Demand = true, demand
		return f
	}
	replaced := func(rows ...int32) judge.Found {
		f := of("cause", 0.3, 1, 2, 3, 4)
		f.Depths, f.Replaced = []int32{5, 5, 5, 5}, rows
		return f
	}
	deep := func(depths ...int32) judge.Found {
		f := of("a", 0.1, 1, 2, 3, 4)
		f.Depths = depths
		return f
	}
	with := func(f judge.Found, change func(*judge.Found)) judge.Found {
		change(&f)
		return f
	}
	for _, x := range []struct {
		name  string
		f     judge.Found
		cause judge.Found
		why   string
	}{
		{"a little more, by a faster library", of("a", 0.31, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), with(cause(0.3, 1, 2, 3, 4, 5, 6, 7, 8, 9), func(f *judge.Found) { f.Takes = true }), "its work is within"},
		{"a little more, of what goes away too", with(of("a", 0.31, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), func(f *judge.Found) { f.Removes = true }), with(cause(0.3, 1, 2, 3, 4, 5, 6, 7, 8, 9), func(f *judge.Found) { f.Takes = true }), "its work is within"},
		{"more, by a faster library", of("a", 0.4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), with(cause(0.3, 1, 2, 3, 4, 5, 6, 7, 8), func(f *judge.Found) { f.Takes = true }), ""},
		{"a service that it asks for", asked(0.14, 1, 2, 7), cause(0.3, 1, 2, 3), "look again after cause"},
		{"a service that costs more, and it asks for", asked(0.4, 1, 2, 7), cause(0.3, 1, 2, 3), "look again after cause"},
		{"a collector with hardly any room", with(asked(0.67, 1, 2, 7), func(f *judge.Found) { f.Collects = true }), cause(0.3, 1, 2, 3), ""},
		{"a collector that takes a little more", with(asked(0.55, 1, 2, 7), func(f *judge.Found) { f.Collects = true }), cause(0.3, 1, 2, 3), "look again after cause"},
		{"a compiler of the runtime", asked(0.67, 1, 2, 7), cause(0.3, 1, 2, 3), "look again after cause"},
		{"a service that others ask for", asked(0.14, 1, 6, 7), cause(0.3, 1, 2, 3), ""},
		{"a service that nobody is known to ask for", asked(0.14), cause(0.3, 1, 2, 3), ""},
		{"a service of which only what runs is known", with(asked(0.14, 1, 2, 7), func(f *judge.Found) { f.Roughly = true }), cause(0.3, 1, 2, 3), ""},
		{"a service beside which hardly anything else runs", with(asked(0.14, 1, 2, 3, 4, 7), func(f *judge.Found) { f.Roughly = true }), cause(0.3, 1, 2, 3, 4), "look again after cause"},
		{"a service is no cause", asked(0.14, 1, 2), with(cause(0.3, 1, 2, 3), func(f *judge.Found) { f.Service = true }), ""},
		{"a service that what is replaced asks for", asked(0.14, 1, 2, 7), replaced(1, 2, 3, 4), "look again after cause"},
		{"a service that is asked for by what is called back", asked(0.14, 1, 2, 7), replaced(3, 4), ""},
		{"called by what is replaced", deep(0, 1, 2, 9), replaced(1, 2, 3, 4), "within that of cause"},
		{"how it is built", with(deep(0, 1, 2, 3), func(f *judge.Found) { f.Fix.Kind = "build" }), replaced(1, 2, 3, 4), ""},
		{"calls what is replaced", deep(8, 9, 9, 9), replaced(1, 2, 3, 4), ""},
		{"called by what is called back", deep(0, 1, 2, 3), replaced(4), ""},
		{"calls of what is replaced", with(of("a", 0.1, 8), func(f *judge.Found) { f.Callee = "crc" }), with(replaced(1), func(f *judge.Found) { f.Place.Function = "crc" }), "goes with cause"},
		{"calls of what is told by its name", with(of("a", 0.1, 8), func(f *judge.Found) { f.Callee = "crc" }), with(replaced(1), func(f *judge.Found) { f.Functions = []string{"sum", "crc"} }), "goes with cause"},
		{"calls of another", with(of("a", 0.1, 8), func(f *judge.Found) { f.Callee = "sum" }), with(replaced(1), func(f *judge.Found) { f.Place.Function = "crc" }), ""},
		{"within it", of("a", 0.1, 1, 2, 9), cause(0.3, 1, 2, 3), ""},
		{"nearly all within it", of("a", 0.1, 1, 2, 3, 9), cause(0.3, 1, 2, 3, 4), "within that of cause"},
		{"what happens, of which it tells why", with(of("a", 0.6, 1, 2, 3, 4, 5, 6), func(f *judge.Found) { f.Symptom, f.Removes = true, true }), cause(0.3, 1, 2), "told by cause"},
		{"what happens, of which it tells a little", with(of("a", 0.6, 1, 2, 3, 4, 5, 6, 7), func(f *judge.Found) { f.Symptom, f.Removes = true, true }), cause(0.3, 1, 2, 9), ""},
		{"beside it", of("a", 0.1, 8, 9), cause(0.3, 1, 2, 3), ""},
		{"larger", of("a", 0.5, 1, 2, 3), cause(0.3, 1, 2, 3), ""},
		{"no cause", asked(0.1, 1, 2), of("b", 0.3, 1, 2, 3), ""},
		{"a cause that was tried in vain", asked(0.1, 1), with(cause(0.3, 1, 2), func(f *judge.Found) { f.Certainty = finding.Refuted }), ""},
		{"an aside", asked(0.1, 1), with(cause(0.9, 1, 2), func(f *judge.Found) { f.Aside = true }), ""},
		{"of a build that is no product", of("a", 0.9, 8, 9), with(of("cause", 0.5, 1), func(f *judge.Found) { f.Foremost = true }), "said of a build"},
		{"of another binary", with(of("a", 0.9, 8, 9), func(f *judge.Found) { f.Place.Binary = "/lib/b.so" }), with(of("cause", 0.5, 1), func(f *judge.Found) { f.Foremost, f.Place.Binary = true, "/bin/a" }), ""},
		{"proved", with(asked(0.1, 1), func(f *judge.Found) { f.Certainty = finding.Proved }), cause(0.3, 1, 2), ""},
	} {
		both := []judge.Found{x.f, x.cause}
		Settle(both, nil)
		if got := both[0].Minor; (got == "") != (x.why == "") || !strings.Contains(got, x.why) {
			t.Errorf("%s: %q, want %q", x.name, got, x.why)
		}
		if want := map[bool]string{true: "cause"}[x.why != ""]; both[0].After != want {
			t.Errorf("%s: after %q, want %q", x.name, both[0].After, want)
		}
		if both[1].Minor != "" {
			t.Errorf("%s: the cause is minor: %s", x.name, both[1].Minor)
		}
	}
	// Why leads what happens, whichever comes first.
	why, happens := with(of("why", 0.3, 1, 2), func(f *judge.Found) { f.Removes = true }), with(cause(0.6, 1, 2, 3, 4, 5, 6), func(f *judge.Found) { f.Symptom = true })
	first := []judge.Found{why, happens}
	if Settle(first, nil); first[0].Minor != "" || first[1].After != "why" {
		t.Errorf("%+v", first)
	}
	// Of two that say the same of the same samples one stays.
	twins := []judge.Found{cause(0.3, 1, 2), cause(0.3, 1, 2)}
	Settle(twins, nil)
	if (twins[0].Minor == "") == (twins[1].Minor == "") {
		t.Errorf("%+v", twins)
	}
}

// Several causes ask for a service together; it comes after the one that asks most.
func TestCausesTogether(t *testing.T) {
	share := 0.2
	of := func(id string, rows ...int32) judge.Found {
		f := found(id, id, finding.Place{}, rows...)
		f.Share.Inclusive, f.Removes = &share, true
		return f
	}
	gc := of("gc", 20, 21)
	gc.Service, gc.Removes, gc.Demand = true, false, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, x := range []struct {
		causes []judge.Found
		after  string
	}{
		{[]judge.Found{of("a", 1, 2), of("b", 3, 4, 5)}, "b"},
		{[]judge.Found{of("a", 1, 2), of("b", 3, 4)}, ""},
		{[]judge.Found{of("a", 1), of("b", 3, 4, 5, 6)}, ""}, // one in ten is no cause
	} {
		all := append([]judge.Found{gc}, x.causes...)
		if Settle(all, nil); all[0].After != x.after {
			t.Errorf("after %q, want %q", all[0].After, x.after)
		}
	}
}

// A sample that stands for many counts as many.
func TestSamplesAreWeighed(t *testing.T) {
	share := 0.5
	gc, cause := found("gc", "gc", finding.Place{}, 2), found("cause", "cause", finding.Place{}, 0)
	gc.Share.Inclusive, cause.Share.Inclusive = &share, &share
	gc.Service, gc.Demand, cause.Removes = true, []int32{0, 1}, true
	for _, x := range []struct {
		value int64
		after string
	}{{10, "cause"}, {1, ""}} {
		all := []judge.Found{gc, cause}
		if Settle(all, []profile.Sample{{Value: x.value}, {Value: 2}, {Value: 2}}); all[0].After != x.after {
			t.Errorf("%d: after %q, want %q", x.value, all[0].After, x.after)
		}
	}
}
