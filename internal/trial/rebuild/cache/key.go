package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Key is what decides a build, as one hash. Each part has a name, so that no two
// lists of parts run into the same bytes.
type Key struct{ h hash.Hash }

// NewKey is the key of nothing yet.
func NewKey() *Key { return &Key{sha256.New()} }

// Add puts texts into the key.
func (k *Key) Add(name string, texts ...string) {
	_, _ = fmt.Fprintf(k.h, "%q:%d\n", name, len(texts)) // a hash takes everything
	for _, t := range texts {
		_, _ = fmt.Fprintf(k.h, "%q\n", t)
	}
}

// AddFile puts the content of a file into the key.
func (k *Key) AddFile(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading what is built: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading what is built: %w", err)
	}
	k.Add(name, hex.EncodeToString(sum.Sum(nil)))
	return nil
}

// Sum is the key.
func (k *Key) Sum() string { return hex.EncodeToString(k.h.Sum(nil)) }

// Environment leaves out of an environment what changes from one terminal to the
// next and no build looks at.
func Environment(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PWD", "OLDPWD", "SHLVL", "_", "TERM", "COLUMNS", "LINES", "DISPLAY", "WINDOWID", "WINDOW", "STY", "TMUX", "TMUX_PANE", "HISTFILE", "PS1",
			"DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "COLORTERM", "INVOCATION_ID", "JOURNAL_STREAM", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKE_TERMOUT", "MAKE_TERMERR":
			return true
		}
		return strings.HasPrefix(name, "SSH_") || strings.HasPrefix(name, "XDG_SESSION_") || strings.HasPrefix(name, "VSCODE_") || strings.HasPrefix(name, "TERM_")
	})
	slices.Sort(out)
	return out
}

// stampOf changes when a file that a build can find outside of its tree does: in
// the directories that its compilers search, and among the tools on PATH. Names,
// sizes and times stand for contents: nobody changes a system header and sets its
// time and inode's time back.
func stampOf(ctx context.Context, search []string) (string, error) {
	h := sha256.New()
	note := func(path string, info fs.FileInfo) {
		_, _ = fmt.Fprintf(h, "%q %d %d %o\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(search))) {
		deep := true
		if name, flat := strings.CutSuffix(dir, flatMark); flat {
			dir, deep = name, false
		}
		name, linked := strings.CutSuffix(dir, linkedMark)
		if linked {
			dir, deep = name, false
		}
		_, _ = fmt.Fprintf(h, "%q\n", dir)
		if target, err := filepath.EvalSymlinks(dir); err == nil {
			dir = target // a walk does not follow where it begins
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return nil //nolint:nilerr // not there, or not to be read: neither then nor now
			}
			if info, err := os.Stat(path); err == nil && !info.IsDir() && (!linked || linkable(path)) {
				note(path, info)
			}
			if d.IsDir() && path != dir && !deep {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("looking at what a build searches: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

const (
	flatMark   = "\x00flat"
	linkedMark = "\x00linked"
)

// Flat names a directory of which only the files in it count, not those below.
func Flat(dir string) string { return dir + flatMark }

// Linked names a directory of which only the files in it count that a linker may
// take.
func Linked(dir string) string { return dir + linkedMark }

// linkable says that a linker may take a file.
func linkable(name string) bool {
	switch filepath.Ext(name) {
	case ".so", ".a", ".o", ".la", ".spec", ".ld", ".rlib", ".pc":
		return true
	}
	return false
}
