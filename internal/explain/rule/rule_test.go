package rule

import (
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"whyhot/internal/explain/catalog"
	"whyhot/internal/explain/judge"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

const mallocHeavy = `app;main_[app];malloc_[libc.so.6];_int_malloc_[libc.so.6] 200
app;main_[app];work_[app] 800
`

func TestKindNamesAgree(t *testing.T) {
	for i, name := range catalog.Kinds {
		if got := profile.Kind(i).String(); got != name {
			t.Errorf("kind %d is %q in profile and %q in the catalogue", i, got, name)
		}
	}
	if next := profile.Kind(len(catalog.Kinds)).String(); next != "unknown" {
		t.Errorf("the catalogue does not know the kind %q", next)
	}
}

func TestTrustDecidesTheRung(t *testing.T) {
	libc := elf{pkg: "libc6", version: "2.36-9", defines: []string{"malloc", "free"}}
	app := elf{defines: []string{"main"}}
	tests := []struct {
		name  string
		facts Facts
		want  []finding.Certainty
	}{
		{"nothing known", nil, []finding.Certainty{finding.Suspected}},
		{"build IDs equal", factList{{"libc.so.6", judge.BuildIDExact, libc}, {"app", judge.BuildIDExact, app}}, []finding.Certainty{finding.Confirmed}},
		{"only paths", factList{{"libc.so.6", judge.PathTrust, libc}, {"app", judge.PathTrust, app}}, []finding.Certainty{finding.Suspected}},
		{"half known", factList{{"libc.so.6", judge.BuildIDExact, libc}}, []finding.Certainty{finding.Suspected}},
		{"stripped program", factList{{"libc.so.6", judge.BuildIDExact, libc}, {"app", judge.BuildIDExact, elf{stripped: true}}}, []finding.Certainty{finding.Suspected}},
		{"own allocator", factList{{"app", judge.BuildIDExact, elf{defines: []string{"mallocx"}}}}, nil},
		{"own allocator, by path", factList{{"app", judge.PathTrust, elf{defines: []string{"je_malloc"}}}}, nil},
		{"links tcmalloc", factList{{"app", judge.BuildIDExact, elf{needed: []string{"libtcmalloc_minimal.so.4"}}}}, nil},
		{"static", factList{{"app", judge.BuildIDExact, elf{static: true}}}, nil},
		{"another libc", factList{{"libc.so.6", judge.BuildIDExact, elf{pkg: "musl", defines: []string{"malloc", "free"}}}}, nil},
	}
	single := only(t, "glibc-malloc")
	single.Entries[0].Candidates = nil
	for _, tt := range tests {
		if got := certainties(run(t, parse(t, mallocHeavy), single, tt.facts)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		// Which of several candidates is faster only a trial tells.
		for i := range tt.want {
			tt.want[i] = finding.Suspected
		}
		if got := certainties(run(t, parse(t, mallocHeavy), only(t, "glibc-malloc"), tt.facts)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, with candidates: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func certainties(fs []finding.Finding) []finding.Certainty {
	var out []finding.Certainty
	for i := range fs {
		out = append(out, fs[i].Certainty)
	}
	return out
}

func TestOneProgramDoesNotSilenceAnother(t *testing.T) {
	p := parse(t, mallocHeavy+`db;main_[db];malloc_[libjemalloc.so.2] 200
db;main_[db];work_[db] 800
`)
	fs := run(t, p, only(t, "glibc-malloc"), nil)
	if len(fs) != 1 || fs[0].Place.Binary != "app" {
		t.Fatalf("got %+v", fs)
	}
	if got := *fs[0].Share.Inclusive; math.Abs(got-0.1) > 1e-9 {
		t.Errorf("share is %v of all samples, want 0.1", got)
	}
	said := false
	for _, e := range fs[0].Evidence {
		said = said || e.Kind == "process" && strings.Contains(e.Text, "20%")
	}
	if !said {
		t.Errorf("the share within the program is not said: %+v", fs[0].Evidence)
	}
}

func TestProgramsFromLabels(t *testing.T) {
	b := profile.NewBuilder()
	libc := b.Mapping(profile.Mapping{Path: "/lib/libc.so.6"})
	app := b.Mapping(profile.Mapping{Path: "/usr/bin/python3.11"})
	leaf := b.Location(libc, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "malloc", Mapping: libc, Kind: profile.KindNative})})
	root := b.Location(app, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "main", Mapping: app, Kind: profile.KindNative})})
	for process, value := range map[string]int64{"one": 900, "two": 100} {
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: process}})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{leaf, root}), Labels: labels, Count: value, Value: value})
	}
	p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	got := splitPrograms(p)
	if len(got.list) != 2 {
		t.Fatalf("%d programs", len(got.list))
	}
	for _, pr := range got.list {
		if p.Mapping(pr.main).Path != "/usr/bin/python3.11" {
			t.Errorf("%s: main is %q", pr.name, p.Mapping(pr.main).Path)
		}
	}
}

