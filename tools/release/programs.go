package main

import (
	"context"
	"crypto/sha1" //nolint:gosec // a name, not a seal: build IDs are 20 bytes
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// program is one binary of the release.
type program struct {
	name, arch string
	path       string
	cgo        bool
	modules    []*linked // that are linked in; none of the analyser
	needs      []string  // Debian packages that its libraries are of
}

// pureGo are the programs that are built without a C compiler.
var pureGo = []string{"whyhot", "whyhot-images"}

func (r *release) program(name, arch string) *program {
	for _, p := range r.programs {
		if p.name == name && p.arch == arch {
			return p
		}
	}
	return nil
}

func (r *release) buildPrograms(ctx context.Context) error {
	for _, arch := range r.arches {
		for _, name := range pureGo {
			if err := r.buildGo(ctx, &program{name: name, arch: arch}); err != nil {
				return err
			}
		}
	}
	if r.goOnly {
		return nil
	}
	if runtime.GOARCH != "amd64" {
		return fmt.Errorf("the server and the analyser are built on amd64, this is %s; -go leaves them out", runtime.GOARCH)
	}
	if err := r.buildGo(ctx, &program{name: "whyhot-server", arch: "amd64", cgo: true}); err != nil {
		return err
	}
	return r.takeAnalyzer(ctx)
}

// environment is that of a build: nothing of what people set for themselves.
func (p *program) environment() []string {
	env := os.Environ()
	kept := env[:0]
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "CGO_"), name == "GOFLAGS", name == "GOEXPERIMENT", name == "GOAMD64", name == "GOARM64":
		default:
			kept = append(kept, e)
		}
	}
	cgo := "0"
	if p.cgo {
		cgo = "1"
	}
	return append(kept, "CGO_ENABLED="+cgo, "GOOS=linux", "GOARCH="+p.arch, "GOAMD64=v1", "GOWORK=off")
}

func (p *program) tags() string {
	if p.cgo {
		return "netgo,osusergo"
	}
	return ""
}

func (r *release) buildGo(ctx context.Context, p *program) error {
	p.path = filepath.Join(r.work, "programs", p.arch, p.name)
	const version = "whyhot/internal/host/version."
	flags := []string{
		"-s", "-w", "-buildid=",
		"-X " + version + "stamped=" + r.version,
		"-X " + version + "stampedCommit=" + r.commit,
		"-X " + version + "stampedTime=" + r.time.Format("2006-01-02T15:04:05Z"),
	}
	if p.cgo {
		// DuckDB asks for -lstdc++, which is the shared one unless a directory that is
		// looked into first has the other one alone (Containerfile.server). The linker
		// makes the build ID, from what it wrote.
		dir, err := r.staticLibraries(ctx)
		if err != nil {
			return err
		}
		flags = append(flags, "-linkmode=external", "-extldflags '-L"+dir+" -static-libgcc -Wl,--build-id=sha1'")
	} else {
		// Profilers know a binary by its build ID. It is that of the commit, since Go's
		// own one is left out above: it holds what a linker is told.
		id := sha1.Sum([]byte(p.name + "\n" + p.arch + "\n" + r.version + "\n" + r.commit + "\n" + runtime.Version())) //nolint:gosec // see above
		flags = append(flags, "-B 0x"+hex.EncodeToString(id[:]))
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly",
		"-tags="+p.tags(), "-ldflags="+strings.Join(flags, " "), "-o", p.path, "./cmd/"+p.name)
	build.Dir, build.Env = r.root, p.environment()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s for %s: %w\n%s", p.name, p.arch, err, out)
	}
	if p.cgo {
		var err error
		if p.needs, err = libraries(ctx, p.path, r.work); err != nil {
			return err
		}
	}
	r.programs = append(r.programs, p)
	return nil
}

// staticLibraries makes a directory that has the C++ library as an archive alone.
func (r *release) staticLibraries(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "g++", "-print-file-name=libstdc++.a").Output()
	if err != nil {
		return "", fmt.Errorf("g++: %w", describe(err))
	}
	dir := filepath.Join(r.work, "static")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, os.Symlink(strings.TrimSpace(string(out)), filepath.Join(dir, "libstdc++.a"))
}

// takeAnalyzer takes what `make analyzer` built, without what only a debugger needs.
func (r *release) takeAnalyzer(ctx context.Context) error {
	for _, name := range []string{"whyhot-analyzer", "whyhot-whatif.so"} {
		p := &program{name: name, arch: "amd64", path: filepath.Join(r.work, "programs", "amd64", name)}
		from := filepath.Join(r.root, "build", "analyzer", name)
		if _, err := os.Stat(from); err != nil {
			return fmt.Errorf("%w: `make analyzer` builds it", err)
		}
		if out, err := exec.CommandContext(ctx, "strip", "--strip-unneeded", "-o", p.path, from).CombinedOutput(); err != nil {
			return fmt.Errorf("strip %s: %w\n%s", from, err, out)
		}
		var err error
		if p.needs, err = libraries(ctx, p.path, r.work); err != nil {
			return err
		}
		r.programs = append(r.programs, p)
	}
	return nil
}

// ofLLVM are the packages of LLVM's libraries. Debian's tool knows nothing of them: it
// finds them where the analyser does, in LLVM's own directory, which is none of the
// system's.
var ofLLVM = map[string]string{"libLLVM.so.19.1": "libllvm19", "libclang-cpp.so.19.1": "libclang-cpp19"}

// libraries are the Debian packages, with the oldest version that will do, that a
// program's shared libraries are of. Debian's own tool knows that from its lists of
// symbols.
func libraries(ctx context.Context, path, work string) ([]string, error) {
	dir, err := os.MkdirTemp(work, "shlibdeps-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.MkdirAll(filepath.Join(dir, "debian"), 0o755); err != nil {
		return nil, err
	}
	// The tool wants a source package around it.
	control := "Source: whyhot\n\nPackage: whyhot\nArchitecture: any\nDescription: x\n"
	if err := os.WriteFile(filepath.Join(dir, "debian", "control"), []byte(control), 0o600); err != nil {
		return nil, err
	}
	ask := exec.CommandContext(ctx, "dpkg-shlibdeps", "-O", "--ignore-missing-info", "-e"+path)
	ask.Dir = dir
	out, err := ask.Output()
	if err != nil {
		return nil, fmt.Errorf("dpkg-shlibdeps %s: %w", path, describe(err))
	}
	_, list, ok := strings.Cut(strings.TrimSpace(string(out)), "shlibs:Depends=")
	if !ok || list == "" {
		return nil, fmt.Errorf("dpkg-shlibdeps %s: no dependencies in %q", path, out)
	}
	needs := strings.Split(list, ", ")
	wanted, err := sonames(path)
	if err != nil {
		return nil, err
	}
	for library, name := range ofLLVM {
		if slices.Contains(wanted, library+"()(64bit)") && !slices.ContainsFunc(needs, func(n string) bool { return n == name || strings.HasPrefix(n, name+" ") }) {
			needs = append(needs, name)
		}
	}
	slices.Sort(needs)
	return needs, nil
}
