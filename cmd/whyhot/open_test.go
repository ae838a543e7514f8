package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openFiles starts whyhot open and gives what it prints: the address of the page and of
// the profile.
func openFiles(t *testing.T, files ...string) (page, raw string) {
	t.Helper()
	// The context of a test ends before its cleanup, which ends the program in order.
	c := exec.CommandContext(context.WithoutCancel(t.Context()), binary, append([]string{"open"}, files...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("whyhot open ended with %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	for raw == "" && lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "open   "); ok {
			page = text
		}
		if text, ok := strings.CutPrefix(lines.Text(), "pprof  go tool pprof '"); ok {
			raw = strings.TrimSuffix(text, "'")
		}
	}
	if page == "" || raw == "" {
		t.Fatal("whyhot open printed no addresses")
	}
	return page, raw
}

func get(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html, application/json;q=0.9")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v: %s", address, answer.Status, err, text)
	}
	return string(text)
}

// recorded are profiles of the bench, by a pattern of their names.
func recorded(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob("../../bench/catalog/profiles/" + pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no profile %s: %v", pattern, err)
	}
	return found[0]
}

func TestOpenOneFile(t *testing.T) {
	page, raw := openFiles(t, recorded(t, "hash-xxh3-*.pb.gz"))
	if text := get(t, page); !strings.Contains(text, "<html") {
		t.Errorf("no page: %.200s", text)
	}
	base, query, _ := strings.Cut(page, "/flame?")
	for view, want := range map[string]string{"top": "fnv", "tree": "fnv", "services": "service", "findings": "hash-xxh3"} {
		if text := get(t, base+"/api/v1/"+view+"?"+only(query, view)); !strings.Contains(strings.ToLower(text), want) {
			t.Errorf("%s has no %q: %.300s", view, want, text)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", raw).CombinedOutput()
	if err != nil || !strings.Contains(strings.ToLower(string(out)), "fnv") {
		t.Errorf("go tool pprof: %v: %.500s", err, out)
	}
}

// only leaves of the parameters what a question about findings takes.
func only(query, view string) string {
	if view != "findings" {
		return query
	}
	for part := range strings.SplitSeq(query, "&") {
		if strings.HasPrefix(part, "service=") {
			return part
		}
	}
	return ""
}

func TestOpenTwoFilesCompares(t *testing.T) {
	page, _ := openFiles(t, recorded(t, "hash-xxh3-*.pb.gz"), recorded(t, "printf-text-*.pb.gz"))
	for _, want := range []string{"/compare?", "compare.by=version", "compare.before=", "compare.after="} {
		if !strings.Contains(page, want) {
			t.Errorf("%s has no %s", page, want)
		}
	}
	base, _, _ := strings.Cut(page, "/compare?")
	if text := get(t, base+"/api/v1/labels/version"); strings.Count(text, ".pb.gz") < 2 {
		t.Errorf("the files are no versions: %s", text)
	}
}

func TestOpenRefuses(t *testing.T) {
	profile := recorded(t, "hash-xxh3-*.pb.gz")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an address that others reach": {[]string{"--listen", "0.0.0.0:0", profile}, "loopback"},
		"a file that is not there":     {[]string{"nowhere.pb.gz"}, "nowhere.pb.gz"},
		"three files":                  {[]string{profile, profile, profile}, "unexpected argument"},
	} {
		out, err := exec.CommandContext(t.Context(), binary, append([]string{"open"}, c.args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}
