package locate

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/klauspost/compress/zstd"

	"whyhot/internal/image/imagetest"
	"whyhot/internal/image/inventory"
)

func image(t *testing.T, architecture string, layers ...imagetest.Files) v1.Image {
	t.Helper()
	i, err := imagetest.Image(architecture, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func two(t *testing.T) v1.Image {
	t.Helper()
	return image(t, "", imagetest.Files{"etc/os-release": "ID=debian\n"}, imagetest.Files{"app/a": "1"})
}

// serve is a registry in this process.
func serve(t *testing.T, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if wrap != nil {
		handler = wrap(handler)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func push(t *testing.T, at string, what any, options ...remote.Option) string {
	t.Helper()
	ref, err := name.ParseReference(at)
	if err != nil {
		t.Fatal(err)
	}
	switch w := what.(type) {
	case v1.Image:
		err = remote.Write(ref, w, options...)
	case v1.ImageIndex:
		err = remote.WriteIndex(ref, w, options...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// index has an image for each architecture, and a statement about one, as BuildKit
// writes them.
func index(t *testing.T) v1.ImageIndex {
	t.Helper()
	out := v1.ImageIndex(empty.Index)
	for _, arch := range []string{"amd64", "arm64"} {
		out = mutate.AppendManifests(out, mutate.IndexAddendum{
			Add:        image(t, arch, imagetest.Files{"arch": arch}),
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	return mutate.AppendManifests(out, mutate.IndexAddendum{
		Add:        image(t, "unknown", imagetest.Files{"statement": ""}),
		Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "unknown", Architecture: "unknown"}, Annotations: map[string]string{attestation: "attestation-manifest"}},
	})
}

func written(t *testing.T, what any) string {
	t.Helper()
	dir := t.TempDir()
	var err error
	var p layout.Path
	switch w := what.(type) {
	case v1.Image:
		if p, err = layout.Write(dir, empty.Index); err == nil {
			err = p.AppendImage(w)
		}
	case v1.ImageIndex:
		_, err = layout.Write(dir, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// asArchive packs a directory as tar.
func asArchive(t *testing.T, dir string) string {
	t.Helper()
	files := imagetest.Files{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files["./"+rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := imagetest.Tar(files)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, data)
}

func file(t *testing.T, data []byte) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.tar")
	if err := os.WriteFile(out, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func saved(t *testing.T, images map[string]v1.Image) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "saved.tar")
	byRef := map[name.Reference]v1.Image{}
	for tag, i := range images {
		ref, err := name.NewTag(tag)
		if err != nil {
			t.Fatal(err)
		}
		byRef[ref] = i
	}
	if err := tarball.MultiRefWriteToFile(out, byRef); err != nil {
		t.Fatal(err)
	}
	return out
}

// read finds an image and reads all its layers.
func read(t *testing.T, q inventory.Question) (*Image, []string, error) {
	t.Helper()
	found, err := Find(t.Context(), q)
	if err != nil {
		return nil, nil, err
	}
	defer found.Close()
	var out []string
	for _, l := range found.Layers {
		r, err := l.Open()
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, string(text))
	}
	return found, out, nil
}

func TestEveryKindOfImageIsTheSame(t *testing.T) {
	i := two(t)
	for kind, where := range map[string]string{
		inventory.Registry:                      push(t, serve(t, nil)+"/team/app:1", i),
		inventory.Layout:                        written(t, i),
		inventory.Archive:                       asArchive(t, written(t, i)),
		inventory.Archive + " (of docker save)": saved(t, map[string]v1.Image{"app:1": i}),
	} {
		found, layers, err := read(t, inventory.Question{Image: where})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if !strings.HasPrefix(kind, found.Kind) || len(layers) != 2 || !strings.Contains(layers[0], "ID=debian") || !strings.Contains(layers[1], "app/a") {
			t.Errorf("%s: it is %s with %d layers", kind, found.Kind, len(layers))
		}
		if want, err := i.Digest(); err != nil || found.Digest != want.String() && !strings.Contains(kind, "docker") {
			t.Errorf("%s: its digest is %q, not %q (%v)", kind, found.Digest, want, err)
		}
		if found.Layers[1].Command != "COPY app/a" || !strings.HasPrefix(found.Platform, "linux/") {
			t.Errorf("%s: layer 2 was made by %q, for %q", kind, found.Layers[1].Command, found.Platform)
		}
	}
	dir := t.TempDir()
	if found, _, err := read(t, inventory.Question{Image: dir}); err != nil || found.Kind != inventory.Directory || found.Root != dir {
		t.Errorf("a root directory: %+v, %v", found, err)
	}
}

func TestPlatform(t *testing.T) {
	i := index(t)
	nested := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: i})
	for kind, where := range map[string]string{
		"registry": push(t, serve(t, nil)+"/app", i), "layout": written(t, i), "layout with an index in its index": written(t, nested), "archive": asArchive(t, written(t, i)),
	} {
		for _, arch := range []string{"amd64", "arm64"} {
			found, layers, err := read(t, inventory.Question{Image: where, Platform: "linux/" + arch})
			if err != nil || len(layers) != 1 || !strings.Contains(layers[0], arch) || found.Platform != "linux/"+arch {
				t.Errorf("%s, %s: %+v, %v", kind, arch, found, err)
			}
		}
		_, _, err := read(t, inventory.Question{Image: where, Platform: "linux/s390x"})
		if err == nil || !strings.Contains(err.Error(), "there are linux/amd64, linux/arm64") {
			t.Errorf("%s, s390x: %v", kind, err)
		}
	}
	_, _, err := read(t, inventory.Question{Image: written(t, image(t, "arm64", imagetest.Files{"a": "1"})), Platform: "linux/amd64"})
	if err == nil || !strings.Contains(err.Error(), "the image is for linux/arm64") {
		t.Errorf("one image for another platform: %v", err)
	}
}

func TestTag(t *testing.T) {
	one, other := image(t, "", imagetest.Files{"name": "one"}), image(t, "", imagetest.Files{"name": "other"})
	for kind, where := range map[string]string{
		"archive of docker": saved(t, map[string]v1.Image{"app:one": one, "app:other": other}),
		"layout": func() string {
			dir := written(t, empty.Index)
			for tag, i := range map[string]v1.Image{"app:one": one, "app:other": other} {
				if err := layout.Path(dir).AppendImage(i, layout.WithAnnotations(map[string]string{referenceOf: tag})); err != nil {
					t.Fatal(err)
				}
			}
			return dir
		}(),
	} {
		if _, layers, err := read(t, inventory.Question{Image: where, Tag: "app:other"}); err != nil || !strings.Contains(layers[0], "other") {
			t.Errorf("%s: %q, %v", kind, layers, err)
		}
		for _, tag := range []string{"", "app:third"} {
			_, _, err := read(t, inventory.Question{Image: where, Tag: tag})
			if err == nil || !strings.Contains(err.Error(), "app:one") || !strings.Contains(err.Error(), "app:other") {
				t.Errorf("%s, tag %q: %v", kind, tag, err)
			}
		}
	}
}

// A layer that is not what the digests say is an error, wherever the image is from.
func TestDamage(t *testing.T) {
	i := two(t)
	layers, err := i.Layers()
	if err != nil {
		t.Fatal(err)
	}
	digest, err := layers[1].Digest()
	if err != nil {
		t.Fatal(err)
	}
	var other bytes.Buffer
	z := gzip.NewWriter(&other)
	data, err := imagetest.Tar(imagetest.Files{"app/a": "2"})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write(data) // into memory
	_ = z.Close()

	blob := func(dir string, text []byte) string {
		if err := os.WriteFile(filepath.Join(dir, blobs, "sha256", digest.Hex), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	whole, err := os.ReadFile(filepath.Join(written(t, i), blobs, "sha256", digest.Hex))
	if err != nil {
		t.Fatal(err)
	}
	for what, where := range map[string]string{
		"another layer":               blob(written(t, i), other.Bytes()),
		"another layer in an archive": asArchive(t, blob(written(t, i), other.Bytes())),
		"no gzip":                     blob(written(t, i), []byte("\x1f\x8bnonsense")),
		"no zstd":                     blob(written(t, i), []byte("\x28\xb5\x2f\xfdnonsense")),
		"half a layer":                blob(written(t, i), whole[:len(whole)/2]),
		"nothing":                     blob(written(t, i), nil),
		"a registry that lies": push(t, serve(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, digest.String()) {
					_, _ = w.Write(other.Bytes()) // the test sees what comes of it
					return
				}
				h.ServeHTTP(w, r)
			})
		})+"/app", i),
	} {
		if _, _, err := read(t, inventory.Question{Image: where}); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
	gone := written(t, i)
	if err := os.Remove(filepath.Join(gone, blobs, "sha256", digest.Hex)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t, inventory.Question{Image: gone}); err == nil || !strings.Contains(err.Error(), "not there") {
		t.Errorf("a layer that is not there: %v", err)
	}
}

func TestZstdLayer(t *testing.T) {
	data, err := imagetest.Tar(imagetest.Files{"app/a": "zstd"})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(data) // into memory
	_ = w.Close()
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
	if err != nil {
		t.Fatal(err)
	}
	i, err := mutate.AppendLayers(image(t, ""), layer)
	if err != nil {
		t.Fatal(err)
	}
	if _, layers, err := read(t, inventory.Question{Image: written(t, i)}); err != nil || layers[0] != string(data) {
		t.Errorf("%v", err)
	}
}

func TestMistakes(t *testing.T) {
	ok := serve(t, nil)
	locked := serve(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_ = z.Close() // into memory
	plain, err := imagetest.Tar(imagetest.Files{"hello": "no image"})
	if err != nil {
		t.Fatal(err)
	}
	bad := t.TempDir()
	for name, text := range map[string]string{layoutFile: "{}", indexFile: `{"manifests": [`} {
		if err := os.WriteFile(filepath.Join(bad, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ image, says string }{
		{ok + "/nobody/has:1", "has no such image"},
		{locked + "/app:1", "docker login"},
		{strings.TrimPrefix(gone.URL, "http://") + "/app:1", "connection refused"},
		{"NOT A REFERENCE", "no file, no directory, and no reference"},
		{"/no/such/dir", "no such file or directory"},
		{"./image.tar", "no such file or directory"},
		{"", "no such file or directory"},
		{file(t, packed.Bytes()), "gunzip"},
		{file(t, plain), "neither manifest.json"},
		{file(t, []byte("this is text")), "tar archive"},
		{file(t, nil), "tar archive"},
		{bad, "index.json"},
		{written(t, empty.Index), "no image in it"},
	} {
		_, _, err := read(t, inventory.Question{Image: c.image})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v; it should say %q", c.image, err, c.says)
		}
	}
	for _, q := range []inventory.Question{{Image: t.TempDir(), Platform: "linux/amd64"}, {Image: t.TempDir(), Tag: "a"}, {Image: ok + "/a", Tag: "a"}, {Image: ok + "/a", Platform: "x"}} {
		if _, _, err := read(t, q); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// Credentials are those of docker's configuration.
func TestCredentials(t *testing.T) {
	const user, password = "reader", "s3cret"
	at := serve(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if u, p, _ := r.BasicAuth(); u != user || p != password {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	if _, _, err := read(t, inventory.Question{Image: at + "/app:1"}); err == nil || !strings.Contains(err.Error(), "docker login") {
		t.Errorf("without credentials: %v", err)
	}
	config, err := json.Marshal(map[string]any{"auths": map[string]any{at: map[string]string{"auth": base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t, inventory.Question{Image: at + "/app:1"}); err == nil || !strings.Contains(err.Error(), "no such image") {
		t.Errorf("with credentials: %v", err)
	}
}

// Whatever a file holds, it is an image or an error.
func FuzzArchive(f *testing.F) {
	plain, err := imagetest.Tar(imagetest.Files{
		indexFile: `{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}]}`,
		blobs + "sha256/44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a": "{}", layoutFile: "{}",
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	docker, err := imagetest.Tar(imagetest.Files{manifestFile: `[{"Config":"c","Layers":["l"]}]`, "c": `{"rootfs":{"diff_ids":["sha256:00"]}}`, "l": ""})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(docker)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = read(t, inventory.Question{Image: file(t, data)}) // it returns
	})
}
