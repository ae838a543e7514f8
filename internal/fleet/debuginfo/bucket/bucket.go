// Package bucket keeps debug information in an object store, by the S3 API, for several servers.
//
// It owns the names and metadata of the objects, and the client. It takes a URL and files by
// build ID, and gives them back. It must never judge what is in a file, nor whether one is
// wanted: internal/fleet/debuginfo/store does.
//
// An object is PREFIX/PROJECT/ab/cdef….debug, as below .build-id. It is written by one request,
// so that it is there as a whole or not at all, and nothing is left of one that broke off. How
// much it names is in its metadata, so that nobody reads it to know. The time of its last change
// is that of its last use, give or take a day: Touch sets it.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// ErrAway says that the object store did not answer, or not with what was asked for.
var ErrAway = errors.New("the object store for debug information cannot be used now")

// ErrRefused says that the object store refuses one file, whenever it is asked.
var ErrRefused = errors.New("the object store refuses the file")

const (
	suffix    = ".debug"
	gradeMeta = "Whyhot-Grade"
	// Bounds of one request. A file is given as long as its size needs at leastRate.
	dialTime   = 5 * time.Second
	answerTime = 30 * time.Second
	askTime    = 15 * time.Second
	leastRate  = 256 << 10 // bytes a second
	attempts   = 3
	// stallTime is how long a file may not grow while it is read.
	stallTime = 10 * time.Second
)

// Bucket is a part of a bucket. Several goroutines may use it.
type Bucket struct {
	client *minio.Client
	name   string
	prefix string // "" or ending with a slash
	owner  *owner // nil for anybody
	stall  time.Duration
}

// Object is one that is there.
type Object struct {
	ID    string // the build ID
	Size  int64
	Grade string    // as Put was given; List leaves it out
	Used  time.Time // about
}

var (
	bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixName = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
)

// Open reads s3://BUCKET/PREFIX?endpoint=URL&region=NAME. Nothing is asked yet: the store may be
// away. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the file of the AWS
// tools, or the role of the machine or pod.
func Open(text string) (*Bucket, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it cannot be read: must be s3://BUCKET/PREFIX?endpoint=URL&region=NAME")
	}
	prefix := strings.Trim(u.Path, "/")
	switch {
	case u.Scheme != "s3" || u.Host == "" || u.Fragment != "":
		return nil, fmt.Errorf("%q: must be s3://BUCKET/PREFIX?endpoint=URL&region=NAME", u.Redacted())
	case u.User != nil:
		return nil, errors.New("keys do not belong into the URL, which others see: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case !bucketName.MatchString(u.Host):
		return nil, fmt.Errorf("%q is no name of a bucket", u.Host)
	case prefix != "" && (!prefixName.MatchString(prefix) || strings.Contains(prefix, "..")):
		return nil, fmt.Errorf("prefix %q: must be letters, digits, '.', '_' and '-', in parts separated by slashes", prefix)
	}
	values := u.Query()
	for name := range values {
		if name != "endpoint" && name != "region" || len(values[name]) > 1 {
			return nil, fmt.Errorf("parameter %q: there are endpoint and region, once each", name)
		}
	}
	endpoint := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	if at := values.Get("endpoint"); at != "" {
		endpoint, err = url.Parse(at)
		if err != nil || endpoint.Scheme != "https" && endpoint.Scheme != "http" || endpoint.Hostname() == "" || endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" || endpoint.RawQuery != "" {
			return nil, fmt.Errorf("endpoint %q: must be https://HOST or http://HOST:PORT", at)
		}
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: dialTime}},
		}),
		Secure: endpoint.Scheme == "https", Region: values.Get("region"), MaxRetries: attempts,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime,
			ResponseHeaderTimeout: answerTime, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 16, DisableCompression: true,
		},
	})
	if err != nil {
		return nil, err
	}
	b := &Bucket{client: client, name: u.Host, stall: stallTime}
	if prefix != "" {
		b.prefix = prefix + "/"
	}
	return b, nil
}

// In is the part of a project.
func (b *Bucket) In(project string) *Bucket {
	return &Bucket{client: b.client, name: b.name, prefix: b.prefix + project + "/", owner: b.owner, stall: b.stall}
}

func (b *Bucket) key(id string) string { return b.prefix + id[:2] + "/" + id[2:] + suffix }

