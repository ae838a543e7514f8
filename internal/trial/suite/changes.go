package suite

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/environ"
	"whyhot/internal/trial/variant"
)

// Variant is a variant of every benchmark.
type Variant struct {
	variant.Variant

	Set Assignments // values in place of the file's own
}

// Changes turns the file's variants, or its steps with those before added, into
// variants. A library that is not installed leaves its variant out; a step that
// is missing would change what the ones behind it mean, so it is an error.
func (f *File) Changes(find variant.Locator) (found []Variant, missing []error, err error) {
	var sum Variant
	libraries := func(name string) (*allocator.Library, error) {
		libs, errs := variant.Preloads([]string{name}, find)
		if len(errs) > 0 {
			return nil, errs[0]
		}
		return libs[0].Preload, nil
	}
	for _, c := range f.Variants {
		v := Variant{}
		if err := v.add(f.Dir, c, libraries); err != nil {
			missing = append(missing, fmt.Errorf("variant %q: %w", c.Name, err))
			continue
		}
		found = append(found, v)
	}
	for _, c := range f.Steps {
		if err := sum.add(f.Dir, c, libraries); err != nil {
			return nil, nil, fmt.Errorf("step %q: %w", c.Name, err)
		}
		v := sum
		v.Env, v.Set = slices.Clone(sum.Env), maps.Clone(sum.Set)
		found = append(found, v)
	}
	return found, missing, nil
}

// ownField is what a build is read with: libraries have a field of their own.
type ownField struct{}

func (ownField) Find(string) (allocator.Library, error) {
	return allocator.Library{}, errors.New("libraries go under preload, not under build")
}

// build is how the program is made; nil when the change is not about that. Its
// patches lie where the file does.
func (c *Change) build(dir string) (*variant.Build, error) {
	if c.Build == "" {
		return nil, nil //nolint:nilnil // most changes are of another kind
	}
	v, err := variant.Parse(c.Build, ownField{})
	switch {
	case err != nil:
		return nil, err
	case v.Build == nil || len(v.Env) > 0:
		return nil, errors.New("variables go under env, not under build")
	}
	for i, p := range v.Build.Patches {
		v.Build.Patches[i] = under(dir, p)
	}
	return v.Build, v.Build.Check()
}

// add puts a change on top of what there is.
func (v *Variant) add(dir string, c Change, library func(string) (*allocator.Library, error)) error {
	v.Name = c.Name
	if c.Preload != "" {
		lib, err := library(c.Preload)
		if err != nil {
			return err
		}
		v.Preload = lib
	}
	b, err := c.build(dir)
	if err != nil {
		return err
	}
	// The sum's name is the change's own.
	v.Build = v.With(variant.Variant{Build: b}).Build
	for _, k := range slices.Sorted(maps.Keys(c.Env)) {
		v.Env = environ.Set(v.Env, k+"="+c.Env[k])
	}
	if v.Set == nil {
		v.Set = Assignments{}
	}
	maps.Copy(v.Set, c.Set)
	return nil
}
