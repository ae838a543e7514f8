package ebpf

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/ebpf-profiler/support"

	"whyhot/internal/collect"
	"whyhot/internal/profile"
)

// What rb_during_gc looks like where the collector is in the same file, and where a
// jump leads to it.
func TestReadingRubysCollector(t *testing.T) {
	loads := []byte{
		0x48, 0x8b, 0x05, 0x21, 0x13, 0x2e, 0x00, // mov 0x2e1321(%rip),%rax
		0x48, 0x8b, 0x00, // mov (%rax),%rax
		0x48, 0x8b, 0x80, 0x58, 0x04, 0x00, 0x00, // mov 0x458(%rax),%rax
	}
	word := []byte{
		0x0f, 0xb6, 0x40, 0x10, // movzbl 0x10(%rax),%eax
		0xc0, 0xe8, 0x05, // shr $0x5,%al
		0x83, 0xe0, 0x01, // and $0x1,%eax
		0xc3, // ret
	}
	jump := []byte{0xe9, 0xe8, 0x03, 0x00, 0x00} // jmp 1000 bytes ahead
	nowhere := func(uint64) []byte { return nil }
	for _, c := range []struct {
		name string
		code []byte
		jump func(uint64) []byte
		want collectorPlace
	}{
		{"whole", append(append([]byte{}, loads...), word...), nowhere, collectorPlace{objects: 0x458, flags: 0x10, bit: 5}},
		{"in another file", append(append([]byte{}, loads...), jump...), func(at uint64) []byte {
			if at != 0x1000+uint64(len(loads)+len(jump))+1000 {
				t.Errorf("jumps to %x", at)
			}
			return word
		}, collectorPlace{objects: 0x458, flags: 0x10, bit: 5}},
		{"in another library", append(append([]byte{}, loads...), jump...), nowhere, collectorPlace{objects: 0x458}},
		{"a loop", []byte{0xeb, 0xfe}, func(uint64) []byte { return []byte{0xeb, 0xfe} }, collectorPlace{}},
		{"no code", nil, nowhere, collectorPlace{}},
	} {
		var got collectorPlace
		if got.read(0x1000, c.code, c.jump); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestCompletingACollector(t *testing.T) {
	table := support.RubyProcInfo{Has_objspace: true, Vm_objspace: 1104, Objspace_flags: 16}
	for _, c := range []struct {
		name    string
		place   collectorPlace
		objects uint16
		looks   bool
	}{
		{"another configuration", collectorPlace{known: true, objects: 1112, flags: 16, bit: 5}, 1112, true},
		{"only the first load is seen", collectorPlace{known: true, objects: 1112}, 1112, true},
		{"another bit", collectorPlace{known: true, objects: 1112, flags: 16, bit: 6}, 1104, false},
		{"nothing is seen", collectorPlace{known: true}, 1104, false},
		{"another processor", collectorPlace{}, 1104, true},
	} {
		info := table
		changed := c.place.complete(&info)
		if info.Vm_objspace != c.objects || info.Has_objspace != c.looks || changed != (info != table) {
			t.Errorf("%s: %+v, changed %t", c.name, info, changed)
		}
		if c.place.complete(&info) {
			t.Errorf("%s: changed twice", c.name)
		}
	}
}

func TestTheCollectorOfALibrary(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	file, library := filepath.Join(dir, "a.c"), filepath.Join(dir, "liba.so")
	source := `struct objects { long limit, increase; unsigned mode : 2, other : 3, during : 1; };
struct vm { char before[2000]; struct objects *objects; } *current;
int rb_during_gc(void) { return current->objects->during; }
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "gcc", "-O2", "-shared", "-fPIC", "-s", "-o", library, file).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	got, err := collectorIn(library)
	if err != nil || got.known && (got.objects != 2000 || got.flags != 16 || got.bit != 5) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := collectorIn(file); err == nil {
		t.Error("a text file was read as a library")
	}
}

// A program that loads one library after the other is not taken to collect garbage while
// it has certain numbers of classes.
func TestRubyThatLoadsLibraries(t *testing.T) {
	usable(t.Context(), t)
	args := interpreted(t, "ruby", "loads.rb", `
def inner(n)
  s = 0
  n.times { |i| s += i * i }
  s
end
%w[zlib socket etc strscan digest/sha2 ripper stringio].each do |library|
  require library
  stop = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.25
  inner(5000) while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < stop
end
`)
	settled(t, func(v *verdict) {
		p, out := record(t.Context(), t, collect.Request{Target: collect.Target{Command: args}})
		if out.Exit.Failed() {
			t.Fatalf("the program failed: %v", out.Exit)
		}
		collecting := share(p, func(f *profile.Function) bool { return f.Name == "(garbage collection)" })
		inner := share(p, func(f *profile.Function) bool { return f.Kind == profile.KindRuby && f.Name == "inner" })
		if collecting > 0.1 || inner < 0.5 {
			v.Errorf("collecting garbage in %.3f, inner in %.3f of %d samples: %v", collecting, inner, p.Count(), p.Meta.Warnings)
		}
	})
}
