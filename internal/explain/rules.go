package explain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/rule/selftest"
	"whyhot/internal/explain/source"
	"whyhot/internal/finding"
	"whyhot/internal/ingest/folded"
	"whyhot/internal/profile"
)

// Rules are what findings come from: the catalogue, with the user's own entries,
// and the user's rules about source.
type Rules struct {
	Catalog *catalog.Catalog
	Source  []source.Rule

	dirs []string
	own  []catalog.Entry // of dirs
}

// LoadRules reads the built-in catalogue and what is in the user's directories:
// YAML files, each a catalogue entry or a list of source rules ("matchers"). A
// directory with neither is an error: it was named by mistake.
func LoadRules(dirs ...string) (Rules, error) {
	cat, err := catalog.Builtin()
	if err != nil {
		return Rules{}, err
	}
	r := Rules{Catalog: cat, dirs: dirs}
	for _, dir := range dirs {
		if err := r.add(dir); err != nil {
			return Rules{}, err
		}
	}
	if r.Source, err = source.LoadRules(dirs); err != nil {
		return Rules{}, err
	}
	return r, nil
}

func (r *Rules) add(dir string) error {
	if info, err := os.Stat(dir); err != nil {
		return fmt.Errorf("--rules: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("--rules %s: not a directory; give the directory that holds the rules", dir)
	}
	with, err := r.Catalog.With(os.DirFS(dir), ".")
	if err != nil {
		return fmt.Errorf("--rules %s:\n%w", dir, err)
	}
	alone := &catalog.Catalog{Families: r.Catalog.Families, Runtimes: r.Catalog.Runtimes, Memory: r.Catalog.Memory}
	if alone, err = alone.With(os.DirFS(dir), "."); err != nil {
		return fmt.Errorf("--rules %s:\n%w", dir, err)
	}
	matchers, err := source.LoadRules([]string{dir})
	if err != nil {
		return err
	}
	if len(alone.Entries) == 0 && len(matchers) == 0 {
		return fmt.Errorf("--rules %s: no YAML file in it is a catalogue entry or has a list \"matchers\"", dir)
	}
	r.Catalog, r.own = with, append(r.own, alone.Entries...)
	return nil
}

// isCause says whether an identity is that of a cause which an entry and the source
// both know.
func (r *Rules) isCause(id string) bool {
	return slices.ContainsFunc(r.Catalog.Entries, func(e catalog.Entry) bool { return e.SourceRule != "" && finding.CauseID(e.SourceRule) == id })
}

// Checked counts what Check went through.
type Checked struct {
	Entries  int `json:"entries"`  // of the catalogue
	Tests    int `json:"tests"`    // that they carry
	Matchers int `json:"matchers"` // rules about source
	Fixtures int `json:"fixtures"` // that they carry
	// Unwritten are texts of drafts that somebody has yet to write.
	Unwritten []string `json:"unwritten,omitempty"`
}

// Check runs the tests that the user's own entries carry and the fixtures of the
// user's source rules. Those need the analyser. The error joins everything that is
// wrong.
func (r *Rules) Check(ctx context.Context) (Checked, error) {
	done := Checked{Entries: len(r.own), Matchers: len(r.Source)}
	var wrong []error
	for i := range r.own {
		wrong = append(wrong, selftest.Run(ctx, r.Catalog, &r.own[i], parseFolded)...)
		done.Tests += len(r.own[i].Tests)
		if keys := r.own[i].Unwritten(); len(keys) > 0 {
			done.Unwritten = append(done.Unwritten, fmt.Sprintf("%s: %s", r.own[i].File, strings.Join(keys, ", ")))
		}
	}
	if n := len(wrong); n > 0 {
		wrong = []error{fmt.Errorf("%d of %d tests failed:\n%w", n, done.Tests, errors.Join(wrong...))}
	}
	for _, s := range r.Source {
		done.Fixtures += len(s.Fixtures)
	}
	if len(r.Source) > 0 {
		wrong = append(wrong, source.CheckRules(ctx, r.Source))
	}
	return done, errors.Join(wrong...)
}

func parseFolded(ctx context.Context, text string) (*profile.Profile, error) {
	return folded.Read(ctx, strings.NewReader(text))
}

// CheckDraft reads the text of one entry as LoadRules does and runs its tests.
func CheckDraft(ctx context.Context, name string, text []byte) error {
	cat, err := catalog.Builtin()
	if err != nil {
		return err
	}
	entry, err := cat.Parse(name, text)
	if err != nil {
		return err
	}
	return errors.Join(selftest.Run(ctx, cat, &entry, parseFolded)...)
}
