package luastack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Of each version that is installed, the program says where its state is, and goes on for
// ever in what is to be read.
const program = `
local function spin(n)
  local s = 0
  for i = 1, n do
    s = s + #tostring(i)
  end
  return s
end
local function inside()
  while true do
    spin(1000)
  end
end
local thread = coroutine.running() or coroutine.create(function() end)
kept = thread
io.write(tostring(thread):match("0x%x+"), "\n")
io.flush()
coroutine.resume(coroutine.create(function()
  coroutine.wrap(inside)()
end))
`

func TestInstalledVersions(t *testing.T) {
	for version := range layouts {
		t.Run(version, func(t *testing.T) {
			path, err := exec.LookPath("lua" + version) // it has no option that tool.Find asks for
			if err != nil {
				t.Skipf("lua%s is not installed", version)
			}
			r := running(t, path, version)
			want := []string{"spin", "wrap", "resume", "main"}
			seen := map[string]int{}
			reads := 0
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && reads < 300; {
				calls, ok := r.Read()
				if ok && len(seen) == 0 && !has(calls, "spin") {
					continue // it has just begun
				}
				if reads++; !ok {
					continue
				}
				for _, name := range want {
					if has(calls, name) {
						seen[name]++
					}
				}
				for _, c := range calls {
					if c.C == 0 && c.Source != "@spin.lua" {
						t.Fatalf("a chunk %q", c.Source)
					}
				}
			}
			for _, name := range want {
				if reads == 0 || seen[name] < reads/2 {
					t.Errorf("%s in %d of %d reads", name, seen[name], reads)
				}
			}
		})
	}
}

// has tells whether calls have what is known of the program.
func has(calls []Call, what string) bool {
	for i, c := range calls {
		switch {
		case what == "spin" && c.Defined == 2 && c.Line >= 2 && c.Line <= 8 && i+1 < len(calls) && calls[i+1].Line == 11,
			what == "main" && c.C == 0 && c.Defined == 0 && c.Line >= 18 && c.Line <= 20,
			what == "resume" && c.C != 0 && i > 0 && calls[i-1].Line == 19 && calls[i-1].Defined == 18,
			what == "wrap" && c.C != 0 && i+1 < len(calls) && calls[i+1].Defined == 18:
			return true
		}
	}
	return false
}

func running(t *testing.T, lua, version string) *Reader {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "spin.lua"), program)
	cmd := exec.CommandContext(t.Context(), lua, "spin.lua")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var text string
	if _, err := fmt.Fscanln(out, &text); err != nil {
		t.Fatal(err)
	}
	state, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := Open(uint32(cmd.Process.Pid)) //nolint:gosec // a process's ID
	if err != nil {
		t.Skipf("its memory may not be read: %v", err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	r, err := New(memory, version, state)
	if err != nil {
		t.Skipf("its memory cannot be read: %v", err)
	}
	return r
}

// image is memory from an address on.
type image struct {
	at   int64
	data []byte
}

func (m image) Close() error { return nil }

func (m image) ReadAt(p []byte, at int64) (int, error) {
	if at < m.at || at-m.at >= int64(len(m.data)) {
		return 0, errors.New("not mapped")
	}
	n := copy(p, m.data[at-m.at:])
	if n < len(p) {
		return n, errors.New("not mapped")
	}
	return n, nil
}

// FuzzRead reads memory that may be anything: no panic, no walk without an end.
func FuzzRead(f *testing.F) {
	const base = 1 << 16
	loop := make([]byte, 512) // everything points to the beginning
	for i := 0; i+8 <= len(loop); i += 8 {
		binary.NativeEndian.PutUint64(loop[i:], base)
	}
	f.Add(loop)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for version := range layouts {
			r, err := New(image{base, data}, version, base)
			if err != nil {
				continue
			}
			if calls, ok := r.Read(); ok && len(calls) > mostCalls {
				t.Errorf("%s: %d calls", version, len(calls))
			}
		}
	})
}

func TestUnknownVersion(t *testing.T) {
	if _, err := New(image{}, "5.0", 1<<16); err == nil {
		t.Error("no error")
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
