package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"whyhot/internal/host/wholefile"
)

// FileName is that of the file of tokens in a data directory.
const FileName = "tokens"

const (
	version = 1
	// prefix makes a token known for what it is, also to scanners of leaked secrets.
	prefix = "whyhot_"
	// bits of a token, in bytes.
	secretBytes = 32
	idDigits    = 12
	maxName     = 100
	// maxTokens bounds the file, and what is kept for each token in memory.
	maxTokens = 10_000
)

// Token is one, without its secret.
type Token struct {
	ID      string    `json:"id"` // the beginning of the hash
	SHA256  string    `json:"sha256"`
	Project string    `json:"project"`
	Scopes  []Scope   `json:"scopes"`
	Name    string    `json:"name,omitempty"` // what people call it
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	// By is the person who made it, or who made the token that made it; "" for nobody who signed
	// in. It ends when that person has not the rights any more. Person is what they are called.
	By     string `json:"by,omitempty"`
	Person string `json:"person,omitempty"`
}

// State says in a word whether a token is in force.
func (t *Token) State(now time.Time) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return "expired"
	}
	return "valid"
}

type file struct {
	Version int     `json:"version"`
	Tokens  []Token `json:"tokens"`
}

// Tokens are the tokens of a data directory. Several goroutines, and several processes,
// may use them.
type Tokens struct {
	dir string

	mu     sync.Mutex
	seen   stamp
	closed bool // the directory has, or had, a token, or people sign in
	err    error
	byHash map[string]Token
}

// stamp tells one state of the file from another.
type stamp struct {
	there bool
	inode uint64
	size  int64
	time  time.Time
}

// OpenTokens looks at the tokens of a data directory, which must exist.
func OpenTokens(dir string) (*Tokens, error) {
	t := &Tokens{dir: dir}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return nil, err
	}
	return t, nil
}

// Close has requests need a token or a session, also where there never was a token: people
// sign in.
func (t *Tokens) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// Any tells whether the directory has, or had, a token. An error is one of reading the
// file: the directory is closed then.
func (t *Tokens) Any() (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.refresh()
	return t.closed, err
}

// Authenticate gives what the bearer of a secret may do; "" is a request without one.
func (t *Tokens) Authenticate(secret string, now time.Time) (Grant, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return Grant{}, err
	}
	switch {
	case !t.closed:
		return Grant{Scopes: Scopes()}, nil
	case secret == "":
		return Grant{}, ErrNoToken
	}
	return t.grant(Hash(secret), now)
}

// Known gives what the bearer of the secret with a hash may do, now.
func (t *Tokens) Known(hash string, now time.Time) (Grant, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return Grant{}, err
	}
	return t.grant(hash, now)
}

func (t *Tokens) grant(hash string, now time.Time) (Grant, error) {
	one, ok := t.byHash[hash]
	if !ok || one.State(now) != "valid" {
		return Grant{}, ErrWrongToken
	}
	return Grant{Token: one.ID, Project: one.Project, Scopes: one.Scopes}, nil
}

// refresh reads the file where it has changed.
func (t *Tokens) refresh() error {
	now, err := t.look()
	if err == nil && now == t.seen && t.err == nil {
		return nil
	}
	var f file
	if err == nil && now.there {
		f, err = load(t.dir)
	}
	t.seen, t.err, t.byHash = now, err, nil
	if err != nil {
		t.closed = true
		return err
	}
	// A file that vanished leaves the directory closed for as long as the process runs.
	t.closed = t.closed || now.there
	t.byHash = make(map[string]Token, len(f.Tokens))
	for _, one := range f.Tokens {
		t.byHash[one.SHA256] = one
	}
	return nil
}