// A command of Node.js sets process.title once it has started; the shell that became it
// was another program, and so is another process.
func TestAProcessThatRenamesItselfIsOneProgram(t *testing.T) {
	b := profile.NewBuilder()
	stack := func(path string) profile.StackID {
		m := b.Mapping(profile.Mapping{Path: path})
		f := b.Function(profile.Function{Name: "main", Mapping: m, Kind: profile.KindNative})
		return b.Stack([]profile.LocationID{b.Location(m, 0, profile.KindNative, profile.Line{Function: f})})
	}
	for _, s := range []struct {
		process, path string
		pid, value    int64
	}{
		{"sh", "/bin/sh", 7, 10}, {"node", "/usr/bin/node", 7, 30}, {"lint", "/usr/bin/node", 7, 60}, {"node", "/usr/bin/node", 8, 5},
	} {
		labels := b.Labels([]profile.Label{{Key: profile.LabelProcess, Str: s.process}, {Key: profile.LabelPID, Num: s.pid}})
		b.Sample(profile.Sample{Stack: stack(s.path), Labels: labels, Count: s.value, Value: s.value})
	}
	got := map[string]int64{}
	for _, pr := range splitPrograms(b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})).list {
		got[pr.name] = pr.total
	}
	if want := map[string]int64{"sh": 10, "lint": 90, "node": 5}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestThreadsOfOneProgramAreJudgedTogether(t *testing.T) {
	p := parse(t, `io;start_thread_[libc.so.6];loop_[srv] 10
io;do_syscall_64_[k];schedule_[k] 90
worker;start_thread_[libc.so.6];run_[srv] 100
`)
	got := splitPrograms(p)
	if len(got.list) != 1 || got.list[0].name != "srv" || got.list[0].total != 200 {
		t.Errorf("got %d programs, first %+v", len(got.list), got.list[0])
	}
}

func TestIsExecutable(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/bin/git": true, "clang-14": true, "/usr/bin/python3.11": true, "/opt/app.bin": true,
		"": false, "/lib/x86_64-linux-gnu/libc.so.6": false, "libz.so.1.2.13": false, "ld-linux-x86-64.so.2": false,
		"[kernel.kallsyms]": false, "[vdso]": false, "//anon": false, "/tmp/perf-12.map": false, "addon.node": false,
		"_json.cpython-311-x86_64-linux-gnu.so": false, "/memfd:x (deleted)": false, "/usr/bin/app (deleted)": true,
		"/dev/zero": false,
	} {
		if got := isExecutable(&profile.Mapping{Path: path}); got != want {
			t.Errorf("isExecutable(%q) = %v", path, got)
		}
	}
}

func TestRecursionCountsOnce(t *testing.T) {
	p := parse(t, `app;main_[app];std::_Rb_tree<int>::_M_lower_bound_[app];std::_Rb_tree<int>::_M_lower_bound_[app];free_[libc.so.6] 300
app;main_[app] 700
`)
	fs := run(t, p, only(t, "std-map-btree"), nil)
	if len(fs) != 1 || math.Abs(*fs[0].Share.Inclusive-0.3) > 1e-9 || *fs[0].Share.Exclusive != 0 {
		t.Errorf("got %+v", fs)
	}
}

