package rootfs

import (
	"io"
	"io/fs"
	"os"
	"time"
)

type info struct{ *node }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.dir() }
func (i info) Sys() any           { return nil }

// openFile is an open regular file, which may also be read at any place.
type openFile struct {
	*io.SectionReader

	node *node
}

func newOpenFile(n *node, spool *os.File) *openFile {
	return &openFile{io.NewSectionReader(spool, n.at, n.size), n}
}

func (o *openFile) Stat() (fs.FileInfo, error) { return info{o.node}, nil }
func (o *openFile) Close() error               { return nil }

// openDir is an open directory.
type openDir struct {
	node *node
	rest []fs.DirEntry // nil before the first call
}

func (o *openDir) Stat() (fs.FileInfo, error) { return info{o.node}, nil }
func (o *openDir) Close() error               { return nil }
func (o *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.node.name, Err: fs.ErrInvalid}
}

// ReadDir is that of fs.ReadDirFile.
func (o *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if o.rest == nil {
		o.rest = o.node.list()
	}
	if n > 0 && len(o.rest) == 0 {
		return nil, io.EOF
	}
	if n <= 0 {
		n = len(o.rest)
	}
	next := o.rest[:min(n, len(o.rest))]
	o.rest = o.rest[len(next):]
	return next, nil
}
