package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func opened(t testing.TB, dir, secret string) *Keeper {
	t.Helper()
	k, err := Open(dir, secret)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var ada = Session{Person: &Person{Issuer: "https://i", Subject: "1", Email: "ada@example.org", Groups: []string{"perf"}}}

func TestSessionLastsUntilItsEnd(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	k := opened(t, dir, "")
	s, text, err := k.New(ada, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	again := opened(t, dir, "") // as after a restart
	if got, err := again.Read(text, now.Add(59*time.Minute)); err != nil || got.ID != s.ID || got.Person.Email != ada.Person.Email {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := again.Read(text, now.Add(time.Hour)); !errors.Is(err, ErrEnded) {
		t.Errorf("after its time: %v", err)
	}
	if _, err := opened(t, t.TempDir(), "").Read(text, now); !errors.Is(err, ErrNone) {
		t.Errorf("another server's: %v", err)
	}
	if err := again.End(s, now); err != nil {
		t.Fatal(err)
	}
	for _, k := range []*Keeper{again, opened(t, dir, "")} {
		if _, err := k.Read(text, now); !errors.Is(err, ErrEnded) {
			t.Errorf("after it was ended: %v", err)
		}
	}
	// What has expired is no longer on the list.
	other, _, err := again.New(ada, now.Add(2*time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.End(other, now.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, endedFile))
	if err != nil || strings.Contains(string(data), s.ID) || !strings.Contains(string(data), other.ID) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestServersWithOneSecretShareSessions(t *testing.T) {
	now := time.Now()
	secret := strings.Repeat("0123456789abcdef", 2)
	one, two := opened(t, t.TempDir(), secret), opened(t, t.TempDir(), secret)
	_, text, err := one.New(Session{Token: "abc"}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := two.Read(text, now); err != nil || got.Token != "abc" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := opened(t, t.TempDir(), secret+"x").Read(text, now); !errors.Is(err, ErrNone) {
		t.Errorf("of another secret: %v", err)
	}
}

// A text for one purpose is none for another, and one that was changed is none.
func TestTextsOfOthers(t *testing.T) {
	now := time.Now()
	k := opened(t, t.TempDir(), "")
	s, text, err := k.New(ada, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	login, err := k.Seal("login", s)
	if err != nil {
		t.Fatal(err)
	}
	body, code, _ := strings.Cut(text, ".")
	for _, wrong := range []string{"", ".", login, body, body + ".", "." + code, body + "x." + code, text + "x", strings.ToUpper(text), strings.Repeat("x", 10_000)} {
		if _, err := k.Read(wrong, now); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	for _, nobody := range []Session{{}, {ID: "x", Until: now.Add(time.Hour).Unix()}, {ID: "x", Token: "x", Person: &Person{}}} {
		text, err := k.Seal(form, nobody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Read(text, now); !errors.Is(err, ErrNone) {
			t.Errorf("%+v: %v", nobody, err)
		}
	}
	large := ada
	large.Person = &Person{Groups: []string{strings.Repeat("x", 4000)}}
	if _, _, err := k.New(large, now, time.Hour); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
}

// A damaged list or key keeps the server from starting: an ended session would be back.
func TestDamagedFiles(t *testing.T) {
	for _, name := range []string{KeyFile, endedFile} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, ""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	opened(t, dir, "")
	if info, err := os.Stat(filepath.Join(dir, KeyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Where the disk takes nothing, a session has ended all the same, and the list is written later.
func TestEndedOnAFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	k := opened(t, dir, "")
	now := time.Now()
	one, _, err := k.New(ada, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := k.End(one, now); err == nil {
		t.Fatal("the list was written nowhere")
	}
	if !k.ended.Has(one.ID) {
		t.Error("the session goes on")
	}
	if err := os.Rename(dir+"-away", dir); err != nil {
		t.Fatal(err)
	}
	if err := k.End(one, now); err != nil {
		t.Fatal(err)
	}
	again, err := openEnded(filepath.Join(dir, endedFile))
	if err != nil || !again.Has(one.ID) {
		t.Errorf("after a restart: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	k := opened(f, f.TempDir(), "")
	now := time.Unix(1_800_000_000, 0)
	_, text, err := k.New(ada, now, time.Hour)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("e30.e30")
	f.Fuzz(func(t *testing.T, wrong string) {
		if _, err := k.Read(wrong, now); err == nil && wrong != text {
			t.Errorf("%q is a session", wrong)
		}
	})
}
