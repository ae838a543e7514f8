package locate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"whyhot/internal/image/inventory"
)

// The files of an OCI layout.
const (
	layoutFile = "oci-layout"
	indexFile  = "index.json"
	blobs      = "blobs/"
)

// store opens the files of an OCI layout, in a directory or in a tar archive.
type store func(name string) (io.ReadCloser, error)

// ofLayout opens a directory. No link in it leads out of it (os.Root).
func ofLayout(q inventory.Question, want v1.Platform) (*Image, error) {
	root, err := os.OpenRoot(q.Image)
	if err != nil {
		return nil, err
	}
	image, err := fromStore(func(name string) (io.ReadCloser, error) { return root.Open(name) }, q, want, inventory.Layout)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", q.Image, err), root.Close())
	}
	image.close = root.Close
	return image, nil
}

func fromStore(files store, q inventory.Question, want v1.Platform, kind string) (*Image, error) {
	index, err := files.index()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", indexFile, err)
	}
	one, err := choose(index, want, q.Tag, files.document, 0)
	if err != nil {
		return nil, err
	}
	manifest, err := files.document(one)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", one.Digest, err)
	}
	image, err := partial.CompressedToImage(&stored{files, one, manifest})
	if err != nil {
		return nil, err
	}
	out, err := opened(image, kind)
	if err != nil {
		return nil, err
	}
	out.Digest = one.Digest.String()
	return out, nil
}

func (s store) index() (*v1.IndexManifest, error) {
	r, err := s(indexFile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // only read from
	return v1.ParseIndexManifest(io.LimitReader(r, maxDocument))
}

func (s store) blob(d v1.Descriptor) (io.ReadCloser, error) {
	r, err := s(blobs + d.Digest.Algorithm + "/" + d.Digest.Hex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("it is not there: %w", err)
	}
	return r, err
}

// document reads a small blob, which is what its digest says.
func (s store) document(d v1.Descriptor) ([]byte, error) {
	r, err := s.blob(d)
	if err != nil {
		return nil, err
	}
	return readVerified(r, d.Digest)
}

// stored is an image of a store, as the library wants it.
type stored struct {
	files    store
	self     v1.Descriptor
	manifest []byte
}

func (s *stored) MediaType() (types.MediaType, error) { return s.self.MediaType, nil }
func (s *stored) RawManifest() ([]byte, error)        { return s.manifest, nil }

func (s *stored) parsed() (*v1.Manifest, error) {
	return v1.ParseManifest(bytes.NewReader(s.manifest))
}

func (s *stored) RawConfigFile() ([]byte, error) {
	m, err := s.parsed()
	if err != nil {
		return nil, err
	}
	return s.files.document(m.Config)
}

func (s *stored) LayerByDigest(h v1.Hash) (partial.CompressedLayer, error) {
	m, err := s.parsed()
	if err != nil {
		return nil, err
	}
	for _, d := range m.Layers {
		if d.Digest == h {
			return &storedLayer{s.files, d}, nil
		}
	}
	return nil, fmt.Errorf("the manifest has no layer %s", h)
}

type storedLayer struct {
	files store
	self  v1.Descriptor
}

func (l *storedLayer) Digest() (v1.Hash, error)            { return l.self.Digest, nil }
func (l *storedLayer) Size() (int64, error)                { return l.self.Size, nil }
func (l *storedLayer) MediaType() (types.MediaType, error) { return l.self.MediaType, nil }
func (l *storedLayer) Compressed() (io.ReadCloser, error)  { return l.files.blob(l.self) }
