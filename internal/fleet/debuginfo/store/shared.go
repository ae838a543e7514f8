package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/bucket"
)

const (
	// touchAfter is how far the time of a file in the bucket may be behind its last use.
	touchAfter = 24 * time.Hour
	// absentFor is how long nobody asks the bucket again for what it did not have.
	absentFor = time.Minute
	maxAbsent = 100_000
	// awayFor is how long nothing is fetched after the bucket could not be used: where it hangs,
	// each file of many binaries would wait for it, and names of binaries that are here with them.
	awayFor = 30 * time.Second
	// lately is how long before the first look others may have put in what nobody has looked up.
	lately = 10 * time.Minute
)

// gradeOf reads what the bucket has written down of a file.
func gradeOf(name string) extract.Grade { return extract.GradeOf(name + "-") }

// kept tells what the bucket has for a build ID, and has it be used.
func (s *Store) kept(ctx context.Context, id string) (extract.Grade, bool, error) {
	o, there, err := s.opts.Bucket.Stat(ctx, id)
	s.told(err)
	if err == nil && there && time.Since(o.Used) > touchAfter {
		// That it is there has been said: an agent need not send it because this failed.
		if failed := s.opts.Bucket.Touch(ctx, o); failed != nil {
			s.opts.Log(fmt.Sprintf("debug information of %s: %v", id, failed))
		}
	}
	return gradeOf(o.Grade), there, err
}

// told takes note of whether the bucket can be used, and logs it when that changes.
func (s *Store) told(err error) {
	if err != nil && !errors.Is(err, bucket.ErrAway) || errors.Is(err, context.Canceled) {
		return // that is about a file, or a client that is gone
	}
	s.mu.Lock()
	before := s.away
	s.away = ""
	if err != nil {
		s.away, s.awayAt = err.Error(), time.Now()
		s.failed++
	}
	s.mu.Unlock()
	switch {
	case err != nil && before == "":
		s.opts.Log(fmt.Sprintf("debug information: %v; agents keep theirs until it can", err))
	case err == nil && before != "":
		s.opts.Log("debug information: the object store can be used again")
	}
}

// Cached says whether the directory is a cache of a bucket.
func (s *Store) Cached() bool { return s.opts.Bucket != nil }

// Shared says why the bucket could not be used last, "" where it could, and how often it could
// not since Open.
func (s *Store) Shared() (away string, failed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away, s.failed
}

// share puts a file into the bucket, unless another server has put one there meanwhile that is
// as good.
func (s *Store) share(ctx context.Context, u *upload, f *os.File, grade extract.Grade) (better bool, err error) {
	o, there, err := s.opts.Bucket.Stat(ctx, u.buildID)
	if err == nil && there && gradeOf(o.Grade) > grade {
		return true, nil
	}
	if err == nil {
		err = s.opts.Bucket.Put(ctx, u.buildID, grade.String(), f, u.size)
	}
	s.told(err)
	if errors.Is(err, bucket.ErrRefused) {
		s.opts.Log(fmt.Sprintf("debug information of %s: %v", u.buildID, err))
	}
	return false, err
}

// Bring has the file of a build ID be in the directory, if the bucket has it.
func (s *Store) Bring(ctx context.Context, id string) bool {
	if s.opts.Bucket == nil || checkBuildID(id) != nil {
		return false
	}
	if _, err := os.Stat(s.path(id)); err == nil {
		s.used(id)
		return true
	}
	s.mu.Lock()
	asked, absent := s.absent[id]
	away := s.away != "" && time.Since(s.awayAt) < awayFor
	s.mu.Unlock()
	switch {
	case absent && time.Since(asked) < absentFor:
		return false
	case away:
		s.miss(id)
		return false
	}
	there, err := s.bring(ctx, id)
	s.told(err)
	if err != nil {
		s.miss(id)
	}
	switch {
	case err != nil && !errors.Is(err, bucket.ErrAway):
		s.opts.Log(fmt.Sprintf("debug information of %s: %v", id, err))
	case err == nil && !there:
		s.mu.Lock()
		if len(s.absent) >= maxAbsent {
			clear(s.absent)
		}
		s.absent[id] = time.Now()
		s.mu.Unlock()
	}
	return there && err == nil
}

