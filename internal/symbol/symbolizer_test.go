package symbol

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/host/tooltest"
	"whyhot/internal/profile"
)

// builder makes a profile with one sample per address of one mapping.
func profileOf(m profile.Mapping, kind profile.Kind, pid int64, meta profile.Meta, addrs ...uint64) *profile.Profile {
	b := profile.NewBuilder()
	id := b.Mapping(m)
	labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: pid}})
	for _, a := range addrs {
		stack := b.Stack([]profile.LocationID{b.Location(id, a, kind)})
		b.Sample(profile.Sample{Stack: stack, Labels: labels, Count: 1, Value: 10})
	}
	return b.Build(meta)
}

// names are the functions of location i, innermost first.
func names(p *profile.Profile, i int) []string {
	var out []string
	for _, l := range p.Lines(profile.LocationID(i)) {
		out = append(out, p.Function(l.Function).Name)
	}
	return out
}

// mapped is the mapping that a loader would make for the code of a binary, at an
// address where it is not linked to, and the address of a function in it.
func mapped(t *testing.T, path, function string) (profile.Mapping, uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	const base = 0x7f1234000000
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 {
			continue
		}
		page := p.Off &^ 0xfff
		m := profile.Mapping{
			Path: path, BuildID: buildID(t, path), Offset: page,
			Start: base + page, Limit: base + p.Off + p.Filesz,
		}
		for _, s := range syms {
			if s.Name == function {
				return m, base + s.Value - p.Vaddr + p.Off
			}
		}
	}
	t.Fatalf("no function %s in %s", function, path)
	return profile.Mapping{}, 0
}

func TestSymbolizeProgram(t *testing.T) {
	for _, pie := range []string{"-pie", "-no-pie"} {
		binary := compile(t, "g++", "-g", "-Wl,--build-id", pie)
		m, addr := mapped(t, binary, "plain_c_name")
		p := profileOf(m, profile.KindNative, 1, profile.Meta{}, addr, m.Limit+0x100000)
		q, sum := New(Options{}).Symbolize(t.Context(), p)
		if got := names(q, 0); got[len(got)-1] != "plain_c_name" {
			t.Errorf("%s: %q", pie, got)
		}
		line := q.Lines(0)[0]
		if fn := q.Function(line.Function); filepath.Base(fn.File) != "prog.cpp" || line.Line == 0 || fn.Kind != profile.KindNative {
			t.Errorf("%s: %+v line %d", pie, fn, line.Line)
		}
		if q.Total() != p.Total() || q.Count() != p.Count() {
			t.Errorf("%s: totals changed", pie)
		}
		if got := sum.Mappings[0]; got.Lines != 1 || got.Missing != 1 || got.Self != 10 || got.Addresses != 2 {
			t.Errorf("%s: %+v", pie, got)
		}
	}
}

// Some profilers tell names without directories: the build ID says which of the files
// of that name it is.
func TestBareNameIsFoundWhereItIsInstalled(t *testing.T) {
	binary := compile(t, "g++", "-g", "-Wl,--build-id")
	m, addr := mapped(t, binary, "plain_c_name")
	root := t.TempDir()
	move(t, binary, filepath.Join(root, "usr/lib/x86_64-linux-gnu", filepath.Base(binary)))
	m.Path = filepath.Base(binary)
	symbolized := func() string {
		p := profileOf(m, profile.KindNative, 1, profile.Meta{}, addr)
		q, _ := New(Options{Root: root}).Symbolize(t.Context(), p)
		return strings.Join(names(q, 0), " ")
	}
	if got := symbolized(); !strings.HasSuffix(got, "plain_c_name") {
		t.Errorf("%q", got)
	}
	m.BuildID = strings.Repeat("ab", 20)
	if got := symbolized(); strings.Contains(got, "plain_c_name") {
		t.Errorf("another build of the same name serves: %q", got)
	}
	m.BuildID = ""
	if got := symbolized(); strings.Contains(got, "plain_c_name") {
		t.Errorf("a name alone serves: %q", got)
	}
}

