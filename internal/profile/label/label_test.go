package label

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOf(t *testing.T) {
	s := Of([]Pair{{"zone", "eu"}, {"k8s.pod.name", "web-1"}, {"pod", "other"}, {"empty", ""}, {"", "x"}, {"thread name", "gc\n1"}, {"9p", "x"}})
	var got []string
	for k, v := range s.All {
		got = append(got, k+"="+v)
	}
	if want := "_9p=x pod=web-1 thread_name=gc 1 zone=eu"; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
	if s.Get("pod") != "web-1" || s.Get("po") != "" || !s.Sound() {
		t.Errorf("%q", s)
	}
	if Set("a\x1fb").Sound() || Set("b\x1fx\x1ea\x1fx\x1e").Sound() || Set("x").Sound() {
		t.Error("a text that is no set passes for one")
	}
}

// Whatever senders write becomes a set of keys that questions can name.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []Pair
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			pairs = append(pairs, Pair{rapid.String().Draw(t, "key"), rapid.String().Draw(t, "value")})
		}
		s := Of(pairs)
		if !s.Sound() {
			t.Fatalf("%q of %q", s, pairs)
		}
		for k, v := range s.All {
			if !Valid(k) || v == "" || s.Get(k) != v {
				t.Fatalf("%q: %q=%q", s, k, v)
			}
		}
	})
}
