package compdb

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIncludesAreReadFromTheText(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"inc", "src"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "inc/far.h", "#pragma once\nstruct Far { int member; };\n")
	write(t, dir, "inc/near.h", "#pragma once\n# include <far.h>\n")
	write(t, dir, "src/local.h", "#include <vector>\n")
	write(t, dir, "src/forced.h", "int forced;\n")
	write(t, dir, "src/a.cpp", "#if 0\n#include \"near.h\"\n#endif\n#include \"local.h\"\n")
	write(t, dir, "src/b.cpp", "#include \"local.h\"\n")
	write(t, dir, "src/c.cpp", "#define WHICH \"x.h\"\n#include WHICH\n")
	in := NewIncludes()
	for _, c := range []struct {
		file, meant  string
		reads, known bool
	}{
		{"a.cpp", "inc/far.h", true, true},
		{"b.cpp", "inc/far.h", false, true},
		{"b.cpp", "src/b.cpp", true, true},
		{"b.cpp", "src/forced.h", true, true},
		{"c.cpp", "inc/far.h", false, false},
	} {
		u, err := FromCommand(filepath.Join(dir, "src"), "", []string{"c++", "-I", "../inc", "-include", "forced.h", "-c", c.file})
		if err != nil {
			t.Fatal(err)
		}
		reads, known := in.Reads(u, func(f string) bool { return f == filepath.Join(dir, c.meant) })
		if reads != c.reads || known != c.known {
			t.Errorf("%s, %s: reads %v, known %v", c.file, c.meant, reads, known)
		}
		if got := in.Mentions(u, "member"); got != (c.file != "b.cpp") {
			t.Errorf("%s mentions the member: %v", c.file, got)
		}
	}
}
