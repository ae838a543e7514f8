// Package locate finds what a person means by an image: in a registry, in an OCI
// layout, in an archive of docker or of OCI, or as a root directory.
//
// It owns the choice between them, the choice of one image of several, and that what
// is read is what its digest says. It takes the words of a command line and gives the
// image's layers as streams, or the directory. It unpacks nothing, asks no daemon and
// imports nothing of this module but the inventory's names.
package locate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"whyhot/internal/image/inventory"
)

// Image is an image that was found.
type Image struct {
	Kind     string // one of inventory's
	Digest   string // of the manifest; an archive of docker save alone has none
	Platform string
	Layers   []Layer // base first
	Root     string  // of a root directory; it has no layers

	close func() error
}

// Close ends the reading.
func (i *Image) Close() error {
	if i.close == nil {
		return nil
	}
	return i.close()
}

// Layer is one layer.
type Layer struct {
	DiffID  string
	Command string // that made it
	// Open gives it as a tar stream. A stream that ends without an error is the one
	// that the image's digests name.
	Open func() (io.ReadCloser, error)
}

// Find opens what q means. A path that is there is a file or directory; everything else
// is a reference.
func Find(ctx context.Context, q inventory.Question) (*Image, error) {
	want, err := platform(q.Platform)
	if err != nil {
		return nil, err
	}
	image, err := find(ctx, q, want)
	if err != nil {
		return nil, err
	}
	// What is no index is of the platform that its configuration names.
	if p, err := v1.ParsePlatform(image.Platform); q.Platform != "" && image.Platform != "" && (err != nil || !p.Satisfies(want)) {
		return nil, errors.Join(fmt.Errorf("--platform %s: the image is for %s", q.Platform, image.Platform), image.Close())
	}
	return image, nil
}

func find(ctx context.Context, q inventory.Question, want v1.Platform) (*Image, error) {
	stat, err := os.Stat(q.Image)
	switch {
	case err == nil && stat.IsDir():
		if _, err := os.Stat(filepath.Join(q.Image, layoutFile)); err != nil {
			return directory(q)
		}
		return ofLayout(q, want)
	case err == nil && stat.Mode().IsRegular():
		return ofArchive(q, want)
	case err == nil:
		return nil, fmt.Errorf("%s is neither a file nor a directory", q.Image)
	case !errors.Is(err, fs.ErrNotExist) && isPath(q.Image):
		return nil, err
	case isPath(q.Image):
		return nil, fmt.Errorf("%s: there is no such file or directory", q.Image)
	}
	return ofRegistry(ctx, q, want)
}

// isPath tells what can be no reference.
func isPath(text string) bool {
	return text == "" || strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasSuffix(text, ".tar")
}

func directory(q inventory.Question) (*Image, error) {
	for flag, value := range map[string]string{"--platform": q.Platform, "--tag": q.Tag} {
		if value != "" {
			return nil, fmt.Errorf("%s %s: %s is a root directory, which has one system in it", flag, value, q.Image)
		}
	}
	return &Image{Kind: inventory.Directory, Root: q.Image}, nil
}

// platform is the one that is asked for, or Linux on this processor.
func platform(text string) (v1.Platform, error) {
	if text == "" {
		return v1.Platform{OS: "linux", Architecture: runtime.GOARCH}, nil
	}
	p, err := v1.ParsePlatform(text)
	if err != nil || p.OS == "" || p.Architecture == "" {
		return v1.Platform{}, fmt.Errorf("--platform %s: give it as OS/ARCHITECTURE[/VARIANT], such as linux/arm64", text)
	}
	return *p, nil
}

// opened makes an Image of one that a library can read.
func opened(image v1.Image, kind string) (*Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("the image's configuration: %w", err)
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, fmt.Errorf("the image's layers: %w", err)
	}
	ids := config.RootFS.DiffIDs
	if len(ids) != len(layers) {
		return nil, fmt.Errorf("the image has %d layers, and its configuration names %d: this is no image of a program", len(layers), len(ids))
	}
	out := &Image{Kind: kind}
	if p := config.Platform(); p != nil {
		out.Platform = p.String()
	}
	made := commands(config.History, len(layers))
	for i, l := range layers {
		out.Layers = append(out.Layers, Layer{
			DiffID: ids[i].String(), Command: made[i],
			Open: func() (io.ReadCloser, error) {
				r, err := l.Uncompressed()
				if err != nil {
					return nil, err
				}
				return verified(r, ids[i]), nil
			},
		})
	}
	return out, nil
}

// commands are those that made the layers, where the history tells of each.
func commands(history []v1.History, layers int) []string {
	var out []string
	for _, h := range history {
		if !h.EmptyLayer {
			out = append(out, h.CreatedBy)
		}
	}
	if len(out) != layers {
		return make([]string, layers)
	}
	return out
}
