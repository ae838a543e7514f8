package allocator

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// image makes the smallest ELF file of a type, with a loader's name when interp
// is not empty.
func image(t *testing.T, typ elf.Type, machine elf.Machine, interp string) []byte {
	t.Helper()
	h := elf.Header64{
		Type: uint16(typ), Machine: uint16(machine), Version: 1, Ehsize: 64, Phentsize: 56, Shentsize: 64,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	h.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	h.Ident[elf.EI_VERSION] = 1
	var b bytes.Buffer
	if interp != "" {
		h.Phoff, h.Phnum = 64, 1
	}
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	write(h)
	if interp != "" {
		write(elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 120, Filesz: uint64(len(interp) + 1)})
		b.WriteString(interp + "\x00")
	}
	return b.Bytes()
}

func host(t *testing.T) elf.Machine {
	t.Helper()
	m, ok := hostMachine()
	if !ok || m.class != elf.ELFCLASS64 {
		t.Skip("the made-up libraries are for 64-bit machines")
	}
	return m.machine
}

func place(t *testing.T, root, path string, data []byte) string {
	t.Helper()
	full := filepath.Join(root, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, data, 0o755)); err != nil {
		t.Fatal(err)
	}
	return full
}

func TestFindInTheDirectoriesOfEachDistribution(t *testing.T) {
	lib := image(t, elf.ET_DYN, host(t), "")
	for _, c := range []struct{ name, path string }{
		{"mimalloc", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2"},                // Debian
		{"mimalloc", "/usr/lib/x86_64-linux-gnu/mimalloc-2.0/libmimalloc.so.2.0"}, // Debian, private directory
		{"jemalloc", "/usr/lib64/libjemalloc.so.2"},                               // Fedora
		{"tcmalloc", "/usr/lib/libtcmalloc_minimal.so.4"},                         // Arch
		{"tcmalloc", "/opt/conf/libtcmalloc.so.4"},                                // ld.so.conf.d
		{"MiMalloc", "/usr/local/lib/libmimalloc.so.3.1"},                         // built by hand
		{"scudo", "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.scudo_standalone-x86_64.so"},
		{"libfoo.so.7", "/usr/lib/aarch64-linux-gnu/libfoo.so.7"},
	} {
		root := t.TempDir()
		place(t, root, "/etc/ld.so.conf", []byte("# local\ninclude /etc/ld.so.conf.d/*.conf\ninclude /etc/ld.so.conf\n"))
		place(t, root, "/etc/ld.so.conf.d/x.conf", []byte("/opt/conf # ours\n"))
		want := place(t, root, c.path, lib)
		got, err := newFinder(root).Find(c.name)
		if err != nil || got.Path != want {
			t.Errorf("%s at %s: got %+v, %v", c.name, c.path, got, err)
		}
	}
}

func TestFindTakesTheNewestThatFits(t *testing.T) {
	m := host(t)
	root := t.TempDir()
	dir := "/usr/lib/x86_64-linux-gnu/"
	place(t, root, dir+"libjemalloc.so.9", image(t, elf.ET_DYN, m, ""))
	want := place(t, root, dir+"libjemalloc.so.10", image(t, elf.ET_DYN, m, ""))
	place(t, root, dir+"libjemalloc.so.11", image(t, elf.ET_DYN, elf.EM_SPARC, "")) // another machine
	place(t, root, dir+"libjemalloc.so.12", []byte("GROUP ( libjemalloc.so.10 )"))  // a linker script
	if got, err := newFinder(root).Find("jemalloc"); err != nil || got.Path != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFindPrefersTheShortLink(t *testing.T) {
	root := t.TempDir()
	full := place(t, root, "/usr/lib/libmimalloc.so.2.0", image(t, elf.ET_DYN, host(t), ""))
	link := filepath.Join(filepath.Dir(full), "libmimalloc.so.2")
	if err := os.Symlink("libmimalloc.so.2.0", link); err != nil {
		t.Fatal(err)
	}
	if got, err := newFinder(root).Find("mimalloc"); err != nil || got.Path != link {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestMissingLibrariesSayWhatToDo(t *testing.T) {
	f := newFinder(t.TempDir())
	for name, want := range map[string]string{
		"mimalloc":    "libmimalloc2.0",
		"jemalloc":    "libjemalloc2",
		"tcmalloc":    "libtcmalloc-minimal4",
		"nonsense":    "known names are",
		"libno.so.1":  "known names are",
		"":            "empty name",
		"a b":         "separators",
		"/no/such.so": "no such file",
	} {
		_, err := f.Find(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := f.Find("jemalloc"); err != nil {
		if m, ok := errors.AsType[*MissingError](err); !ok || m.Name != "jemalloc" {
			t.Errorf("%v", err)
		}
	}
}

func TestPathsThatAreNoLibraries(t *testing.T) {
	m := host(t)
	dir := t.TempDir()
	f := newFinder(dir)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text.so":    {[]byte("hello"), "not a shared library"},
		"program":    {image(t, elf.ET_EXEC, m, "/ld"), "not a shared library"},
		"foreign.so": {image(t, elf.ET_DYN, elf.EM_SPARC, ""), "built for"},
		"with space": {image(t, elf.ET_DYN, m, ""), "separators"},
		"a:b.so":     {image(t, elf.ET_DYN, m, ""), "separators"},
	} {
		path := place(t, dir, name, c.data)
		if _, err := f.Find(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := place(t, dir, "good.so", image(t, elf.ET_DYN, m, ""))
	t.Chdir(dir)
	if lib, err := f.Find("./good.so"); err != nil || lib.Path != good || lib.Name != "good.so" {
		t.Errorf("%+v, %v", lib, err)
	}
}

func TestWhyIgnored(t *testing.T) {
	m := host(t)
	dir := t.TempDir()
	lib := Library{"x", place(t, dir, "lib.so", image(t, elf.ET_DYN, m, ""))}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"dynamic": {image(t, elf.ET_DYN, m, "/lib64/ld-linux-x86-64.so.2"), ""},
		"static":  {image(t, elf.ET_EXEC, m, ""), "statically linked"},
		"pie":     {image(t, elf.ET_DYN, m, ""), "statically linked"},
		"foreign": {image(t, elf.ET_EXEC, elf.EM_SPARC, "/lib/ld.so"), "built for"},
	} {
		p, err := Inspect(place(t, dir, name, c.data))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := p.WhyIgnored(lib); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := (Program{Interp: "/ld", Setuid: true}).WhyIgnored(lib); !strings.Contains(got, "set-user-ID") {
		t.Errorf("set-user-ID: %q", got)
	}
	if _, err := Inspect(place(t, dir, "text", []byte("x"))); err == nil {
		t.Error("a text was inspected")
	}
}

func TestResolveFollowsScripts(t *testing.T) {
	m := host(t)
	dir := t.TempDir()
	loader := "/lib64/ld-linux-x86-64.so.2"
	interp := place(t, dir, "interp", image(t, elf.ET_DYN, m, loader))
	env := place(t, dir, "env", image(t, elf.ET_DYN, m, loader))
	place(t, dir, "script", []byte("#!"+env+" interp\n"))
	programs, err := Resolve([]string{"PATH=" + dir}, "", "script")
	if err != nil || len(programs) != 2 || programs[0].Path != env || programs[1].Path != interp || programs[1].Interp != loader {
		t.Errorf("%+v, %v", programs, err)
	}
	if _, err := Resolve(nil, "", place(t, dir, "no-elf", []byte("text"))); err == nil {
		t.Error("what is neither a program nor a script was resolved")
	}
}

func TestInMaps(t *testing.T) {
	lib := Library{Name: "x", Path: "/opt/libx.so.1"}
	line := func(path string) string { return "7f00-7f10 r-xp 00000000 08:01 99   " + path + "\n" }
	for name, c := range map[string]struct {
		maps string
		want State
	}{
		"loaded":           {line("/bin/a") + line("/opt/libx.so.1") + line("/lib/libc.so.6"), Loaded},
		"without":          {line("/bin/a") + line("/lib/x86_64-linux-gnu/libc.so.6"), NotLoaded},
		"old glibc":        {line("/lib/libc-2.28.so"), NotLoaded},
		"still loading":    {line("/bin/a") + line("/lib64/ld-linux-x86-64.so.2"), Early},
		"name in the name": {line("/bin/a") + line("/home/opt/libx.so.1"), Early},
		"empty":            {"", Early},
		"no path":          {"7f00-7f10 rw-p 00000000 00:00 0 \n", Early},
	} {
		if got, err := inMaps(strings.NewReader(c.maps), lib); got != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := InProcess(-1, lib); err == nil {
		t.Error("a process -1 was read")
	}
}

// The loader of this machine says the same of a real program and library.
func TestListed(t *testing.T) {
	path, err := exec.LookPath("sort")
	if err != nil {
		t.Skip("no sort here")
	}
	p, err := Inspect(path)
	if err != nil || !strings.Contains(p.Interp, "ld-linux") {
		t.Skipf("sort is not run by glibc's loader: %+v, %v", p, err)
	}
	lib, err := NewFinder().Find("libm.so.6")
	if err != nil {
		t.Skip(err)
	}
	if loaded, known := p.Listed(t.Context(), nil, lib); !loaded || !known {
		t.Errorf("loaded %v, known %v", loaded, known)
	}
	if loaded, known := p.Listed(t.Context(), nil, Library{"x", "/no/such.so"}); loaded || !known {
		t.Errorf("missing library: loaded %v, known %v", loaded, known)
	}
	if _, known := (Program{Path: path, Interp: "/lib/ld-musl-x86_64.so.1"}).Listed(t.Context(), nil, lib); known {
		t.Error("asked a loader that would run the program")
	}
}

func FuzzInspect(f *testing.F) {
	f.Add([]byte(elf.ELFMAG))
	if exe, err := os.ReadFile("/bin/true"); err == nil {
		f.Add(exe[:min(len(exe), 8192)])
	}
	path := filepath.Join(f.TempDir(), "program")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := Inspect(path); err == nil {
			_ = p.WhyIgnored(Library{"x", path})
		}
	})
}
