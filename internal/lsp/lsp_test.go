package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"whyhot/internal/fetch"
	"whyhot/internal/finding"
	"whyhot/internal/profile"
)

// editor is a client at the other end of two pipes.
type editor struct {
	t           *testing.T
	c           *jrpc2.Client
	diagnostics chan publishParams
	logs        chan string
	s           *Server
}

// start runs a server on a profile.
func start(t *testing.T, root string, o Options) *editor {
	t.Helper()
	s := New(o)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), fromClient, toClient) }()
	e := &editor{t: t, diagnostics: make(chan publishParams, 1000), logs: make(chan string, 1000), s: s}
	e.c = jrpc2.NewClient(channel.Header("")(fromServer, toServer), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			switch r.Method() {
			case "textDocument/publishDiagnostics":
				var p publishParams
				if r.UnmarshalParams(&p) == nil {
					e.diagnostics <- p
				}
			case "window/logMessage", "window/showMessage":
				e.logs <- r.ParamString()
			}
		},
		OnCallback: func(context.Context, *jrpc2.Request) (any, error) { return map[string]bool{"applied": true}, nil },
	})
	t.Cleanup(func() {
		e.call("shutdown", nil, nil)
		_ = e.c.Notify(context.Background(), "exit", nil)
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = e.c.Close()
	})
	var got struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	e.call("initialize", map[string]any{"processId": nil, "rootUri": uriOf(root), "capabilities": map[string]any{}}, &got)
	if got.Capabilities["hoverProvider"] != true {
		t.Fatalf("capabilities %v", got.Capabilities)
	}
	e.notify("initialized", map[string]any{})
	return e
}

func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	r, err := e.c.Call(context.Background(), method, params)
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := r.UnmarshalResult(result); err != nil {
			e.t.Fatal(err)
		}
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.c.Notify(context.Background(), method, params); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) open(file, text string) {
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(file), "languageId": "x", "version": 1, "text": text}})
}

func (e *editor) change(file, text string) {
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uriOf(file), "version": 2}, "contentChanges": []map[string]any{{"text": text}},
	})
}

// until waits for diagnostics that are as wanted; what says for whom.
func (e *editor) until(what string, want func([]diagnostic) bool) []diagnostic {
	e.t.Helper()
	for p := range e.diagnostics {
		if want(p.Diagnostics) {
			return p.Diagnostics
		}
		e.t.Logf("waiting for %s: %v", what, p.Diagnostics)
	}
	return nil
}

func (e *editor) hover(file string, line int) string {
	e.t.Helper()
	var got *hoverResult
	e.call("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uriOf(file)}, "position": position{line, 1}}, &got)
	if got == nil {
		return ""
	}
	return got.Contents.Value
}

func lines(ds []diagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%d:%.4s", d.Range.Start.Line, d.Message))
	}
	return strings.Join(out, " ")
}

const script = `def work(n):
    total = 0
    for i in range(n):
        total += i * i
        total ^= i
    return total

print(work(10))
`

// recorded is a profile of the script: line 4 has most of it, line 5 little, and line 6
// less than is shown.
func recorded(t *testing.T, file string, start time.Time) Options {
	t.Helper()
	b := profile.NewBuilder()
	m := b.Mapping(profile.Mapping{Path: file})
	work := b.Function(profile.Function{Name: "work", File: file, StartLine: 1, Mapping: m, Kind: profile.KindPython})
	top := b.Function(profile.Function{Name: "<module>", File: file, StartLine: 1, Mapping: m, Kind: profile.KindPython})
	caller := b.Location(m, 0, profile.KindPython, profile.Line{Function: top, Line: 8})
	for line, count := range map[int32]int64{4: 900, 5: 95, 6: 5} {
		loc := b.Location(m, 0, profile.KindPython, profile.Line{Function: work, Line: line})
		b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{loc, caller}), Count: count, Value: count})
	}
	p := b.Build(profile.Meta{Start: start, ValueType: profile.ValueType{Type: "samples", Unit: "count"}})
	return Options{Load: func(context.Context, string, string) (Profile, error) {
		return Profile{Fetched: fetch.Fetched{Profile: p}, Path: "cpu.pb.gz"}, nil
	}}
}

