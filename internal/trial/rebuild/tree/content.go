package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Content is a hash of all that Copy copies but the Products: paths, modes, times and
// what is in the files. Times count, since builds go by them.
func (s *Source) Content(ctx context.Context) (string, error) { return s.hash(ctx, true) }

// Text is a hash of the same without the times: what is known of the program that is
// built of it holds as long as this is the same.
func (s *Source) Text(ctx context.Context) (string, error) { return s.hash(ctx, false) }

func (s *Source) hash(ctx context.Context, times bool) (string, error) {
	h := sha256.New()
	for _, e := range s.entries {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if s.product(e.rel) {
			continue
		}
		size := e.size
		if e.mode.IsDir() {
			size = 0 // that of the list of names, which a product may have made longer
		}
		_, _ = fmt.Fprintf(h, "%q %o %d\n", e.rel, e.mode, size) // a hash takes everything
		full := filepath.Join(s.root, e.rel)
		switch {
		case e.mode.IsDir():
		case e.mode&os.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return "", fmt.Errorf("reading the tree: %w", err)
			}
			_, _ = fmt.Fprintf(h, "%q\n", target)
		default:
			if times {
				_, _ = fmt.Fprintf(h, "%d\n", e.time.UnixNano())
			}
			if err := hashFile(h, full); err != nil {
				return "", fmt.Errorf("reading the tree: %w", err)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func hashFile(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = io.Copy(to, f)
	return err
}

// Newest is the time of the file that was changed last.
func (s *Source) Newest() time.Time {
	var newest time.Time
	for _, e := range s.entries {
		if e.mode.IsRegular() && e.time.After(newest) && !s.product(e.rel) {
			newest = e.time
		}
	}
	return newest
}
