package profile

import "testing"

func TestSameFile(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want bool
	}{
		{"/a/src/util.c", "/a/src/util.c", true},
		{"/a/src/../src/util.c", "/a/src/util.c", true},
		{"util.c", "/a/src/util.c", true},
		{"src/util.c", "/a/src/util.c", true},
		{"./src/util.c", "/a/src/util.c", true},
		{"../src/util.c", "/a/src/util.c", true},
		{"example.com/app/src/util.go", "/home/me/app/src/util.go", true},
		{"example.com/app/src/util.go", "/home/me/app/lib/util.go", false},
		{"a/src/util.c", "b/src/util.c", false},
		{"til.c", "/a/src/util.c", false},
		{"src/util.c", "lib/util.c", false},
		{"util.c", "main.c", false},
		// A tree that was copied or built elsewhere.
		{"/build/app/src/util.c", "/home/me/app/src/util.c", true},
		{"/build/app-1.2/src/util.c", "/home/me/app/src/util.c", true},
		{"/build/app/src/util.c", "/home/me/app/lib/util.c", false},
		// Two directories of one tree.
		{"/home/me/a/src/util.c", "/home/me/b/src/util.c", false},
		{"/src/util.c", "/src/lib/util.c", false},
		{`src\util.c`, "/a/src/util.c", true},
		{"", "", false},
		{"", "/a/util.c", false},
	} {
		if SameFile(x.a, x.b) != x.want || SameFile(x.b, x.a) != x.want {
			t.Errorf("%q and %q: want %v", x.a, x.b, x.want)
		}
	}
}
