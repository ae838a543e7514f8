// Package ledger keeps the outcomes of trials beside the profile whose findings
// they prove or refute.
//
// It owns the file PROFILE.trials.json and what a list of trials makes of a
// finding. It takes trials by finding id and gives them back; of this module it
// imports internal/finding and internal/host/wholefile only.
//
// The file is {"version": 1, "trials": {FINDING: [TRIAL, …]}}, trials as in
// docs/finding.schema.json, oldest first.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"whyhot/internal/finding"
	"whyhot/internal/host/wholefile"
)

const (
	version = 1
	suffix  = ".trials.json"
)

type file struct {
	Version int                        `json:"version"`
	Trials  map[string][]finding.Trial `json:"trials"`
}

// Path is where the trials of a profile are kept.
func Path(profile string) string { return profile + suffix }

// Load returns the trials of a profile by finding id. A profile without trials
// has none; that is no error.
func Load(profile string) (map[string][]finding.Trial, error) {
	data, err := os.ReadFile(Path(profile))
	if errors.Is(err, os.ErrNotExist) {
		return map[string][]finding.Trial{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading earlier trials: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("reading earlier trials: %s is damaged (%w); remove it to start again", Path(profile), err)
	}
	if f.Version != version {
		return nil, fmt.Errorf("reading earlier trials: %s has version %d, this whyhot reads %d", Path(profile), f.Version, version)
	}
	if f.Trials == nil {
		f.Trials = map[string][]finding.Trial{}
	}
	return f.Trials, nil
}

// Append adds trials of one finding. The file is replaced as a whole or not at
// all, and two processes that append at once both succeed.
func Append(profile, findingID string, trials []finding.Trial) (err error) {
	if len(trials) == 0 {
		return nil
	}
	unlock, err := lock(filepath.Dir(profile))
	if err != nil {
		return err
	}
	defer unlock()
	all, err := Load(profile)
	if err != nil {
		return err
	}
	all[findingID] = append(all[findingID], trials...)
	data, err := json.MarshalIndent(file{version, all}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing trials: %w", err)
	}
	err = wholefile.Write(Path(profile), 0o644, wholefile.Bytes(append(data, '\n')))
	if err != nil {
		return fmt.Errorf("writing trials: %w", err)
	}
	return nil
}

// lock holds the directory, so that no lock file stays behind.
func lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("writing trials: %w", err)
	}
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("writing trials: locking %s: %w", dir, err)
	}
	return func() { _ = d.Close() }, nil
}

// Certainty is what trials make of a finding: Proved, Refuted, or "" when they
// leave it where it was.
//
// Only the latest trial of each variant and command counts. A finding is proved
// when one of them found its variant faster: output equal, the whole interval
// above 1 and not within the band that counts as no difference. It is refuted
// when there is at least one slower or no different variant and no faster or
// unclear one. Variants that fail, compute something else or have no effect say
// nothing about the finding.
func Certainty(trials []finding.Trial) finding.Certainty {
	latest := map[string]finding.Verdict{}
	for _, t := range trials {
		latest[t.Variant+"\x00"+strings.Join(t.Command, "\x00")] = t.Verdict
	}
	seen := map[finding.Verdict]bool{}
	for _, v := range latest {
		seen[v] = true
	}
	switch {
	case seen[finding.Faster]:
		return finding.Proved
	case seen[finding.Unclear], seen[finding.LayoutNoise]:
		return ""
	case seen[finding.Slower], seen[finding.Same]:
		return finding.Refuted
	}
	return ""
}