func TestOneSampleIsNoted(t *testing.T) {
	_, notes, err := Run(t.Context(), parse(t, "app;main_[app] 1\n"), only(t, "glibc-malloc"), nil, Options{})
	if err != nil || len(notes) == 0 || !strings.Contains(notes[0], "Only 1 sample:") {
		t.Errorf("%q, %v", notes, err)
	}
}

func TestFewSamplesStaySilentAndAreNoted(t *testing.T) {
	p := parse(t, "app;main_[app];malloc_[libc.so.6] 2\napp;main_[app] 18\n")
	fs, notes, err := Run(t.Context(), p, only(t, "glibc-malloc"), nil, Options{})
	if err != nil || len(fs) != 0 {
		t.Errorf("10%% of 20 samples is not 6%%: %v %v", fs, err)
	}
	if len(notes) == 0 || !strings.Contains(notes[0], "Only 20 samples") {
		t.Errorf("notes: %q", notes)
	}
}

func TestProfilesOfOtherThingsAreNotJudged(t *testing.T) {
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "libc.so.6"})
	loc := b.Location(m, 0, profile.KindNative, profile.Line{Function: b.Function(profile.Function{Name: "malloc", Mapping: m, Kind: profile.KindNative})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 1000, Value: 1000})
	p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "alloc_space", Unit: "bytes"}})
	fs, notes, err := Run(t.Context(), p, builtin(t), nil, Options{})
	if err != nil || len(fs) != 0 || len(notes) != 1 || !strings.Contains(notes[0], "alloc_space") {
		t.Errorf("got %v %v %v", fs, notes, err)
	}
}

func TestEmptyProfile(t *testing.T) {
	p := profile.NewBuilder().Build(profile.Meta{})
	fs, notes, err := Run(t.Context(), p, builtin(t), nil, Options{})
	if err != nil || fs == nil || len(fs) != 0 || len(notes) != 1 {
		t.Errorf("got %v %v %v", fs, notes, err)
	}
}

func TestCancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Run(ctx, parse(t, mallocHeavy), builtin(t), nil, Options{}); err == nil {
		t.Error("a cancelled run gave no error")
	}
}

func TestGroupKeepsOneFinding(t *testing.T) {
	p := parse(t, `app;main_[app];load_[app];uncompress_[libz.so.1];inflate_[libz.so.1];inflate_fast_[libz.so.1] 300
app;main_[app];work_[app] 700
`)
	fs := run(t, p, only(t, "zlib-ng", "zlib-oneshot-libdeflate"), nil)
	if len(fs) != 1 || fs[0].Rule != "zlib-oneshot-libdeflate" {
		t.Fatalf("got %d findings, first %+v", len(fs), fs)
	}
	last := fs[0].Fix.Steps[len(fs[0].Fix.Steps)-1]
	if !strings.HasPrefix(last, "Instead: zlib-ng") {
		t.Errorf("the other way is not named: %q", fs[0].Fix.Steps)
	}
}

func TestOverlapIsSaid(t *testing.T) {
	p := parse(t, `app;main_[app];nlohmann::basic_json<>::parse_[app];malloc_[libc.so.6];_int_malloc_[libc.so.6] 200
app;main_[app];nlohmann::basic_json<>::parse_[app] 300
app;main_[app];work_[app] 500
`)
	fs := run(t, p, only(t, "glibc-malloc", "json-nlohmann-simdjson"), nil)
	if len(fs) != 2 {
		t.Fatalf("got %d findings", len(fs))
	}
	for _, f := range fs {
		has := slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return e.Kind == "overlap" })
		if has != (f.Rule == "glibc-malloc") {
			t.Errorf("%s: overlap said: %v", f.Rule, has)
		}
	}
}

