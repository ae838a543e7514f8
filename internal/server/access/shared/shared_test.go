package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whyhot/internal/server/access"
)

// shelf is one in memory, which can be away.
type shelf struct {
	mu    sync.Mutex
	texts []string
	away  bool
	asked int
}

var errAway = errors.New("it is away")

func (s *shelf) Len(context.Context) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return 0, errAway
	}
	return uint64(len(s.texts)), nil
}

func (s *shelf) All(context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.away {
		return nil, errAway
	}
	return slices.Compact(slices.Sorted(slices.Values(s.texts))), nil
}

func (s *shelf) Add(_ context.Context, texts []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}
	s.texts = append(s.texts, texts...)
	return nil
}

func (s *shelf) Close() error { return nil }

const secret = "0123456789abcdef0123456789abcdef"

func made(t rapid.TB, dir, name string, now time.Time) (string, access.Token) {
	t.Helper()
	text, token, err := access.Create(dir, access.Wish{Project: "web", Scopes: []access.Scope{access.Read}, Name: name}, now)
	if err != nil {
		t.Fatal(err)
	}
	return text, token
}

func synced(t rapid.TB, all ...*Tokens) {
	t.Helper()
	for _, one := range all {
		if err := one.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func two(t rapid.TB, s *shelf, log *slog.Logger) (dirs []string, tokens []*Tokens) {
	for i := range 2 {
		dir, err := os.MkdirTemp("", "tokens")
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
		tokens = append(tokens, New(dirs[i], s, secret, log))
	}
	return dirs, tokens
}

// A token that one server made opens another, with the same project and scopes, until it is
// revoked on either.
func TestTokenOpensEachServer(t *testing.T) {
	dirs, tokens := two(t, &shelf{}, slog.New(slog.DiscardHandler))
	defer os.RemoveAll(dirs[0])
	defer os.RemoveAll(dirs[1])
	now := time.Now()
	text, token := made(t, dirs[0], "first", now)
	other, err := access.OpenTokens(dirs[1])
	if err != nil {
		t.Fatal(err)
	}
	if g, err := other.Authenticate(text, now); err != nil || !g.Open() {
		t.Fatalf("%v, %v: the other one has no token yet", g, err)
	}
	synced(t, tokens...)
	g, err := other.Authenticate(text, now)
	if err != nil || g.Token != token.ID || g.Project != "web" || !slices.Equal(g.Scopes, token.Scopes) {
		t.Fatalf("%v, %v", g, err)
	}
	if err := access.Revoke(dirs[1], token.ID, now); err != nil {
		t.Fatal(err)
	}
	synced(t, tokens[1], tokens[0])
	first, err := access.OpenTokens(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*access.Tokens{first, other} {
		if _, err := one.Authenticate(text, now); !errors.Is(err, access.ErrWrongToken) {
			t.Errorf("a revoked token: %v", err)
		}
	}
}

// What nobody with the secret wrote makes no token, and one that was revoked stays so when the
// text of before is all that is left.
func TestTextsOfOthersMakeNoToken(t *testing.T) {
	s, log := &shelf{}, &bytes.Buffer{}
	dirs, tokens := two(t, s, slog.New(slog.NewTextHandler(log, nil)))
	defer os.RemoveAll(dirs[0])
	defer os.RemoveAll(dirs[1])
	now := time.Now()
	text, token := made(t, dirs[0], "", now)
	foreign := New(dirs[0], s, secret+"x", slog.New(slog.DiscardHandler))
	synced(t, foreign)
	_, json, _ := strings.Cut(s.texts[0], " ")
	s.texts = append(s.texts, json, "x "+json, "", strings.Repeat("x", 10_000), tokens[0].code("{}")+" {}", tokens[0].code("")+" ")
	synced(t, tokens[1])
	if list, err := access.List(dirs[1]); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	if !strings.Contains(log.String(), "are ignored") {
		t.Errorf("the log is %q", log)
	}
	s.texts = nil
	synced(t, tokens...)
	if err := access.Revoke(dirs[0], token.ID, now); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(s.texts)
	synced(t, tokens[0], tokens[1])
	s.texts = before // somebody takes the news away
	synced(t, tokens[0], tokens[1])
	for _, dir := range dirs {
		one, err := access.OpenTokens(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one.Authenticate(text, now); !errors.Is(err, access.ErrWrongToken) {
			t.Errorf("a revoked token: %v", err)
		}
	}
}

// While the database is away tokens stay in force; it is told once, and it goes on afterwards.
// As long as nothing changes nothing is read.
func TestDatabaseAway(t *testing.T) {
	s, log := &shelf{}, &bytes.Buffer{}
	dirs, tokens := two(t, s, slog.New(slog.NewTextHandler(log, nil)))
	defer os.RemoveAll(dirs[0])
	defer os.RemoveAll(dirs[1])
	text, _ := made(t, dirs[0], "", time.Now())
	synced(t, tokens[0], tokens[1], tokens[0], tokens[1])
	s.away = true
	for range 3 {
		tokens[1].Try(t.Context())
	}
	if n := strings.Count(log.String(), "not shared"); n != 1 {
		t.Errorf("told %d times", n)
	}
	one, err := access.OpenTokens(dirs[1])
	if err != nil {
		t.Fatal(err)
	}
	if g, err := one.Authenticate(text, time.Now()); err != nil || g.Open() {
		t.Errorf("%v, %v", g, err)
	}
	s.away = false
	made(t, dirs[1], "later", time.Now())
	for range 2 {
		tokens[1].Try(t.Context())
		tokens[0].Try(t.Context())
	}
	if list, err := access.List(dirs[0]); err != nil || len(list) != 2 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
	if !strings.Contains(log.String(), "again") {
		t.Errorf("the log is %q", log)
	}
	synced(t, tokens...)
	asked := s.asked
	synced(t, tokens...)
	if s.asked != asked {
		t.Error("it is read although nothing changed")
	}
	if err := os.Remove(filepath.Join(dirs[0], access.FileName)); err != nil {
		t.Fatal(err)
	}
	synced(t, tokens[0])
	if list, err := access.List(dirs[0]); err != nil || len(list) != 2 {
		t.Errorf("%d tokens where the file was lost, %v", len(list), err)
	}
}

// Whatever servers make and revoke in whatever order, all have the same in the end.
func TestServersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &shelf{}
		dirs, tokens := two(t, s, slog.New(slog.DiscardHandler))
		defer os.RemoveAll(dirs[0])
		defer os.RemoveAll(dirs[1])
		now := time.Unix(1_750_000_000, 0)
		revoked := map[string]bool{}
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			now = now.Add(time.Second)
			at := rapid.IntRange(0, 1).Draw(t, "server")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				made(t, dirs[at], fmt.Sprint(i), now)
			case 1:
				list, err := access.List(dirs[at])
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range list {
					if one.Revoked.IsZero() {
						revoked[one.ID] = true
						if err := access.Revoke(dirs[at], one.ID, now); err != nil {
							t.Fatal(err)
						}
						break
					}
				}
			default:
				synced(t, tokens[at])
			}
		}
		synced(t, tokens[0], tokens[1], tokens[0], tokens[1])
		var lists [2][]access.Token
		for i, dir := range dirs {
			var err error
			if lists[i], err = access.List(dir); err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(lists[i], func(a, b access.Token) int { return strings.Compare(a.ID, b.ID) })
			for _, one := range lists[i] {
				if revoked[one.ID] != !one.Revoked.IsZero() {
					t.Fatalf("the token %s is %s", one.ID, one.State(now))
				}
			}
		}
		if fmt.Sprint(lists[0]) != fmt.Sprint(lists[1]) {
			t.Fatalf("%v\n%v", lists[0], lists[1])
		}
	})
}

func FuzzRead(f *testing.F) {
	t := New("", nil, secret, nil)
	f.Add([]byte(`{"id":"0123","sha256":"0123","project":"web","scopes":["read"]}`), true)
	f.Fuzz(func(tt *testing.T, data []byte, coded bool) {
		text := string(data)
		if coded {
			text = t.code(text) + " " + text
		}
		token, err := t.read(text)
		if err == nil && (token.Check() != nil || !coded) {
			tt.Errorf("%q is a token", text)
		}
	})
}
