package bump

import (
	"slices"
	"testing"
)

func TestRaisedVersions(t *testing.T) {
	for _, c := range []struct {
		file, before, after string
		want                []Raised
		ok                  bool
	}{
		{"go.mod", "module m\n\nrequire (\n\tgithub.com/a/b v1.2.0\n\tgolang.org/x/c v0.1.0 // indirect\n)\n", "module m\n\nrequire (\n\tgithub.com/a/b v1.3.0\n\tgolang.org/x/c v0.1.0 // indirect\n)\n", []Raised{{"github.com/a/b", "v1.2.0", "v1.3.0", Go}}, true},
		{"go.mod", "module m\nrequire github.com/a/b v1.2.0\n", "module m\nrequire github.com/a/b v1.3.0\nreplace github.com/a/b => ../b\n", []Raised{{"github.com/a/b", "v1.2.0", "v1.3.0", Go}}, false},
		{"x/Cargo.lock", "[[package]]\nname = \"serde\"\nversion = \"1.0.1\"\n", "[[package]]\nname = \"serde\"\nversion = \"1.0.2\"\n\n[[package]]\nname = \"new\"\nversion = \"0.1.0\"\n", []Raised{{"new", "", "0.1.0", Rust}, {"serde", "1.0.1", "1.0.2", Rust}}, true},
		{"requirements-dev.txt", "numpy==1.2\nrequests[socks] == 2.0  # why\n", "numpy==1.2\nrequests[socks] == 2.1  # why\n", []Raised{{"requests", "2.0", "2.1", Python}}, true},
		{"package-lock.json", `{"packages":{"":{"version":"1"},"node_modules/a":{"version":"1.0.0"},"node_modules/b/node_modules/@s/c":{"version":"2.0.0"}}}`, `{"packages":{"":{"version":"1"},"node_modules/a":{"version":"1.1.0"},"node_modules/b/node_modules/@s/c":{"version":"2.0.0"}}}`, []Raised{{"a", "1.0.0", "1.1.0", Node}}, true},
		{"gradle.lockfile", "com.google.guava:guava:30.0=compileClasspath\n", "com.google.guava:guava:31.0=compileClasspath\n", []Raised{{"com.google.guava:guava", "30.0", "31.0", Java}}, true},
		{"pom.xml", "<dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>1</version></dependency>", "<dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>2</version></dependency>", []Raised{{"org.x:y", "1", "2", Java}}, true},
		{"pom.xml", "<properties><y.version>1</y.version></properties><dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>${y.version}</version></dependency>", "<properties><y.version>2</y.version></properties><dependency><groupId>org.x</groupId><artifactId>y</artifactId><version>${y.version}</version></dependency>", []Raised{{"org.x:y", "1", "2", Java}}, true},
		{"poetry.lock", "[[package]]\nname = \"attrs\"\nversion = \"23.1.0\"\n", "[[package]]\nname = \"attrs\"\nversion = \"23.2.0\"\n", []Raised{{"attrs", "23.1.0", "23.2.0", Python}}, true},
		{"sub/uv.lock", "[[package]]\nname = \"attrs\"\nversion = \"23.1.0\"\n", "[[package]]\nname = \"attrs\"\nversion = \"23.2.0\"\n", []Raised{{"attrs", "23.1.0", "23.2.0", Python}}, true},
		{"debian/control", "Depends: libssl3 (>= 3.0.1), zlib1g\n", "Depends: libssl3 (>= 3.0.2), zlib1g\n", []Raised{{"libssl3", "3.0.1", "3.0.2", Debian}}, true},
		{"debian/control", "Depends: libssl3 (>= 3.0.1)\n", "Depends: libssl3 (>= 3.0.2), more\n", []Raised{{"libssl3", "3.0.1", "3.0.2", Debian}}, false},
		{"deploy/Dockerfile", "FROM debian:12\nRUN apt-get install -y libssl3=3.0.1-1 zlib1g=1:1.2.13\n", "FROM debian:12\nRUN apt-get install -y libssl3=3.0.2-1 zlib1g=1:1.2.13\n", []Raised{{"libssl3", "3.0.1-1", "3.0.2-1", Debian}}, true},
		{"Dockerfile", "FROM debian:12\nRUN apt-get install libssl3=3.0.1-1\n", "FROM debian:13\nRUN apt-get install libssl3=3.0.2-1\n", []Raised{{"libssl3", "3.0.1-1", "3.0.2-1", Debian}}, false},
		{"Cargo.toml", "serde = \"1.0.1\"\n", "serde = \"1.0.2\"\n", nil, true},
		{"Cargo.toml", "serde = \"1.0.1\"\n", "serde = { path = \"../serde\" }\n", nil, false},
		{"main.go", "a", "b", nil, false},
	} {
		got, ok := Of(c.file, []byte(c.before), []byte(c.after))
		if ok != c.ok || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v, %v", c.file, got, ok, c.want, c.ok)
		}
	}
}

func TestWhoseCode(t *testing.T) {
	for _, c := range []struct {
		r                        Raised
		function, source, binary string
		want                     bool
	}{
		{Raised{Name: "github.com/a/b", Kind: Go}, "github.com/a/b/inner.F", "", "", true},
		{Raised{Name: "github.com/a/b", Kind: Go}, "github.com/a/bc.F", "", "", false},
		{Raised{Name: "serde-json", Kind: Rust}, "serde_json::de::parse", "", "", true},
		{Raised{Name: "Py-YAML", Kind: Python}, "load", "/usr/lib/python3/dist-packages/py_yaml/load.py", "", true},
		{Raised{Name: "@s/c", Kind: Node}, "f", "/app/node_modules/@s/c/i.js", "", true},
		{Raised{Name: "org.x:y", Kind: Java}, "org.x.Y.run", "", "", true},
		{Raised{Name: "numpy", Kind: Python}, "f", "/home/numpy/main.py", "", false},
		{Raised{Name: "libssl3t64", Kind: Debian}, "SSL_read", "", "/usr/lib/x86_64-linux-gnu/libssl.so.3", true},
		{Raised{Name: "libgcc-s1", Kind: Debian}, "f", "", "/lib/x86_64-linux-gnu/libgcc_s.so.1", true},
		{Raised{Name: "zlib1g", Kind: Debian}, "inflate", "", "/lib/x86_64-linux-gnu/libz.so.1.2.13", true},
		{Raised{Name: "python3-yaml", Kind: Debian}, "load", "/usr/lib/python3/dist-packages/yaml/load.py", "", true},
		{Raised{Name: "gawk", Kind: Debian}, "f", "", "/usr/bin/gawk", true},
		{Raised{Name: "libssl3", Kind: Debian}, "f", "", "/usr/lib/libcrypto.so.3", false},
	} {
		if got := c.r.Code(c.function, c.source, c.binary); got != c.want {
			t.Errorf("%v, %s in %s: %v", c.r, c.function, c.source, got)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Cargo.lock", []byte("[[package]]\nname = \"a\"\nversion = \"1\"\n"), []byte("{"))
	f.Add("package-lock.json", []byte(`{"packages":{}}`), []byte(`{"packages":{"node_modules/":{}}}`))
	f.Add("pom.xml", []byte("<dependency>"), []byte("<dependency></dependency>"))
	f.Fuzz(func(t *testing.T, file string, before, after []byte) {
		if list, ok := Of(file, before, before); len(list) > 0 || ok && !Names(file) {
			t.Errorf("%s against itself: %v", file, list)
		}
		_, _ = Of(file, before, after)
	})
}
