package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"whyhot/internal/host/userdir"
	"whyhot/internal/host/wholefile"
)

const suffix = ".json"

// most is how many trials are kept; the oldest go.
const most = 1000

// Archive is a directory of records.
type Archive struct{ dir string }

// Open gives the user's archive, which need not exist yet. getenv reads the
// environment.
func Open(getenv func(string) string) (*Archive, error) {
	dir, err := userdir.State(getenv, "trials")
	if err != nil {
		return nil, fmt.Errorf("cannot keep trials: %w", err)
	}
	return &Archive{dir}, nil
}

// In is an archive in a directory.
func In(dir string) *Archive { return &Archive{dir} }

// Add keeps a record under a new id, which it fills in. The file is there as a
// whole or not at all.
func (a *Archive) Add(r *Record) error {
	const private = 0o700
	if err := os.MkdirAll(a.dir, private); err != nil {
		return fmt.Errorf("keeping the trial: %w", err)
	}
	r.Version, r.ID = Version, newID(r.Time)
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("keeping the trial: %w", err)
	}
	err = wholefile.Write(filepath.Join(a.dir, r.ID+suffix), 0o600, wholefile.Bytes(append(data, '\n')))
	if err != nil {
		return fmt.Errorf("keeping the trial: %w", err)
	}
	a.prune()
	return nil
}

// newID is the time, to milliseconds so that ids sort as the trials were made,
// and something that tells trials of two processes apart.
func newID(t time.Time) string {
	t = t.UTC()
	return fmt.Sprintf("%s-%03d%02x", t.Format("20060102-150405"), t.Nanosecond()/int(time.Millisecond), rand.Uint32()&0xff) //nolint:gosec // tells apart, keeps no secret
}

func (a *Archive) prune() {
	ids, err := a.ids()
	if err != nil {
		return
	}
	for _, id := range ids[:max(0, len(ids)-most)] {
		_ = os.Remove(filepath.Join(a.dir, id+suffix)) // kept too long does no harm
	}
}

// ids are all there are, oldest first.
func (a *Archive) ids() ([]string, error) {
	entries, err := os.ReadDir(a.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading kept trials: %w", err)
	}
	var out []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok && !strings.HasPrefix(id, ".") {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Find reads the record that a person means: an id, the beginning or end of one
// that fits only it, or "last".
func (a *Archive) Find(name string) (*Record, error) {
	ids, err := a.ids()
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no trials are kept in %s", a.dir)
	}
	if name == "last" {
		return a.read(ids[len(ids)-1])
	}
	fits := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return name == "" || !strings.HasPrefix(id, name) && !strings.HasSuffix(id, name)
	})
	switch {
	case slices.Contains(ids, name):
		return a.read(name)
	case len(fits) == 0:
		return nil, fmt.Errorf("no trial %q is kept (whyhot try list shows them)", name)
	case len(fits) > 1:
		return nil, fmt.Errorf("%q matches %d trials, from %s to %s: give more of the id", name, len(fits), fits[0], fits[len(fits)-1])
	}
	return a.read(fits[0])
}

func (a *Archive) read(id string) (*Record, error) {
	path := filepath.Join(a.dir, id+suffix)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a kept trial: %w", err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("reading a kept trial: %s is damaged: %w", path, err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("reading a kept trial: %s has version %d, this whyhot reads %d", path, r.Version, Version)
	}
	r.ID = id
	return &r, nil
}

// List reads all records, the newest first. What cannot be read is in the
// errors.
func (a *Archive) List() (records []*Record, damaged []error, err error) {
	ids, err := a.ids()
	if err != nil {
		return nil, nil, err
	}
	records = make([]*Record, 0, len(ids)) // none are a list, too, in JSON
	for _, id := range slices.Backward(ids) {
		r, err := a.read(id)
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		records = append(records, r)
	}
	return records, damaged, nil
}

// WithoutSums leaves out what hunts say at their end of trials that are in the list as
// well. A hunt that has proved nothing has only that.
func WithoutSums(records []*Record) []*Record {
	return slices.DeleteFunc(slices.Clone(records), func(sum *Record) bool {
		if sum.Outcome != nil || sum.Profile == "" {
			return false
		}
		for _, r := range records[slices.Index(records, sum)+1:] {
			if r.Profile == sum.Profile {
				return r.Outcome != nil // else the sum of an earlier hunt
			}
		}
		return false
	})
}
