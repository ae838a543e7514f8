package owners

import (
	"maps"
	"testing"
	"testing/fstest"

	"whyhot/internal/image/inventory"
)

const apkText = "C:Q1abc=\nP:zlib\nV:1.3.1-r0\nF:lib\nR:libz.so.1\na:0:0:777\nR:libz.so.1.3.1\nF:usr/share/doc\n\nP:musl\nF:lib\nR:ld-musl-x86_64.so.1\n\n"

func TestOwners(t *testing.T) {
	fsys := fstest.MapFS{
		"var/lib/dpkg/info/zlib1g:amd64.list":   {Data: []byte("/.\n/lib\n/lib/x86_64-linux-gnu/libz.so.1.2.13\n")},
		"var/lib/dpkg/info/gzip.list":           {Data: []byte("/.\n/bin/gzip\n")},
		"var/lib/dpkg/info/gzip.md5sums":        {Data: []byte("00  bin/wrong\n")},
		"var/lib/dpkg/status.d/libssl3.md5sums": {Data: []byte("0123  usr/lib/libssl.so.3\n")},
		"var/lib/dpkg/status.d/libssl3":         {Data: []byte("Package: libssl3\n")},
		"lib/apk/db/installed":                  {Data: []byte(apkText)},
		"var/lib/dpkg/info/not-a-list.postinst": {Data: []byte("/bin/none\n")},
	}
	got, err := Find(fsys, []string{"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "/usr/bin/gzip", "/usr/lib/libssl.so.3", "/lib/libz.so.1.3.1", "/lib/ld-musl-x86_64.so.1", "/bin/none", "/bin/wrong", "/app/own"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Owner{
		"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13": {inventory.Deb, "zlib1g"}, // installed before /lib became a link
		"/usr/bin/gzip":            {inventory.Deb, "gzip"},
		"/usr/lib/libssl.so.3":     {inventory.Deb, "libssl3"}, // a distroless image
		"/lib/libz.so.1.3.1":       {inventory.Apk, "zlib"},
		"/lib/ld-musl-x86_64.so.1": {inventory.Apk, "musl"},
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNothingInstalled(t *testing.T) {
	if got, err := Find(fstest.MapFS{}, []string{"/a"}); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// Whatever the lists hold, an owner is a name that stands in them.
func FuzzOwners(f *testing.F) {
	f.Add([]byte(apkText), []byte("/.\n/lib/libz.so.1\n"))
	f.Fuzz(func(t *testing.T, apk, list []byte) {
		fsys := fstest.MapFS{"lib/apk/db/installed": {Data: apk}, "var/lib/dpkg/info/x.list": {Data: list}}
		got, _ := Find(fsys, []string{"/lib/libz.so.1"}) // a list that is too long is an error
		for name, o := range got {
			if name != "/lib/libz.so.1" || o.Name == "" {
				t.Errorf("%q is of %+v", name, o)
			}
		}
	})
}
