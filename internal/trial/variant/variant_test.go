package variant

import (
	"errors"
	"slices"
	"testing"

	"whyhot/internal/preload"
)

func TestEnviron(t *testing.T) {
	lib := &preload.Library{Name: "m", Path: "/lib/m.so"}
	base := []string{"A=1", "LD_PRELOAD=/lib/old.so", "B=2"}
	v := Variant{Name: "m", Preload: lib, Env: []string{"A=3", "C="}}
	got := v.Environ(base)
	want := []string{"B=2", "A=3", "C=", "LD_PRELOAD=/lib/m.so:/lib/old.so"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if !slices.Equal(base, []string{"A=1", "LD_PRELOAD=/lib/old.so", "B=2"}) {
		t.Errorf("the base changed: %v", base)
	}
	if got := v.Changes(); !slices.Equal(got, []string{"A=3", "C=", "LD_PRELOAD=/lib/m.so"}) {
		t.Errorf("changes %v", got)
	}
}

type shelf map[string]string

func (s shelf) Find(name string) (preload.Library, error) {
	if p, ok := s[name]; ok {
		return preload.Library{Name: name, Path: p}, nil
	}
	return preload.Library{}, errors.New("no " + name)
}

func TestPreloads(t *testing.T) {
	vs, missing := Preloads([]string{"a", " b", "c", "a2"}, shelf{"a": "/a", "b": "/b", "a2": "/a"})
	if len(vs) != 2 || vs[0].Preload.Path != "/a" || vs[1].Name != "b" || len(missing) != 1 {
		t.Errorf("%+v, %v", vs, missing)
	}
}

func TestEnvironments(t *testing.T) {
	vs, err := Environments([]string{"A=b=c", "X="})
	if err != nil || len(vs) != 2 || vs[0].Name != "A=b=c" {
		t.Errorf("%+v, %v", vs, err)
	}
	for _, bad := range []string{"A", "=x", ""} {
		if _, err := Environments([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestUnique(t *testing.T) {
	if err := Unique([]Variant{{Name: "a"}, {Name: "b"}}); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]Variant{{{Name: "a"}, {Name: "b"}, {Name: "a"}}, {{}}} {
		if Unique(bad) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}