// miss has a file be asked for again when the bucket can be used.
func (s *Store) miss(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.missed) >= maxAbsent {
		clear(s.missed)
	}
	s.missed[id] = true
}

func (s *Store) bring(ctx context.Context, id string) (there bool, err error) {
	o, there, err := s.opts.Bucket.Stat(ctx, id)
	if err != nil || !there {
		return there, err
	}
	u, err := s.announce(id, o.Size) // room for it
	if err != nil {
		return false, err
	}
	defer s.end(u, false)
	f, err := s.create(u)
	if err != nil {
		return false, fmt.Errorf("keeping debug information: %w", err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) { // it was renamed
			err = errors.Join(err, gone)
		}
	}()
	size, there, err := s.opts.Bucket.Get(ctx, id, f, o.Size)
	if err != nil || !there {
		return there, err
	}
	// Whoever can write to the bucket is not believed more than an agent.
	if _, err := check(f, id, size); err != nil {
		return false, err
	}
	return true, s.place(id, f, size)
}

// Look finds what other servers have put into the bucket since it looked last, and tells
// Arrived of it where something is kept of the binary. The first time that is what came lately,
// and what names addresses that have none: else all would be fetched at each start. One that was replaced goes from the
// directory.
func (s *Store) Look(ctx context.Context) error {
	if s.opts.Bucket == nil {
		return nil
	}
	now, fresh := map[string]int64{}, map[string]bool{}
	err := s.opts.Bucket.List(ctx, func(o bucket.Object) bool {
		now[o.ID] = o.Size
		if time.Since(o.Used) < lately {
			fresh[o.ID] = true
		}
		return true
	})
	s.told(err)
	if err != nil {
		return err
	}
	s.mu.Lock()
	before := s.listed
	s.listed = now
	for id := range s.absent {
		if _, there := now[id]; there {
			delete(s.absent, id)
		}
	}
	missed := s.missed
	s.missed = map[string]bool{}
	s.mu.Unlock()
	// The first time all is new to this process, and most of it was looked up by one before.
	var unnamed map[string]bool
	if before == nil && s.opts.Unnamed != nil {
		unnamed = s.opts.Unnamed()
	}
	for id, size := range now {
		// What could not be fetched is asked for again: names were looked up without it.
		if was, known := before[id]; known && was == size && !missed[id] || checkBuildID(id) != nil {
			continue
		}
		s.drop(id, size)
		if unnamed != nil && !unnamed[id] && !fresh[id] && !missed[id] {
			continue
		}
		if s.opts.InUse == nil || s.opts.InUse(id) {
			s.opts.Arrived(id)
		}
	}
	return nil
}

// drop removes the file of a build ID that has another size than the bucket's.
func (s *Store) drop(id string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.path(id))
	if err != nil || info.Size() == size || os.Remove(s.path(id)) != nil {
		return
	}
	_ = os.Remove(filepath.Dir(s.path(id))) // where it was the last one
	s.size -= info.Size()
}

// ForgetShared removes from the bucket the files of binaries of which nothing is kept, and that
// nobody used for a week. Of several servers one may do it: the one that knows what is kept.
func (s *Store) ForgetShared(ctx context.Context) error {
	if s.opts.Bucket == nil || s.opts.InUse == nil {
		return nil
	}
	var gone []string
	err := s.opts.Bucket.List(ctx, func(o bucket.Object) bool {
		if time.Since(o.Used) > forgotten && !s.opts.InUse(o.ID) {
			gone = append(gone, o.ID)
		}
		return true
	})
	if err == nil && len(gone) > 0 {
		err = s.opts.Bucket.StillOwned(ctx)
	}
	removed := 0
	for _, id := range gone {
		if err != nil || s.opts.InUse(id) {
			continue
		}
		// An agent may have asked about it since it was listed.
		o, there, statErr := s.opts.Bucket.Stat(ctx, id)
		if err = statErr; err == nil && there && time.Since(o.Used) > forgotten {
			if err = s.opts.Bucket.Remove(ctx, id); err == nil {
				removed++
			}
		}
	}
	s.told(err)
	if removed > 0 {
		s.mu.Lock()
		s.evicted += int64(removed)
		s.mu.Unlock()
		s.opts.Log(fmt.Sprintf("debug information: removed %d files from the object store of binaries of which nothing is kept", removed))
	}
	return err
}
