package hunt

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"whyhot/internal/trial"
	"whyhot/internal/trial/archive"
	"whyhot/internal/trial/noise"
	"whyhot/internal/trial/rebuild/tree"
)

// subject is what is hunted, by its content: what is known of it holds as long as
// this is the same.
type subject struct {
	Command []string       `json:"command"`
	Metric  trial.Metric   `json:"metric"`
	Files   []archive.File `json:"files,omitempty"` // the program and those among its arguments
	Tree    string         `json:"tree,omitempty"`  // hash of the source
	Model   string         `json:"model,omitempty"` // of the CPU
	Kernel  string         `json:"kernel,omitempty"`
}

// baselineRole names the files of the baseline in records.
const baselineRole = "baseline"

// subject looks at the files of a request.
func (r *Request) subject(ctx context.Context) (subject, error) {
	return r.subjectOf(ctx, nil)
}

// stamps are those of the tree that is built, nil where nothing is.
func (r *Request) stamps(ctx context.Context) (tree.Stamp, error) {
	if r.Build.Command == "" {
		return nil, nil
	}
	source, err := tree.Scan(ctx, r.root(), tree.Options{Exclude: r.Build.Exclude, WithVCS: r.Build.WithVCS})
	if err != nil {
		return nil, err
	}
	return source.Stamps(), nil
}

// subjectOf is the subject whose tree has products that the command writes: what is in
// them does not tell one program from another.
func (r *Request) subjectOf(ctx context.Context, products []string) (subject, error) {
	s := subject{Command: r.name(), Metric: trial.Wall}
	if r.Metric.Name != "" {
		s.Metric = trial.Metric(r.Metric.Name)
	} else if r.Metric.Pattern != "" {
		s.Metric = trial.Number
	}
	s.Model, s.Kernel = noise.Machine()
	if r.Suite != "" {
		if f, ok := archive.Fingerprint("suite", r.path(r.Suite)); ok {
			s.Files = append(s.Files, f)
		}
	} else {
		s.Files = archive.Command(baselineRole, r.Command, r.Env, r.Directory)
	}
	if r.Stdin != "" {
		if f, ok := archive.Fingerprint("standard input", r.path(r.Stdin)); ok {
			s.Files = append(s.Files, f)
		}
	}
	if r.Build.Command == "" {
		return s, nil
	}
	source, err := tree.Scan(ctx, r.root(), tree.Options{Exclude: r.Build.Exclude, WithVCS: r.Build.WithVCS, Products: products})
	if err != nil {
		return s, err
	}
	if _, inside := source.Rel(r.Directory); !inside {
		return s, fmt.Errorf("the current directory is not in the tree %s", source.Root())
	}
	if s.Tree, err = source.Text(ctx); err != nil {
		return s, err
	}
	// The program is built anew, in a copy: its source says what it is.
	s.Files = slices.DeleteFunc(s.Files, func(f archive.File) bool { return strings.HasPrefix(f.Role, "program of ") })
	return s, nil
}

// path is a path of the request from the current directory.
func (r *Request) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(r.Directory, p)
}

// root is the tree that is built.
func (r *Request) root() string {
	if r.Build.Root == "" {
		return r.Directory
	}
	return r.path(r.Build.Root)
}

// same says that two are the same program, with the same input, on the same machine.
func (s *subject) same(o *subject) bool {
	if s.Tree != o.Tree || s.Metric != o.Metric || s.Model != o.Model || s.Kernel != o.Kernel || !slices.Equal(s.Command, o.Command) || len(s.Files) != len(o.Files) {
		return false
	}
	for i := range s.Files {
		if s.Files[i].Role != o.Files[i].Role || s.Files[i].SHA256 != o.Files[i].SHA256 || s.Files[i].Size != o.Files[i].Size {
			return false
		}
	}
	return true
}
