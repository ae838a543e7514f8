package where

import "testing"

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		text, key, typed string
		ok               bool
		word, want       string
	}{
		{"", "", "", true, "pod", "pod="},
		{"se", "", "se", true, "service", "service="},
		{"service=", "service", "", true, "web", "service=web"},
		{`service="we`, "service", "we", true, "web", "service=web"},
		{`service="we`, "service", "we", true, `we "b`, `service="we \"b"`},
		{`pod=~web-.* and zo`, "", "zo", true, "zone", "pod=~web-.* and zone="},
		{`not (k8s.pod!='a`, "k8s.pod", "a", true, "a b", `not (k8s.pod!="a b"`},
		{`pod="web-1" `, "", "", false, "", ""},
		{`pod="web-1"`, "", "", false, "", ""},
		{`pod="web-1" and `, "", "", true, "pid", `pod="web-1" and pid=`},
	} {
		u, ok := End(c.text)
		if ok != c.ok || u.Key != c.key || u.Typed != c.typed {
			t.Errorf("%q: %+v, %v", c.text, u, ok)
			continue
		}
		if !ok {
			continue
		}
		got := u.With(c.word)
		if got != c.want {
			t.Errorf("%q with %q: %q, not %q", c.text, c.word, got, c.want)
		}
		if c.key != "" && c.text[0] != 'n' {
			if _, err := Parse(got); err != nil {
				t.Errorf("%q: %v", got, err)
			}
		}
	}
}
