package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

// ErrOwned says that the prefix is another database's: each would remove the files of the other,
// since it keeps no samples of their binaries.
var ErrOwned = errors.New("the object store's prefix belongs to another database")

const (
	ownerKey = "whyhot-owner" // beside the projects
	maxMark  = 200

	claimTime = 8 * time.Second
	// settleTime is how long a new mark has to stay.
	settleTime = 2 * time.Second
)

// owner is the database that uses the prefix: one for all projects.
type owner struct {
	root  string
	marks func(ctx context.Context) ([]string, error)

	mu     sync.Mutex
	known  bool
	failed error // why it could not be known, at that time
	at     time.Time
}

// claimAgain is how long nobody asks again whose the prefix is: where the store hangs, all would
// wait for each other.
const claimAgain = 5 * time.Second

// OwnedBy has nothing be read or written before the prefix has the mark of a database. marks are
// those that it may have; a prefix without one gets the first.
func (b *Bucket) OwnedBy(marks func(ctx context.Context) ([]string, error)) {
	b.owner = &owner{root: b.prefix, marks: marks}
}

// Claim puts the mark there, or looks whether it is there. It is ErrOwned where there is
// another one, and ErrAway where nobody can know.
func (b *Bucket) Claim(ctx context.Context) error {
	o := b.owner
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return nil
	}
	if o.failed != nil && time.Since(o.at) < claimAgain {
		return o.failed
	}
	err := b.claim(ctx, o)
	if o.known = err == nil; ctx.Err() == nil {
		o.failed, o.at = err, time.Now()
	}
	return err
}

// StillOwned is an error where the mark that was there is not any more, as after somebody gave the
// prefix to another database. Whoever removes files asks before.
func (b *Bucket) StillOwned(ctx context.Context) error {
	if err := b.Claim(ctx); err != nil || b.owner == nil {
		return err
	}
	o := b.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	marks, err := o.marks(ctx)
	if err != nil {
		return fmt.Errorf("%w: whose it is cannot be known: %w", ErrAway, err)
	}
	mark, there, err := b.mark(ctx, o.root+ownerKey)
	switch {
	case err != nil:
		return fmt.Errorf("%w: asking whose it is: %w", ErrAway, err)
	case !there:
		o.known = false // what comes next claims it, or is refused
		return fmt.Errorf("%w: the mark s3://%s/%s%s was removed: nothing is removed now", ErrAway, b.name, o.root, ownerKey)
	case !slices.Contains(marks, mark):
		o.known = false
		return b.owned(o, mark, marks[0])
	}
	return nil
}

func (b *Bucket) owned(o *owner, mark, mine string) error {
	return fmt.Errorf("%w: %w: s3://%s/%s has the mark %q, this one is %q; give each database a prefix of its own, or remove the object %s if the other one is gone", ErrAway, ErrOwned, b.name, o.root, mark, mine, o.root+ownerKey)
}

func (b *Bucket) claim(ctx context.Context, o *owner) error {
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	marks, err := o.marks(ctx)
	if err != nil || len(marks) == 0 {
		return fmt.Errorf("%w: whose it is cannot be known: %w", ErrAway, err)
	}
	key := o.root + ownerKey
	mark, there, err := b.mark(ctx, key)
	if err == nil && !there {
		put := minio.PutObjectOptions{ContentType: "text/plain", DisableMultipart: true}
		put.SetMatchETagExcept("*") // of two at once one succeeds, where the store knows that
		if _, err = b.client.PutObject(ctx, b.name, key, strings.NewReader(marks[0]), int64(len(marks[0])), put); err != nil && minio.ToErrorResponse(err).Code == minio.PreconditionFailed {
			err = nil
		}
		// A store that does not know the condition takes both of two: the one that came last stays.
		if err == nil {
			err = wait(ctx, settleTime)
		}
		if err == nil {
			mark, _, err = b.mark(ctx, key)
		}
	}
	if err == nil && !slices.Contains(marks, mark) { // one of the same database may be in the list by now
		marks, err = o.marks(ctx)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: asking whose it is: %w", ErrAway, err)
	case !slices.Contains(marks, mark):
		return b.owned(o, mark, marks[0])
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (b *Bucket) mark(ctx context.Context, key string) (text string, there bool, err error) {
	object, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
	if err != nil {
		return "", false, err
	}
	defer func() { _ = object.Close() }() // only read from
	data, err := io.ReadAll(io.LimitReader(object, maxMark))
	if err != nil && missing(err) {
		return "", false, nil
	}
	return string(bytes.TrimSpace(data)), err == nil, err
}
