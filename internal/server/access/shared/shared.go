// Package shared has several servers know the same tokens, and the same sessions that were ended.
//
// It owns the form in which a token lies in the database, and when it goes there and comes from
// there; see ended.go for sessions. It takes a data directory, a shelf of texts and the secret that the servers share, and
// changes the directory's file of tokens. It must never judge a request: internal/server/access
// does, by that file alone, also while the database is away.
//
// A token never changes, but that it is revoked, once. So the servers need no order: each adds
// to the shelf what it has and the shelf has not, and takes from there what it has not. What was
// revoked anywhere is revoked everywhere.
//
// A text is the token without its secret, as JSON, behind a code that only who has the secret of
// the servers can make (HMAC-SHA256): whoever can write to the database alone makes no token.
package shared

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whyhot/internal/server/access"
)

// Shelf keeps texts. Nothing goes from it.
type Shelf interface {
	Len(ctx context.Context) (uint64, error)
	All(ctx context.Context) ([]string, error)
	Add(ctx context.Context, texts []string) error
	Close() error
}

const (
	// every is how often it is looked for what is new.
	every = time.Second
	// patience is how long the database may take.
	patience = 10 * time.Second
	// maxText is more than a token takes.
	maxText = 4 << 10
	form    = "whyhot-token-1"
)

// Tokens are those that several servers share. One goroutine at a time uses them.
type Tokens struct {
	dir    string
	shelf  Shelf
	secret []byte
	log    *slog.Logger

	there   uint64    // how many texts there were
	changed time.Time // when the file was
	known   bool      // both are of a time at which all was the same
	foreign bool      // texts of another secret were told of
	failing string
}

// New makes it for the tokens of a data directory. The secret is the servers' own.
func New(dir string, shelf Shelf, secret string, log *slog.Logger) *Tokens {
	return &Tokens{dir: dir, shelf: shelf, secret: []byte(secret), log: log}
}

// Keep brings both sides together once a second, until ctx ends.
func (t *Tokens) Keep(ctx context.Context) { keep(ctx, t.Try) }

func keep(ctx context.Context, try func(context.Context)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		try(ctx)
	}
}

// Try brings both sides together, and logs why it failed, each reason once.
func (t *Tokens) Try(ctx context.Context) {
	t.failing = try(ctx, t.Sync, t.failing, t.log, "tokens", "those that are known here stay in force")
}

// try brings one kind together, and gives why that failed, "" for not.
func try(ctx context.Context, sync func(context.Context) error, failing string, log *slog.Logger, what, meanwhile string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := sync(ctx)
	switch {
	case err == nil && failing != "":
		log.InfoContext(ctx, what+" are shared with the other servers again")
		return ""
	case err != nil && err.Error() != failing && !errors.Is(ctx.Err(), context.Canceled):
		log.WarnContext(ctx, what+" are not shared with the other servers now: "+meanwhile, "error", err)
		return err.Error()
	}
	return failing
}

// Close ends the use of the shelf.
func (t *Tokens) Close() error { return t.shelf.Close() }

// Sync brings both sides together.
func (t *Tokens) Sync(ctx context.Context) error {
	there, err := t.shelf.Len(ctx)
	if err != nil {
		return err
	}
	changed := t.stamp()
	if t.known && there == t.there && changed.Equal(t.changed) {
		return nil
	}
	t.known = false
	texts, err := t.shelf.All(ctx)
	if err != nil {
		return err
	}
	var theirs []access.Token
	on := make(map[string]bool, len(texts))
	foreign := 0
	for _, text := range texts {
		token, err := t.read(text)
		if err != nil {
			foreign++
			continue
		}
		on[text] = true
		theirs = append(theirs, token)
	}
	if foreign > 0 && !t.foreign {
		t.foreign = true
		t.log.Warn("the database has tokens that no server with this --cluster-secret wrote; they are ignored", "tokens", foreign)
	}
	if n, err := access.Merge(t.dir, theirs); err != nil {
		return err
	} else if n > 0 {
		t.log.Info("tokens came from other servers, or were revoked there", "tokens", n)
	}
	mine, err := access.List(t.dir)
	if err != nil {
		return err
	}
	var fresh []string
	for i := range mine {
		text, err := t.write(&mine[i])
		if err != nil {
			return err
		}
		if !on[text] {
			fresh = append(fresh, text)
		}
	}
	if len(fresh) > 0 {
		return t.shelf.Add(ctx, fresh) // it is seen next time whether others added more
	}
	// What the file has become since is seen next time: Merge may have changed it, and others.
	t.there, t.changed, t.known = there, changed, changed.Equal(t.stamp())
	return nil
}

// stamp is when the file was changed last.
func (t *Tokens) stamp() time.Time {
	info, err := os.Stat(filepath.Join(t.dir, access.FileName))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (t *Tokens) code(data string) string { return codeOf(t.secret, form, data) }

func codeOf(secret []byte, form, data string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(form + "\n" + data))
	return hex.EncodeToString(mac.Sum(nil))
}

func (t *Tokens) write(token *access.Token) (string, error) {
	data, err := json.Marshal(token)
	if err != nil {
		return "", fmt.Errorf("the token %s: %w", token.ID, err)
	}
	return t.code(string(data)) + " " + string(data), nil
}

var errForeign = errors.New("no server with this secret wrote it")

func (t *Tokens) read(text string) (token access.Token, err error) {
	code, data, ok := strings.Cut(text, " ")
	if !ok || len(text) > maxText || !hmac.Equal([]byte(code), []byte(t.code(data))) {
		return token, errForeign
	}
	if err := json.Unmarshal([]byte(data), &token); err != nil {
		return token, fmt.Errorf("a token in the database: %w", err)
	}
	return token, token.Check()
}
