package archive

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"whyhot/internal/finding"
	"whyhot/internal/host/tool"
	"whyhot/internal/trial"
)

func record(second int, results ...Result) *Record {
	return &Record{Time: time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC), Command: []string{"prog"}, Arguments: []string{"--env", "A=1", "--", "prog"}, Results: results}
}

func interval(e, low, high float64) *finding.Interval {
	return &finding.Interval{Estimate: e, Low: low, High: high}
}

func TestKeepsAndFinds(t *testing.T) {
	a := In(filepath.Join(t.TempDir(), "a", "b"))
	if _, err := a.Find("last"); err == nil {
		t.Error("an empty archive has a last trial")
	}
	first, second := record(5, Result{Variant: "v", Ratio: interval(1.2, 1.1, 1.3), Verdict: trial.Faster}), record(6)
	for _, r := range []*Record{first, second} {
		if err := a.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(first.ID, "20260102-030405-") {
		t.Errorf("id %s", first.ID)
	}
	for name, want := range map[string]string{"last": second.ID, first.ID: first.ID, first.ID[len(first.ID)-5:]: first.ID, "20260102-030406": second.ID} {
		if name == second.ID[len(second.ID)-5:] {
			continue // the same five digits by chance
		}
		if r, err := a.Find(name); err != nil || r.ID != want {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	got, err := a.Find(first.ID)
	if err != nil || got.Best().Ratio.Estimate != 1.2 || got.Arguments[1] != "A=1" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, want := range map[string]string{"2026": "matches 2 trials", "nothing": "no trial", "": "no trial"} {
		if _, err := a.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	info, err := os.Stat(filepath.Join(a.dir, first.ID+".json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func TestDamagedRecordsDoNotHideOthers(t *testing.T) {
	a := In(t.TempDir())
	if err := a.Add(record(1)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"20250101-000000-0000.json": "{", "20250101-000000-0001.json": `{"version": 99}`} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	records, damaged, err := a.List()
	if err != nil || len(records) != 1 || len(damaged) != 2 {
		t.Errorf("%v, %v, %v", records, damaged, err)
	}
}

func TestOldestGo(t *testing.T) {
	a := In(t.TempDir())
	for i := range most + 2 {
		name := time.Date(2020, 1, 1, 0, 0, i, 0, time.UTC).Format("20060102-150405") + "-0000.json"
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Add(record(1)); err != nil {
		t.Fatal(err)
	}
	ids, _ := a.ids()
	if len(ids) != most || ids[0] != "20200101-000003-0000" {
		t.Errorf("%d kept, oldest %s", len(ids), ids[0])
	}
}

func TestWhereTrialsAreKept(t *testing.T) {
	env := map[string]string{"HOME": "/h"}
	get := func(k string) string { return env[k] }
	if a, err := Open(get); err != nil || a.dir != "/h/.local/state/whyhot/trials" {
		t.Errorf("%v, %v", a, err)
	}
	env["XDG_STATE_HOME"] = "/s"
	if a, err := Open(get); err != nil || a.dir != "/s/whyhot/trials" {
		t.Errorf("%v, %v", a, err)
	}
	clear(env)
	if _, err := Open(get); err == nil {
		t.Error("no error")
	}
}

// Keeping fails as a whole: nothing half-written stays.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := In(filepath.Join(dir, "file", "x")).Add(record(1)); err == nil || !strings.Contains(err.Error(), "keeping the trial") {
		t.Errorf("error %v", err)
	}
	bad := record(1)
	bad.Outcome = func() {}
	a := In(filepath.Join(dir, "ok"))
	if err := a.Add(bad); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(a.dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAnswers(t *testing.T) {
	faster, slower := Result{Ratio: interval(1.2, 1.1, 1.3), Verdict: trial.Faster}, Result{Ratio: interval(0.8, 0.7, 0.9), Verdict: trial.Slower}
	same, unclear := Result{Ratio: interval(1, 0.99, 1.01), Verdict: trial.Same}, Result{Ratio: interval(1.1, 0.95, 1.2), Verdict: trial.Unclear}
	for _, c := range []struct {
		was, now Result
		want     Answer
	}{
		{faster, faster, Holds}, {faster, slower, HoldsNot}, {faster, same, HoldsNot}, {faster, unclear, Unknown}, {slower, unclear, HoldsNot},
		{same, same, Holds}, {faster, Result{Verdict: trial.Failed}, HoldsNot},
		{Result{Ratio: interval(1.02, 1.005, 1.03), Verdict: trial.Faster}, Result{Ratio: interval(1.005, 0.99, 1.014), Verdict: trial.Same}, Unknown},
	} {
		if got := answer(&c.was, &c.now); got != c.want {
			t.Errorf("%+v then %+v: %s, want %s", c.was, c.now, got, c.want)
		}
	}
	reps := Compare(record(1, Result{Variant: "gone", Verdict: trial.Faster}), record(2))
	if len(reps) != 1 || reps[0].Now != nil || reps[0].Answer != Unknown {
		t.Errorf("%+v", reps)
	}
}

func TestChanges(t *testing.T) {
	was, now := record(1), record(2)
	was.Files = []File{{Role: "program of baseline", BuildID: "aabbccddeeff0011", SHA256: "1"}, {Role: "argument 1 of baseline", Path: "/in", SHA256: "2"}, {Role: "library x", Path: "/x"}, {Role: "same", SHA256: "3"}}
	now.Files = []File{{Role: "program of baseline", BuildID: "00", SHA256: "9"}, {Role: "argument 1 of baseline", Path: "/in", SHA256: "8"}, {Role: "same", SHA256: "3"}}
	was.Environment, now.Environment = map[string]string{"LANG": "C", "LD_PRELOAD": "x"}, map[string]string{"LANG": "de", "GOGC": "1"}
	was.Machine.Kernel, now.Machine.Kernel = "6.1", "6.2"
	got := strings.Join(Changes(was, now), "\n")
	for _, want := range []string{
		"program of baseline is another build: build ID 00, was aabbccddeeff", "argument 1 of baseline has another content: /in",
		"library x is no longer there", `LANG is "de", was "C"`, `LD_PRELOAD is not set, was "x"`, `GOGC is "1", was not set`, "the kernel is 6.2, was 6.1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "same") {
		t.Errorf("names what did not change:\n%s", got)
	}
	if c := Changes(was, was); len(c) != 0 {
		t.Errorf("changed to itself: %q", c)
	}
}

func TestFilesOfACommand(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.txt"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := Command("baseline", []string{"cat", "-n", "in.txt", "--from=in.txt", "none", ""}, nil, dir)
	if len(files) != 3 || files[0].Role != "program of baseline" || files[1].Role != "argument 2 of baseline" || files[2].SHA256 != files[1].SHA256 || files[1].Size != 3 {
		t.Fatalf("%+v", files)
	}
	// From FIPS 180-2, appendix B.1.
	if files[1].SHA256 != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("hash %s", files[1].SHA256)
	}
	// The program is the one that the command's own PATH leads to.
	own := filepath.Join(dir, "cat")
	if err := os.WriteFile(own, []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	if files := Command("variant", []string{"cat"}, []string{"PATH=."}, dir); len(files) != 1 || files[0].Path != own {
		t.Errorf("%+v, want %s", files, own)
	}
	if Command("x", nil, nil, "") != nil {
		t.Error("files of no command")
	}
}

func TestBuildIDIsTheLinkers(t *testing.T) {
	gcc, err := tool.Find("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "a.c"), filepath.Join(dir, "a")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const id = "0123456789abcdef0123456789abcdef01234567"
	if out, err := exec.CommandContext(t.Context(), gcc, "-Wl,--build-id=0x"+id, "-o", program, source).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	if f, ok := Fingerprint("program", program); !ok || f.BuildID != id {
		t.Errorf("%+v, %v", f, ok)
	}
}

func TestOnlyWhatDecidesSpeedIsKept(t *testing.T) {
	got := Environment([]string{"PATH=/bin", "LD_PRELOAD=x", "API_TOKEN=secret", "GOOGLE_API_KEY=secret", "GOGC=50", "PASSWORD=p"})
	if len(got) != 3 || got["GOGC"] != "50" {
		t.Errorf("%v", got)
	}
}
