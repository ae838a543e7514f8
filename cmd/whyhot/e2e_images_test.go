package main

import (
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/rogpeppe/go-internal/testscript"

	"whyhot/internal/image/imagetest"
)

// buildImages builds whyhot-images beside whyhot, once.
var buildImages = sync.OnceValue(func() error {
	build := exec.Command("go", "build", "-o", filepath.Join(filepath.Dir(binary), imagesProgram), "../whyhot-images")
	build.Stderr = os.Stderr
	return build.Run()
})

// cmdImage makes images of directories, a layer each:
//
//	image program             whyhot-images is beside whyhot
//	image archive FILE DIR…   as docker save writes it
//	image push NAME DIR…      $REGISTRY/NAME, in a registry in this process
func cmdImage(ts *testscript.TestScript, neg bool, args []string) {
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: image program|archive|push")
	case args[0] == "program":
		ts.Check(buildImages())
		return
	case len(args) < 3:
		ts.Fatalf("usage: image archive|push WHAT DIR...")
	}
	var layers []imagetest.Files
	for _, dir := range args[2:] {
		layers = append(layers, filesBelow(ts, ts.MkAbs(dir)))
	}
	image, err := imagetest.Image("", layers...)
	ts.Check(err)
	switch args[0] {
	case "archive":
		tag, err := name.NewTag("script:1")
		ts.Check(err)
		ts.Check(tarball.WriteToFile(ts.MkAbs(args[1]), tag, image))
	case "push":
		push(ts, args[1], image)
	default:
		ts.Fatalf("what is %q?", args[0])
	}
}

func push(ts *testscript.TestScript, what string, image v1.Image) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	ts.Defer(server.Close)
	at := strings.TrimPrefix(server.URL, "http://")
	ts.Setenv("REGISTRY", at)
	ref, err := name.ParseReference(at + "/" + what)
	ts.Check(err)
	ts.Check(remote.Write(ref, image))
}

func filesBelow(ts *testscript.TestScript, dir string) imagetest.Files {
	out := imagetest.Files{}
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(text)
		return err
	}))
	return out
}
