package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"whyhot/internal/elfinfo/extract"
	"whyhot/internal/fleet/debuginfo/bucket"
)

// clouds is an object store that can be away, and whose clock can be moved.
type clouds struct {
	*bucket.Bucket

	backend gofakes3.Backend
	url     string
	away    atomic.Bool
	// refuses says which requests get which status, 0 for none.
	refuses func(r *http.Request) int
	mu      sync.Mutex
	now     time.Time
}

func (c *clouds) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clouds) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

func (c *clouds) at(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

func sky(t *testing.T) *clouds {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "y")
	c := &clouds{now: time.Now()}
	backend := s3mem.New(s3mem.WithTimeSource(c))
	if err := backend.CreateBucket("debug"); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(backend, gofakes3.WithTimeSource(c), gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.away.Load() {
			w.WriteHeader(http.StatusForbidden) // 503 would be tried again for a while
			return
		}
		if c.refuses != nil {
			if code := c.refuses(r); code != 0 {
				w.WriteHeader(code)
				return
			}
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b, err := bucket.Open("s3://debug/fleet?region=us-east-1&endpoint=" + server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.Bucket, c.url, c.backend = b.In("shop"), server.URL, backend
	return c
}

func (c *clouds) has(t *testing.T) []string {
	t.Helper()
	var ids []string
	if err := c.List(t.Context(), func(o bucket.Object) bool { ids = append(ids, o.ID); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

// removeMark removes the mark of whoever owns the prefix, as people do by hand.
func (c *clouds) removeMark(t *testing.T) {
	t.Helper()
	if _, err := c.backend.DeleteObject("debug", "fleet/whyhot-owner"); err != nil {
		t.Fatal(err)
	}
}

// news are the build IDs that a store was told of.
type news struct {
	mu  sync.Mutex
	ids []string
}

func (n *news) add(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids = append(n.ids, id)
}

func (n *news) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := n.ids
	n.ids = nil
	return out
}

// What an agent sent to one server another one has, and it is asked for once.
func TestServersShareFiles(t *testing.T) {
	c := sky(t)
	data, id := sample(t, "-g")
	first, second := t.TempDir(), t.TempDir()
	var told news
	_, one := serve(t, first, Options{Bucket: c.Bucket})
	other, two := serve(t, second, Options{Bucket: c.Bucket, Arrived: told.add, InUse: func(string) bool { return true }})
	if err := other.Look(t.Context()); err != nil || len(told.take()) > 0 {
		t.Errorf("%v", err)
	}
	if other.Bring(t.Context(), id) {
		t.Error("nobody has it yet")
	}
	if err := one.sent(id, "full-x", data); err != nil {
		t.Fatal(err)
	}
	if got := c.has(t); !slices.Equal(got, []string{id}) {
		t.Errorf("the bucket has %v", got)
	}
	if wanted, reason := two.should(id, "full-y"); wanted {
		t.Errorf("wanted again: %s", reason)
	}
	if err := other.Look(t.Context()); err != nil || !slices.Equal(told.take(), []string{id}) {
		t.Errorf("%v", err)
	}
	if !other.Bring(t.Context(), id) || len(kept(t, second)) != 1 {
		t.Errorf("it was not brought: %v", kept(t, second))
	}
	if err := other.Look(t.Context()); err != nil || len(told.take()) > 0 {
		t.Errorf("told twice, %v", err)
	}
	if size, grade, there := other.have(id); size != int64(len(data)) || grade != extract.Lined || !there {
		t.Errorf("%d bytes, %v, %t", size, grade, there)
	}
	if other.Bring(t.Context(), "../../etc/passwd") || other.Bring(t.Context(), "ffff") {
		t.Error("it brings what is no build ID, or not there")
	}
}

// One that names more replaces the other everywhere; one that names less does not.
func TestBetterFilesReplaceOthers(t *testing.T) {
	c := sky(t)
	full, id := sample(t, "-g")
	f, err := extract.Open(bytes.NewReader(full), int64(len(full)))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	less, err := extract.New(extract.Symbols, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := small.ReadFrom(less.Reader()); err != nil {
		t.Fatal(err)
	}
	first, second := t.TempDir(), t.TempDir()
	_, one := serve(t, first, Options{Bucket: c.Bucket})
	other, two := serve(t, second, Options{Bucket: c.Bucket})
	if err := one.sent(id, "symbols-x", small.Bytes()); err != nil {
		t.Fatal(err)
	}
	if !other.Bring(t.Context(), id) {
		t.Fatal("not brought")
	}
	if wanted, _ := two.should(id, "symbols-y"); wanted {
		t.Error("wanted again")
	}
	if err := one.sent(id, "full-x", full); err != nil {
		t.Fatal(err)
	}
	if err := other.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, second); len(got) != 0 {
		t.Errorf("the one that names less is still there: %v", got)
	}
	if _, grade, there := other.have(id); !other.Bring(t.Context(), id) || there && grade != extract.Lined {
		t.Errorf("%v, %t", grade, there)
	}
	// Two agents send at once, and the one with less ends last.
	if err := other.opts.Bucket.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	u, err := two.initiate(id, "symbols-y", small.Len())
	if err != nil {
		t.Fatal(err)
	}
	if err := one.sent(id, "full-x", full); err != nil {
		t.Fatal(err)
	}
	if _, err := two.upload(id, u, small.Bytes()); err != nil {
		t.Fatal(err)
	}
	if o, there, err := c.Stat(t.Context(), id); err != nil || !there || o.Size != int64(len(full)) || gradeOf(o.Grade) != extract.Lined {
		t.Errorf("%+v, %t, %v", o, there, err)
	}
}

// While the object store is away nothing is taken, and agents are asked to come again.
func TestObjectStoreAway(t *testing.T) {
	c := sky(t)
	data, id := sample(t, "-g")
	dir := t.TempDir()
	var mu sync.Mutex
	var log []string
	s, p := serve(t, dir, Options{Bucket: c.Bucket, Log: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, text)
	}})
	u, err := p.initiate(id, "full-x", len(data))
	if err != nil {
		t.Fatal(err)
	}
	c.away.Store(true)
	if _, err := p.upload(id, u, data); status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "object store") || strings.Contains(err.Error(), c.url) {
		t.Errorf("%v", err)
	}
	if _, err := p.initiate(id, "full-x", len(data)); status.Code(err) != codes.Unavailable {
		t.Errorf("%v", err)
	}
	if got := kept(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	if err := s.Look(t.Context()); !errors.Is(err, bucket.ErrAway) || s.Bring(t.Context(), id) {
		t.Errorf("%v", err)
	}
	if away, failed := s.Shared(); away == "" || failed == 0 {
		t.Errorf("%q, %d", away, failed)
	}
	c.away.Store(false)
	if err := p.sent(id, "full-x", data); err != nil {
		t.Fatal(err)
	}
	if got := c.has(t); !slices.Equal(got, []string{id}) {
		t.Errorf("the bucket has %v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	text := strings.Join(log, "\n")
	if away, _ := s.Shared(); away != "" || strings.Count(text, "agents keep theirs") != 1 || strings.Count(text, "can be used again") != 1 {
		t.Errorf("%q\n%s", away, text)
	}
}

// A store that cannot note a use, or refuses one file, does not have agents wait with all others.
func TestObjectStoreRefuses(t *testing.T) {
	c := sky(t)
	data, id := sample(t, "-g")
	_, p := serve(t, t.TempDir(), Options{Bucket: c.Bucket})
	if err := p.sent(id, "full-x", data); err != nil {
		t.Fatal(err)
	}
	c.at(time.Now().Add(-3 * touchAfter)) // the file was put then
	if err := c.Touch(t.Context(), bucket.Object{ID: id}); err != nil {
		t.Fatal(err)
	}
	c.refuses = func(r *http.Request) int {
		if r.Header.Get("X-Amz-Copy-Source") != "" {
			return http.StatusForbidden
		}
		return 0
	}
	if _, err := p.initiate(id, "full-x", len(data)); status.Code(err) == codes.Unavailable {
		t.Errorf("a use that cannot be noted: %v", err)
	}
	c.refuses = func(r *http.Request) int {
		if r.Method == http.MethodPut {
			return http.StatusRequestEntityTooLarge
		}
		return 0
	}
	other, name := sample(t, "-g", "-O1")
	u, err := p.initiate(name, "full-x", len(other))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.upload(name, u, other); status.Code(err) != codes.ResourceExhausted || strings.Contains(err.Error(), c.url) {
		t.Errorf("a file that is too large for the store: %v", err)
	}
}

// What could not be fetched while the store was away is told again when it is back.
func TestMissedFilesAreToldAgain(t *testing.T) {
	c := sky(t)
	data, id := sample(t, "-g")
	first, p := serve(t, t.TempDir(), Options{Bucket: c.Bucket})
	if err := p.sent(id, "full-x", data); err != nil {
		t.Fatal(err)
	}
	_ = first
	var n news
	s, _ := serve(t, t.TempDir(), Options{Bucket: c.Bucket, Arrived: n.add})
	if err := s.Look(t.Context()); err != nil || len(n.take()) != 1 {
		t.Fatalf("%v", err)
	}
	c.away.Store(true)
	if s.Bring(t.Context(), id) {
		t.Fatal("brought from a store that is away")
	}
	c.away.Store(false)
	for i, want := range []int{1, 0} {
		if err := s.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := n.take(); len(got) != want {
			t.Errorf("look %d: told of %v", i, got)
		}
	}
}

// The directory is a cache: at its bound files go, and come back when they are needed. What is
// in the bucket is checked as what an agent sends.
func TestDirectoryIsACache(t *testing.T) {
	c := sky(t)
	data, id := sample(t, "-g")
	dir := t.TempDir()
	s, p := serve(t, dir, Options{Bucket: c.Bucket, MaxTotal: int64(len(data)) + 100})
	if err := p.sent(id, "full-x", data); err != nil {
		t.Fatal(err)
	}
	other, otherID := sample(t, "-g", "-DX", "-Wl,--build-id=0x0123456789abcdef")
	if err := p.sent(otherID, "full-x", other); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, dir); len(got) != 1 || !strings.Contains(got[0], otherID[2:]) {
		t.Errorf("%v", got)
	}
	if len(c.has(t)) != 2 || !s.Bring(t.Context(), id) {
		t.Error("it did not come back")
	}
	if got := kept(t, dir); len(got) != 1 || !strings.Contains(got[0], id[2:]) {
		t.Errorf("%v", got)
	}
	for i, wrong := range [][]byte{data, []byte("x")} {
		wrongID := fmt.Sprintf("00%02d", i)
		if err := c.Put(t.Context(), wrongID, "full", bytes.NewReader(wrong), int64(len(wrong))); err != nil {
			t.Fatal(err)
		}
		if s.Bring(t.Context(), wrongID) {
			t.Errorf("%d: another one's file", i)
		}
	}
	if _, there, err := c.Stat(t.Context(), "0000"); err != nil || !there {
		t.Error("it was removed from the bucket")
	}
}

// What nobody used for a week goes from the bucket where nothing is kept of the binary; a
// question of an agent is a use.
func TestFilesOfTheBucketGo(t *testing.T) {
	c := sky(t)
	long := time.Now()
	c.at(long.Add(-8 * 24 * time.Hour))
	put := func(id string) {
		t.Helper()
		if err := c.Put(t.Context(), id, "full", strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	put("aa00")
	put("aa01")
	put("aa02")
	c.at(long)
	put("aa03")
	s, p := serve(t, t.TempDir(), Options{Bucket: c.Bucket, InUse: func(id string) bool { return id == "aa00" }})
	if wanted, _ := p.should("aa02", "full-x"); wanted {
		t.Error("it is there")
	}
	if o, _, err := c.Stat(t.Context(), "aa02"); err != nil || o.Used.Before(long.Add(-12*time.Hour)) || o.Grade != "full" {
		t.Errorf("%+v, %v", o, err)
	}
	if err := s.ForgetShared(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.has(t); !slices.Equal(got, []string{"aa00", "aa02", "aa03"}) {
		t.Errorf("%v are left", got)
	}
	if _, gone := s.Bound(); gone != 1 {
		t.Errorf("%d went", gone)
	}
}

// Of two databases with one prefix the second is refused, also after the first has ended: it
// would remove what the first one keeps.
func TestPrefixIsOfOneDatabase(t *testing.T) {
	c := sky(t)
	open := func(marks ...string) *bucket.Bucket {
		t.Helper()
		b, err := bucket.Open("s3://debug/fleet?region=us-east-1&endpoint=" + c.url)
		if err != nil {
			t.Fatal(err)
		}
		b.OwnedBy(func(context.Context) ([]string, error) { return marks, nil })
		return b
	}
	if err := errors.Join(open("one").Claim(t.Context()), open("one").Claim(t.Context()), open("fresh", "one").Claim(t.Context())); err != nil {
		t.Fatal(err)
	}
	other := open("two")
	err := other.Claim(t.Context())
	if !errors.Is(err, bucket.ErrOwned) || !strings.Contains(err.Error(), `"one"`) || !strings.Contains(err.Error(), "fleet/whyhot-owner") {
		t.Error(err)
	}
	shop := other.In("shop")
	if err := shop.Put(t.Context(), "abcdef", "x", strings.NewReader("x"), 1); !errors.Is(err, bucket.ErrAway) {
		t.Errorf("a file is kept: %v", err)
	}
	if err := shop.Remove(t.Context(), "abcdef"); !errors.Is(err, bucket.ErrOwned) {
		t.Errorf("a file is removed: %v", err)
	}
	if err := shop.List(t.Context(), func(bucket.Object) bool { return true }); !errors.Is(err, bucket.ErrOwned) {
		t.Errorf("files are listed: %v", err)
	}
	// Whose it is cannot be known while the store, or the list of marks, is away.
	c.away.Store(true)
	if err := open("one").Claim(t.Context()); !errors.Is(err, bucket.ErrAway) || errors.Is(err, bucket.ErrOwned) {
		t.Error(err)
	}
}

// Of servers of one database that start at once, one puts its mark there before another one has
// seen it in the list.
func TestMarkOfAServerThatStartsAtOnce(t *testing.T) {
	c := sky(t)
	open := func(marks func(context.Context) ([]string, error)) *bucket.Bucket {
		t.Helper()
		b, err := bucket.Open("s3://debug/fleet?region=us-east-1&endpoint=" + c.url)
		if err != nil {
			t.Fatal(err)
		}
		b.OwnedBy(marks)
		return b
	}
	list, first := []string{"two"}, true
	second := open(func(context.Context) ([]string, error) {
		if first {
			first = false
			err := open(func(context.Context) ([]string, error) { return []string{"one"}, nil }).Claim(t.Context())
			return slices.Clone(list), errors.Join(err, nil)
		}
		return append(list, "one"), nil
	})
	if err := second.Claim(t.Context()); err != nil {
		t.Error(err)
	}
}

// A server whose prefix was given to another database removes nothing of it.
func TestNothingIsRemovedOfAnotherDatabase(t *testing.T) {
	c := sky(t)
	c.at(time.Now().Add(-8 * 24 * time.Hour))
	if err := c.Put(t.Context(), "aa00", "full", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	open := func(mark string) *bucket.Bucket {
		t.Helper()
		b, err := bucket.Open("s3://debug/fleet?region=us-east-1&endpoint=" + c.url)
		if err != nil {
			t.Fatal(err)
		}
		b.OwnedBy(func(context.Context) ([]string, error) { return []string{mark}, nil })
		return b
	}
	first := open("one")
	s, _ := serve(t, t.TempDir(), Options{Bucket: first.In("shop"), InUse: func(string) bool { return false }})
	if err := first.Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.removeMark(t)
	if err := s.ForgetShared(t.Context()); !errors.Is(err, bucket.ErrAway) {
		t.Errorf("without a mark: %v", err)
	}
	if err := open("two").Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.ForgetShared(t.Context()); !errors.Is(err, bucket.ErrOwned) {
		t.Errorf("with the mark of another one: %v", err)
	}
	if got := c.has(t); !slices.Equal(got, []string{"aa00"}) {
		t.Errorf("%v are left", got)
	}
}

// A bucket that cannot be used is asked once, and not for each of many binaries.
func TestAwayBucketIsAskedOnce(t *testing.T) {
	c := sky(t)
	var asked atomic.Int64
	c.refuses = func(*http.Request) int { asked.Add(1); return http.StatusForbidden }
	s, _ := serve(t, t.TempDir(), Options{Bucket: c.Bucket})
	for i := range 50 {
		if s.Bring(t.Context(), fmt.Sprintf("abcdef%02d", i)) {
			t.Error("it was fetched")
		}
	}
	if n := asked.Load(); n == 0 || n > 3 {
		t.Errorf("the bucket was asked %d times", n)
	}
}

// At the start most of what is there has been looked up before.
func TestFirstLookFetchesWhatHasNoNames(t *testing.T) {
	c := sky(t)
	c.at(time.Now().Add(-time.Hour))
	for _, id := range []string{"aaaa01", "aaaa02"} {
		if err := c.Put(t.Context(), id, "x", strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	c.at(time.Now())
	if err := c.Put(t.Context(), "aaaa03", "x", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	var told news
	s, _ := serve(t, t.TempDir(), Options{
		Bucket: c.Bucket, Arrived: told.add, InUse: func(string) bool { return true },
		Unnamed: func() map[string]bool { return map[string]bool{"aaaa02": true} },
	})
	if err := s.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := told.take()
	slices.Sort(got)
	if !slices.Equal(got, []string{"aaaa02", "aaaa03"}) { // the last one came lately
		t.Errorf("told of %v", got)
	}
	if err := c.Put(t.Context(), "aaaa01", "x", strings.NewReader("xy"), 2); err != nil {
		t.Fatal(err)
	}
	if err := s.Look(t.Context()); err != nil || !slices.Equal(told.take(), []string{"aaaa01"}) {
		t.Errorf("a file that was replaced: %v", err)
	}
}