func (t *Tokens) look() (stamp, error) {
	info, err := os.Stat(filepath.Join(t.dir, FileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{}, nil
	case err != nil:
		return stamp{}, unreadable(err)
	}
	s := stamp{there: true, size: info.Size(), time: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = sys.Ino
	}
	return s, nil
}

func unreadable(err error) error { return fmt.Errorf("reading the tokens: %w", err) }

func load(dir string) (file, error) {
	path := filepath.Join(dir, FileName)
	data, err := os.ReadFile(path)
	if err != nil {
		return file{}, unreadable(err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return file{}, unreadable(fmt.Errorf("%s is damaged (%w); restore it from a backup, or remove it while no server runs and create new tokens", path, err))
	}
	if f.Version != version {
		return file{}, unreadable(fmt.Errorf("%s has version %d, this whyhot reads %d", path, f.Version, version))
	}
	return f, nil
}

// List gives the tokens of a data directory, oldest first.
func List(dir string) ([]Token, error) {
	f, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f.Tokens, err
}

// Of gives the tokens of a project, oldest first.
func (t *Tokens) Of(project string) ([]Token, error) {
	all, err := List(t.dir)
	return slices.DeleteFunc(all, func(one Token) bool { return one.Project != project }), err
}

// Delegate makes a token for whoever bears another one: of the same project, and with no
// scope that it does not have itself. A directory without tokens stays open: its first
// one would lock out everybody who is at work.
func (t *Tokens) Delegate(by Grant, w Wish, now time.Time) (secret string, made Token, err error) {
	if by.Open() {
		return "", Token{}, ErrOpen
	}
	if w.Project != by.Project {
		return "", Token{}, fmt.Errorf("%w: it is for another project", ErrForbidden)
	}
	for _, s := range w.Scopes {
		if !slices.Contains(by.Scopes, s) {
			return "", Token{}, fmt.Errorf("%w: a token gives no scope that it lacks itself, here %s", ErrForbidden, s)
		}
	}
	w.by, w.person = by.Token, by.Person
	if by.Person == "" {
		list, err := List(t.dir)
		if err != nil {
			return "", Token{}, err
		}
		if i := slices.IndexFunc(list, func(one Token) bool { return one.ID == by.Token }); i >= 0 {
			w.by, w.person = list[i].By, list[i].Person
		} else {
			w.by = ""
		}
	}
	return Create(t.dir, w, now)
}

// EndBeyond ends the tokens that a person made and that may do what the person may not any more.
func (t *Tokens) EndBeyond(person Grant, now time.Time) (ended []Token, err error) {
	beyond := func(one *Token) bool {
		if person.Token == "" || one.By != person.Token || one.State(now) != "valid" {
			return false
		}
		may := person.Within(one.Project).Scopes
		return slices.ContainsFunc(one.Scopes, func(s Scope) bool { return !slices.Contains(may, s) })
	}
	list, err := List(t.dir)
	if err != nil || !slices.ContainsFunc(list, func(one Token) bool { return beyond(&one) }) {
		return nil, err
	}
	err = change(t.dir, func(f *file) error {
		for i := range f.Tokens {
			if one := &f.Tokens[i]; beyond(one) {
				one.Revoked = now.UTC().Truncate(time.Second)
				ended = append(ended, *one)
			}
		}
		return nil
	})
	return ended, err
}

// ErrNoSuchToken says that a project has no such token that could be revoked.
var ErrNoSuchToken = errors.New("there is no such token in force")

// Revoke ends a token of a project.
func (t *Tokens) Revoke(project, id string, now time.Time) error {
	list, err := t.Of(project)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(one Token) bool { return one.ID == id && one.Revoked.IsZero() }) {
		return ErrNoSuchToken
	}
	return Revoke(t.dir, id, now)
}

// RevokeOf ends the tokens of a project in a data directory, and gives how many were in force.
func RevokeOf(dir, project string, now time.Time) (ended int, err error) {
	of := func(one *Token) bool { return one.Project == project && one.State(now) == "valid" }
	list, err := List(dir)
	if err != nil || !slices.ContainsFunc(list, func(one Token) bool { return of(&one) }) {
		return 0, err
	}
	err = change(dir, func(f *file) error {
		for i := range f.Tokens {
			if one := &f.Tokens[i]; of(one) {
				one.Revoked = now.UTC().Truncate(time.Second)
				ended++
			}
		}
		return nil
	})
	return ended, err
}

// RevokeOf ends the tokens of a project, and gives how many were in force.
func (t *Tokens) RevokeOf(project string, now time.Time) (ended int, err error) {
	return RevokeOf(t.dir, project, now)
}

// Wish is a token to be.
type Wish struct {
	Project string
	Scopes  []Scope
	Name    string
	Expires time.Time // zero: never

	by, person string // see Token.By
}

// Create makes a token. The secret is shown now or never.
func Create(dir string, w Wish, now time.Time) (secret string, t Token, err error) {
	if err := CheckProject(w.Project); err != nil {
		return "", Token{}, err
	}
	switch {
	case len(w.Scopes) == 0:
		return "", Token{}, errors.New("a token needs a scope: send, read, metrics or administer")
	case !w.Expires.IsZero() && !w.Expires.After(now):
		return "", Token{}, fmt.Errorf("the token would have expired at %s", w.Expires.Format(time.RFC3339))
	case len(w.Name) > maxName || strings.ContainsFunc(w.Name, func(r rune) bool { return r < ' ' }):
		return "", Token{}, fmt.Errorf("the name of a token is at most %d bytes on one line", maxName)
	}
	bits := make([]byte, secretBytes)
	_, _ = rand.Read(bits) // never fails
	secret = prefix + base64.RawURLEncoding.EncodeToString(bits)
	sum := Hash(secret)
	t = Token{
		ID: sum[:idDigits], SHA256: sum, Project: w.Project, Scopes: w.Scopes, Name: w.Name,
		Created: now.UTC().Truncate(time.Second), Expires: w.Expires.UTC(), By: w.by, Person: w.person,
	}
	if w.Expires.IsZero() {
		t.Expires = time.Time{}
	}
	err = change(dir, func(f *file) error {
		if len(f.Tokens) >= maxTokens {
			return fmt.Errorf("there are %d tokens already", len(f.Tokens))
		}
		f.Tokens = append(f.Tokens, t)
		return nil
	})
	return secret, t, err
}

// Revoke ends a token. It stays in the file.
func Revoke(dir, id string, now time.Time) error {
	return change(dir, func(f *file) error {
		i := slices.IndexFunc(f.Tokens, func(t Token) bool { return t.ID == id })
		switch {
		case i < 0:
			return fmt.Errorf("there is no token %s; list shows those there are", id)
		case !f.Tokens[i].Revoked.IsZero():
			return fmt.Errorf("the token %s was revoked at %s", id, f.Tokens[i].Revoked.Format(time.RFC3339))
		}
		f.Tokens[i].Revoked = now.UTC().Truncate(time.Second)
		return nil
	})
}

// change replaces the file. Two processes that change it at once both succeed.
func change(dir string, by func(*file) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("changing the tokens: %w", err)
	}
	defer func() { _ = d.Close() }() // only locked
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("changing the tokens: locking %s: %w", dir, err)
	}
	f, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = file{Version: version}, nil
	}
	if err != nil {
		return err
	}
	if err := by(&f); err != nil {
		return err
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("changing the tokens: %w", err)
	}
	path := filepath.Join(dir, FileName)
	err = wholefile.WriteDurably(path, 0o600, func(f *os.File) error {
		if _, err := f.Write(append(data, '\n')); err != nil {
			return err
		}
		return OwnedAs(dir, f.Name())
	})
	if err != nil {
		return fmt.Errorf("changing the tokens: %w", err)
	}
	return nil
}

// OwnedAs gives what root makes in a data directory to the directory's owner: the server
// that has to read it runs as that user.
func OwnedAs(dir, path string) error {
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return os.Chown(path, int(sys.Uid), int(sys.Gid))
	}
	return nil
}

// Hash is what the file has of a secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