// What a library does inside is not a finding of its own beside the library's.
func TestInsideOfAReplacedLibraryIsFoldedAway(t *testing.T) {
	const library = "runtime.main;main.main;encoding/json.Unmarshal;encoding/json.(*decodeState).array;reflect.growslice;runtime.growslice"
	c := ofAnyCaller(only(t, "go-json", "go-growslice"))
	fs := run(t, parse(t, library+" 300\nruntime.main;main.main;encoding/json.Unmarshal 400\nruntime.main;main.main;main.work 300\n"), c, nil)
	if len(fs) != 1 || fs[0].Rule != "go-json" {
		t.Fatalf("in the library only: %d findings", len(fs))
	}
	if !slices.ContainsFunc(fs[0].Evidence, func(e finding.Evidence) bool {
		return e.Kind == "overlap" && strings.Contains(e.Text, "Slices grow by append")
	}) {
		t.Error("the finding on the library does not tell what is within it")
	}
	// The user's own appends stay, though they are in the same samples.
	own := "runtime.main;main.main;encoding/json.Unmarshal;main.(*T).UnmarshalJSON;runtime.growslice"
	fs = run(t, parse(t, own+" 300\nruntime.main;main.main;encoding/json.Unmarshal 400\nruntime.main;main.main;main.work 300\n"), c, nil)
	if len(fs) != 2 {
		t.Errorf("the user's code within the library's: %d findings", len(fs))
	}
	// So do a library's where nothing better ranked tells of it.
	fs = run(t, parse(t, library+" 300\nruntime.main;main.main;main.work 700\n"), ofAnyCaller(only(t, "go-growslice")), nil)
	if len(fs) != 1 {
		t.Errorf("nothing else tells: %d findings", len(fs))
	}
}

// ofAnyCaller has entries tell of calls whoever makes them.
func ofAnyCaller(c *catalog.Catalog) *catalog.Catalog {
	for i := range c.Entries {
		c.Entries[i].Match.OwnCaller = false
	}
	return c
}

// Who owns a program cannot change how the standard library calls.
func TestCallsOfTheStandardLibraryAreNotTheUsers(t *testing.T) {
	const library, own = "runtime.main;main.main;go/format.Node;bytes.(*Buffer).Write;runtime.growslice", "runtime.main;main.main;runtime.growslice"
	for name, c := range map[string]struct {
		library, own string
		want         int
	}{
		"the library's alone": {"300", "0", 0}, "the user's alone": {"0", "300", 1},
		"mostly the library's": {"280", "60", 0}, "both": {"150", "150", 1},
	} {
		text := "runtime.main;main.main;main.work 700\n"
		for stack, n := range map[string]string{library: c.library, own: c.own} {
			if n != "0" {
				text += stack + " " + n + "\n"
			}
		}
		if fs := run(t, parse(t, text), only(t, "go-growslice"), nil); len(fs) != c.want {
			t.Errorf("%s: %d findings, want %d", name, len(fs), c.want)
		}
	}
}

// A finding is not said to overlap with one that nobody is shown.
func TestOverlapWithWhatIsNotShownIsNotSaid(t *testing.T) {
	p := parse(t, `php;php_execute_[php8.2];php_printf_[php8.2];vsnprintf_[libc.so.6];write_[libc.so.6];do_syscall_64_[k];vfs_write_[k] 400
php;php_execute_[php8.2] 600
`)
	cat := builtin(t)
	fs := run(t, p, cat, nil)
	for _, f := range fs {
		for _, e := range f.Evidence {
			if e.Kind != "overlap" {
				continue
			}
			if !slices.ContainsFunc(fs, func(o finding.Finding) bool { return strings.Contains(e.Text, o.Title) }) {
				t.Errorf("%s: %s", f.Rule, e.Text)
			}
		}
	}
}

