package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"syscall"

	"whyhot/internal/host/environ"
	"whyhot/internal/trial/digest"
)

// spoolLimit bounds how much of a reference output is kept on disk. Beyond it,
// outputs are still compared by hash, but the place of a difference is unknown.
const spoolLimit = 256 << 20

// reference is the first output of its name, kept in a file so that later ones
// can be told where they differ.
type reference struct {
	file   *os.File
	size   int64
	whole  bool
	digest *digest.Digest // nil until it is asked for
}

// digested reads the reference, once.
func (r *reference) digested() (*digest.Digest, error) {
	if r.digest == nil {
		d, err := digestOf(io.NewSectionReader(r.file, 0, r.size), r.size)
		if err != nil {
			return nil, err
		}
		r.digest = d
	}
	return r.digest, nil
}

// recorder hashes a stream and either fills the reference or compares with it.
// What is not as in the reference is kept from there on, up to a limit.
type recorder struct {
	name   string
	hash   hash.Hash
	length int64
	ref    *reference
	fill   bool
	differ int64
	rest   []byte
	limit  int64
	buf    []byte
	err    error
}

func newRecorder(name string, ref *reference, fill, digests bool) *recorder {
	r := &recorder{name: name, hash: sha256.New(), ref: ref, fill: fill, differ: -1, limit: excerptSize}
	if digests {
		r.limit = digestLimit
	}
	return r
}

// Write never fails, so that the command never sees a broken pipe; the first
// error is kept for output.
func (r *recorder) Write(p []byte) (int, error) {
	r.hash.Write(p)
	switch {
	case r.err != nil || r.ref == nil:
	case r.fill:
		r.err = r.ref.append(p)
	case r.differ < 0:
		r.compare(p)
	default:
		r.keep(p)
	}
	r.length += int64(len(p))
	return len(p), nil //nolint:nilerr // see above
}

// keep takes what the limit has room for: a digest reads so much from the
// beginning of the output, an excerpt from the difference.
func (r *recorder) keep(p []byte) {
	room := max(r.limit-r.differ, excerptSize) - int64(len(r.rest))
	r.rest = append(r.rest, p[:max(0, min(int64(len(p)), room))]...)
}

func (r *reference) append(p []byte) error {
	if !r.whole || r.size+int64(len(p)) > spoolLimit {
		r.whole = false
		return nil
	}
	n, err := r.file.Write(p)
	r.size += int64(n)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		r.whole = false // hashes still compare; only where a difference is stays unknown
		return nil
	}
	if err != nil {
		return fmt.Errorf("keeping the output to compare with: %w", err)
	}
	return nil
}

func (r *recorder) compare(p []byte) {
	if cap(r.buf) < len(p) {
		r.buf = make([]byte, len(p))
	}
	want := r.buf[:len(p)]
	n, err := r.ref.file.ReadAt(want, r.length)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = fmt.Errorf("reading the output to compare with: %w", err)
		return
	}
	if n == len(p) && bytes.Equal(p, want) {
		return
	}
	i := 0
	for i < n && p[i] == want[i] {
		i++
	}
	if i < n || r.ref.whole {
		r.differ = r.length + int64(i)
		r.keep(p[i:])
	}
}

func (r *recorder) output() Output {
	o := Output{
		Name: r.name, Length: r.length, SHA256: hex.EncodeToString(r.hash.Sum(nil)),
		Written: true, FirstDifference: r.differ,
	}
	if o.FirstDifference < 0 && r.ref != nil && !r.fill && r.ref.whole && r.length < r.ref.size {
		o.FirstDifference = r.length
	}
	if o.FirstDifference >= 0 && r.err == nil {
		r.err = r.describe(&o)
	}
	return o
}

// describe says how an output differs from the reference.
func (r *recorder) describe(o *Output) (err error) {
	if r.ref.whole {
		if o.Lines, err = excerpts(r.ref, o.FirstDifference, r.rest); err != nil {
			return err
		}
	}
	if r.limit < digestLimit {
		return nil
	}
	same := io.NewSectionReader(r.ref.file, 0, min(o.FirstDifference, r.ref.size))
	if o.Digest, err = digestOf(io.MultiReader(same, bytes.NewReader(r.rest)), r.length); err != nil {
		return err
	}
	o.Reference, err = r.ref.digested()
	return err
}

// digestLimit is how much of an output is looked at where it varies. What is
// behind counts by its size only.
const digestLimit = 4 << 20

// digestOf reads the beginning of an output of this size.
func digestOf(r io.Reader, size int64) (*digest.Digest, error) {
	d, err := digest.New(io.LimitReader(r, digestLimit))
	if err != nil {
		return nil, fmt.Errorf("reading the output to compare: %w", err)
	}
	if size > digestLimit {
		d.Bytes = size
	}
	return d, nil
}

// references keeps the first output of every name.
type references struct {
	byName map[string]*reference
}

// recorder returns the recorder of a name: the first one fills the reference.
func (rs *references) recorder(name string, digests bool) (*recorder, error) {
	if ref, ok := rs.byName[name]; ok {
		return newRecorder(name, ref, false, digests), nil
	}
	f, err := unnamed()
	if err != nil {
		return nil, fmt.Errorf("keeping the output to compare with: %w", err)
	}
	ref := &reference{file: f, whole: true}
	rs.byName[name] = ref
	return newRecorder(name, ref, true, digests), nil
}

func (rs *references) close() {
	for _, r := range rs.byName {
		_ = r.file.Close() // its content goes with it
	}
}

// stamp tells whether a file was written between two looks.
type stamp struct {
	exists bool
	info   os.FileInfo
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	return stamp{exists: err == nil, info: info}
}

func (s stamp) changed(now stamp) bool {
	if s.exists != now.exists {
		return true
	}
	return s.exists && (!os.SameFile(s.info, now.info) || s.info.Size() != now.info.Size() ||
		!s.info.ModTime().Equal(now.info.ModTime()))
}

// recordFile fingerprints one output file after a run.
func (rs *references) recordFile(spec Spec, name string, before stamp) (Output, error) {
	path := spec.outside(environ.From(spec.Dir, name))
	missing := Output{Name: name, FirstDifference: -1}
	if !before.changed(stampOf(path)) {
		return missing, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return missing, nil
	}
	if err != nil {
		return missing, fmt.Errorf("reading output file: %w", err)
	}
	defer func() { _ = f.Close() }()
	rec, err := rs.recorder(name, spec.Digests)
	if err != nil {
		return missing, err
	}
	compared, flush := filtered(spec, name, rec)
	if _, err := io.Copy(compared, f); err != nil {
		return missing, fmt.Errorf("reading output file %s: %w", name, err)
	}
	flush()
	o := rec.output()
	return o, rec.err
}
