// Package inventory is what is said of a container image: its layers, the packages
// in it, and who owns files that were asked for.
//
// It owns the question and the answer that whyhot and whyhot-images pass to each
// other as JSON: one document there; back some that say what is being done, then the
// answer. It takes and gives data alone, reads no image
// and imports nothing of this module.
package inventory

import (
	"encoding/json"
	"fmt"
	"io"
)

// Version is that of the question and the answer. Both programs are built from one
// source; a whyhot-images of another build is told by it.
const Version = 2

// The kinds of packages, as catalogue entries name them.
const (
	Deb      = "deb"
	Apk      = "apk"
	RPM      = "rpm"
	PyPI     = "pypi"
	NPM      = "npm"
	Go       = "go"
	Maven    = "maven"
	Cargo    = "cargo"
	Gem      = "gem"
	Composer = "composer"
	NuGet    = "nuget"
)

// Kinds are all of them.
var Kinds = []string{Deb, Apk, RPM, PyPI, NPM, Go, Maven, Cargo, Gem, Composer, NuGet}

// The kinds of images.
const (
	Registry  = "registry"
	Layout    = "OCI layout"
	Archive   = "archive"
	Directory = "root directory"
)

// Question is what whyhot asks.
type Question struct {
	Version int `json:"version"`
	// Image is a registry reference, or the path of an archive, an OCI layout or a root
	// directory.
	Image    string `json:"image"`
	Platform string `json:"platform,omitempty"` // os/arch[/variant]; "" for Linux on this processor
	Tag      string `json:"tag,omitempty"`      // which of several images of an archive or a layout
	Insecure bool   `json:"insecure,omitempty"` // speak HTTP to the registry
	// Everywhere also reads where a running system has what its users and caches hold.
	Everywhere bool `json:"everywhere,omitempty"`
	// Files are paths in the image whose owners are wanted.
	Files []string `json:"files,omitempty"`
}

// Inventory is the answer.
type Inventory struct {
	Version  int             `json:"version"`
	Image    string          `json:"image"`
	Kind     string          `json:"kind"`
	Digest   string          `json:"digest,omitempty"`   // of the manifest
	Platform string          `json:"platform,omitempty"` // os/arch[/variant]
	System   string          `json:"system,omitempty"`   // PRETTY_NAME of os-release
	Layers   []Layer         `json:"layers,omitempty"`   // base first; none of a root directory
	Packages []Package       `json:"packages"`
	Files    map[string]File `json:"files,omitempty"` // by the path asked for, those that are there
	Notes    []string        `json:"notes,omitempty"`
}

// Layer is one layer.
type Layer struct {
	Digest  string `json:"digest"`  // of the layer unpacked (diff ID)
	Command string `json:"command"` // that made it, where the image tells
}

// Package is one package that is installed.
type Package struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Source is the package of the distribution that it was built from.
	Source string `json:"source,omitempty"`
	// Layer is the number of the layer that brought it in this version, 1 for the
	// base; 0 of a root directory.
	Layer int `json:"layer,omitempty"`
	// Path is the file that tells of it.
	Path string `json:"path"`
}

// String is "zlib1g 1:1.2.13.dfsg-1 (deb)".
func (p Package) String() string {
	if p.Version == "" {
		return fmt.Sprintf("%s (%s)", p.Name, p.Kind)
	}
	return fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Kind)
}

// File is a file of the image.
type File struct {
	Path    string `json:"path"` // without symbolic links
	Layer   int    `json:"layer,omitempty"`
	BuildID string `json:"build_id,omitempty"` // GNU build ID in hexadecimal digits
	// Owners are the packages that installed it, as indexes.
	Owners []int `json:"owners,omitempty"`
}

// ReadQuestion reads what a whyhot of this version asks.
func ReadQuestion(r io.Reader) (Question, error) {
	var q Question
	if err := json.NewDecoder(r).Decode(&q); err != nil {
		return q, fmt.Errorf("the question on the standard input: %w", err)
	}
	return q, sameVersion(q.Version)
}

// Progress is what comes before the answer, as often as there is something to say.
type Progress struct {
	Doing string `json:"doing"`
}

// ReadInventory reads the answer. Doing is told what is done before it; it may be nil.
func ReadInventory(r io.Reader, doing func(string)) (Inventory, error) {
	var i Inventory
	for from := json.NewDecoder(r); ; {
		var next struct {
			Progress
			Inventory
		}
		if err := from.Decode(&next); err != nil {
			return i, fmt.Errorf("the answer: %w", err)
		}
		if next.Doing == "" {
			i = next.Inventory
			break
		}
		if doing != nil {
			doing(next.Doing)
		}
	}
	for path, f := range i.Files {
		for _, o := range f.Owners {
			if o < 0 || o >= len(i.Packages) {
				return i, fmt.Errorf("the answer: %s has the owner %d of %d packages", path, o, len(i.Packages))
			}
		}
	}
	return i, sameVersion(i.Version)
}

func sameVersion(v int) error {
	if v != Version {
		return fmt.Errorf("whyhot and whyhot-images are of different versions (%d and %d): build both again", v, Version)
	}
	return nil
}