func TestSwallowingSymbolIsNotBelieved(t *testing.T) {
	byRecursion := `app;main_[app];sha256_block_data_order_[libcrypto.so.3];sha256_block_data_order_[libcrypto.so.3] 300
app;main_[app];other_[app];sha256_block_data_order_[libcrypto.so.3];sha256_block_data_order_[libcrypto.so.3];sha256_block_data_order_[libcrypto.so.3] 300
app;main_[app] 400
`
	if fs := run(t, parse(t, byRecursion), only(t, "sha-without-instructions"), nil); len(fs) != 0 {
		t.Errorf("a symbol that calls itself everywhere was believed: %+v", fs)
	}
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: "/lib/libcrypto.so.3", Start: 0, Limit: 4 << 20})
	fn := b.Function(profile.Function{Name: "sha256_block_data_order", Mapping: m, Kind: profile.KindNative})
	for i := range 100 {
		loc := b.Location(m, uint64(i)*20000, profile.KindNative, profile.Line{Function: fn})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc}), Count: 10, Value: 10})
	}
	p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
	if fs := run(t, p, only(t, "sha-without-instructions"), nil); len(fs) != 0 {
		t.Errorf("a function of 2 MB was believed: %+v", fs)
	}
	honest := strings.ReplaceAll(byRecursion, ";sha256_block_data_order_[libcrypto.so.3];sha256_block_data_order_[libcrypto.so.3]", ";sha256_block_data_order_[libcrypto.so.3]")
	honest = strings.ReplaceAll(honest, ";sha256_block_data_order_[libcrypto.so.3];sha256_block_data_order_[libcrypto.so.3]", ";sha256_block_data_order_[libcrypto.so.3]")
	if fs := run(t, parse(t, honest), only(t, "sha-without-instructions"), nil); len(fs) != 1 {
		t.Errorf("the honest profile gave %+v", fs)
	}
}

func TestNextCommandCanBePasted(t *testing.T) {
	p := parse(t, mallocHeavy)
	fs := run(t, p, only(t, "glibc-malloc"), nil)
	want := "whyhot try --profile p.folded --finding " + fs[0].ID + " --preload mimalloc,jemalloc,tcmalloc -- <your command>"
	if fs[0].Next.String() != want {
		t.Errorf("got  %s\nwant %s", fs[0].Next, want)
	}
	p.Meta.Command = []string{"jq", ".a | .b", "it's.json"}
	fs = run(t, p, only(t, "glibc-malloc"), nil)
	if !strings.HasSuffix(fs[0].Next.String(), ` -- jq '.a | .b' 'it'\''s.json'`) {
		t.Errorf("got %s", fs[0].Next)
	}
}

func TestNextCommandOfAnotherBuild(t *testing.T) {
	p := parse(t, "app;main_[app];sum_[app];std::vector<int, std::allocator<int> >::operator[]_[app] 220\napp;main_[app];work_[app] 780\n")
	p.Meta.Command = []string{"./app", "input"}
	fs := run(t, p, only(t, "debug-build"), nil)
	if len(fs) != 1 {
		t.Fatalf("got %+v", fs)
	}
	want := "whyhot try build --profile p.folded --finding " + fs[0].ID + " --build '<your build command>' --cflags -O2 -- ./app input"
	if fs[0].Next.String() != want {
		t.Errorf("got  %s\nwant %s", fs[0].Next, want)
	}
}

// A command that sets the variable itself would set back what stands before it.
func TestNextCommandOfAVariableThatIsSet(t *testing.T) {
	p := parse(t, "sort;main_[sort];compare_[sort];strcoll_l_[libc.so.6] 600\nsort;main_[sort] 400\n")
	for _, x := range []struct {
		command []string
		want    string
	}{
		{[]string{"sort", "f"}, "--env LC_ALL=C -- sort f"},
		{[]string{"env", "LC_ALL=en_US.UTF-8", "sort", "f"}, "--versus 'changed=env LC_ALL=C sort f' -- env LC_ALL=en_US.UTF-8 sort f"},
	} {
		p.Meta.Command = x.command
		fs := run(t, p, only(t, "locale-collation"), nil)
		if len(fs) != 1 || !strings.HasSuffix(fs[0].Next.String(), x.want) {
			t.Errorf("%q: %+v", x.want, fs)
		}
	}
}

// shell is a script that the command runs, which sets what an advice is about.
type shell struct {
	factList
	lines []string
}

func (s shell) Source(path string) ([]string, bool) { return s.lines, path == "./run.sh" }

