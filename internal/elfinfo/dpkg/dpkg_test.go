package dpkg

import (
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOwner(t *testing.T) {
	root := t.TempDir()
	write(t, root, "var/lib/dpkg/info/libshop1:amd64.list", "/.\n/lib\n/lib/x86_64-linux-gnu/libshop.so.1.2\n/lib/x86_64-linux-gnu/libshop.so.1\n")
	write(t, root, "var/lib/dpkg/info/shop.list", "/usr/bin/shop\n")
	write(t, root, "var/lib/dpkg/info/orphan.list", "/opt/orphan\n")
	write(t, root, "var/lib/dpkg/status", `Package: libshop1
Status: install ok installed
Source: shop (1.0)
Architecture: i386
Version: 1.1-9

Package: libshop1
Status: install ok installed
Source: shop (1.0)
Architecture: amd64
Version: 1.2-3

Package: shop
Description: a shop
 with goods: of all kinds
Architecture: amd64
Version: 2.0-1
`)
	write(t, root, "usr/lib/x86_64-linux-gnu/libshop.so.1.2", "")
	if err := os.Symlink("libshop.so.1.2", filepath.Join(root, "usr/lib/x86_64-linux-gnu/libshop.so")); err != nil {
		t.Fatal(err)
	}
	db := Open(root)
	if !db.Present() {
		t.Error("the data base is there")
	}
	lib := Package{Name: "libshop1", Version: "1.2-3", Source: "shop"}
	want := map[string]Package{
		"/lib/x86_64-linux-gnu/libshop.so.1":                              lib,
		"/usr/lib/x86_64-linux-gnu/libshop.so.1":                          lib,
		"/usr/lib/x86_64-linux-gnu/libshop.so":                            lib, // a link that no package owns
		"/usr/lib/x86_64-linux-gnu/../x/../x86_64-linux-gnu/libshop.so.1": lib,
		"/bin/shop":       {Name: "shop", Version: "2.0-1", Source: "shop"},
		"/opt/orphan":     {Name: "orphan"},
		"/usr/bin/shop2":  {},
		"/usr/local/shop": {},
	}
	paths := make([]string, 0, len(want))
	for p := range want {
		paths = append(paths, p)
	}
	got := db.Owners(paths)
	for _, p := range paths {
		if got[p] != want[p] {
			t.Errorf("%s: %+v, want %+v", p, got[p], want[p])
		}
	}
	if one, ok := db.Owner("/bin/shop"); !ok || one.Name != "shop" {
		t.Errorf("%+v", one)
	}
	none := Open(t.TempDir())
	if _, ok := none.Owner("/bin/shop"); ok || none.Present() {
		t.Error("a system without dpkg has no packages")
	}
}

func TestDebugPackage(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"libshop1", "shop", "libshop1-dbgsym"},
		{"libc6", "glibc", "libc6-dbg"},
		{"libstdc++6", "gcc-12", "libstdc++6-12-dbg"},
		{"libgcc-s1", "gcc-12", "libgcc-s1-dbgsym"},
		{"libperl5.36", "perl", "perl-debug"},
		{"python3.11-minimal", "python3.11", "python3.11-dbg"},
		{"python3-numpy", "numpy", "python3-numpy-dbgsym"},
		{"python-is-python3", "python-defaults", "python-is-python3-dbgsym"},
		{"openjdk-17-jre-headless", "openjdk-17", "openjdk-17-dbg"},
		{"linux-image-6.1.0-18-amd64", "linux-signed-amd64", "linux-image-6.1.0-18-amd64-dbg"},
	} {
		if got := (Package{Name: c.name, Source: c.source}).DebugPackage(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
