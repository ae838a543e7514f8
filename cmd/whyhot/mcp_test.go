package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sliced is an honest change of the example: eight bytes at a time.
const sliced = `  static uint32_t t[8][256];
  if (!t[1][1])
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < 256; i++) t[k][i] = k ? t[k - 1][i] >> 8 ^ crc_table[t[k - 1][i] & 0xff] : crc_table[i];
  uint32_t c = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    uint32_t a, b;
    __builtin_memcpy(&a, p, 4);
    __builtin_memcpy(&b, p + 4, 4);
    a ^= c;
    c = t[7][a & 255] ^ t[6][a >> 8 & 255] ^ t[5][a >> 16 & 255] ^ t[4][a >> 24] ^ t[3][b & 255] ^ t[2][b >> 8 & 255] ^ t[1][b >> 16 & 255] ^ t[0][b >> 24];
  }
`

const rules = `budget: 10s
commands: [./crc 400]
try:
  build: cc -O2 -g -o crc crc.c
  test: './crc 1 | grep -q "crc32 of 1 MB: "'
  workload: ./crc 60
`

// An agent walks the whole way on an example, over standard input and output, and
// somebody else checks what it has to show.
func TestAgentOnAnExample(t *testing.T) {
	text, err := os.ReadFile("../../examples/crc-bytewise/crc_bytewise.c")
	if err != nil {
		t.Fatal(err)
	}
	root, home := t.TempDir(), t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("crc.c", string(text))
	put(".whyhot.yaml", rules)
	heldout := filepath.Join(home, "heldout")
	if err := os.WriteFile(heldout, []byte("# not for the agent\n./crc 47\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "cc", "-O2", "-g", "-o", "crc", "crc.c")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	environment := append(os.Environ(), "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	server := exec.CommandContext(t.Context(), binary, "mcp", "--root", root, "--heldout", heldout)
	server.Env, server.Stderr = environment, os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // it ends with the test
	call := func(tool string, args map[string]any) map[string]any {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		data, err := json.Marshal(r.StructuredContent)
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %s", tool, err, data)
		}
		if strings.Contains(string(data), "./crc 47") {
			t.Errorf("%s tells the held-out workload: %s", tool, data)
		}
		var out map[string]any
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}

	p := call("profile", map[string]any{"command": []string{"./crc", "400"}})["profile"]
	explained := call("explain", map[string]any{"profile": p})
	findings, _ := explained["findings"].([]any)
	if len(findings) == 0 {
		t.Fatalf("no finding: %v", explained)
	}
	first, _ := findings[0].(map[string]any)
	if where, _ := first["where"].(string); !strings.Contains(where, "crc32_update") {
		t.Errorf("the first finding is at %q", where)
	}
	call("explain", map[string]any{"profile": p, "finding": first["id"]})
	call("source", map[string]any{"profile": p, "function": "crc32_update"})
	if bound := call("what_if", map[string]any{"profile": p, "finding": first["id"]}); bound["at_most"] == "" {
		t.Errorf("no bound: %v", bound)
	}
	before := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "  uint32_t c = ~crc;\n", sliced, 1)
	if changed == string(text) {
		t.Fatal("the example has changed: the edit of this test does not fit")
	}
	put("crc.c", changed)
	tried := call("try", map[string]any{"profile": p})
	for tried["state"] == "running" {
		tried = call("try", map[string]any{"task": tried["task"]})
	}
	record, _ := tried["statement"].(string)
	if verdict := tried["verdict"]; record == "" || verdict == "output differs" || verdict == "fails tests" || verdict == "fails" {
		t.Fatalf("the change: %v", tried)
	}
	call("left", map[string]any{"profile": p})

	verify := func(args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), binary, append([]string{"verify"}, args...)...)
		c.Env = environment
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := verify(record); err != nil || !strings.Contains(out, "./crc 60") {
		t.Errorf("verify: %v: %s", err, out)
	}
	if out, err := verify(record, "--repeat", "--baseline", root); err == nil || !strings.Contains(out, "not the tree of the record") {
		t.Errorf("another baseline: %v: %s", err, out)
	}
	if out, err := verify(record, "--repeat", "--baseline", before, "--tree", root); err == nil || !strings.Contains(out, "1 held-out workloads and --heldout names 0") {
		t.Errorf("without the held-out workload: %v: %s", err, out)
	}
	// What it comes to is the machine's: that it is said, and what is missing, is ours.
	out, err := verify(record, "--repeat", "--baseline", before, "--tree", root, "--heldout", heldout, "--budget", "2s")
	if again := strings.Contains(out, "again: "); !again || err != nil && !strings.Contains(out, "this time, and to") {
		t.Errorf("the trial again: %v: %s", err, out)
	}
	if strings.Contains(out, "again: faster") != strings.Contains(after(out, "again: "), "missing for proof: ") {
		t.Errorf("what is missing for proof is not said: %s", out)
	}
	// A check of the change shows the record.
	put("crc.c", string(text))
	for _, args := range [][]string{{"init", "-q"}, {"add", "crc.c"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "base"}} {
		c := exec.CommandContext(t.Context(), "git", args...)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	put("crc.c", changed)
	check := func(record string) (string, error) {
		c := exec.CommandContext(t.Context(), binary, "check", "--base", "HEAD", "--proof", record, "--", "sh", "-c", ":")
		c.Env, c.Dir = environment, root
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := check(record); err != nil || !strings.Contains(out, ", repeat with whyhot verify "+record) || !strings.Contains(out, "identical: ") {
		t.Errorf("check: %v: %s", err, out)
	}
	signed, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	forged := put("forged.json", strings.Replace(string(signed), `"sig": "`, `"sig": "AAAA`, 1))
	if out, err := verify(forged); err == nil || !strings.Contains(out, "signature") {
		t.Errorf("a forged record: %v: %s", err, out)
	}
	if out, err := check(forged); err == nil || !strings.Contains(out, "--proof: ") {
		t.Errorf("a check with a forged record: %v: %s", err, out)
	}
	put("crc.c", changed+"\n")
	if out, err := check(record); err == nil || !strings.Contains(out, "is about another tree") {
		t.Errorf("a check of another tree: %v: %s", err, out)
	}
}

// after is what follows a text.
func after(text, begin string) string {
	_, rest, _ := strings.Cut(text, begin)
	return rest
}

func TestAgentsAreServedOnTheLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:7880", "example.com:80", ":7880", "7880"} {
		out, err := exec.CommandContext(t.Context(), binary, "mcp", "--root", t.TempDir(), "--http", address).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "invalid address") {
			t.Errorf("%s: %v: %s", address, err, out)
		}
	}
}