// A script takes its settings from a file beside it.
func TestSettingsOfASourcedFile(t *testing.T) {
	p := parse(t, "runtime.gcBgMarkWorker;runtime.systemstack;runtime.gcDrain;runtime.scanobject 600\nruntime.goexit;main.main 400\n")
	p.Meta.Command = []string{"bash", "./run.sh"}
	fs := run(t, p, only(t, "go-gc"), files{"./run.sh": {"#!/bin/sh", "cd app && . ./app.env && exec ./app"}, "app.env": {"# limits", "GOMEMLIMIT=80MiB"}})
	if len(fs) != 1 || !slices.ContainsFunc(fs[0].Evidence, func(e finding.Evidence) bool { return e.Text == "app.env:2 sets GOMEMLIMIT=80MiB" }) {
		t.Errorf("%+v", fs)
	}
}

// A server's settings are in the file that its command names, or on its command line.
func TestSettingsOfAConfiguration(t *testing.T) {
	conf := files{
		"./run.sh":   {"#!/bin/sh", "nginx -p \"$PWD\" -c nginx.conf &"},
		"nginx.conf": {"http {", "    # gzip_comp_level 7;", "    gzip_comp_level 9;", "    gzip_types application/json; # and no others", "}"},
	}
	entry, _ := builtin(t).Entry("web-server-gzip")
	p := parse(t, "nginx;main 400\n")
	p.Meta.Command = []string{"bash", "./run.sh"}
	e := engine{p: p, facts: conf}
	var got []string
	for _, s := range e.settings(entry) {
		got = append(got, fmt.Sprintf("%s:%d %s", s.file, s.line, s.text))
	}
	if want := []string{"nginx.conf:3 gzip_comp_level 9", "nginx.conf:4 gzip_types application/json"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	names := []string{"hash-max-listpack-entries", "jit_above_cost"}
	for line, want := range map[string]string{
		"redis-server --port 0 --hash-max-listpack-entries 20000 &": "hash-max-listpack-entries 20000",
		`pg_ctl -D data -o "-c jit_above_cost=500" start`:           "jit_above_cost 500",
		"# redis-server --hash-max-listpack-entries 20000":          "",
		"echo jit_above_cost is high":                               "",
	} {
		got := ""
		for _, s := range e.directed(names, "run.sh", 3, line) {
			got += s.text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

type files map[string][]string

func (f files) Source(path string) ([]string, bool) { lines, ok := f[path]; return lines, ok }

func (files) Binary(*profile.Mapping) (judge.Binary, judge.Trust) { return nil, judge.NoTrust }

func TestSettingsOfAScript(t *testing.T) {
	p := parse(t, "runtime.gcBgMarkWorker;runtime.systemstack;runtime.gcDrain;runtime.scanobject 600\nruntime.goexit;main.main 400\n")
	p.Meta.Command = []string{"bash", "./run.sh"}
	for _, x := range []struct {
		line, want string
	}{
		{"export GOGC=8", "run.sh:2 sets GOGC=8"},
		{"GOMAXPROCS=2 GOMEMLIMIT='90MiB' ./index", "run.sh:2 sets GOMEMLIMIT='90MiB'"},
		{"export GOGC=300", ""}, // as is advised
		{"# GOGC=8 was too low", ""},
		{"./index --gogc=8 MYGOGC=8", ""},
	} {
		fs := run(t, p, only(t, "go-gc"), shell{lines: []string{"#!/bin/sh", x.line}})
		if len(fs) != 1 {
			t.Fatalf("%s: %+v", x.line, fs)
		}
		f := fs[0]
		found := slices.ContainsFunc(f.Evidence, func(e finding.Evidence) bool { return e.Text == x.want })
		if found != (x.want != "") || found != strings.HasPrefix(f.Fix.Steps[0], "run.sh:2 sets ") || found != (f.Place.File == "run.sh" && f.Place.Line == 2) {
			t.Errorf("%s: %+v %q %+v", x.line, f.Evidence, f.Fix.Steps, f.Place)
		}
		if found == strings.Contains(f.Next.String(), "--env") {
			t.Errorf("%s: the script would set it back: %s", x.line, f.Next)
		}
	}
}

// What is said of a process that goes on for long is not said of many short ones.
func TestShortProcesses(t *testing.T) {
	c := only(t, "getenv-locale")
	for name, test := range map[string]struct {
		pids    int64
		seconds int64 // of CPU, all of them together
		want    int
	}{
		"one that goes on":  {1, 4, 1},
		"many short ones":   {100, 4, 0},
		"several long ones": {4, 40, 1},
	} {
		b := profile.NewBuilder()
		m := b.Mapping(profile.Mapping{Path: "/bin/grep"})
		f := b.Function(profile.Function{Name: "setlocale", Mapping: m, Kind: profile.KindNative})
		main := b.Function(profile.Function{Name: "main", Mapping: m, Kind: profile.KindNative})
		stack := b.Stack([]profile.LocationID{
			b.Location(m, 1, profile.KindNative, profile.Line{Function: f}), b.Location(m, 2, profile.KindNative, profile.Line{Function: main}),
		})
		for pid := range test.pids {
			labels := b.Labels([]profile.Label{{Key: profile.LabelPID, Num: pid + 1}, {Key: profile.LabelProcess, Str: "grep"}})
			b.Sample(profile.Sample{Stack: stack, Labels: labels, Count: 400 / test.pids, Value: test.seconds * 1e9 / test.pids})
		}
		p := b.Build(profile.Meta{ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"}})
		if fs := run(t, p, c, nil); len(fs) != test.want {
			t.Errorf("%s: %d findings", name, len(fs))
		}
	}
}

func TestUncheckedClaimsAreNotShown(t *testing.T) {
	c := only(t, "glibc-malloc")
	c.Entries[0].Claims = []catalog.Claim{
		{Text: "hearsay", Source: "x", Evidence: catalog.EvidenceRecall},
		{Text: "checked", Source: "y", Evidence: catalog.EvidenceRead},
	}
	text := ""
	for _, e := range run(t, parse(t, mallocHeavy), c, nil)[0].Evidence {
		text += e.Text + "\n"
	}
	if strings.Contains(text, "hearsay") || !strings.Contains(text, "checked (y; their number, not ours)") {
		t.Errorf("evidence:\n%s", text)
	}
}

func TestPlaceIsTheCallerThatDominates(t *testing.T) {
	p := parse(t, `handle (app.py:30);loads (json/__init__.py:346);raw_decode (json/decoder.py:353) 300
other (app.py:50);loads (json/__init__.py:346) 50
main (app.py:1) 650
`)
	fs := run(t, p, only(t, "python-json"), nil)
	if len(fs) != 1 || fs[0].Place.Function != "handle" || fs[0].Place.File != "app.py" || fs[0].Place.Line != 30 {
		t.Errorf("got %+v", fs)
	}
}

func TestTheInterpretersOwnCodeIsNotTheUsers(t *testing.T) {
	printing := "__snprintf_[libc.so.6];__vsnprintf_internal_[libc.so.6];__vfprintf_internal_[libc.so.6];__printf_fp_l_[libc.so.6]"
	script := "lua5.3;main_[lua5.3];luaV_execute_[lua5.3];luaO_tostring_[lua5.3];" + printing + " 300\nlua5.3;main_[lua5.3];luaV_execute_[lua5.3] 700\n"
	if fs := run(t, parse(t, script), only(t, "printf-double"), nil); len(fs) != 0 {
		t.Errorf("Lua's own printf was reported: %+v", fs)
	}
	module := "lua5.3;main_[lua5.3];luaV_execute_[lua5.3];format_[mymodule.so];" + printing + " 300\nlua5.3;main_[lua5.3];luaV_execute_[lua5.3] 700\n"
	if fs := run(t, parse(t, module), only(t, "printf-double"), nil); len(fs) != 1 || fs[0].Place.Function != "format" {
		t.Errorf("a native module's printf: %+v", fs)
	}
	native := strings.ReplaceAll(strings.ReplaceAll(script, "lua5.3", "app"), "luaV_execute", "run")
	if fs := run(t, parse(t, native), only(t, "printf-double"), nil); len(fs) != 1 {
		t.Errorf("a native program's printf: %+v", fs)
	}
}

func TestGeneralAdviceIsMarked(t *testing.T) {
	p := parse(t, "app;main_[app] 1000\n")
	fs, _, err := Run(t.Context(), p, builtin(t), nil, Options{})
	if err != nil || len(fs) != 1 || fs[0].Rule != "pgo-lto-native" || !fs[0].General {
		t.Errorf("got %+v %v", fs, err)
	}
}

// What is said of a program in particular is the same whether or not general
// advice is in the catalogue.
func TestGeneralAdviceChangesNothingElse(t *testing.T) {
	whole := builtin(t)
	particular := &catalog.Catalog{Families: whole.Families, Runtimes: whole.Runtimes}
	for _, e := range whole.Entries {
		if !e.Fallback {
			particular.Entries = append(particular.Entries, e)
		}
	}
	if len(particular.Entries) == len(whole.Entries) {
		t.Fatal("the catalogue has no general advice")
	}
	found := map[*catalog.Catalog][][]finding.Finding{}
	for _, c := range []*catalog.Catalog{whole, particular} { // one after the other: each is made ready once
		for i := range whole.Entries {
			for _, test := range whole.Entries[i].Tests {
				found[c] = append(found[c], run(t, parse(t, test.Profile), c, nil))
			}
		}
	}
	compared, at := 0, 0
	for i := range whole.Entries {
		for _, test := range whole.Entries[i].Tests {
			with, without := found[whole][at], found[particular][at]
			at++
			for j := range with {
				if with[j].Next.IsZero() {
					t.Errorf("%s has no next command", with[j].ID)
				}
			}
			if !reflect.DeepEqual(with, without) {
				t.Errorf("%s, %q: with general advice\n%+v\nwithout\n%+v", whole.Entries[i].ID, test.Name, with, without)
			}
			compared += len(with)
		}
	}
	if compared < len(whole.Entries)/2 {
		t.Errorf("only %d findings were compared", compared)
	}
}

// Samples on the lines that the source names count beside those whose frames
// match, each once.
func TestLinesOfTheSourceCount(t *testing.T) {
	p := parse(t, "app;main_[app];f_[app];std::vector<bool>::push_back_[app] 100\napp;main_[app];f_[app] 200\napp;main_[app];g_[app] 700\n")
	in := func(loc profile.LocationID) bool {
		name := p.Function(p.Lines(loc)[0].Function).Name
		return name == "f" || name == "std::vector<bool>::push_back"
	}
	for rule, want := range map[string]float64{"vector-bool": 0.3, "another": 0.1} {
		out, _, err := Run(t.Context(), p, only(t, "vector-bool"), nil, Options{Lines: map[string]judge.Lines{rule: in}})
		if err != nil || len(out) != 1 || out[0].Share.Main() != want {
			t.Errorf("lines of %s: %+v, %v", rule, out, err)
		}
	}
}

// What an interpreter does of its own is not for those who write scripts to change,
// whichever script it is that makes it run; what a library does is.
func TestInterpretersOwnCodeIsBeyondReach(t *testing.T) {
	cat := builtin(t)
	for name, c := range map[string]struct {
		library string
		want    bool
	}{"the interpreter": {"libpython3.11.so.1.0", false}, "an extension": {"_table.cpython-311-x86_64-linux-gnu.so", true}} {
		p := parse(t, "python3;<module> (app.py:3);_PyEval_EvalFrameDefault_[libpython3.11.so.1.0];"+
			"look_up_["+c.library+"];siphash13_["+c.library+"] 300\npython3;<module> (app.py:3);_PyEval_EvalFrameDefault_[libpython3.11.so.1.0] 700\n")
		found := run(t, p, cat, noFacts{})
		got := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "siphash-fast-hash" })
		if got != c.want {
			t.Errorf("%s: found is %t", name, got)
		}
	}
}
