package main

import (
	"archive/tar"
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/klauspost/compress/gzip"
)

// What an image takes of the machine that it is built on.
const (
	authorities = "/etc/ssl/certs/ca-certificates.crt"
	nobody      = 65532
)

// writeImages writes images as archives of OCI's layout, which podman, skopeo and
// containerd load as they are.
func (r *release) writeImages(ctx context.Context) error {
	var agents []*program
	for _, arch := range r.arches {
		agents = append(agents, r.program("whyhot", arch))
	}
	if err := r.writeImage(ctx, "whyhot-agent", agents, v1.Config{
		Entrypoint: []string{"/whyhot", "agent"}, Volumes: map[string]struct{}{"/var/lib/whyhot": {}},
	}); err != nil {
		return err
	}
	server := r.program("whyhot-server", "amd64")
	if server == nil {
		return nil
	}
	return r.writeImage(ctx, "whyhot-server", []*program{server}, v1.Config{
		Entrypoint: []string{"/whyhot-server"}, Cmd: []string{"serve", "--data", "/var/lib/whyhot-server"},
		User: fmt.Sprintf("%d:%d", nobody, nobody), Volumes: map[string]struct{}{"/var/lib/whyhot-server": {}},
		ExposedPorts: map[string]struct{}{"7878/tcp": {}, "4317/tcp": {}},
	})
}

func (r *release) writeImage(ctx context.Context, name string, programs []*program, config v1.Config) error {
	a := &artefact{name: fmt.Sprintf("%s_%s.oci.tar", name, r.fileVersion()), programs: programs, purpose: "CONTAINER"}
	config.Labels = map[string]string{
		"org.opencontainers.image.title": name, "org.opencontainers.image.version": r.version,
		"org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "Apache-2.0",
	}
	config.Env = []string{"PATH=/"} // for `kubectl exec`, which looks there
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range programs {
		files := []file{
			{p.path, "/" + p.name, 0o755, false},
			{filepath.Join(r.root, "LICENSE"), "/LICENSE", 0o644, false},
			{filepath.Join(r.root, "NOTICE"), "/NOTICE", 0o644, false},
			{r.licences(p), "/licences.txt", 0o644, false},
			{authorities, authorities, 0o644, false},
		}
		var libraries []string // a program without cgo needs none
		if p.cgo {
			var err error
			if libraries, err = sharedLibraries(p.path); err != nil {
				return err
			}
		}
		system := map[string]bool{authorities: true}
		for _, l := range libraries {
			files = append(files, file{l, l, 0o755, false})
			system[l] = true
		}
		for path := range system {
			if err := a.takes(ctx, path); err != nil {
				return err
			}
		}
		for _, s := range a.system {
			if right := "/usr/share/doc/" + s.name + "/copyright"; !slices.ContainsFunc(files, func(f file) bool { return f.to == right }) {
				files = append(files, file{right, right, 0o644, false})
			}
		}
		image, err := r.image(p, files, &config)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: "linux", Architecture: p.arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": name + ":" + r.fileVersion()},
		}})
	}
	slices.SortFunc(a.system, func(x, y systemPackage) int { return strings.Compare(x.name, y.name) })
	dir := filepath.Join(r.work, "images", name)
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	r.artefacts = append(r.artefacts, a)
	return writeFile(filepath.Join(r.out, a.name), func(w io.Writer) error { return r.packLayout(w, dir) })
}

// image is that of one platform, of one layer.
func (r *release) image(p *program, files []file, config *v1.Config) (v1.Image, error) {
	layer, err := r.layer(files, config)
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1), mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "make release"},
	})
	if err != nil {
		return nil, err
	}
	base, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	base = base.DeepCopy()
	base.OS, base.Architecture, base.Created, base.Config = "linux", p.arch, v1.Time{Time: r.time}, *config
	image, err = mutate.ConfigFile(image, base)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigMediaType(image, types.OCIConfigJSON), nil
}

