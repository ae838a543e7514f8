package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"whyhot/internal/collect"
)

// fake is a machine on which everything works, but for what a test takes away.
type fake struct {
	files      map[string]string
	sampler    map[string]error // by name, "NAME system" for the whole machine
	counter    error
	trace      error
	programs   []string
	own        map[Part]error
	allocators []string
	bolt       error
	debug      []string
	noise      []string
	free       uint64
	room       error
}

func whole() *fake {
	return &fake{
		files: map[string]string{
			"etc/os-release": "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", "proc/sys/kernel/osrelease": "6.1.0-29-amd64\n",
			"proc/sys/kernel/perf_event_paranoid": "2\n", "proc/sys/kernel/kptr_restrict": "1\n",
			"proc/kallsyms": "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n", "sys/kernel/btf/vmlinux": "\x9f\xeb",
			"proc/loadavg": "0.10 0.20 0.30 1/100 999\n", "proc/stat": "cpu  1 2 3\ncpu0 1 2 3\ncpu1 1 2 3\n", "proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 7000000 kB\n",
			"sys/devices/system/cpu/smt/active": "0\n",
		},
		programs:   []string{"gcc", "g++", "clang-19", "valgrind", "chromium"},
		allocators: []string{"jemalloc", "mimalloc", "snmalloc", "tcmalloc"},
		debug:      []string{"/usr/lib/debug/.build-id"}, free: 100 << 30,
	}
}

