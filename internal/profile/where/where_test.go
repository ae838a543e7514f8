package where

import (
	"errors"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	labels := map[string]string{"service": "checkout", "pod": "web-7", "thread": "main", "quoted": `a "b" \`}
	get := func(key string) string { return labels[key] }
	for text, want := range map[string]bool{
		`service="checkout"`:                       true,
		`service=checkout`:                         true,
		`service == 'checkout'`:                    true,
		`service!="checkout"`:                      false,
		`pod=~"web-.*"`:                            true,
		`pod=~"web"`:                               false, // all of the value
		`pod=~"web|web-7"`:                         true,
		`pod!~"web-.*"`:                            false,
		`k8s.pod.name="web-7"`:                     true,
		`missing=""`:                               true,
		`missing!="x"`:                             true,
		`missing=~".+"`:                            false,
		`not thread="gc"`:                          true,
		`NOT NOT thread="main"`:                    true,
		`not (thread="main" and pod="web-7")`:      false,
		`thread="gc" or pod="web-7"`:               true,
		`thread="gc" and pod="x" or pod="web-7"`:   true, // "and" binds more tightly
		`thread="gc" and (pod="x" or pod="web-7")`: false,
		`service="checkout", thread="main"`:        true,
		`quoted="a \"b\" \\"`:                      true,
		`quoted='a "b" \\'`:                        true,
		`pod=~"web-\d"`:                            true,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		judge := e.Judge()
		first, repeated := judge(get), judge(get) // what it has learnt of a value changes nothing
		if first != want || repeated != want {
			t.Errorf("%s is not %v", text, want)
		}
		again, err := Parse(e.String())
		if err != nil || again.String() != e.String() || again.Judge()(get) != want {
			t.Errorf("%s was written as %s (%v)", text, e, err)
		}
	}
}

func TestKeys(t *testing.T) {
	e, err := Parse(`k8s.pod.name="a" and (host="b" or not pod="c")`)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Keys(), " "); got != "host pod" {
		t.Errorf("keys %q", got)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                       `at character 1: the condition ends here; expected a label such as service, "not" or "("`,
		`service`:                `at character 8: no comparison; expected =, !=, =~ or !~`,
		`service=`:               `at character 9: the condition ends here; expected a value such as "web"`,
		`service="web`:           `at character 9 ("\"web"): the text does not end; expected another "`,
		`service="web" pod="a"`:  `at character 15 ("pod=\"a\""): the condition ends before this; expected "and", "or", or the end`,
		`(service="web"`:         `at character 15: a parenthesis is open; expected "and", "or" or ")"`,
		`é="a" and =`:            `at character 11 ("="): no label; expected a label such as service, "not" or "("`,
		`pod=~"a(b"`:             "at character 6 (\"\\\"a(b\\\"\"): no regular expression: error parsing regexp: missing closing ): `a(b`",
		`pod=~"a)(b"`:            "at character 6 (\"\\\"a)(b\\\"\"): no regular expression: error parsing regexp: unexpected ): `a)(b`",
		`7="a"`:                  `at character 1 ("7=\"a\""): "7" is no label; expected a label such as service, "not" or "("`,
		`a="b" and or`:           `at character 11 ("or"): "or" is no label; expected a label such as service, "not" or "("`,
		strings.Repeat("(", 200): `at character 102 ("((((((((((((((((((((…"): more than 100 parentheses and nots inside each other`,
	} {
		_, err := Parse(text)
		var wrong *Error
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%.30s: %v", text, err)
		}
	}
	if _, err := Parse(strings.Repeat(`a="b" or `, 300) + `a="b"`); err == nil {
		t.Error("a condition of 301 comparisons was read")
	}
	if _, err := Parse(`a="` + strings.Repeat("b", maxText) + `"`); err == nil {
		t.Error("a condition without a bound was read")
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{`service="checkout" and pod=~"web-.*" and not thread="gc"`, `(a='b' or c!=d),e!~"\\."`, `not(not a="")`, `a="`, "\xff"} {
		f.Add(text)
	}
	get := func(key string) string { return key }
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) || wrong.Position > len(wrong.Text) || wrong.Error() == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := Parse(e.String())
		if err != nil && len(e.String()) > maxText {
			return // quotes made it longer
		}
		if err != nil || again.String() != e.String() || again.Judge()(get) != e.Judge()(get) {
			t.Errorf("%q was written as %q (%v)", text, e, err)
		}
	})
}
