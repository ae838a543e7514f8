package lsp

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2/channel"

	"whyhot/internal/fetch"
	"whyhot/internal/profile"
)

// A client that says exit need not close its end: the server ends, and says whether shutdown
// came before.
func TestExit(t *testing.T) {
	for _, c := range []struct {
		method string
		want   error
	}{
		{"shutdown", nil},
		{"textDocument/codeLens", ErrNoShutdown},
	} {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan error, 1)
		s := New(Options{Load: func(context.Context, string, string) (Profile, error) { return Profile{}, os.ErrNotExist }})
		go func() { ended <- s.Serve(context.Background(), in, out) }()
		client := channel.Header("")(fromServer, toServer)
		for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":2,"method":"` + c.method + `"}`} {
			if err := client.Send([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Recv(); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.Send([]byte(`{"jsonrpc":"2.0","method":"exit"}`)); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: ended with %v", c.method, err)
		}
		_ = client.Close()
	}
}

// A line that hardly does anything itself and has a library work is shown with what it pays.
func TestLineThatHasALibraryWork(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "read.py")
	if err := os.WriteFile(file, []byte("import json\ndef read(text):\n    return json.loads(text)\nread('{}')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := profile.NewBuilder()
	at := func(name, file string, line int32) profile.LocationID {
		fn := b.Function(profile.Function{Name: name, File: file, Kind: profile.KindPython})
		return b.Location(0, 0, profile.KindPython, profile.Line{Function: fn, Line: line})
	}
	main, read, loads := at("<module>", file, 4), at("read", file, 3), at("loads", "/usr/lib/python3.11/json/__init__.py", 346)
	for value, stack := range map[int64][]profile.LocationID{795: {loads, read, main}, 5: {read, main}, 200: {main}} {
		b.Sample(profile.Sample{Stack: b.Stack(stack), Count: value, Value: value})
	}
	p := b.Build(profile.Meta{Start: time.Now().Add(time.Hour)})
	now := newShown(Profile{Fetched: fetch.Fetched{Profile: p}})
	rows := now.rows(file, 4)
	m := mark{line: 2, self: now.share(rows[2].Self), paid: now.share(rows[2].paid), total: now.share(rows[2].Total), margin: 0.02}
	got := m.diagnostics(&document{text: make([]string, 4)})
	if want := "80.0% ± 2.0 of the CPU (0.5% without libraries, the runtime and the kernel)"; len(got) != 1 || got[0].Message != want {
		t.Errorf("%+v, want %q", got, want)
	}
	m = mark{line: 3, self: now.share(rows[3].Self), paid: now.share(rows[3].paid), total: now.share(rows[3].Total), margin: 0.02}
	if want := "20.0% ± 2.0 of the CPU, 100.0% with what it calls"; m.shares() != want {
		t.Errorf("%q, want %q", m.shares(), want)
	}
	if r := now.rows("/usr/lib/python3.11/json/__init__.py", 400)[345]; r.paid != 795 {
		t.Errorf("a library's own line: %+v", r)
	}
}

// A line that waits has no time of its own, and says what it waits for.
func TestLineThatWaits(t *testing.T) {
	const text = "import time\n\ndef nap():\n    time.sleep(0.02)\n\nfor _ in range(90):\n    nap()\n"
	root, file := written(t, "nap.py", text)
	b := profile.NewBuilder()
	at := func(name string, line int32) profile.LocationID {
		fn := b.Function(profile.Function{Name: name, File: file, StartLine: 1, Kind: profile.KindPython})
		return b.Location(0, 0, profile.KindPython, profile.Line{Function: fn, Line: line})
	}
	kernel := b.Location(0, 0, profile.KindKernel, profile.Line{Function: b.Function(profile.Function{Name: "hrtimer_nanosleep", Kind: profile.KindKernel})})
	b.Sample(profile.Sample{Stack: b.Stack([]profile.LocationID{at("<module>", 6)}), Count: 100, Value: int64(time.Second / 10)})
	b.Wait(profile.Sample{Stack: b.Stack([]profile.LocationID{kernel, at("nap", 4), at("<module>", 7)}), Labels: b.Labels([]profile.Label{{Key: profile.LabelPID, Num: 7}, {Key: profile.LabelTID, Num: 7}}), Count: 90, Value: int64(2 * time.Second)})
	p := b.Build(profile.Meta{
		Start: time.Now().Add(time.Hour), Command: []string{"python3", file}, Duration: 3 * time.Second, Idle: 5 * time.Second,
		ValueType: profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
	})
	e := start(t, root, Options{Load: func(context.Context, string, string) (Profile, error) {
		return Profile{Fetched: fetch.Fetched{Profile: p}, Path: "cpu.pb.gz"}, nil
	}})
	e.open(file, text)
	const want = "nap (nap.py:4) sleeps: 2s of 3s (67%), 90 times"
	e.until("waits", func(ds []diagnostic) bool {
		return slices.ContainsFunc(ds, func(d diagnostic) bool { return d.Range.Start.Line == 3 && strings.HasPrefix(d.Message, want) })
	})
	if got := e.hover(file, 3); !strings.HasPrefix(got, want) {
		t.Errorf("hover: %q", got)
	}
}
