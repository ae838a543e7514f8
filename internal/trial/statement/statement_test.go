package statement

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsSignedIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	key, err := Key(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Key(dir)
	if err != nil || !key.Equal(again) {
		t.Fatalf("the key is not kept: %v", err)
	}
	if info, err := os.Stat(privatePath(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the private key: %v, %v", info, err)
	}
	public, err := PublicKey(PublicPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.json")
	want := New("b", "c", Trial{Verdict: "proved", Workload: "./a", Rounds: 7})
	if err := Write(path, want, key); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, public)
	if err != nil || got.Tree(Baseline) != "b" || got.Tree(Changed) != "c" || got.Predicate.Verdict != "proved" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatWasChangedIsRefused(t *testing.T) {
	dir := t.TempDir()
	key, err := Key(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.json")
	if err := Write(path, New("b", "c", Trial{Verdict: "unclear"}), key); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := key.Public().(ed25519.PublicKey) //nolint:errcheck,forcetypeassert // it is one
	other, err := Key(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(e *envelope)) string {
		var e envelope
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		f(&e)
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for name, c := range map[string]struct {
		text string
		key  ed25519.PublicKey
		want string
	}{
		"another verdict": {change(func(e *envelope) {
			p, _ := base64.StdEncoding.DecodeString(e.Payload)
			e.Payload = base64.StdEncoding.EncodeToString([]byte(strings.Replace(string(p), "unclear", "proved", 1)))
		}), own, "was changed after"},
		"another key":  {string(data), other.Public().(ed25519.PublicKey), "signed by another key"}, //nolint:errcheck,forcetypeassert // it is one
		"no signature": {change(func(e *envelope) { e.Signatures = nil }), own, "not signed"},
		"another type": {change(func(e *envelope) { e.PayloadType = "text/plain" }), own, "not a signed statement"},
		"no JSON":      {"hello", own, "not a signed statement"},
	} {
		if _, err := open([]byte(c.text), []ed25519.PublicKey{c.key}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
