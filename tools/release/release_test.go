package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	spdxjson "github.com/spdx/tools-golang/json"
)

var day = time.Date(2026, 11, 24, 1, 2, 3, 0, time.UTC)

func TestVersionOf(t *testing.T) {
	at := time.Date(2026, 11, 23, 10, 11, 12, 0, time.UTC)
	for _, c := range []struct {
		name, want string
		exact      []string
		before     string
	}{
		{"a tag", "v1.2.0", []string{"v1.2.0"}, "v1.2.0"},
		{"two tags, and one of something else", "v1.10.0", []string{"v1.9.0", "v1.10.0", "v1.x"}, "v1.9.0"},
		{"behind a tag", "v1.2.1-0.20261123101112-0123456789ab", nil, "v1.2.0"},
		{"behind a release candidate", "v1.2.0-rc.1.0.20261123101112-0123456789ab", nil, "v1.2.0-rc.1"},
		{"no tag", "v0.0.0-20261123101112-0123456789ab", nil, ""},
	} {
		if got := versionOf(c.exact, c.before, at, "0123456789abcdef"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPackageVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.0": "1.2.0", "v1.2.0-rc.1": "1.2.0~rc.1",
		"v0.0.0-20261123101112-0123456789ab": "0.0.0~20261123101112.0123456789ab",
	} {
		if got := (&source{version: version}).packageVersion(); got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

// written packs stand-ins for the programs, signed where there is a key,
// whose files are as old as told.
func written(t *testing.T, key string, age time.Time) *release {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &release{
		source: &source{root: root, commit: "0123456789abcdef", time: time.Date(2026, 11, 23, 10, 11, 12, 0, time.UTC), version: "v1.2.0-rc.1"},
		work:   filepath.Join(dir, "work"), out: filepath.Join(dir, "dist"), goOnly: true, arches: []string{"amd64", "arm64"},
	}
	for _, d := range []string{"licences", "../dist"} {
		if err := os.MkdirAll(filepath.Join(r.work, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	libraries := []*linked{{path: "example.org/a", version: "v1.0.0", licences: []string{"MIT"}}, {path: "example.org/a/b", version: "v1.0.0"}}
	for _, arch := range r.arches {
		for _, name := range pureGo {
			p := &program{name: name, arch: arch, path: filepath.Join(r.work, arch+name), modules: libraries}
			if err := os.WriteFile(p.path, []byte("#!/bin/sh\necho "+name+arch+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(r.licences(p), []byte("the text of the MIT licence"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(p.path, age, age); err != nil {
				t.Fatal(err)
			}
			r.programs = append(r.programs, p)
		}
	}
	for _, step := range []func(context.Context) error{
		r.writePackages, r.writeImages,
		func(context.Context) error { return r.writeContents() },
		func(context.Context) error { return r.writeSums(key) },
	} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// The same programs give the same bytes, in another directory and at another time.
func TestTwice(t *testing.T) {
	_, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, text, 0o600); err != nil {
		t.Fatal(err)
	}
	one, two := written(t, key, day), written(t, key, day.AddDate(1, 2, 3))
	files := 0
	if err := each(one.out, func(name string) error {
		a, err := os.ReadFile(filepath.Join(one.out, name))
		if err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(two.out, name))
		if err != nil {
			return err
		}
		if files++; !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := 2*len(one.artefacts) + 2; files != want || len(one.artefacts) != 13 {
		t.Errorf("%d files of %d artefacts, want %d", files, len(one.artefacts), want)
	}
	list, err := os.ReadFile(filepath.Join(one.out, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := os.ReadFile(filepath.Join(one.out, sumsFile+".minisig"))
	if err != nil {
		t.Fatal(err)
	}
	public := private.Public().(minisign.PublicKey)
	if !minisign.Verify(public, list, signature) || minisign.Verify(public, append(list, '\n'), signature) {
		t.Error("the signature is not of the checksums")
	}
}

// What SPDX says refers to nothing that it does not describe.
func TestContents(t *testing.T) {
	r := written(t, "", day)
	for _, a := range r.artefacts {
		f, err := os.Open(filepath.Join(r.out, a.name+".spdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := spdxjson.Read(f)
		_ = f.Close()
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		known := map[string]bool{"DOCUMENT": true}
		for _, p := range doc.Packages {
			if id := string(p.PackageSPDXIdentifier); known[id] {
				t.Errorf("%s: %s twice", a.name, id)
			} else {
				known[id] = true
			}
		}
		for _, rel := range doc.Relationships {
			if !known[string(rel.RefA.ElementRefID)] || !known[string(rel.RefB.ElementRefID)] {
				t.Errorf("%s: %v %s %v", a.name, rel.RefA, rel.Relationship, rel.RefB)
			}
		}
		sum, err := sumOf(filepath.Join(r.out, a.name))
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.Packages[0].PackageChecksums[0].Value; got != sum {
			t.Errorf("%s: its sum is %s, the list says %s", a.name, sum, got)
		}
		if want := len(a.programs) > 0; want != known["go-example.org-a-v1.0.0"] {
			t.Errorf("%s: the module that is linked in: %v", a.name, !want)
		}
	}
}

// dpkg reads the packages, and finds in them what it should.
func TestDebs(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg-deb")
	if err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	r := written(t, "", day)
	say := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), dpkg, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for name, want := range map[string]struct{ fields, files []string }{
		"whyhot_1.2.0~rc.1_amd64.deb": {
			[]string{"Version: 1.2.0~rc.1\n", "Architecture: amd64\n", "Suggests: whyhot-agent"},
			[]string{"-rwxr-xr-x root/root", " ./usr/bin/whyhot\n", " ./usr/share/doc/whyhot/copyright\n", " ./usr/share/doc/whyhot/licences.txt.gz\n", "2026-11-23"},
		},
		"whyhot_1.2.0~rc.1_arm64.deb": {[]string{"Architecture: arm64\n"}, []string{" ./usr/bin/whyhot\n"}},
		"whyhot-images_1.2.0~rc.1_amd64.deb": {
			[]string{"Depends: whyhot (= 1.2.0~rc.1)\n"}, []string{" ./usr/bin/whyhot-images\n"},
		},
		"whyhot-agent_1.2.0~rc.1_all.deb": {
			[]string{"Architecture: all\n", "Depends: whyhot (= 1.2.0~rc.1)\n"},
			[]string{" ./usr/lib/systemd/system/whyhot-agent.service\n", "-rw-r----- root/root", " ./etc/whyhot/agent.env\n"},
		},
	} {
		path := filepath.Join(r.out, name)
		fields, files := say("--field", path), say("--contents", path)
		for _, f := range want.fields {
			if !strings.Contains(fields, f) {
				t.Errorf("%s has no %q:\n%s", name, f, fields)
			}
		}
		for _, f := range want.files {
			if !strings.Contains(files, f) {
				t.Errorf("%s has no %q:\n%s", name, f, files)
			}
		}
	}
	dir := t.TempDir()
	say("--extract", filepath.Join(r.out, "whyhot-agent_1.2.0~rc.1_all.deb"), dir)
	unit, err := os.ReadFile(filepath.Join(dir, "usr/lib/systemd/system/whyhot-agent.service"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(unit), "[Unit]\n") || !strings.Contains(string(unit), "ExecStart=/usr/bin/whyhot agent") {
		t.Errorf("the unit:\n%s", unit)
	}
	say("--extract", filepath.Join(r.out, "whyhot_1.2.0~rc.1_amd64.deb"), dir)
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "usr/bin/whyhot")).Output()
	if err != nil || string(out) != "whyhotamd64\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
}
