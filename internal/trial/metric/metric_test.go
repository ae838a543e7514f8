package metric

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"whyhot/internal/host/tool"
	"whyhot/internal/trial/run"
)

// printing is a command that prints lines.
type printing struct {
	stdout, stderr string
	compared       *[]string
}

func (p printing) Run(_ context.Context, spec run.Spec) (*run.Result, error) {
	for name, text := range map[string]string{run.Stdout: p.stdout, run.Stderr: p.stderr} {
		for line := range strings.Lines(text) {
			left := spec.Filter(name, []byte(line))
			if p.compared != nil && name == run.Stdout {
				*p.compared = append(*p.compared, string(left))
			}
		}
	}
	return &run.Result{}, nil
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		pattern, stdout, stderr string
		want                    float64
		fails                   string
	}{
		{`rate: ([0-9.]+)`, "rate: 12.5 req/s\n", "", 12.5, ""},
		{`rate: ([0-9.]+)`, "rate: 1\nrate: 2\nbye\n", "", 2, ""},
		{`rate: ([0-9.]+)`, "", "rate: 3\n", 3, ""},
		{`rate: ([0-9.]+)`, "rate: 4\n", "rate: 3\n", 4, ""},
		{`rate: ([0-9.]+)`, "nothing\n", "", 0, ""},
		{`real\s+(\S+)`, "", "real\t0m1.250s\n", 1.25, ""},
		{`in (\S+)`, "done in 230ms", "", 0.23, ""},
		{`([\d,.]+) ops`, "1,234,567.5 ops\n", "", 1234567.5, ""},
		{`total (\S+)`, "total 1e6\n", "", 1e6, ""},
		{`total (\S+)`, "total many\n", "", 0, `"many", which is not a number`},
		{`total (\S+)`, "total 0\n", "", 0, "above 0"},
		{`total (\S+)`, "total NaN\n", "", 0, "above 0"},
	} {
		n, err := ParseNumber(c.pattern, "", false)
		if err != nil {
			t.Fatal(err)
		}
		res, err := n.Wrap(printing{stdout: c.stdout, stderr: c.stderr}).Run(t.Context(), run.Spec{})
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s on %q: error %v, want %q", c.pattern, c.stdout, err, c.fails)
			}
		case err != nil || res.Number != c.want:
			t.Errorf("%s on %q %q: %v, %v; want %v", c.pattern, c.stdout, c.stderr, res, err, c.want)
		}
	}
	for _, bad := range []string{`rate: [0-9.]+`, `rate: (`} {
		if _, err := ParseNumber(bad, "", false); err == nil {
			t.Errorf("pattern %q: no error", bad)
		}
	}
}

// What is measured is not what is compared, and other filters still work.
func TestNumberIsNotCompared(t *testing.T) {
	n, err := ParseNumber(`rate: ([0-9.]+)`, "", true)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	dates := regexp.MustCompile(`on \w+`)
	spec := run.Spec{Filter: func(_ string, line []byte) []byte { return dates.ReplaceAll(line, nil) }}
	if _, err := n.Wrap(printing{stdout: "rate: 12.5 req/s on Monday\nrest\n", compared: &left}).Run(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(left, ""); got != "rate:  req/s \nrest\n" {
		t.Errorf("compared %q", got)
	}
}

func TestReadCachegrind(t *testing.T) {
	for text, want := range map[string]float64{
		"desc: I1 cache:\ncmd: ./f\nevents: Ir\nfn=main\n1 5\nsummary: 60123414\n": 60123414,
		"events: Ir Dr\nsummary: 12 4\n":                                           12,
		"events: Ir\nfn=main\n":                                                    0,
		"":                                                                         0,
	} {
		if got, err := readCachegrind(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := readCachegrind("summary: lots\n"); err == nil {
		t.Error("no error")
	}
}

func TestReadPerfStat(t *testing.T) {
	for text, want := range map[string]float64{
		"# started on Sat\n\n60122294,,instructions:u,24000000,100.00,,\n":                            60122294,
		"10,,cpu_core/instructions/u,1,100.00,,\n5,,cpu_atom/instructions/u,1,100.00,,\n":             15,
		"10,,cpu_core/instructions/u,1,100.00,,\n<not counted>,,cpu_atom/instructions/u,0,100.00,,\n": 10,
		"":                                  0,
		"7,,instructions:u\nsh: 1: noise\n": 7,
	} {
		if got, err := readPerfStat(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := readPerfStat("<not supported>,,instructions:u,0,100.00,,\n"); err == nil {
		t.Error("no error")
	}
}

// The real tool on a real tree: twice the work is counted as more, children
// included, and nothing stays behind.
func TestValgrindCountsTheTree(t *testing.T) {
	valgrind, err := tool.Find("valgrind")
	if err != nil {
		t.Skip("no valgrind")
	}
	t.Setenv("TMPDIR", t.TempDir())
	local, err := run.New()
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	dir := t.TempDir()
	counted := (&Counter{valgrind: valgrind, dir: dir}).Wrap(local)
	count := func(script string) *run.Result {
		res, err := counted.Run(t.Context(), run.Spec{Args: []string{"sh", "-c", script}, Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	one, two := count("/bin/true; :"), count("/bin/true; /bin/true; exit 3")
	if one.Instructions < 10_000 || two.Instructions < 1.2*one.Instructions || !one.Simulated {
		t.Errorf("one %v, two %v", one.Instructions, two.Instructions)
	}
	if two.End.Code != 3 {
		t.Errorf("exit status %d", two.End.Code)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A stand-in for perf that writes what perf writes: this machine may have none.
func TestPerfIsAsked(t *testing.T) {
	dir := t.TempDir()
	perf := filepath.Join(dir, "perf")
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do [ \"$1\" = -o ] && out=$2; shift; done; shift\necho 4242,,instructions:u,1,100.00,, >$out\nexec \"$@\"\n"
	if err := os.WriteFile(perf, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	local, err := run.New()
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	res, err := (&Counter{perf: perf, dir: dir}).Wrap(local).Run(t.Context(), run.Spec{Args: []string{"echo", "hi"}, Env: os.Environ()})
	if err != nil || res.Instructions != 4242 || res.Simulated || res.Stdout.Length != 3 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestMissingToolIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := NewCounter(t.TempDir()); err == nil || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("error %v", err)
	}
}
