package allow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"whyhot/internal/host/yamldoc"
)

// Editor is what an editor shows of the files below the configuration's directory.
type Editor struct {
	Off         bool  `yaml:"off"`         // nothing at all
	Diagnostics *bool `yaml:"diagnostics"` // default true, as the next three
	Hover       *bool `yaml:"hover"`
	Actions     *bool `yaml:"actions"`
	Units       *bool `yaml:"units"` // analyse the saved unit of C and C++
	Lens        bool  `yaml:"lens"`
	// Profile is the file to show, from the configuration's directory.
	Profile string `yaml:"profile"`
}

// Shows says whether a part is on.
func (e *Editor) Shows(part *bool) bool { return !e.Off && (part == nil || *part) }

// EditorFor reads the configuration that counts for a directory: the nearest one, from the
// directory up to the root.
func EditorFor(root, dir string) (Editor, error) {
	for {
		var f File
		err := yamldoc.Read(filepath.Join(dir, Name), &f)
		if err == nil {
			if f.Editor.Profile != "" && !filepath.IsAbs(f.Editor.Profile) {
				f.Editor.Profile = filepath.Join(dir, f.Editor.Profile)
			}
			return f.Editor, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return Editor{}, err
		}
		up := filepath.Dir(dir)
		if dir == root || up == dir {
			return Editor{}, nil
		}
		dir = up
	}
}