// idOf gives the build ID of a key, "" for an object of others.
func (b *Bucket) idOf(key string) string {
	rest, ok := strings.CutPrefix(key, b.prefix)
	first, last, two := strings.Cut(rest, "/")
	last, ours := strings.CutSuffix(last, suffix)
	id := first + last
	if !ok || !two || !ours || len(first) != 2 || last == "" || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// away words an error of the store. What it refuses of one file for good is no reason to wait
// for the store: the file is too large for it, or the request is not one that it knows.
func away(what string, err error) error {
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge:
		return fmt.Errorf("%w: %s: %w", ErrRefused, what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrAway, what, err)
}

// missing tells an object that is not there from a store that does not answer. A bucket that is
// not there is a mistake of who named it, and not a file that is missing.
func missing(err error) bool { return minio.ToErrorResponse(err).Code == minio.NoSuchKey }

// Stat says what is there for a build ID; false for nothing.
func (b *Bucket) Stat(ctx context.Context, id string) (Object, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return Object{}, false, err
	}
	info, err := b.client.StatObject(ctx, b.name, b.key(id), minio.StatObjectOptions{})
	switch {
	case err != nil && missing(err):
		return Object{}, false, nil
	case err != nil:
		return Object{}, false, away("asking for "+id, err)
	}
	return Object{ID: id, Size: info.Size, Grade: info.UserMetadata[gradeMeta], Used: info.LastModified}, true, nil
}

// Put keeps a file. It replaces the one that is there.
func (b *Bucket) Put(ctx context.Context, id, grade string, file io.ReaderAt, size int64) error {
	ctx, cancel := context.WithTimeout(ctx, timeFor(size))
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return err
	}
	_, err := b.client.PutObject(ctx, b.name, b.key(id), io.NewSectionReader(file, 0, size), size, minio.PutObjectOptions{
		UserMetadata: map[string]string{gradeMeta: grade}, ContentType: "application/octet-stream",
		DisableMultipart: true, // its parts would be left when it breaks off
	})
	if err != nil {
		return away("keeping "+id, err)
	}
	return nil
}

// Get writes the file of a build ID; false where there is none. It fails where the file is larger
// than most.
func (b *Bucket) Get(ctx context.Context, id string, to io.Writer, most int64) (size int64, there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeFor(most))
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return 0, false, err
	}
	object, err := b.client.GetObject(ctx, b.name, b.key(id), minio.GetObjectOptions{})
	if err != nil {
		return 0, false, away("reading "+id, err)
	}
	defer func() { _ = object.Close() }() // only read from
	var silent atomic.Bool
	stalled := time.AfterFunc(b.stall, func() { silent.Store(true); cancel() })
	defer stalled.Stop()
	size, err = io.Copy(&progress{to, stalled, b.stall}, io.LimitReader(object, most+1))
	switch {
	case err != nil && missing(err):
		return 0, false, nil
	case err != nil && silent.Load(): // and not that somebody gave up
		return 0, false, fmt.Errorf("%w: reading %s: nothing came for %s", ErrAway, id, b.stall)
	case err != nil:
		return 0, false, away("reading "+id, err)
	case size > most:
		return 0, false, fmt.Errorf("the debug information of %s has more than %d bytes", id, most)
	}
	return size, true, nil
}

// progress puts off the end of a request while something comes.
type progress struct {
	io.Writer

	end   *time.Timer
	stall time.Duration
}

func (p *progress) Write(data []byte) (int, error) {
	p.end.Reset(p.stall)
	return p.Writer.Write(data)
}

func timeFor(size int64) time.Duration {
	return askTime + time.Duration(size/leastRate)*time.Second
}

// Touch has the file of a build ID be used now.
func (b *Bucket) Touch(ctx context.Context, o Object) error {
	ctx, cancel := context.WithTimeout(ctx, timeFor(o.Size)) // some stores copy the bytes
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return err
	}
	_, err := b.client.CopyObject(ctx, minio.CopyDestOptions{
		Bucket: b.name, Object: b.key(o.ID), ReplaceMetadata: true, UserMetadata: map[string]string{gradeMeta: o.Grade},
	}, minio.CopySrcOptions{Bucket: b.name, Object: b.key(o.ID)})
	if err != nil {
		return away("noting the use of "+o.ID, err)
	}
	return nil
}

// List gives all files to each, until that says false.
func (b *Bucket) List(ctx context.Context, each func(Object) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return err
	}
	for info := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
		if info.Err != nil {
			return away("listing", info.Err)
		}
		if id := b.idOf(info.Key); id != "" && !each(Object{ID: id, Size: info.Size, Used: info.LastModified}) {
			return nil
		}
	}
	return ctx.Err()
}

// Remove removes the file of a build ID.
func (b *Bucket) Remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := b.Claim(ctx); err != nil {
		return err
	}
	if err := b.client.RemoveObject(ctx, b.name, b.key(id), minio.RemoveObjectOptions{}); err != nil {
		return away("removing "+id, err)
	}
	return nil
}

// Clear removes all files, as of a project that is deleted, and says how many there were.
func (b *Bucket) Clear(ctx context.Context) (removed int, err error) {
	if err := b.StillOwned(ctx); err != nil {
		return 0, err
	}
	var ids []string
	if err := b.List(ctx, func(o Object) bool { ids = append(ids, o.ID); return true }); err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := b.Remove(ctx, id); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
