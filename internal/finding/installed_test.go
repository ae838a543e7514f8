package finding

import "testing"

func TestIsInstalled(t *testing.T) {
	const home, opt = "/home/me/project/a.cc", "/opt/project/src/a.cc"
	for _, c := range []struct {
		file, unit string
		want       bool
	}{
		{"/usr/include/c++/12/vector", home, true},
		{"/usr/local/include/lib.h", home, true},
		{"/include/c++/12/vector", home, true},
		{"/rustc/59807616e1/library/core/src/slice/cmp.rs", "", true},
		{"/rust/deps/hashbrown-0.16.1/src/map.rs", home, true},
		{"/home/me/.cargo/registry/src/index/serde-1.0/src/de.rs", home, true},
		{"/home/me/go/pkg/mod/example.org/x@v1/x.go", home, true},
		{"/home/me/project/include/a.h", home, false},
		{"/usr/src/package/a.h", home, false},
		{"src/a.h", home, false},
		{"/opt/rocm/include/hip.h", home, true},
		{"/opt/rocm/include/hip.h", opt, true},
		{"/opt/project/include/a.h", opt, false},
		{"/opt/project/src/a.cc", opt, false},
		{"/opt/project2/src/a.cc", opt, true},
		{"/opt/a.cc", "/opt/b.cc", false},
		{"/usr/include/vector", opt, true},
		{"/optional/a.h", home, false},
	} {
		if got := IsInstalled(c.file, c.unit); got != c.want {
			t.Errorf("%s beside %s: %v", c.file, c.unit, got)
		}
	}
}

func TestPackagedBinaries(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6":     true,
		"/srv/venv/lib/python3.11/site-packages/_duckdb.so": true,
		"/srv/app/node_modules/sharp/build/sharp.node":      true,
		"/usr/bin/zstd":                 true,
		"/usr/local/bin/app":            false,
		"/home/me/app/build/libcore.so": false,
		"/usr/local/lib/libmine.so.1":   false,
	} {
		if IsPackaged(path) != want {
			t.Errorf("%s: want %v", path, want)
		}
	}
}
