// Package session keeps who is signed in to the page.
//
// It owns the form of what a browser's cookie holds, the key that it is signed with, and the
// list of sessions that were ended before their time. It takes a session and gives its text,
// takes a text and gives the session again, or says that it is none. It must never know a
// protocol, nor what a session may do: internal/server/access and its signin say that at each
// request, so that a revoked token or a changed rule counts at once.
//
// A session lies in the browser alone: a server has nothing to look up, and one that shares
// its key with others knows their sessions from the first moment. What a browser cannot be
// asked to forget, a copy of the cookie, is on the list of ended ones until it expires.
package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"whyhot/internal/host/wholefile"
	"whyhot/internal/server/access"
)

const (
	// KeyFile is that of the key in a data directory, where servers share none.
	KeyFile  = "sessions.key"
	keyBytes = 32
	form     = "whyhot-session-1"
	// maxText is what browsers keep of a cookie, with its name and attributes.
	maxText = 3800
	// Longest is the longest that a session may last.
	Longest = 30 * 24 * time.Hour
)

// Session is one that a browser has: of a token, or of a person who signed in.
type Session struct {
	ID     string  `json:"id"`
	Until  int64   `json:"until"`           // Unix seconds
	Began  int64   `json:"began,omitempty"` // Unix milliseconds
	Token  string  `json:"token,omitempty"` // the token's hash
	Person *Person `json:"person,omitempty"`
}

// Person is who signed in, as the issuer told it.
type Person struct {
	Issuer  string   `json:"iss"`
	Subject string   `json:"sub"`
	Name    string   `json:"name,omitempty"`
	Email   string   `json:"email,omitempty"` // only where the issuer has verified it
	Groups  []string `json:"groups,omitempty"`
}

// Errors of Read.
var (
	// ErrNone says that a text is no session of this server.
	ErrNone = errors.New("it is no session of this server")
	// ErrEnded says that a session has expired or was ended.
	ErrEnded = errors.New("the session has ended")
	// ErrLarge says that a session does not fit into a cookie.
	ErrLarge = errors.New("it does not fit into a cookie")
)

// Keeper makes and reads sessions. Several goroutines may use it.
type Keeper struct {
	key   []byte
	ended *Ended
}

// Open opens the sessions of a data directory. Servers with the same secret know each other's;
// without one the key is in the directory.
func Open(dir, secret string) (*Keeper, error) {
	ended, err := openEnded(filepath.Join(dir, endedFile))
	if err != nil {
		return nil, err
	}
	k := &Keeper{ended: ended}
	if secret != "" {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(form))
		k.key = mac.Sum(nil)
		return k, nil
	}
	path := filepath.Join(dir, KeyFile)
	k.key, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		k.key = make([]byte, keyBytes)
		_, _ = rand.Read(k.key) // never fails
		err = wholefile.WriteDurably(path, 0o600, wholefile.Bytes(k.key))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("key of sessions: %w", err)
	case len(k.key) != keyBytes:
		return nil, fmt.Errorf("key of sessions: %s: %d bytes instead of %d; remove it, and all have to sign in again", path, len(k.key), keyBytes)
	}
	return k, nil
}

// Ended are the sessions that ended before their time.
func (k *Keeper) Ended() *Ended { return k.ended }

// New makes a session that lasts from now on for a time, and its text.
func (k *Keeper) New(s Session, now time.Time, lasts time.Duration) (Session, string, error) {
	s.ID, s.Until, s.Began = rand.Text(), now.Add(min(lasts, Longest)).Unix(), now.UnixMilli()
	text, err := k.Seal(form, s)
	return s, text, err
}

// Read gives the session of a text, if it is in force.
func (k *Keeper) Read(text string, now time.Time) (Session, error) {
	var s Session
	if err := k.Unseal(form, text, &s); err != nil {
		return Session{}, err
	}
	switch {
	case s.ID == "" || (s.Token == "") == (s.Person == nil):
		return Session{}, ErrNone
	case now.Unix() >= s.Until || k.ended.Has(s.ID):
		return Session{}, ErrEnded
	}
	return s, nil
}

// End ends a session before its time.
func (k *Keeper) End(s Session, now time.Time) error {
	return k.ended.Add(map[string]int64{s.ID: s.Until}, now)
}

// SignedIn takes note that a person signed in: what was known of the person before is older.
func (k *Keeper) SignedIn(p *Person, now time.Time) error {
	return k.ended.Add(map[string]int64{p.Key() + signedIn + strconv.FormatInt(now.UnixMilli(), 10): now.Add(Longest).Unix()}, now)
}

// Older says that the person of a session has signed in since it began, and may have other groups
// than the session has.
func (k *Keeper) Older(s *Session) bool {
	return s.Person != nil && k.ended.signIn(s.Person.Key()) > s.Began
}

// Seal signs what only this server, or one with the same key, may have written for a purpose.
func (k *Keeper) Seal(purpose string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	text += "." + base64.RawURLEncoding.EncodeToString(k.code(purpose, text))
	if len(text) > maxText {
		return "", fmt.Errorf("session of %d bytes: %w", len(text), ErrLarge)
	}
	return text, nil
}

// Unseal reads what was sealed for the same purpose.
func (k *Keeper) Unseal(purpose, text string, v any) error {
	body, code, ok := strings.Cut(text, ".")
	if !ok || len(text) > maxText {
		return ErrNone
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(code)
	if err != nil || !hmac.Equal(given, k.code(purpose, body)) {
		return ErrNone
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if err != nil || json.Unmarshal(data, v) != nil {
		return ErrNone
	}
	return nil
}

func (k *Keeper) code(purpose, text string) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(purpose + "\n" + text))
	return mac.Sum(nil)
}

// Key is what limits and logs know a person by: the same in all of their sessions.
func (p *Person) Key() string {
	return "person:" + access.Hash(p.Issuer + "\n" + p.Subject)[:12]
}

// Called names the person in logs.
func (p *Person) Called() string {
	switch {
	case p.Email != "":
		return p.Email
	case p.Name != "":
		return p.Name + " (" + p.Subject + ")"
	}
	return p.Subject
}
