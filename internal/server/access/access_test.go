package access

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func tokensOf(t *testing.T, dir string) *Tokens {
	t.Helper()
	tokens, err := OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func create(t *testing.T, dir string, w Wish) (string, Token) {
	t.Helper()
	secret, one, err := Create(dir, w, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return secret, one
}

func TestATokenOpensItsProjectAlone(t *testing.T) {
	dir := t.TempDir()
	tokens := tokensOf(t, dir)
	g, err := tokens.Authenticate("", time.Now())
	if err != nil || !g.Open() {
		t.Fatalf("a directory without tokens: %+v, %v", g, err)
	}
	if p, err := g.Authorize(Administer, ""); err != nil || p != DefaultProject {
		t.Errorf("%q, %v", p, err)
	}
	if p, err := g.Authorize(Read, "web"); err != nil || p != "web" {
		t.Errorf("%q, %v", p, err)
	}
	secret, one := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send, Read}})
	if _, err := tokens.Authenticate("", time.Now()); !errors.Is(err, ErrNoToken) {
		t.Errorf("without a token, beside one: %v", err)
	}
	for _, wrong := range []string{"x", secret + "x", secret[:len(secret)-1], one.ID, one.SHA256} {
		if _, err := tokens.Authenticate(wrong, time.Now()); !errors.Is(err, ErrWrongToken) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	g, err = tokens.Authenticate(secret, time.Now())
	if err != nil || g.Token != one.ID {
		t.Fatalf("%+v, %v", g, err)
	}
	for _, c := range []struct {
		scope         Scope
		asked, answer string
		err           error
	}{
		{Read, "", "web", nil},
		{Send, "web", "web", nil},
		{Read, "default", "", ErrForbidden},
		{Administer, "web", "", ErrForbidden},
		{Administer, "", "", ErrForbidden},
	} {
		if p, err := g.Authorize(c.scope, c.asked); p != c.answer || !errors.Is(err, c.err) {
			t.Errorf("%s %q: %q, %v", c.scope, c.asked, p, err)
		}
	}
}

func TestTheSecretIsNotAtRest(t *testing.T) {
	dir := t.TempDir()
	secret, _ := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}})
	path := filepath.Join(dir, FileName)
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), strings.TrimPrefix(secret, prefix)) {
		t.Errorf("%v\n%s", err, text)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if len(secret) < len(prefix)+43 {
		t.Errorf("%d characters are less than 256 bits", len(secret)-len(prefix))
	}
}

func TestATokenEnds(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	secret, _ := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}, Expires: now.Add(time.Hour)})
	other, one := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}})
	tokens := tokensOf(t, dir)
	if _, err := tokens.Authenticate(secret, now.Add(59*time.Minute)); err != nil {
		t.Error(err)
	}
	if _, err := tokens.Authenticate(secret, now.Add(time.Hour)); !errors.Is(err, ErrWrongToken) {
		t.Errorf("expired: %v", err)
	}
	if _, err := tokens.Authenticate(other, now); err != nil {
		t.Error(err)
	}
	if err := Revoke(dir, one.ID, now); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(other, now); !errors.Is(err, ErrWrongToken) {
		t.Errorf("revoked while the server runs: %v", err)
	}
	if err := Revoke(dir, one.ID, now); err == nil || !strings.Contains(err.Error(), "was revoked") {
		t.Errorf("twice: %v", err)
	}
	if err := Revoke(dir, "nobody", now); err == nil || !strings.Contains(err.Error(), "no token nobody") {
		t.Errorf("unknown: %v", err)
	}
}

// Nothing that happens to the file opens what was closed.
func TestNothingOpensAClosedDirectory(t *testing.T) {
	for name, happens := range map[string]func(t *testing.T, dir, id string){
		"the last token is revoked": func(t *testing.T, dir, id string) {
			t.Helper()
			if err := Revoke(dir, id, time.Now()); err != nil {
				t.Fatal(err)
			}
		},
		"the file is emptied": func(t *testing.T, dir, _ string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, FileName), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the file has no token": func(t *testing.T, dir, _ string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(`{"version": 1}`), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the file vanishes": func(t *testing.T, dir, _ string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
				t.Fatal(err)
			}
		},
		"the file is of a later version": func(t *testing.T, dir, _ string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(`{"version": 2, "tokens": []}`), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			secret, one := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}})
			tokens := tokensOf(t, dir)
			happens(t, dir, one.ID)
			for _, s := range []string{"", secret} {
				if g, err := tokens.Authenticate(s, time.Now()); err == nil {
					t.Errorf("%q: %+v", s, g)
				}
			}
			if closed, _ := tokens.Any(); !closed {
				t.Error("it counts as open")
			}
		})
	}
}