func (f *fake) Read(name string) (string, error) {
	text, ok := f.files[name]
	if !ok {
		return "", &fs.PathError{Op: "open", Path: "/" + name, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (f *fake) Sampler(_ context.Context, name string, system bool) error {
	if system {
		if err := f.sampler[name+" system"]; err != nil {
			return err
		}
	}
	return f.sampler[name]
}
func (f *fake) Counter() error              { return f.counter }
func (f *fake) Trace(context.Context) error { return f.trace }
func (f *fake) Program(names ...string) (string, error) {
	for _, n := range names {
		if slices.Contains(f.programs, n) {
			return "/usr/bin/" + n, nil
		}
	}
	return "", errors.New(strings.Join(names, " or ") + ": not found")
}

func (f *fake) Own(_ context.Context, p Part) (string, error) {
	return "/opt/whyhot/" + string(p), f.own[p]
}

func (f *fake) Allocator(name string) (string, error) {
	if slices.Contains(f.allocators, name) {
		return "/usr/lib/lib" + name + ".so", nil
	}
	return "", errors.New(name + " is not installed")
}
func (f *fake) Bolt() error                   { return f.bolt }
func (f *fake) Debug() []string               { return f.debug }
func (f *fake) Noise() []string               { return f.noise }
func (f *fake) Room() (string, uint64, error) { return "/tmp", f.free, f.room }

func of(t *testing.T, r Report, id string) Check {
	t.Helper()
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no check %q", id)
	}
	return r.Checks[i]
}

// What is there works; nothing is then to do, but for libraries of which more exist.
func TestAWholeMachine(t *testing.T) {
	r := Examine(t.Context(), whole(), "v1")
	if r.System != "Debian GNU/Linux 12 (bookworm)" || r.Kernel != "6.1.0-29-amd64" || r.Whyhot != "v1" {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Checks {
		if c.ID != "allocators" && (c.Status != Works || c.Do != "") {
			t.Errorf("%+v", c)
		}
	}
	if err := r.Fit(); err != nil || !slices.Equal(r.Recording(), []string{"ebpf", "perf", "preload"}) {
		t.Errorf("%v, %v", err, r.Recording())
	}
}

// Each thing that is taken away shows in its own check, and in no other.
func TestWhatIsMissing(t *testing.T) {
	denied := &collect.UnavailableError{Sampler: "x", Missing: "it needs CAP_BPF", Remedy: "sudo whyhot record …"}
	tests := map[string]struct {
		take   func(*fake)
		id     string
		status Status
		found  string
		do     string
	}{
		"eBPF":        {func(f *fake) { f.sampler = map[string]error{"ebpf": denied} }, "record-ebpf", Missing, "it needs CAP_BPF", "sudo whyhot record …"},
		"perf":        {func(f *fake) { f.sampler = map[string]error{"perf": denied} }, "record-perf", Missing, "CAP_BPF", "sudo"},
		"perf of all": {func(f *fake) { f.sampler = map[string]error{"perf system": denied} }, "record-perf", Limited, "commands only", "sudo"},
		"preload":     {func(f *fake) { f.sampler = map[string]error{"preload": errors.New("no libc")} }, "record-preload", Missing, "no libc", ""},
		"counters":    {func(f *fake) { f.counter = errors.New("perf_event_open: no such device") }, "hardware-counters", Limited, "no such device", "PMU"},
		"hidden addresses": {func(f *fake) {
			f.files["proc/kallsyms"] = "0000000000000000 T _text\n"
			f.files["proc/sys/kernel/kptr_restrict"] = "2\n"
		}, "kernel-symbols", Limited, "kptr_restrict is 2", "sudo sysctl kernel.kptr_restrict=1"},
		"no kallsyms":        {func(f *fake) { delete(f.files, "proc/kallsyms") }, "kernel-symbols", Limited, "/proc/kallsyms", ""},
		"BTF":                {func(f *fake) { delete(f.files, "sys/kernel/btf/vmlinux") }, "kernel-types", Limited, "/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF"},
		"ptrace":             {func(f *fake) { f.trace = errors.New("ptrace: operation not permitted") }, "ptrace", Limited, "not permitted", "SYS_PTRACE"},
		"debug files":        {func(f *fake) { f.debug = nil }, "debug-files", Limited, "neither", "debuginfod-find"},
		"analyser":           {func(f *fake) { f.own = map[Part]error{Analyser: errors.New("not on PATH")} }, "analyser", Missing, "not on PATH", "make analyzer"},
		"server":             {func(f *fake) { f.own = map[Part]error{Server: errors.New("not on PATH")} }, "server", Missing, "not on PATH", "make server"},
		"images":             {func(f *fake) { f.own = map[Part]error{Images: errors.New("of another version")} }, "images", Missing, "of another version", "make images"},
		"every allocator":    {func(f *fake) { f.allocators = nil }, "allocators", Missing, "none of", "libjemalloc2"},
		"compilers":          {func(f *fake) { f.programs = []string{"valgrind", "chromium"} }, "compilers", Missing, "no gcc", "apt-get install gcc g++ clang-19"},
		"a compiler":         {func(f *fake) { f.programs = []string{"gcc", "g++", "valgrind", "chromium"} }, "compilers", Limited, "/usr/bin/gcc, /usr/bin/g++; not clang-19", "clang-19"},
		"BOLT":               {func(f *fake) { f.bolt = errors.New("x") }, "bolt", Missing, "llvm-bolt", "bolt-19"},
		"valgrind":           {func(f *fake) { f.programs = []string{"gcc", "g++", "clang", "chromium"} }, "valgrind", Missing, "not found", "valgrind"},
		"governor":           {func(f *fake) { f.noise = []string{"the governor is powersave"} }, "noise", Limited, "powersave", "interleaves"},
		"load":               {func(f *fake) { f.files["proc/loadavg"] = "7.50 1 1 1/1 1\n" }, "noise", Limited, "7.50 on 2 CPUs", "stop"},
		"SMT":                {func(f *fake) { f.files["sys/devices/system/cpu/smt/active"] = "1\n" }, "noise", Limited, "SMT", "stop"},
		"memory":             {func(f *fake) { f.files["proc/meminfo"] = "MemAvailable: 500000 kB\n" }, "memory", Limited, "488 MiB", "another machine"},
		"room":               {func(f *fake) { f.free = 5 << 20 }, "disk", Limited, "5 MiB free in /tmp", "TMPDIR"},
		"nowhere to write":   {func(f *fake) { f.room = errors.New("read-only file system") }, "disk", Missing, "read-only", "TMPDIR"},
		"chromium, a cousin": {func(f *fake) { f.programs = []string{"gcc", "g++", "clang", "valgrind"} }, "chromium", Missing, "chromium", "chromium"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := whole()
			test.take(f)
			r := Examine(t.Context(), f, "v1")
			c := of(t, r, test.id)
			if c.Status != test.status || !strings.Contains(c.Found, test.found) || !strings.Contains(c.Do, test.do) {
				t.Errorf("%+v", c)
			}
			for _, other := range r.Checks {
				if other.ID != test.id && other.ID != "allocators" && other.Status != Works {
					t.Errorf("this changed %+v", other)
				}
			}
		})
	}
}

func TestNothingRecords(t *testing.T) {
	f := whole()
	no := errors.New("no")
	f.sampler = map[string]error{"ebpf": no, "perf": no, "preload": no}
	r := Examine(t.Context(), f, "v1")
	if err := r.Fit(); err == nil || len(r.Recording()) != 0 {
		t.Errorf("%v, %v", err, r.Recording())
	}
}

// The JSON form is as its schema says, of a machine with everything and of one with
// nothing.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/doctor.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*fake{whole(), {counter: fs.ErrPermission, trace: fs.ErrPermission, bolt: fs.ErrNotExist, room: fs.ErrPermission}} {
		text, err := json.Marshal(Examine(t.Context(), m, "v1"))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// The real machine answers every question, whatever it has: what it says of itself is
// not this test's to judge.
func TestHere(t *testing.T) {
	r := Examine(t.Context(), Here(func(string) (string, error) { return "", errors.New("not looked for") }), "v1")
	seen := map[string]bool{}
	for _, c := range r.Checks {
		if c.Found == "" || c.For == "" || c.Name == "" || seen[c.ID] {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	if of(t, r, "server").Status != Missing || of(t, r, "images").Status != Missing {
		t.Error("parts work that were not found")
	}
}
