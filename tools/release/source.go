package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// source is the tree that a release is made of.
type source struct {
	root    string
	commit  string
	time    time.Time
	version string // as of Go's modules: v1.2.0, or a pseudo-version between tags
}

func readSource(ctx context.Context, o *options) (*source, error) {
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", o.root}, args...)...).Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", args[0], describe(err))
		}
		return strings.TrimSpace(string(out)), nil
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, err
	}
	if changed != "" && !o.dirty {
		return nil, fmt.Errorf("the tree has changes that are not committed; commit them, or say -dirty:\n%s", changed)
	}
	s := &source{root: o.root}
	if s.commit, err = git("rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	seconds, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return nil, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("time of the commit: %w", err)
	}
	s.time = time.Unix(unix, 0).UTC()
	s.version = o.version
	if s.version == "" {
		// No tag at all is no error: the version then says so.
		described, err := git("describe", "--tags", "--match=v[0-9]*", "--abbrev=0")
		if err != nil {
			described = ""
		}
		exact, err := git("tag", "--points-at=HEAD", "--list", "v[0-9]*")
		if err != nil {
			return nil, err
		}
		s.version = versionOf(strings.Fields(exact), described, s.time, s.commit)
	}
	if !semver.IsValid(s.version) || semver.Canonical(s.version) != s.version {
		return nil, fmt.Errorf("invalid version %q: must be as of Go's modules, like v1.2.0 or v1.2.0-rc.1", s.version)
	}
	return s, nil
}

// versionOf is the version of a commit: its highest tag, else what Go's modules call a
// commit behind a tag, so that `go install` of the same commit says the same.
func versionOf(exact []string, before string, at time.Time, commit string) string {
	best := ""
	for _, tag := range exact {
		if semver.IsValid(tag) && semver.Compare(tag, best) > 0 {
			best = tag
		}
	}
	if best != "" {
		return best
	}
	if !semver.IsValid(before) {
		before = ""
	}
	return module.PseudoVersion(semver.Major(before), before, at, commit[:12])
}

// packageVersion is the version as Debian and RPM sort it: what comes before a release
// follows a tilde, and no hyphen is in it.
func (s *source) packageVersion() string {
	v := strings.TrimPrefix(s.version, "v")
	number, pre, ok := strings.Cut(v, "-")
	if !ok {
		return number
	}
	return number + "~" + strings.ReplaceAll(pre, "-", ".")
}

// fileVersion is the version in names of files.
func (s *source) fileVersion() string { return strings.TrimPrefix(s.version, "v") }

// describe adds what a command wrote to its standard error.
func describe(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