// written puts a file into a directory without symbolic links.
func written(t *testing.T, name, text string) (root, file string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(root, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return root, file
}

func TestSharesOnLines(t *testing.T) {
	root, file := written(t, "app.py", script)
	e := start(t, root, recorded(t, file, time.Now().Add(time.Hour)))
	e.open(file, script)
	got := e.until("shares", func(ds []diagnostic) bool { return len(ds) >= 2 })
	if text := lines(got); text != "3:90.0 4:9.5%" {
		t.Errorf("diagnostics %s", text)
	}
	if got[0].Severity != information || got[0].Source != "whyhot" {
		t.Errorf("%+v", got[0])
	}
	// The line that calls has no time of its own.
	if text := e.hover(file, 7); !strings.Contains(text, "100.0% with what it calls") {
		t.Errorf("hover on the call: %q", text)
	}
	if text := e.hover(file, 3); !strings.Contains(text, "90.0% ±") || !strings.Contains(text, "1000 samples") {
		t.Errorf("hover: %q", text)
	}
	if text := e.hover(file, 1); text != "" {
		t.Errorf("hover on a line without samples: %q", text)
	}
	// Unsaved edits move the lines; the one that is changed has no number.
	e.change(file, "import sys\nimport os\n\n"+strings.Replace(script, "total ^= i", "total ^= i + 1", 1))
	e.until("moved lines", func(ds []diagnostic) bool { return lines(ds) == "" || lines(ds) == "6:90.0" })
	if text := e.hover(file, 7); text != "" {
		t.Errorf("a line that was changed shows %q", text)
	}
	// Another text altogether shows nothing.
	e.change(file, "def other():\n    pass\n")
	e.until("no lines", func(ds []diagnostic) bool { return len(ds) == 0 })
}

func TestNothingIsShownThatIsNotCertain(t *testing.T) {
	root, file := written(t, "app.py", script)
	// The file is younger than the recording, and there is no git.
	e := start(t, root, recorded(t, file, time.Now().Add(-time.Hour)))
	e.open(file, script)
	for text := range e.logs {
		if strings.Contains(text, "nobody knows whether this is the text") {
			break
		}
	}
	if text := e.hover(file, 3); text != "" {
		t.Errorf("hover: %q", text)
	}
}

func TestSwitchedOffForADirectory(t *testing.T) {
	root, file := written(t, "app.py", script)
	if err := os.WriteFile(filepath.Join(root, ".whyhot.yaml"), []byte("editor:\n  hover: false\n  actions: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := start(t, root, recorded(t, file, time.Now().Add(time.Hour)))
	e.open(file, script)
	e.until("shares", func(ds []diagnostic) bool { return len(ds) >= 2 })
	if text := e.hover(file, 3); text != "" {
		t.Errorf("hover: %q", text)
	}
	if got := e.actions(file, 3); len(got) > 0 {
		t.Errorf("actions %v", got)
	}
	if err := os.WriteFile(filepath.Join(root, ".whyhot.yaml"), []byte("editor:\n  off: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.change(file, script+"\n")
	e.until("nothing", func(ds []diagnostic) bool { return len(ds) == 0 })
	// A mistake may have been meant to switch something off.
	if err := os.WriteFile(filepath.Join(root, ".whyhot.yaml"), []byte("editor:\n  of: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := e.hover(file, 3); text != "" {
		t.Errorf("hover with a mistake in the configuration: %q", text)
	}
}

func (e *editor) actions(file string, line int) []codeAction {
	e.t.Helper()
	var got []codeAction
	e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uriOf(file)}, "range": textRange{position{line, 0}, position{line, 1}}, "context": map[string]any{"diagnostics": []any{}},
	}, &got)
	return got
}

func (e *editor) run(c *command) (string, error) {
	e.t.Helper()
	r, err := e.c.Call(context.Background(), "workspace/executeCommand", map[string]any{"command": c.Command, "arguments": c.Arguments})
	if err != nil {
		return "", err
	}
	var text string
	return text, r.UnmarshalResult(&text)
}

func TestActions(t *testing.T) {
	root, file := written(t, "app.py", script)
	e := start(t, root, recorded(t, file, time.Now().Add(time.Hour)))
	e.open(file, script)
	e.until("shares", func(ds []diagnostic) bool { return len(ds) >= 2 })
	now := e.s.profiled()
	judged := func([]diagnostic) bool { // what is found then takes the place of what was
		now.mu.Lock()
		defer now.mu.Unlock()
		return now.findings != nil
	}
	if !judged(nil) {
		e.until("what explains the profile", judged)
	}
	now.mu.Lock()
	now.findings = append(now.findings, finding.Finding{
		ID: "slow-loop-00000000", Rule: "slow-loop", Title: "Loop in Python", Certainty: finding.Confirmed,
		Place: finding.Place{File: file, Line: 4}, Fix: finding.Fix{Steps: []string{"Use sum()"}},
	})
	now.mu.Unlock()
	e.change(file, "\n"+script)
	e.until("the finding", func(ds []diagnostic) bool { return strings.Contains(lines(ds), "4:Loop") })
	got := e.actions(file, 4)
	titles := map[string]*command{}
	for i := range got {
		titles[got[i].Command.Command] = got[i].Command
	}
	if titles[commandFix] != nil {
		t.Error("a fix is offered without a build")
	}
	if text, err := e.run(titles[commandWhatIf]); err != nil || !strings.Contains(text, "at most") {
		t.Errorf("what if: %q, %v", text, err)
	}
	if text, err := e.run(titles[commandProve]); err != nil || !strings.Contains(text, "--finding slow-loop-00000000") {
		t.Errorf("prove: %q, %v", text, err)
	}
	if text, err := e.run(titles[commandMachine]); err == nil {
		t.Errorf("machine code of Python: %q", text)
	}
	// Asked of a line that is not there any more, no command answers for another.
	e.change(file, "pass\n")
	if text, err := e.run(titles[commandProve]); err == nil {
		t.Errorf("prove on a line that is gone: %q", text)
	}
	// Toggled, everything goes.
	e.change(file, script)
	e.until("shares again", func(ds []diagnostic) bool { return len(ds) >= 2 })
	if _, err := e.c.Call(context.Background(), "workspace/executeCommand", map[string]any{"command": commandToggle}); err != nil {
		t.Fatal(err)
	}
	e.until("nothing", func(ds []diagnostic) bool { return len(ds) == 0 })
}

// A save ends the analysis of the save before it, and of no other text.
func TestLastSaveIsAnalysed(t *testing.T) {
	s := New(Options{})
	first, end := s.latest(t.Context(), "a")
	defer end()
	other, end := s.latest(t.Context(), "b")
	defer end()
	second, end := s.latest(t.Context(), "a")
	defer end()
	if first.Err() == nil || second.Err() != nil || other.Err() != nil {
		t.Errorf("first %v, second %v, other text %v", first.Err(), second.Err(), other.Err())
	}
}

func TestMisuse(t *testing.T) {
	root, file := written(t, "app.py", script)
	e := start(t, root, recorded(t, file, time.Now().Add(time.Hour)))
	if text := e.hover(filepath.Join(root, "none.py"), 1); text != "" {
		t.Errorf("a document that is not open: %q", text)
	}
	for _, params := range []any{
		map[string]any{"command": "whyhot.none", "arguments": []any{map[string]any{"uri": uriOf(file), "line": 0}}},
		map[string]any{"command": commandProve},
		map[string]any{"command": commandProve, "arguments": []any{1, 2}},
	} {
		if _, err := e.c.Call(context.Background(), "workspace/executeCommand", params); err == nil {
			t.Errorf("%v: no error", params)
		}
	}
	if _, err := e.c.Call(context.Background(), "textDocument/none", json.RawMessage(`{}`)); err == nil {
		t.Error("an unknown method has an answer")
	}
}
