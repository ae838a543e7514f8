// Package image says what is in a container image: its layers, the packages that are
// installed in it, and who owns the files that a profile names.
//
// It is the door of its rooms: locate finds the image, rootfs puts its layers on top of
// each other, packages and owners read what lies in them. It takes a question and gives
// an inventory. It must know nothing of profiles and of the catalogue; whyhot-images,
// the only program that imports it, is what whyhot asks.
package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"whyhot/internal/image/inventory"
	"whyhot/internal/image/locate"
	"whyhot/internal/image/owners"
	"whyhot/internal/image/packages"
	"whyhot/internal/image/rootfs"
)

// Read answers a question. Doing is told what is done now; it may be nil.
func Read(ctx context.Context, q inventory.Question, doing func(string)) (inventory.Inventory, error) {
	if doing == nil {
		doing = func(string) {}
	}
	finder, err := packages.New()
	if err != nil {
		return inventory.Inventory{}, err
	}
	doing("looking for " + q.Image)
	found, err := locate.Find(ctx, q)
	if err != nil {
		return inventory.Inventory{}, err
	}
	defer func() { _ = found.Close() }() // only read from
	r := reading{ctx: ctx, q: q, finder: finder, doing: doing, asked: askedFor(q.Files)}
	r.out = inventory.Inventory{Version: inventory.Version, Image: q.Image, Kind: found.Kind, Digest: found.Digest, Platform: found.Platform}
	if found.Root != "" {
		err = r.directory(found.Root)
	} else {
		err = r.layers(found.Layers)
	}
	return r.out, err
}

// reading is one question on its way.
type reading struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the question
	q      inventory.Question
	finder *packages.Finder
	doing  func(string)
	asked  map[string]bool // base names of the files asked for
	out    inventory.Inventory
}

// files is what every image gives.
type files interface {
	packages.FS
	// Real is a name without the symbolic links on its way.
	Real(name string) (string, error)
	// Layer is the number of the layer that brought a name.
	Layer(name string) int
}

func (r *reading) layers(layers []locate.Layer) error {
	tree, err := rootfs.New(rootfs.DefaultLimits(), r.keep)
	if err != nil {
		return err
	}
	defer func() { _ = tree.Close() }() // its temporary file is gone with it
	since := map[inventory.Package]int{}
	for i, l := range layers {
		number := i + 1
		r.doing(fmt.Sprintf("layer %d of %d", number, len(layers)))
		changed, err := r.apply(tree, number, l)
		if err != nil {
			return fmt.Errorf("layer %d of %d (%s): %w", number, len(layers), l.DiffID, err)
		}
		r.out.Layers = append(r.out.Layers, inventory.Layer{Digest: l.DiffID, Command: l.Command})
		if !changed {
			continue
		}
		// The data base of a distribution is one file for all packages: a package is of
		// the layer after which the data base has it.
		now, _, err := r.finder.FindSystem(r.ctx, tree)
		if err != nil {
			return err
		}
		since = first(since, now, number)
	}
	return r.read(tree, since)
}

// apply puts one layer on top, and says whether it changes what a distribution has
// installed.
func (r *reading) apply(tree *rootfs.FS, number int, l locate.Layer) (changed bool, err error) {
	stream, err := l.Open()
	if err != nil {
		return false, err
	}
	err = tree.Apply(number, cancelled{r.ctx, stream}, func(name string) { changed = changed || r.finder.Databases(name) })
	return changed, errors.Join(err, stream.Close())
}

// cancelled ends a stream with its context.
type cancelled struct {
	ctx context.Context //nolint:containedctx // a reader has no other way to be told
	io.Reader
}

func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

// first keeps since when packages have been there.
func first(since map[inventory.Package]int, now []inventory.Package, layer int) map[inventory.Package]int {
	out := make(map[inventory.Package]int, len(now))
	for _, p := range now {
		out[p] = layer
		if earlier, ok := since[p]; ok {
			out[p] = earlier
		}
	}
	return out
}

// read finds packages and owners in a whole file system.
func (r *reading) read(fsys files, since map[inventory.Package]int) error {
	r.doing("looking for packages")
	r.out.System = packages.System(fsys)
	found, notes, err := r.finder.Find(r.ctx, fsys, r.doing)
	if err != nil {
		return err
	}
	for i, p := range found {
		layer, ok := since[p]
		if !ok {
			layer = fsys.Layer(strings.TrimPrefix(p.Path, "/"))
		}
		found[i].Layer = layer
	}
	r.out.Packages = found
	r.out.Notes = notes
	return r.owners(fsys)
}

// keep says of which files of a layer the contents are wanted.
func (r *reading) keep(name string, mode fs.FileMode, size int64) bool {
	return r.asked[base(name)] || owners.Wants(name) || r.finder.Wants(name, mode, size)
}

func askedFor(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[base(n)] = true
	}
	return out
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// owners answers for the files that were asked for.
func (r *reading) owners(fsys files) error {
	r.out.Files = map[string]inventory.File{}
	inImage := map[string]string{} // asked for → absolute name in the image
	for _, asked := range r.q.Files {
		name, ok := inside(fsys, asked, r.q.Image)
		if ok {
			inImage[asked] = "/" + name
		}
	}
	names := make([]string, 0, len(inImage))
	for _, n := range inImage {
		names = append(names, n)
	}
	slices.Sort(names)
	owned, err := owners.Find(fsys, slices.Compact(names))
	if err != nil {
		r.out.Notes = append(r.out.Notes, "who owns which file could not be read whole: "+err.Error())
	}
	for asked, name := range inImage {
		f := inventory.File{Path: name, Layer: fsys.Layer(name[1:]), BuildID: buildID(fsys, name[1:])}
		o, installed := owned[name]
		for i, p := range r.out.Packages {
			if installed && p.Kind == o.Kind && p.Name == o.Name {
				f.Owners = append(f.Owners, i)
			}
		}
		r.out.Files[asked] = f
	}
	return nil
}

// inside is the name in the image of a file that a profile names: as a process in a
// container sees it, or below the root directory that was scanned.
func inside(fsys files, asked, image string) (string, bool) {
	candidates := []string{strings.TrimPrefix(asked, "/")}
	if below, ok := strings.CutPrefix(asked, strings.TrimSuffix(image, "/")+"/"); ok {
		candidates = append([]string{below}, candidates...)
	}
	for _, c := range candidates {
		if !fs.ValidPath(c) || c == "." {
			continue
		}
		name, err := fsys.Real(c)
		if err != nil {
			continue
		}
		if info, err := fsys.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, true
		}
	}
	return "", false
}
