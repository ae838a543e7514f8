// Package stage has several trees take turns at one path, so that each is built and run
// there: the paths in its programs, their length and what its caches know of them are the
// same for all (docs/decisions/0321-commits-at-one-path.md).
//
// It owns which tree is at the path. It takes the home of each tree, a directory of the
// same file system, and moves a tree by changing its name. It must never know what a tree
// is, nor run or remove anything.
package stage

import (
	"fmt"
	"os"
	"path/filepath"
)

// Stage is one path. One goroutine uses it at a time.
type Stage struct {
	place string
	home  string // of the tree that is at place, "" for none
}

// New is the stage at a path, at which nothing is yet.
func New(place string) *Stage { return &Stage{place: place} }

// Place is the path.
func (s *Stage) Place() string { return s.place }

// Home is that of the tree that is at the place, "" for none.
func (s *Stage) Home() string { return s.home }

// Adopt says that what was made at the place has this home.
func (s *Stage) Adopt(home string) { s.home = home }

// Path is a path of a tree, wherever the tree is now.
func (s *Stage) Path(home, rel string) string {
	if s.home == home {
		return filepath.Join(s.place, rel)
	}
	return filepath.Join(home, rel)
}

// Put moves a tree to the place, and the one that is there home.
func (s *Stage) Put(home string) error {
	if s.home == home {
		return nil
	}
	if err := s.Clear(); err != nil {
		return err
	}
	if err := os.Rename(home, s.place); err != nil {
		return fmt.Errorf("moving a build in: %w", err)
	}
	s.home = home
	return nil
}

// Clear moves the tree that is at the place home.
func (s *Stage) Clear() error {
	if s.home == "" {
		return nil
	}
	if err := os.Rename(s.place, s.home); err != nil {
		return fmt.Errorf("moving a build out: %w", err)
	}
	s.home = ""
	return nil
}
