package fix

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/explain/analyzer"
)

const flag = "-Wl,--push-state,--no-as-needed,-ljemalloc,--pop-state"

func TestEditors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, edit, text, want, how string }{
		{"cmake", "CMakeLists.txt", "add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE m)\n",
			"add_executable(app main.cpp)\ntarget_link_libraries(app PRIVATE " + flag + ")\ntarget_link_libraries(app PRIVATE m)\n", "target app"},
		{"cmake, plain signature, several lines", "CMakeLists.txt", "if(X)\n  add_executable( app\n    a.c # )\n    b.c)\nendif()\ntarget_link_libraries(app m)\n",
			"if(X)\n  add_executable( app\n    a.c # )\n    b.c)\n  target_link_libraries(app " + flag + ")\nendif()\ntarget_link_libraries(app m)\n", "target app"},
		{"cmake, another output name", "CMakeLists.txt", "add_executable(app_bin a.c)\nset_target_properties(app_bin PROPERTIES OUTPUT_NAME app)",
			"add_executable(app_bin a.c)\ntarget_link_libraries(app_bin PRIVATE " + flag + ")\nset_target_properties(app_bin PROPERTIES OUTPUT_NAME app)", "app_bin"},
		{"cmake, twice", "CMakeLists.txt", "add_executable(app a.c)\nadd_executable(app b.c)\n", "", "2 times"},
		{"cmake, commented out", "CMakeLists.txt", "# add_executable(app a.c)\n", "", ""},
		{"cmake, another program", "CMakeLists.txt", "add_executable(app2 a.c)\n", "", ""},
		{"meson", "meson.build", "executable('app', 'a.c',\n  install: true,\n)\n", "executable('app', 'a.c',\n  install: true, link_args: ['" + flag + "']\n)\n", "link_args"},
		{"meson with link_args", "meson.build", "executable('app', 'a.c', link_args: ['-lm'])\n", "executable('app', 'a.c', link_args: ['" + flag + "', '-lm'])\n", "link_args"},
		{"automake with LDADD", "Makefile.am", "bin_PROGRAMS = app\napp_LDADD = libx.la -lm\n", "bin_PROGRAMS = app\napp_LDADD = " + flag + " libx.la -lm\n", "app_LDADD"},
		{"automake without", "Makefile.am", "bin_PROGRAMS = x \\\n my-app\nfoo = 1\n", "bin_PROGRAMS = x \\\n my-app\nmy_app_LDADD = " + flag + " $(LDADD)\nfoo = 1\n", "my_app_LDADD"},
		{"make with LDLIBS", "Makefile", "app: a.o\n\t$(CC) -o $@ a.o $(LDLIBS)\n", "app: LDLIBS += " + flag + "\napp: a.o\n\t$(CC) -o $@ a.o $(LDLIBS)\n", "LDLIBS"},
		{"make, no variable", "Makefile", "all: app\napp: a.o\n\tgcc -o app a.o -lm\n", "all: app\napp: a.o\n\tgcc -o app a.o -lm " + flag + "\n", "links app"},
		{"make, no recipe", "Makefile", "app: a.o b.o\n", "app: LDLIBS += " + flag + "\napp: a.o b.o\n", "LDLIBS"},
		{"make, windows lines", "Makefile", "app: a.o\r\n\t$(CC) -o $@ a.o $(LIBS)\r\n", "app: LIBS += " + flag + "\r\napp: a.o\r\n\t$(CC) -o $@ a.o $(LIBS)\r\n", "LIBS"},
		{"make, hidden link", "Makefile", "app: a.o\n\t./link.sh\n", "", "does not show"},
		{"make, other rule", "Makefile", "apple: a.o\n\tgcc -o apple a.o\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			have, how := editorOf(c.edit)(c.text, "app", flag)
			if c.edit == "Makefile.am" && have == "" && how == "" {
				have, how = editorOf(c.edit)(c.text, "my-app", flag)
			}
			if have != c.want || !strings.Contains(how, c.how) || (c.how == "") != (how == "") {
				t.Errorf("have %q (%s), want %q (%s)", have, how, c.want, c.how)
			}
		})
	}
}

func TestProposeLinkRefusesWhatIsAmbiguous(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, sub, "CMakeLists.txt"), []byte("add_executable(app x.c)\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ProposeLink(LinkOptions{Dir: dir, Program: "app", Names: []string{"nothing", "jemalloc"}})
	if err != nil || p.Sound() || len(p.Refusals) != 2 {
		t.Errorf("%v %v, want two refusals", err, p)
	}
	if err := os.Remove(filepath.Join(dir, "b", "CMakeLists.txt")); err != nil {
		t.Fatal(err)
	}
	if p, err = ProposeLink(LinkOptions{Dir: dir, Program: "app", Names: []string{"jemalloc"}}); err != nil || !p.Sound() {
		t.Errorf("%v %v, want a fix", err, p)
	}
	if err := Write(p.Changes); err != nil {
		t.Fatal(err)
	}
	if p, err = ProposeLink(LinkOptions{Dir: dir, Program: "app", Names: []string{"jemalloc"}}); err != nil || p.Sound() {
		t.Errorf("%v %v, want a refusal: it is linked already", err, p)
	}
	if _, err = ProposeLink(LinkOptions{Dir: dir, Program: "other", Names: []string{"jemalloc"}}); err == nil {
		t.Error("a program that no file makes has a fix")
	}
}

func TestWriteLeavesChangedFilesAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, f := range []string{a, b} {
		if err := os.WriteFile(f, []byte("old"), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	changes := []Change{{Path: a, Before: []byte("old"), After: []byte("new")}, {Path: b, Before: []byte("other"), After: []byte("new")}}
	if err := Write(changes); err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("error %v, want one that says that a file changed", err)
	}
	if text, err := os.ReadFile(a); err != nil || string(text) != "old" {
		t.Errorf("a is %q (%v): it was to be left alone", text, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%d files are there (%v), want 2: nothing temporary stays", len(left), err)
	}
	if err := Write(changes[:1]); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(a)
	if text, readErr := os.ReadFile(a); err != nil || readErr != nil || string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("a is %q with mode %v", text, info.Mode())
	}
}

func TestApplyEdits(t *testing.T) {
	t.Parallel()
	have, err := applyEdits([]byte("abcdef"), []analyzer.FixEdit{{Offset: 4, Length: 1, Text: "E"}, {Offset: 1, Text: "1"}, {Offset: 1, Text: "2"}})
	if err != nil || string(have) != "a12bcdEf" {
		t.Errorf("have %q (%v)", have, err)
	}
	for _, bad := range [][]analyzer.FixEdit{{{Offset: 9}}, {{Offset: 1, Length: 3}, {Offset: 2}}, {{Offset: 0, Length: -1}}} {
		if _, err := applyEdits([]byte("abcdef"), bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}
