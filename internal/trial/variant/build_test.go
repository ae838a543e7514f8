package variant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/allocator"
	"whyhot/internal/host/environ"
)

type library struct{}

func (library) Find(name string) (allocator.Library, error) {
	if name == "none" {
		return allocator.Library{}, fmt.Errorf("%s is not installed", name)
	}
	return allocator.Library{Name: name, Path: "/lib/" + name + ".so"}, nil
}

func names(vs []Variant) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.Name
	}
	return out
}

func TestFlagsTogetherAreOneVariant(t *testing.T) {
	libs, _ := Preloads([]string{"mi", "je"}, library{})
	envs, err := Environments([]string{"A=1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		choices Choices
		libs    []Variant
		want    []string
	}{
		{Choices{PGO: true, LTO: "auto"}, nil, []string{"pgo+lto"}},
		{Choices{PGO: true, LTO: "auto", BOLT: true, CFlags: []string{"-O3"}}, nil, []string{"-O3+pgo+lto+bolt"}},
		{Choices{CFlags: []string{"-O1", "-O3"}, LTO: "thin"}, nil, []string{"-O1+lto=thin", "-O3+lto=thin"}},
		{Choices{PGO: true}, libs, []string{"pgo", "mi", "je"}},
		{Choices{PGO: true, LTO: "auto", Matrix: true}, nil, []string{"lto", "pgo", "pgo+lto"}},
		{Choices{PGO: true, Matrix: true}, libs, []string{"mi", "je", "pgo", "pgo+mi", "pgo+je"}},
		{Choices{Patches: []string{"/x/a.diff"}, Named: []string{"lto+preload=mi+env=K=a+b"}}, nil, []string{"a.diff", "lto+mi+K=a+b"}},
	} {
		vs, err := c.choices.Combine(c.libs, nil, library{})
		if err != nil {
			t.Errorf("%+v: %v", c.choices, err)
			continue
		}
		if got := names(vs); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.choices, got, c.want)
		}
		if err := Unique(vs); err != nil {
			t.Error(err)
		}
	}
	vs, err := (&Choices{LTO: "auto"}).Combine(nil, envs, library{})
	if err != nil || !slices.Equal(names(vs), []string{"lto", "A=1"}) || vs[1].Build != nil {
		t.Errorf("got %v, %v", vs, err)
	}
}

func TestNamedVariants(t *testing.T) {
	v, err := Parse("cflags=-std=c++20 -O2+pgo+lto=full+patch=a+b.diff+ldflags=-Wl,-O1", library{})
	if err != nil {
		t.Fatal(err)
	}
	b := v.Build
	if b.CFlags != "-std=c++20 -O2" || !b.PGO || b.LTO != "full" || b.BOLT || !slices.Equal(b.Patches, []string{"a+b.diff"}) || b.LDFlags != "-Wl,-O1" {
		t.Errorf("got %+v", *b)
	}
	for text, want := range map[string]string{
		"":             "no part of a variant",
		"pgo+fast":     "no part",
		"bolt=2":       "takes no value",
		"lto=most":     "must be one of auto, thin, full",
		"preload=none": "not installed",
		"env=A":        "NAME=VALUE",
		"cflags=-D'":   "not closed",
	} {
		_, err := (&Choices{Named: []string{text}}).Combine(nil, nil, library{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestTooLargeMatrix(t *testing.T) {
	c := Choices{CFlags: []string{"-O1", "-O2", "-O3"}, LTO: "auto", PGO: true, BOLT: true, Matrix: true}
	if vs, err := c.Combine(nil, nil, library{}); err != nil || len(vs) != 31 {
		t.Errorf("got %d variants, %v", len(vs), err)
	}
	c.LDFlags = []string{"-s"}
	if _, err := c.Combine(nil, nil, library{}); err == nil || !strings.Contains(err.Error(), "--variant") {
		t.Errorf("got %v", err)
	}
}

func TestPlaceComesBeforeTheVariantsOwnVariables(t *testing.T) {
	v := Variant{Env: []string{"K=variant"}, Built: &Built{Env: []string{"K=place", "P=/copy"}}}
	got := v.Environ([]string{"K=user", "P=/original"})
	if environ.Get(got, "K") != "variant" || environ.Get(got, "P") != "/copy" {
		t.Errorf("got %q", got)
	}
	if c := v.Changes(); !slices.Equal(c, []string{"K=variant"}) {
		t.Errorf("changes %q", c)
	}
}

// FuzzParse: what is taken can be built, has a name, and says the same when its
// parts are joined anew.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"pgo", "pgo+lto=thin+cflags=-std=c++20", "patch=a+b+bolt", "env=A=1+preload=x", "+", "lto=", "cflags='"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text, library{})
		if err != nil {
			return
		}
		if v.Name == "" {
			t.Errorf("%q has no name", text)
		}
		if parts := split(text); strings.Join(parts, "+") != text {
			t.Errorf("%q was split into %q", text, parts)
		}
	})
}

func TestPGOBySamples(t *testing.T) {
	for text, want := range map[string]Build{
		"pgo":                 {PGO: true},
		"pgo=sample":          {PGO: true, Sampled: true},
		"pgo=/srv/app.pgo":    {Profile: "/srv/app.pgo"},
		"lto+pgo=/a.prof":     {LTO: "auto", Profile: "/a.prof"},
		"pgo=sample+lto=full": {PGO: true, Sampled: true, LTO: "full"},
	} {
		v, err := Parse(text, library{})
		if err != nil || !reflect.DeepEqual(*v.Build, want) {
			t.Errorf("%s: %+v, %v", text, v.Build, err)
		}
	}
	v, err := Parse("pgo+pgo=/a.prof", library{})
	if err != nil || v.Build.Check() == nil {
		t.Errorf("training and a file of samples at once: %v", err)
	}
	if a, b := (&Build{PGO: true}).Name(), (&Build{PGO: true, Sampled: true}).Name(); a == b {
		t.Errorf("both are called %s", a)
	}
}