func TestADamagedFileRecovers(t *testing.T) {
	dir := t.TempDir()
	secret, _ := create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}})
	path := filepath.Join(dir, FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tokens := tokensOf(t, dir)
	if err := os.WriteFile(path, whole[:20], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(secret, time.Now()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v", err)
	}
	if _, err := OpenTokens(dir); err == nil {
		t.Error("a server starts on a damaged file")
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(secret, time.Now()); err != nil {
		t.Error(err)
	}
}

func TestTwoProcessesCreateAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	const n = 16
	for range n {
		all.Go(func() {
			if _, _, err := Create(dir, Wish{Project: "web", Scopes: []Scope{Read}}, time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := List(dir); err != nil || len(list) != n {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

func TestWhatIsNoToken(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for want, w := range map[string]Wish{
		"1 to 40":     {Project: "../etc", Scopes: []Scope{Read}},
		"needs a":     {Project: "web"},
		"expired":     {Project: "web", Scopes: []Scope{Read}, Expires: now},
		"on one line": {Project: "web", Scopes: []Scope{Read}, Name: "a\nb"},
	} {
		if _, _, err := Create(dir, w, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", w, err)
		}
	}
	if list, err := List(dir); err != nil || list != nil {
		t.Errorf("%v, %v", list, err)
	}
	for text, want := range map[string]int{"read": 1, "read,send": 2, "send, send": 1, "": -1, "root": -1, "read,": -1} {
		if got, err := ParseScopes(text); (err == nil) != (want > 0) || err == nil && len(got) != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, name := range []string{"", "A", "a/b", "..", "a.b", strings.Repeat("a", 41), "a\n", "ä"} {
		if CheckProject(name) == nil {
			t.Errorf("%q is a project", name)
		}
	}
}

// A service that runs as a user of its own reads what root made for it.
func TestWhatRootMakesIsTheServers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	dir := t.TempDir()
	const user = 65532
	if err := os.Chown(dir, user, user); err != nil {
		t.Fatal(err)
	}
	create(t, dir, Wish{Project: "web", Scopes: []Scope{Send}})
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if sys := info.Sys().(*syscall.Stat_t); sys.Uid != user || sys.Gid != user {
		t.Errorf("it belongs to %d", sys.Uid)
	}
}

// What a person may do differs from project to project; a request that names none is about the
// same one whatever it does.
func TestRightsOfAPerson(t *testing.T) {
	ada := Grant{Token: "person:1", Person: "ada", Rights: []Right{{"web", []Scope{Read, Administer}}, {"shop", []Scope{Read}}}}
	bob := Grant{Token: "person:2", Person: "bob", Rights: []Right{{Any, []Scope{Read}}, {"web", []Scope{Administer, Read}}}}
	nobody := Grant{Token: "person:3", Person: "eve"}
	for _, c := range []struct {
		who           Grant
		scope         Scope
		asked, answer string
		err           error
	}{
		{ada, Read, "", "shop", nil},
		{ada, Administer, "", "", ErrNotAllowed},
		{ada, Administer, "web", "web", nil},
		{ada, Read, "other", "", ErrNotAllowed},
		{ada, Read, "../etc", "", ErrProject},
		{bob, Read, "", DefaultProject, nil},
		{bob, Read, "any", "any", nil},
		{bob, Administer, "any", "", ErrNotAllowed},
		{bob, Administer, "web", "web", nil},
		{bob, Send, "web", "", ErrNotAllowed},
		{nobody, Read, "", "", ErrNotAllowed},
		{nobody, Read, "web", "", ErrNotAllowed},
	} {
		if p, err := c.who.Authorize(c.scope, c.asked); p != c.answer || !errors.Is(err, c.err) {
			t.Errorf("%s: %s %q: %q, %v", c.who.Who(), c.scope, c.asked, p, err)
		}
	}
	if got := bob.Within("web").Scopes; len(got) != 2 {
		t.Errorf("%v", got)
	}
	if nobody.Sees("web") || !bob.Sees("x") || ada.Sees("x") {
		t.Error("who sees what")
	}
}

// Tokens that a person made, and those that these made, end with the person's rights.
func TestTokensEndWithTheirMakersRights(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	if _, _, err := Create(dir, Wish{Project: "shop", Scopes: []Scope{Read}}, now); err != nil {
		t.Fatal(err)
	}
	tokens, err := OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	ada := Grant{Token: "person:ada", Person: "ada@example.org", Rights: []Right{{Project: "shop", Scopes: []Scope{Read, Administer}}, {Project: "web", Scopes: []Scope{Read}}}}
	secret, made, err := tokens.Delegate(ada.Within("shop"), Wish{Project: "shop", Scopes: []Scope{Administer, Read}}, now)
	if err != nil || made.By != ada.Token || made.Person != ada.Person {
		t.Fatal(made, err)
	}
	by, err := tokens.Authenticate(secret, now)
	if err != nil {
		t.Fatal(err)
	}
	_, child, err := tokens.Delegate(by, Wish{Project: "shop", Scopes: []Scope{Read}}, now)
	if err != nil || child.By != ada.Token {
		t.Fatal(child, err)
	}
	_, web, err := tokens.Delegate(ada.Within("web"), Wish{Project: "web", Scopes: []Scope{Read}}, now)
	if err != nil {
		t.Fatal(err)
	}
	ends := func(g Grant, want ...string) {
		t.Helper()
		ended, err := tokens.EndBeyond(g, now)
		var got []string
		for _, one := range ended {
			got = append(got, one.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v ended, not %v (%v)", got, want, err)
		}
	}
	ends(ada)
	ends(Grant{Token: "person:bob", Person: "bob"})
	ends(Grant{})
	ada.Rights[0].Scopes = []Scope{Read} // of shop
	ends(ada, made.ID)
	ends(Grant{Token: ada.Token, Person: ada.Person}, child.ID, web.ID)
	ends(Grant{Token: ada.Token, Person: ada.Person})
	list, err := List(dir)
	if err != nil || list[0].State(now) != "valid" {
		t.Errorf("%+v, %v", list, err)
	}
}
