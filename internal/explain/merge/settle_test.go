package merge

import (
	"strings"
	"testing"

	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
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
	upkeep := func(share float64, samples ...int32) judge.Found {
		f := of("gc", share, samples...)
		f.Upkeep = true
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
		{"upkeep that costs less", upkeep(0.14, 8, 9), cause(0.3, 1, 2, 3), "look again after cause"},
		{"upkeep that costs more", upkeep(0.4, 8, 9), cause(0.3, 1, 2, 3), ""},
		{"within it", of("a", 0.1, 1, 2, 9), cause(0.3, 1, 2, 3), ""},
		{"nearly all within it", of("a", 0.1, 1, 2, 3, 9), cause(0.3, 1, 2, 3, 4), "within that of cause"},
		{"beside it", of("a", 0.1, 8, 9), cause(0.3, 1, 2, 3), ""},
		{"larger", of("a", 0.5, 1, 2, 3), cause(0.3, 1, 2, 3), ""},
		{"no cause", upkeep(0.1, 1, 2), of("b", 0.3, 1, 2, 3), ""},
		{"a cause that was tried in vain", upkeep(0.1, 1), with(cause(0.3, 1, 2), func(f *judge.Found) { f.Certainty = finding.Refuted }), ""},
		{"an aside", upkeep(0.1, 1), with(cause(0.9, 1, 2), func(f *judge.Found) { f.Aside = true }), ""},
		{"of a build that is no product", of("a", 0.9, 8, 9), with(of("cause", 0.5, 1), func(f *judge.Found) { f.Foremost = true }), "said of a build"},
		{"of another binary", with(of("a", 0.9, 8, 9), func(f *judge.Found) { f.Place.Binary = "/lib/b.so" }), with(of("cause", 0.5, 1), func(f *judge.Found) { f.Foremost, f.Place.Binary = true, "/bin/a" }), ""},
		{"proved", with(upkeep(0.1, 1), func(f *judge.Found) { f.Certainty = finding.Proved }), cause(0.3, 1, 2), ""},
	} {
		both := []judge.Found{x.f, x.cause}
		Settle(both)
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
	// Of two that say the same of the same samples one stays.
	twins := []judge.Found{cause(0.3, 1, 2), cause(0.3, 1, 2)}
	Settle(twins)
	if (twins[0].Minor == "") == (twins[1].Minor == "") {
		t.Errorf("%+v", twins)
	}
}