// layer packs files, and the directories that a service writes to.
func (r *release) layer(files []file, config *v1.Config) (v1.Layer, error) {
	var raw bytes.Buffer
	t := tar.NewWriter(&raw)
	dirs := map[string]*tar.Header{"/tmp": {Mode: 0o1777}}
	for volume := range config.Volumes {
		dirs[volume] = &tar.Header{Mode: 0o700}
		if config.User != "" {
			dirs[volume].Uid, dirs[volume].Gid = nobody, nobody
		}
	}
	names := map[string]file{}
	for _, f := range files {
		names[f.to] = f
		for dir := path.Dir(f.to); dir != "/"; dir = path.Dir(dir) {
			if dirs[dir] == nil {
				dirs[dir] = &tar.Header{Mode: 0o755}
			}
		}
	}
	for volume := range config.Volumes {
		for dir := path.Dir(volume); dir != "/"; dir = path.Dir(dir) {
			if dirs[dir] == nil {
				dirs[dir] = &tar.Header{Mode: 0o755}
			}
		}
	}
	var order []string
	for name := range dirs {
		order = append(order, name)
	}
	for name := range names {
		order = append(order, name)
	}
	slices.Sort(order)
	for _, name := range order {
		to := strings.TrimPrefix(name, "/")
		if h := dirs[name]; h != nil {
			h.Typeflag, h.Name, h.ModTime, h.Format = tar.TypeDir, to+"/", r.time, tar.FormatPAX
			if err := t.WriteHeader(h); err != nil {
				return nil, err
			}
			continue
		}
		if err := r.addToTar(t, names[name], to); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
}

// packLayout packs a layout, its list first.
func (r *release) packLayout(w io.Writer, dir string) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return r.addToTar(t, file{from: path, mode: 0o644}, name)
	})
	if err != nil {
		return err
	}
	return t.Close()
}

// sharedLibraries are the files that a program is linked with when it starts, its loader
// among them; none of a static one.
func sharedLibraries(program string) ([]string, error) {
	var found []string
	queue := []string{program}
	for len(queue) > 0 {
		f, err := elf.Open(queue[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", queue[0], err)
		}
		names, err := f.ImportedLibraries()
		if err == nil && queue[0] == program && len(names) > 0 {
			names = append(names, "ld-linux-x86-64.so.2")
		}
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", queue[0], err)
		}
		queue = queue[1:]
		for _, name := range names {
			at := "/lib/x86_64-linux-gnu/" + name
			if strings.HasPrefix(name, "ld-linux") {
				at = "/lib64/" + name
			}
			if slices.Contains(found, at) {
				continue
			}
			if _, err := os.Stat(at); err != nil {
				return nil, fmt.Errorf("library of %s: %w", program, err)
			}
			found = append(found, at)
			queue = append(queue, at)
		}
	}
	slices.Sort(found)
	return found, nil
}

// takes notes which of the machine's packages a file is of.
func (a *artefact) takes(ctx context.Context, path string) error {
	name := "ca-certificates" // which makes the file when it is installed
	if path != authorities {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		var out []byte
		// Where /lib is a link to /usr/lib, dpkg knows a file by one of its two names.
		for _, at := range []string{real, strings.TrimPrefix(real, "/usr"), path} {
			if out, err = exec.CommandContext(ctx, "dpkg-query", "-S", at).Output(); err == nil {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("package of %s: %w", path, describe(err))
		}
		name, _, _ = strings.Cut(string(out), ":")
	}
	out, err := exec.CommandContext(ctx, "dpkg-query", "-W", "-f=${Version}", name).Output()
	if err != nil {
		return fmt.Errorf("version of %s: %w", name, describe(err))
	}
	if s := (systemPackage{name: name, version: string(out)}); !slices.Contains(a.system, s) {
		a.system = append(a.system, s)
	}
	return nil
}
