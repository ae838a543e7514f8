package variant

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/host/allocator"
)

func TestEnviron(t *testing.T) {
	lib := &allocator.Library{Name: "m", Path: "/lib/m.so"}
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

func (s shelf) Find(name string) (allocator.Library, error) {
	if p, ok := s[name]; ok {
		return allocator.Library{Name: name, Path: p}, nil
	}
	return allocator.Library{}, errors.New("no " + name)
}

func TestPreloads(t *testing.T) {
	vs, missing := Preloads([]string{"a", " b", "c", "a2"}, shelf{"a": "/a", "b": "/b", "a2": "/a"})
	if len(vs) != 2 || vs[0].Preload.Path != "/a" || vs[1].Name != "b" || len(missing) != 1 {
		t.Errorf("%+v, %v", vs, missing)
	}
}

func TestEnvironments(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"A=b=c", "A=b=c"},
		{"A=1,X=", "A=1 X="},
		{"A=1,A=2", "A=1|A=2"},
		{"A=1,B=2,A=3,B=4", "A=1 B=2|A=3 B=4"},
		{"A=1,B=2,B=3", "A=1 B=2|B=3"},
	} {
		vs, err := Environments(strings.Split(c.given, ","))
		var got []string
		for _, v := range vs {
			if strings.Join(v.Env, " ") != v.Name {
				t.Errorf("%s: %+v", c.given, v)
			}
			got = append(got, v.Name)
		}
		if err != nil || strings.Join(got, "|") != c.want {
			t.Errorf("%s: %v, %v", c.given, got, err)
		}
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

func TestCommands(t *testing.T) {
	got, err := Commands([]string{`orjson=python3 "my app.py" --n=3`, "./fast --level=2"})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Name != "orjson" || !slices.Equal(got[0].Command, []string{"python3", "my app.py", "--n=3"}) {
		t.Errorf("a named command came out as %q %q", got[0].Name, got[0].Command)
	}
	if got[1].Name != "./fast --level=2" || !slices.Equal(got[1].Command, []string{"./fast", "--level=2"}) {
		t.Errorf("a command without a name came out as %q %q", got[1].Name, got[1].Command)
	}
	for _, bad := range []string{`x="open`, "name=", ""} {
		if _, err := Commands([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
