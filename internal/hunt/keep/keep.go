// Package keep holds the state of a hunt on disk, so that one that was interrupted
// goes on.
//
// It owns the directory of a hunt: who may use it, and one file that is replaced as
// a whole after every step. It takes any state that JSON can write and gives it
// back. It must never know what the state means.
package keep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"whyhot/internal/host/dirlock"
	"whyhot/internal/host/userdir"
	"whyhot/internal/host/wholefile"
)

const (
	stateName = "hunt.json"
	lockName  = "lock"
	private   = 0o700
)

// Dir is the directory of one hunt, held by this process.
type Dir struct {
	path string
	lock *os.File
}

// Default is the directory of a hunt that is known by these words, below the user's
// directory for state.
func Default(getenv func(string) string, words ...string) (string, error) {
	h := sha256.New()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	dir, err := userdir.State(getenv, "hunts", hex.EncodeToString(h.Sum(nil))[:12])
	if err != nil {
		return "", fmt.Errorf("nowhere to keep the hunt: %w (--state DIR names a directory)", err)
	}
	return dir, nil
}

// Open takes a directory, which is made where it is not there.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, private); err != nil {
		return nil, fmt.Errorf("keeping the hunt: %w", err)
	}
	lock, err := dirlock.Take(filepath.Join(path, lockName), 0o600)
	if errors.Is(err, dirlock.ErrTaken) {
		return nil, fmt.Errorf("the same hunt runs already (its state is in %s)", path)
	}
	if err != nil {
		return nil, fmt.Errorf("keeping the hunt: %w", err)
	}
	return &Dir{path, lock}, nil
}

// Close gives the directory free.
func (d *Dir) Close() error { return d.lock.Close() }

// Path is a file of the hunt.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, name) }

// Load reads the state; found is false where none was saved.
func (d *Dir) Load(state any) (found bool, err error) {
	data, err := os.ReadFile(d.Path(stateName))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the hunt: %w", err)
	}
	if err := json.Unmarshal(data, state); err != nil {
		return false, fmt.Errorf("reading the hunt: %s is damaged (%w); remove it to start again", d.Path(stateName), err)
	}
	return true, nil
}

// Save replaces the state.
func (d *Dir) Save(state any) error {
	data, err := json.MarshalIndent(state, "", " ")
	if err != nil {
		return fmt.Errorf("keeping the hunt: %w", err)
	}
	if err := wholefile.Write(d.Path(stateName), 0o600, wholefile.Bytes(append(data, '\n'))); err != nil {
		return fmt.Errorf("keeping the hunt: %w", err)
	}
	return nil
}

// Empty removes everything of an earlier hunt.
func (d *Dir) Empty() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return fmt.Errorf("keeping the hunt: %w", err)
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(d.Path(e.Name())); err != nil {
			return fmt.Errorf("keeping the hunt: %w", err)
		}
	}
	return nil
}
