// Package imagetest makes container images for tests. Only tests import it.
//
// It takes files and gives images of go-containerregistry, which tests write as
// archives and layouts or push to a registry in their own process. It imports nothing
// of ours.
package imagetest

import (
	"archive/tar"
	"bytes"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Files are the files of a layer, by name. A name that ends in "@" is a symbolic link
// to the text.
type Files map[string]string

// Tar is a layer's stream.
func Tar(files Files) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		h := &tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}
		if link, ok := strings.CutSuffix(name, "@"); ok {
			h, text = &tar.Header{Name: link, Mode: 0o777, Typeflag: tar.TypeSymlink, Linkname: text}, ""
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), w.Close()
}

// Image is an image of layers, base first, for Linux on an architecture ("" for this
// one).
func Image(architecture string, layers ...Files) (v1.Image, error) {
	if architecture == "" {
		architecture = runtime.GOARCH
	}
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: "linux", Architecture: architecture})
	if err != nil {
		return nil, err
	}
	for _, files := range layers {
		data, err := Tar(files)
		if err != nil {
			return nil, err
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
		if err != nil {
			return nil, err
		}
		names := slices.Sorted(maps.Keys(files))
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "COPY " + strings.Join(names, " ")}}); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// Debian are files of a system with dpkg that has these packages, "name version", each
// with the files that it installed.
func Debian(packages map[string][]string) Files {
	out := Files{"etc/os-release": "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n"}
	var status strings.Builder
	for _, p := range slices.Sorted(maps.Keys(packages)) {
		name, version, _ := strings.Cut(p, " ")
		status.WriteString("Package: " + name + "\nStatus: install ok installed\nArchitecture: amd64\nVersion: " + version + "\nDescription: test\n\n")
		out["var/lib/dpkg/info/"+name+":amd64.list"] = "/.\n" + strings.Join(packages[p], "\n") + "\n"
	}
	out["var/lib/dpkg/status"] = status.String()
	return out
}
