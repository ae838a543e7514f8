package keep

import (
	"os"
	"path/filepath"
	"testing"
)

type state struct{ N int }

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestStateComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	d := open(t, path)
	var s state
	if found, err := d.Load(&s); err != nil || found {
		t.Fatalf("something in a new directory: %v", err)
	}
	if err := d.Save(state{7}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("two processes have the same hunt")
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	if found, err := d.Load(&s); err != nil || !found || s.N != 7 {
		t.Errorf("%+v, %v", s, err)
	}
	if err := os.WriteFile(d.Path("profile"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Empty(); err != nil {
		t.Fatal(err)
	}
	if found, _ := d.Load(&s); found {
		t.Error("what was emptied is still there")
	}
	if err := os.WriteFile(d.Path(stateName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(&s); err == nil {
		t.Error("a damaged file was read")
	}
}

func TestDefault(t *testing.T) {
	env := func(name string) string { return map[string]string{"HOME": "/home/x"}[name] }
	a, err := Default(env, "x", "yz")
	if err != nil || filepath.Dir(a) != "/home/x/.local/state/whyhot/hunts" {
		t.Errorf("%s, %v", a, err)
	}
	if b, _ := Default(env, "xy", "z"); a == b {
		t.Error("two hunts share a directory")
	}
	if _, err := Default(func(string) string { return "" }); err == nil {
		t.Error("a directory without a home")
	}
}
