package shared

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"whyhot/internal/server/access/session"
)

func endings(t *testing.T, s *shelf, log *slog.Logger) (*session.Keeper, *Ended) {
	t.Helper()
	k, err := session.Open(t.TempDir(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return k, NewEnded(k.Ended(), s, secret, log)
}

// Who signs out on one server is out on the other, and stays in where nobody signed out.
func TestSignedOutOnEachServer(t *testing.T) {
	s, log := &shelf{}, &bytes.Buffer{}
	first, one := endings(t, s, slog.New(slog.NewTextHandler(log, nil)))
	second, two := endings(t, s, slog.New(slog.NewTextHandler(log, nil)))
	now := time.Now()
	out, text, err := first.New(session.Session{Token: "x"}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := first.New(session.Session{Token: "x"}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Read(text, now); err != nil {
		t.Fatalf("%v: before", err)
	}
	if err := first.End(out, now); err != nil {
		t.Fatal(err)
	}
	s.away = true
	one.Try(t.Context())
	one.Try(t.Context())
	if n := strings.Count(log.String(), "not shared"); n != 1 {
		t.Errorf("told %d times", n)
	}
	s.away = false
	sync := func() {
		t.Helper()
		for _, e := range []*Ended{one, two, one, two} {
			e.Try(t.Context())
		}
	}
	sync()
	if _, err := second.Read(text, now); err == nil {
		t.Error("it is in force on the other server")
	}
	if _, err := second.Read(other, now); err != nil {
		t.Errorf("%v: another session", err)
	}
	asked := s.asked
	sync()
	if s.asked != asked || len(s.texts) != 1 {
		t.Errorf("it is read although nothing changed, %q", s.texts)
	}
	// The shelf forgets it when it would have ended; nobody puts it there again.
	one.now = func() time.Time { return now.Add(2 * time.Hour) }
	two.now = one.now
	s.texts = nil
	sync()
	if len(s.texts) > 0 {
		t.Errorf("%q", s.texts)
	}
}

// What nobody with the secret wrote ends no session.
func TestTextsOfOthersEndNoSession(t *testing.T) {
	s := &shelf{}
	k, e := endings(t, s, slog.New(slog.DiscardHandler))
	_, foreign := endings(t, s, slog.New(slog.DiscardHandler))
	foreign.secret = []byte("another")
	now := time.Now()
	one, text, err := k.New(session.Session{Token: "x"}, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	s.texts = []string{"", " ", "x", foreign.write(one.ID, one.Until), e.write(one.ID, one.Until) + "x", codeOf(e.secret, form, "1 x") + " 1 x", codeOf(e.secret, formEnded, "x") + " x"}
	if err := e.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Read(text, now); err != nil {
		t.Error(err)
	}
}

func FuzzReadEnded(f *testing.F) {
	e := NewEnded(nil, nil, secret, nil)
	f.Add("1 x", true)
	f.Fuzz(func(t *testing.T, text string, coded bool) {
		if coded {
			text = codeOf(e.secret, formEnded, text) + " " + text
		}
		if id, _, ok := e.read(text); ok && (id == "" || !coded) {
			t.Errorf("%q ends a session", text)
		}
	})
}
