package message

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMistakesInTheFile(t *testing.T) {
	dir := t.TempDir()
	long, short := filepath.Join(dir, "long"), filepath.Join(dir, "short")
	for path, text := range map[string]string{long: strings.Repeat("x", 32), short: "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const head = "page: https://w.example.org\nreceivers:\n"
	hook := "- {name: a, webhook: {url: 'https://h.example.org', secret_file: " + long + "}}\n"
	t.Setenv("WHYHOT_TEST_URL", "https://hooks.example.org/T0/secret")
	for text, want := range map[string]string{
		head + hook: "",
		head + "- {name: a, slack: {url_env: WHYHOT_TEST_URL}}\n":                                "",
		head + hook + "mute: [{rule: x, until: 2026-12-31}]\n":                                   "",
		head + hook + "prices: {currency: EUR, core_hour: 0.1}\n":                                "",
		head + "- {name: a, email: {server: 'mail:25', from: a@b.example, to: [c@d.example]}}\n": "",
		"receivers:\n" + hook:                      "page is missing",
		"page: w.example.org\nreceivers:\n" + hook: "page: must be an address",
		head + "[]\n":                              "receivers is empty",
		head + "- {name: A, slack: {url: 'https://x.example'}}\n": `receiver 1: name: "A"`,
		head + hook + hook:     "two receivers are called a",
		head + "- {name: a}\n": "has 0 of webhook, slack and email",
		head + "- {name: a, webhook: {url: 'https://h.example', secret_file: " + short + "}}\n":          "1 bytes are too few",
		head + "- {name: a, webhook: {url: 'https://h.example'}}\n":                                      "give one of secret_file and secret_env",
		head + "- {name: a, webhook: {url: 'https://h.example', secret_env: WHYHOT_NO_SUCH}}\n":          "the environment has no WHYHOT_NO_SUCH",
		head + "- {name: a, webhook: {url: 'https://h.example', secret_file: /no/such}}\n":               "open /no/such",
		head + "- {name: a, slack: {url: 'ftp://x'}}\n":                                                  "slack: url: must be an address",
		head + "- {name: a, email: {server: mail, from: a@b.example, to: [c@d.example]}}\n":              "write HOST:PORT",
		head + "- {name: a, email: {server: 'mail:25', from: a@b.example, to: []}}\n":                    "to is empty",
		head + "- {name: a, email: {server: 'mail:25', from: nobody, to: [c@d.example]}}\n":              `invalid address "nobody"`,
		head + "- {name: a, email: {server: 'mail:25', tls: ssl, from: a@b.example, to: [c@d.example]}}": `tls: "ssl"`,
		head + hook + "mute: [{reason: tired}]\n":                                                        "would keep everything quiet",
		head + hook + "mute: [{receiver: b}]\n":                                                          "there is no b",
		head + hook + "mute: [{rule: x, until: tomorrow}]\n":                                             `"tomorrow" is no time`,
		head + hook + "mute: [{service: '('}]\n":                                                         "service: error parsing",
		head + hook + "time_zone: Europe/Nowhere\n":                                                      "time_zone:",
		head + hook + "prices: {core_hour: 1}\n":                                                         "prices: core_hour needs a currency",
		head + hook + "colour: red\n":                                                                    `:4: unknown field "colour"`,
		strings.Replace(head+hook, "name: a,", "name: a, digest: 25:00,", 1):                             "no time of day",
		strings.Replace(head+hook, "name: a,", "name: a, min_share: 5,", 1):                              "min_share: 5",
	} {
		path := filepath.Join(t.TempDir(), "m.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %q", text, err, want)
		case err != nil && strings.Contains(err.Error(), "T0/secret"):
			t.Errorf("a secret is told: %v", err)
		}
	}
}

func TestMutesEnd(t *testing.T) {
	m := Mute{Rule: "x", Until: "2026-12-31"}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.check(zone, nil); err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 12, 30, 23, 0, 0, 0, time.UTC) // midnight there
	if i := (&Item{Rule: "x"}); !m.holds("r", "p", i, end.Add(-time.Second)) || m.holds("r", "p", i, end) {
		t.Error("ends at another time")
	}
}