// TestWhatHelps checks that each thing that may be wrong is told as what it is.
func TestWhatHelps(t *testing.T) {
	binary := compile(t, "g++", "-g", "-Wl,--build-id")
	m, addr := mapped(t, binary, "plain_c_name")
	dir := filepath.Dir(binary)
	gone := filepath.Join(dir, "gone")
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no ELF file "), 10), 0o600); err != nil {
		t.Fatal(err)
	}
	stripped := filepath.Join(dir, "stripped")
	command(t, dir, tooltest.Find(t, "objcopy"), "--strip-all", binary, stripped)
	plain := filepath.Join(dir, "plain")
	command(t, dir, "objcopy", "--strip-debug", binary, plain)
	torn := filepath.Join(dir, "torn")
	whole, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(torn, whole[:200], 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(path, id string) profile.Mapping {
		n := m
		n.Path, n.BuildID = path, id
		return n
	}
	old := profile.Meta{Start: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Duration: time.Minute}
	for _, c := range []struct {
		name   string
		m      profile.Mapping
		kind   profile.Kind
		meta   profile.Meta
		reason Reason
		says   string
	}{
		{"stripped", with(stripped, m.BuildID), profile.KindNative, profile.Meta{}, ReasonStripped, "--debug-dir"},
		{"no debug information", with(plain, m.BuildID), profile.KindNative, profile.Meta{}, ReasonNoLines, "build it with -g"},
		{"other build ID", with(binary, "0123456789abcdef0123"), profile.KindNative, profile.Meta{}, ReasonChanged, m.BuildID},
		{"newer than the profile", with(binary, ""), profile.KindNative, old, ReasonChanged, "modified"},
		{"deleted", with(binary+" (deleted)", ""), profile.KindNative, profile.Meta{}, ReasonChanged, "replaced"},
		{"not there", with(gone, "0123456789abcdef0123"), profile.KindNative, profile.Meta{}, ReasonMissing, gone},
		{"no ELF file", with(text, ""), profile.KindNative, profile.Meta{}, ReasonOutside, "not an ELF file"},
		{"torn", with(torn, ""), profile.KindNative, profile.Meta{}, ReasonDamaged, torn},
		{"a directory", with(dir, ""), profile.KindNative, profile.Meta{}, ReasonOutside, "not an ELF file"},
		{"no map", with("/tmp/perf-999999999.map", ""), profile.KindJIT, profile.Meta{}, ReasonNoPerfMap, "--perf-basic-prof"},
		{"nothing", profile.Mapping{}, profile.KindUnknown, profile.Meta{}, ReasonUnmapped, "does not say"},
		{"other kernel", profile.Mapping{Path: "[kernel.kallsyms]", BuildID: "0123456789abcdef0123", Start: 0xffffffff81000000, Limit: ^uint64(0)},
			profile.KindKernel, profile.Meta{}, ReasonForeign, "another kernel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sum := New(Options{}).Symbolize(t.Context(), profileOf(c.m, c.kind, 1, c.meta, addr))
			got := sum.Mappings[0]
			if c.reason == ReasonForeign && got.Reason == ReasonHidden {
				t.Skip("this kernel hides its addresses")
			}
			if got.Reason != c.reason {
				t.Errorf("reason %d, want %d: %s", got.Reason, c.reason, got.Problem)
			}
			hints := strings.Join(sum.Hints(0, true), "\n")
			if !strings.Contains(hints, c.says) {
				t.Errorf("%q does not say %q", hints, c.says)
			}
		})
	}
	t.Run("deleted, known by build ID", func(t *testing.T) {
		q, _ := New(Options{}).Symbolize(t.Context(), profileOf(with(binary+" (deleted)", m.BuildID), profile.KindNative, 1, old, addr))
		if got := names(q, 0); got[len(got)-1] != "plain_c_name" {
			t.Errorf("%q", got)
		}
	})
	t.Run("only the debug file", func(t *testing.T) {
		debug := split(t, binary)
		kept := t.TempDir()
		move(t, debug, filepath.Join(kept, m.BuildID+".debug"))
		q, _ := New(Options{DebugDirs: []string{kept}}).Symbolize(t.Context(), profileOf(with(gone, m.BuildID), profile.KindNative, 1, old, addr))
		if got := names(q, 0); got[len(got)-1] != "plain_c_name" {
			t.Errorf("%q", got)
		}
	})
}

