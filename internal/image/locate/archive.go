package locate

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"whyhot/internal/image/inventory"
)

// manifestFile is that of an archive of docker.
const manifestFile = "manifest.json"

// place is where a file lies in an archive.
type place struct{ at, size int64 }

// ofArchive opens what `docker save`, `podman save` or `skopeo copy` wrote. What is
// both, as docker writes it today, is read as an OCI layout, whose digests say more.
func ofArchive(q inventory.Question, want v1.Platform) (*Image, error) {
	file, err := os.Open(q.Image)
	if err != nil {
		return nil, err
	}
	image, err := archived(file, q, want)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", q.Image, err), file.Close())
	}
	image.close = file.Close
	return image, nil
}

func archived(file *os.File, q inventory.Question, want v1.Platform) (*Image, error) {
	if err := packed(file); err != nil {
		return nil, err
	}
	files, err := contents(file)
	if err != nil {
		return nil, err
	}
	_, docker := files[manifestFile]
	if _, oci := files[indexFile]; oci && (q.Tag == "" || !docker) {
		return fromStore(func(name string) (io.ReadCloser, error) {
			p, ok := files[name]
			if !ok {
				return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			return io.NopCloser(io.NewSectionReader(file, p.at, p.size)), nil
		}, q, want, inventory.Archive)
	}
	if !docker {
		return nil, fmt.Errorf("neither %s (of docker save) nor %s (of an OCI archive) is in it: this is no image", manifestFile, indexFile)
	}
	var tag *name.Tag
	if q.Tag != "" {
		t, err := name.NewTag(q.Tag)
		if err != nil {
			return nil, fmt.Errorf("--tag %s: %w", q.Tag, err)
		}
		tag = &t
	}
	opener := func() (io.ReadCloser, error) { return os.Open(q.Image) }
	image, err := tarball.Image(opener, tag)
	if err != nil {
		return nil, severalImages(opener, err)
	}
	return opened(image, inventory.Archive)
}

// severalImages says what the library's error does not: which images there are.
func severalImages(opener tarball.Opener, err error) error {
	all, readErr := tarball.LoadManifest(opener)
	if readErr != nil || len(all) < 2 {
		return err
	}
	var names []string
	for _, d := range all {
		names = append(names, d.RepoTags...)
	}
	return fmt.Errorf("%w; there are %q: say which with --tag", err, names)
}

// packed tells an archive that is compressed as a whole: its files cannot be read at
// their places.
func packed(file io.ReaderAt) error {
	var head [4]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("this is no tar archive: %w", err)
	}
	for tool, magic := range map[string]string{"gunzip": "\x1f\x8b", "unzstd": "\x28\xb5\x2f\xfd", "unxz": "\xfd7zX"} {
		if bytes.HasPrefix(head[:], []byte(magic)) {
			return fmt.Errorf("the archive is compressed: unpack it with %s first", tool)
		}
	}
	return nil
}

// contents lists the archive's files and where they lie.
func contents(file *os.File) (map[string]place, error) {
	out := map[string]place{}
	t := tar.NewReader(file)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("this is no whole tar archive: %w", err)
		}
		if len(out) == maxFiles {
			return nil, fmt.Errorf("more than %d files in it: this is no image", maxFiles)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		// archive/tar reads no further than the header, so the file stands at its data.
		at, err := file.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		out[path.Clean(h.Name)] = place{at, h.Size}
	}
}

// maxFiles bounds an archive, which has a file or two for each layer.
const maxFiles = 100_000
