package elfsym

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"whyhot/internal/elfinfo/elffile"
	"whyhot/internal/host/tool"
)

// Static functions that exported ones jump to, and others.
const tailSource = `
static int sink[64];
#define STATIC static __attribute__((noinline, noclone))
STATIC int alone(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += sink[(a[i] ^ i) & 63]++; return s; }
STATIC int shared(int *a, int n) { int s = 1; for (int i = 0; i < n; i++) s ^= sink[(a[i] + i) & 63]--; return s; }
STATIC int called(int *a, int n) { int s = 2; for (int i = 0; i < n; i++) s |= sink[(a[i] - i) & 63] += 2; return s; }
STATIC int often(int *a, int n) { int s = 3; for (int i = 0; i < n; i++) s -= sink[(a[i] * i) & 63] -= 2; return s; }
int one(int n, int *a) { return alone(a, n); }
int first(int n, int *a) { return shared(a, n); }
int second(int n, int *a) { return shared(a + 1, n); }
int jumps(int n, int *a) { return called(a, n); }
int calls(int n, int *a) { return called(a, n) + 1; }
int x(int n, int *a) { return often(a, n); }
int y(int n, int *a) { return often(a + 1, n); }
int z(int n, int *a) { return often(a + 2, n); }
`

func TestTails(t *testing.T) {
	if _, err := tool.Find("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	source, whole, stripped := filepath.Join(dir, "a.c"), filepath.Join(dir, "liba.so"), filepath.Join(dir, "stripped.so")
	if err := os.WriteFile(source, []byte(tailSource), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"-o", whole}, {"-s", "-o", stripped}} {
		args := append([]string{"-O2", "-shared", "-fPIC", "-fvisibility=default", "-fno-semantic-interposition", source}, more...)
		if text, err := exec.CommandContext(t.Context(), "gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, text)
		}
	}
	full, err := elf.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	symbols, err := full.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elffile.Open(stripped)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := map[string]string{"alone": "one", "shared": "first or second", "called": "", "often": "", "one": "one", "calls": "calls"}
	for _, s := range symbols {
		name, asked := want[s.Name]
		if !asked {
			continue
		}
		delete(want, s.Name)
		for _, at := range []uint64{s.Value, s.Value + s.Size - 1} {
			table, err := ReadFor(file, []uint64{at})
			if err == nil {
				table, err = WithTails(file, table, []uint64{at})
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := table.Find(at); got.Name != name {
				t.Errorf("%s at %#x is %q, want %q", s.Name, at, got.Name, name)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not in the library: %v", want)
	}
}

func TestBranches(t *testing.T) {
	for _, c := range []struct {
		name string
		find func([]byte, uint64, func(branch))
		code []byte
		want branch
	}{
		{"jmp", branchesAMD64, []byte{0x90, 0xe9, 0xf0, 0xff, 0xff, 0xff}, branch{0x1001, 0xff6, false}},
		{"call", branchesAMD64, []byte{0xe8, 0x10, 0, 0, 0}, branch{0x1000, 0x1015, true}},
		{"jne", branchesAMD64, []byte{0x0f, 0x85, 0x10, 0, 0, 0}, branch{0x1000, 0x1016, false}},
		{"b", branchesARM64, []byte{0xff, 0xff, 0xff, 0x17}, branch{0x1000, 0xffc, false}},
		{"bl", branchesARM64, []byte{0x02, 0, 0, 0x94}, branch{0x1000, 0x1008, true}},
	} {
		var got []branch
		c.find(c.code, 0x1000, func(b branch) { got = append(got, b) })
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func FuzzBranches(f *testing.F) {
	f.Add([]byte{0xe9, 1, 2, 3, 4, 0x0f, 0x85, 1, 2, 3, 4})
	f.Fuzz(func(_ *testing.T, code []byte) {
		branchesAMD64(code, 1<<63, func(branch) {})
		branchesARM64(code, 1<<63, func(branch) {})
	})
}
