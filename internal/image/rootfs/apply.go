package rootfs

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// The names by which a layer deletes, from the OCI image specification ("Whiteouts").
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// Apply puts a layer on top. Its number is the caller's; touched is called with the
// name of everything that the layer brings or deletes.
func (f *FS) Apply(layer int, r io.Reader, touched func(name string)) error {
	counted := &counter{r: r, left: f.limits.Layer}
	a := applying{f: f, layer: layer, touched: touched, fresh: map[*node]bool{}}
	t := tar.NewReader(counted)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("after %q: %w", a.last, err)
		}
		a.last = h.Name
		if err := a.entry(h, t); err != nil {
			return fmt.Errorf("%q: %w", h.Name, err)
		}
	}
	// What follows the end of the archive counts for the layer's digest.
	_, err := io.Copy(io.Discard, counted)
	return err
}

// counter ends a layer that is larger than the limit.
type counter struct {
	r    io.Reader
	left int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, fmt.Errorf("%w: the limit of a layer is reached", ErrTooLarge)
	}
	return n, err
}

// applying is one layer on its way.
type applying struct {
	f       *FS
	layer   int
	last    string
	touched func(string)
	// fresh are the directories' entries that this layer brought: what it deletes is
	// of the layers below, wherever in the archive the deletion stands.
	fresh map[*node]bool
}

// entry takes one entry. A name that leads out of the tree is what path.Clean makes of
// it below the root: "../../etc/passwd" is etc/passwd.
func (a *applying) entry(h *tar.Header, r io.Reader) error {
	name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
	if name == "" {
		return nil // the root itself
	}
	if len(name) > maxName {
		return fmt.Errorf("the name has %d bytes, and Linux takes %d at most", len(name), maxName)
	}
	dir, base := path.Split(name)
	switch {
	case base == opaque:
		a.clear(strings.TrimSuffix(dir, "/"))
		return nil
	case strings.HasPrefix(base, whiteout):
		a.remove(dir + strings.TrimPrefix(base, whiteout))
		return nil
	}
	// The kind is what the header's own field says: a layer may name another one in the
	// bits of the mode, and what is a directory and a link at once is neither.
	n := &node{name: base, layer: a.layer, at: -1, mode: h.FileInfo().Mode() &^ fs.ModeType}
	switch h.Typeflag {
	case tar.TypeDir:
		n.mode |= fs.ModeDir
		n.children = map[string]*node{}
	case tar.TypeReg:
		n.size = h.Size
		if err := a.keep(name, n, r); err != nil {
			return err
		}
	case tar.TypeSymlink:
		n.mode |= fs.ModeSymlink
		n.link = h.Linkname
	case tar.TypeLink:
		// A hard link names its target from the root of the layer.
		old := a.f.at(strings.TrimPrefix(path.Clean("/"+h.Linkname), "/"))
		if old == nil || old.dir() {
			return nil // as tar does where it cannot link: the rest is still of use
		}
		linked := *old
		n = &linked
		n.name, n.layer = base, a.layer
	default:
		return nil // devices, FIFOs: nobody reads them
	}
	return a.put(strings.TrimSuffix(dir, "/"), n)
}

// keep stores the contents of a file that is wanted.
func (a *applying) keep(name string, n *node, r io.Reader) error {
	f := a.f
	if n.size > f.limits.File || !f.Keep(name, n.mode, n.size) {
		return nil
	}
	if f.kept+n.size > f.limits.Kept {
		return fmt.Errorf("%w: more than %d GB of files to read", ErrTooLarge, f.limits.Kept>>30)
	}
	if _, err := f.spool.Seek(f.kept, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.CopyN(f.spool, r, n.size); err != nil {
		return err
	}
	n.at = f.kept
	f.kept += n.size
	return nil
}

// at is the node of a name, by which no symbolic link is followed.
func (f *FS) at(name string) *node {
	n := f.root
	for word := range strings.SplitSeq(name, "/") {
		if n = n.children[word]; n == nil {
			return nil
		}
	}
	return n
}

// maxName is PATH_MAX.
const maxName = 4096

// put enters a node into a directory, which is made where it is missing. A symbolic
// link on the way is followed inside the tree, as containerd does; one that leads to no
// directory gives way.
func (a *applying) put(dir string, n *node) error {
	f := a.f
	parent := f.root
	if dir != "" {
		for i, word := range strings.Split(dir, "/") {
			next := parent.children[word]
			if next != nil && next.mode&fs.ModeSymlink != 0 {
				next, _, _ = f.find(strings.Join(strings.Split(dir, "/")[:i+1], "/")) // nil where it leads nowhere
			}
			if next == nil || !next.dir() {
				next = &node{name: word, mode: fs.ModeDir | 0o755, at: -1, layer: a.layer, children: map[string]*node{}}
				if err := f.add(parent, next); err != nil {
					return err
				}
				a.fresh[next] = true
			}
			parent = next
		}
	}
	if old := parent.children[n.name]; old != nil && old.dir() && n.dir() {
		old.mode = n.mode // what is in it stays
		a.fresh[old] = true
		return nil
	}
	a.fresh[n] = true
	a.touch(path.Join(dir, n.name))
	return f.add(parent, n)
}

func (f *FS) add(parent, n *node) error {
	if old := parent.children[n.name]; old != nil {
		f.entries -= old.count()
	}
	if f.entries += n.count(); f.entries > f.limits.Entries {
		return f.tooMany()
	}
	parent.children[n.name] = n
	return nil
}

func (n *node) count() int {
	sum := 1
	for _, c := range n.children {
		sum += c.count()
	}
	return sum
}

func (a *applying) touch(name string) {
	if a.touched != nil {
		a.touched(name)
	}
}

// remove deletes a name that the layers below brought.
func (a *applying) remove(name string) {
	dir, base := path.Split(name)
	parent := a.f.root
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		parent = a.f.at(dir)
	}
	if parent == nil || parent.children[base] == nil {
		return
	}
	a.drop(parent, name, base)
}

// clear deletes what the layers below have in a directory.
func (a *applying) clear(dir string) {
	n := a.f.root
	if dir != "" {
		n = a.f.at(dir)
	}
	if n == nil {
		return
	}
	for base := range n.children {
		a.drop(n, path.Join(dir, base), base)
	}
}

// drop deletes one entry, but for what this layer brought below it.
func (a *applying) drop(parent *node, name, base string) {
	n := parent.children[base]
	if a.fresh[n] {
		for c := range n.children {
			a.drop(n, path.Join(name, c), c)
		}
		return
	}
	a.f.entries -= n.count()
	delete(parent.children, base)
	a.touch(name)
	a.walk(name, n)
}

func (a *applying) walk(name string, n *node) {
	for base, c := range n.children {
		below := path.Join(name, base)
		a.touch(below)
		a.walk(below, c)
	}
}
