// Command release writes what a release of whyhot is made of into one directory: Debian
// and RPM packages, archives, container images, a list of contents (SPDX) for each of
// them, and their checksums, signed if there is a key.
//
//	release [-root DIR] [-out DIR] [-work DIR] [-key FILE] [-go] [-arch LIST]
//
// The same commit gives the same bytes, in whatever directory and on whatever day: file
// times are the commit's, names of directories are cut off, and nothing is taken from
// the machine but its compilers, the certificate authorities of the images and the C
// library of the server's. It asks the network for nothing that Go's module cache has.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are what the command line says.
type options struct {
	root, out, work, key string
	version              string
	arches               string
	goOnly, dirty        bool
}

func main() {
	var o options
	flag.StringVar(&o.root, "root", ".", "the source")
	flag.StringVar(&o.out, "out", "dist", "where to write; it is replaced as a whole")
	flag.StringVar(&o.work, "work", "build/release", "where what is built on the way goes")
	flag.StringVar(&o.key, "key", os.Getenv("WHYHOT_RELEASE_KEY"), "minisign's secret key, to sign the checksums with ($WHYHOT_RELEASE_KEY; its password in $WHYHOT_RELEASE_PASSWORD)")
	flag.StringVar(&o.version, "version", "", "the version (default: from the tag or the commit)")
	flag.StringVar(&o.arches, "arch", "amd64,arm64", "the platforms, for what is built without a C compiler")
	flag.BoolVar(&o.goOnly, "go", false, "only what is built without a C compiler")
	flag.BoolVar(&o.dirty, "dirty", false, "also from a tree with changes that are not committed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called by hand on the line above
	}
}

func run(ctx context.Context, o *options) error {
	for _, dir := range []*string{&o.root, &o.out, &o.work} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = abs
	}
	if arches := strings.Split(o.arches, ","); !slices.Contains(arches, runtime.GOARCH) {
		return fmt.Errorf("-arch %s: %s must be among them: its programs write their own pages", o.arches, runtime.GOARCH)
	}
	src, err := readSource(ctx, o)
	if err != nil {
		return err
	}
	r := &release{source: src, work: o.work, out: o.out + ".new", arches: strings.Split(o.arches, ","), goOnly: o.goOnly}
	for _, dir := range []string{r.out, r.work} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	fmt.Printf("release: whyhot %s, commit %.12s of %s\n", src.version, src.commit, src.time.Format(time.DateOnly))
	for _, s := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"programs", r.buildPrograms},
		{"man pages, completions, pages of rules", r.writePages},
		{"licences", r.readLicences},
		{"packages and archives", r.writePackages},
		{"container images", r.writeImages},
	} {
		begin := time.Now()
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		fmt.Printf("release: %s, %.0f s\n", s.what, time.Since(begin).Seconds())
	}
	if err := r.writeContents(); err != nil {
		return fmt.Errorf("lists of contents: %w", err)
	}
	if err := r.writeSums(o.key); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	if err := os.Rename(r.out, o.out); err != nil {
		return err
	}
	fmt.Printf("release: %d files in %s\n", len(r.artefacts), o.out)
	return nil
}

// release is a release on its way.
type release struct {
	*source

	work, out string
	arches    []string
	goOnly    bool
	programs  []*program
	pages     pages
	artefacts []*artefact
}

// artefact is a file of the release that somebody downloads.
type artefact struct {
	name     string // of the file
	programs []*program
	system   []systemPackage
	purpose  string // of SPDX
}

// systemPackage is what an artefact takes of the machine that it was built on.
type systemPackage struct{ name, version, licence string }