// TestDebianPackage names the package of a stripped system library.
func TestDebianPackage(t *testing.T) {
	root := t.TempDir()
	binary := compile(t, "g++", "-shared", "-fPIC", "-s")
	lib := filepath.Join(root, "usr/lib/x86_64-linux-gnu/libshop.so.1")
	move(t, binary, lib)
	for name, text := range map[string]string{
		"var/lib/dpkg/info/libshop1:amd64.list": "/.\n/lib\n/lib/x86_64-linux-gnu/libshop.so.1\n",
		"var/lib/dpkg/status":                   "Package: libshop1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.2-3\n\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := profile.Mapping{Path: "/usr/lib/x86_64-linux-gnu/libshop.so.1", Start: 0x1000, Limit: 0x9000, Offset: 0x1000}
	_, sum := New(Options{Root: root}).Symbolize(t.Context(), profileOf(m, profile.KindNative, 1, profile.Meta{}, 0x1800))
	if hints := strings.Join(sum.Hints(0, true), "\n"); !strings.Contains(hints, "install libshop1-dbgsym") {
		t.Errorf("%q does not name the package", hints)
	}
}

func TestPerfMap(t *testing.T) {
	dir := t.TempDir()
	write := func(pid int, text string) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("perf-%d.map", pid)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(41, "7f0000001000 100 JS:*render /srv/app.js:12:3\n7f0000002000 10 plain_stub\n7f0000003000 10 same\n")
	write(42, "7f0000001000 100 py::work:/srv/work.py\n7f0000003000 10 same\n")
	opts := Options{DebugDirs: []string{dir}}
	byPID := profile.Mapping{Path: "/tmp/perf-41.map", Start: 0x7f0000000000, Limit: 0x7f0000010000}
	q, sum := New(opts).Symbolize(t.Context(), profileOf(byPID, profile.KindJIT, 7, profile.Meta{}, 0x7f0000001010, 0x7f0000002000, 0x7f0000009000))
	fn := q.Function(q.Lines(0)[0].Function)
	if fn.Name != "render" || fn.File != "/srv/app.js" || fn.Kind != profile.KindJS {
		t.Errorf("%+v", fn)
	}
	if fn := q.Function(q.Lines(1)[0].Function); fn.Name != "plain_stub" || fn.Kind != profile.KindJIT {
		t.Errorf("%+v", fn)
	}
	if got := sum.Mappings[0]; got.Missing != 1 || got.Reason != ReasonOutside {
		t.Errorf("%+v", got)
	}

	// Memory without a name, sampled in two processes: only what both maps call
	// the same has a name.
	b := profile.NewBuilder()
	anon := b.Mapping(profile.Mapping{Path: "//anon", Start: 0x7f0000000000, Limit: 0x7f0000010000})
	for _, pid := range []int64{41, 42} {
		for _, a := range []uint64{0x7f0000001010, 0x7f0000003000} {
			stack := b.Stack([]profile.LocationID{b.Location(anon, a, profile.KindJIT)})
			b.Sample(profile.Sample{Stack: stack, Labels: b.Labels([]profile.Label{{Key: profile.LabelPID, Num: pid}}), Count: 1, Value: 1})
		}
	}
	q, _ = New(opts).Symbolize(t.Context(), b.Build(profile.Meta{}))
	if got := names(q, 0)[0]; got != "" {
		t.Errorf("two processes have different code there, and it is called %q", got)
	}
	if got := names(q, 1)[0]; got != "same" {
		t.Errorf("got %q, want same", got)
	}
}

// A number is used again, and the map of an earlier process may still be there.
func TestAnOlderPerfMapIsAnothers(t *testing.T) {
	root, start := t.TempDir(), time.Now()
	const pid = 999999999
	path := filepath.Join(root, fmt.Sprintf("tmp/perf-%d.map", pid))
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("7f0000001000 100 $shop:ask/2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := profile.Mapping{Path: fmt.Sprintf("/tmp/perf-%d.map", pid), Start: 0x7f0000000000, Limit: 0x7f0000010000}
	for after, want := range map[time.Duration]string{time.Second: "shop:ask/2", -time.Hour: ""} {
		if err := os.Chtimes(path, start.Add(after), start.Add(after)); err != nil {
			t.Fatal(err)
		}
		q, sum := New(Options{Root: root}).Symbolize(t.Context(), profileOf(m, profile.KindJIT, pid, profile.Meta{Start: start}, 0x7f0000001010))
		if got := names(q, 0)[0]; got != want {
			t.Errorf("written %s after the start: %q, want %q: %+v", after, got, want, sum.Mappings[0])
		}
	}
}

// Two addresses of one method have the same name, read once.
func TestImageOfMono(t *testing.T) {
	dir := t.TempDir()
	source, library := filepath.Join(dir, "a.c"), filepath.Join(dir, "Shop.dll.so")
	if err := os.WriteFile(source, []byte("int uintptr_op_Inequality_uintptr_uintptr(int a) { return a * a + 3; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tooltest.Run(t, tooltest.Find(t, "gcc"), "-shared", "-fPIC", "-o", library, source)
	m, addr := mapped(t, library, "uintptr_op_Inequality_uintptr_uintptr")
	q, _ := New(Options{}).Symbolize(t.Context(), profileOf(m, profile.KindNative, 1, profile.Meta{}, addr, addr+1))
	for i := range 2 {
		fn := q.Function(q.Lines(profile.LocationID(i))[0].Function)
		if fn.Name != "System.UIntPtr.op_Inequality" || fn.SystemName != "uintptr_op_Inequality_uintptr_uintptr" || fn.Kind != profile.KindDotNet {
			t.Errorf("%+v", fn)
		}
	}
}

func TestRunningKernel(t *testing.T) {
	k := kernelNames{}
	if err := k.load(); err != nil {
		t.Skip(err)
	}
	if len(k.text) == 0 || k.buildID == "" {
		t.Skip("the kernel does not tell where it begins or what it is")
	}
	addr, ok := k.table.Address("vfs_read")
	if !ok {
		t.Skip("no vfs_read in this kernel")
	}
	m := profile.Mapping{Path: "[kernel.kallsyms]", BuildID: k.buildID, Start: k.text[0], Limit: ^uint64(0)}
	for _, moved := range []uint64{0, 64 << 20} {
		n := m
		n.Start += moved
		q, sum := New(Options{}).Symbolize(t.Context(), profileOf(n, profile.KindKernel, 1, profile.Meta{}, addr+moved+1))
		if got := names(q, 0)[0]; got != "vfs_read" {
			t.Errorf("kernel moved by %#x: %q, %+v", moved, got, sum)
		}
	}
	m.BuildID = ""
	m.Start += 0x1000
	if q, _ := New(Options{}).Symbolize(t.Context(), profileOf(m, profile.KindKernel, 1, profile.Meta{}, addr+1)); names(q, 0)[0] != "" {
		t.Error("a kernel that may be another one was believed")
	}
}

func TestVDSO(t *testing.T) {
	v := vdsoNames{}
	if err := v.load(newDemangler(false)); err != nil {
		t.Skip(err)
	}
	for _, s := range v.file.symbols.Symbols() {
		if !strings.Contains(s.Name, "clock_gettime") {
			continue
		}
		m := profile.Mapping{Path: "[vdso]", Start: 0x7ffd00000000, Limit: 0x7ffd00000000 + v.size}
		q, _ := New(Options{}).Symbolize(t.Context(), profileOf(m, profile.KindVDSO, 1, profile.Meta{}, m.Start+s.Low+1))
		if got := names(q, 0)[0]; !strings.Contains(got, "clock_gettime") {
			t.Errorf("%q", got)
		}
		m.Limit += 4096
		if q, _ := New(Options{}).Symbolize(t.Context(), profileOf(m, profile.KindVDSO, 1, profile.Meta{}, m.Start+s.Low+1)); names(q, 0)[0] != "" {
			t.Error("a vDSO of another size was taken for this one")
		}
		return
	}
	t.Skip("no clock_gettime in this vDSO")
}
