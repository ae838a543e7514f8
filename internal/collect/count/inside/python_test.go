package inside

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"whyhot/internal/profile"
)

const pythonProgram = `
import copy
import os
import sys

class Tool:
    def __init__(self, text):
        self.text = text

    def use(self, number):
        return number

    def fails(self):
        raise ValueError

class Table:
    def __init__(self):
        self.rows = []

    def add(self, row):
        self.rows.append(row)
        return len(self.rows)

    def widest(self, of):
        return [max(len(r) for r in self.rows), of]

    def made(self):
        return Tool("made")

    def chained(self):
        return self

    def each(self):
        yield 1

def temporary(tool):
    return tool.text + "!"

class Point:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

def moved(point):
    return Point(point.x + 1)

def deep(n):
    return [[[[n]]]]

def outer(n):
    def inner():
        return [n]
    return inner()

class Words(list):
    pass

def words(n):
    return Words([n])

table = Table()
for n in range(300):
    Tool("the same").use(n)
    table.add("row")
    table.widest(n % 3)
    table.made()
    table.chained()
    list(table.each())
    temporary(Tool("text %d" % n))
    moved(Point(n))
    deep(7)
    outer(n)
    words(n % 2)
    try:
        Tool("").fails()
    except ValueError:
        pass

child = os.fork()
if child == 0:
    for n in range(7):
        Tool("the same").use(n)
    sys.exit(0)
os.waitpid(child, 0)
`

// The same arguments are seen by value, objects by which they are, also where a later one has
// the address of one that is gone; results by what is in them. What gives nothing, itself or
// a generator has no result. A child that is forked counts its own calls.
func TestPython(t *testing.T) {
	got, file := run(t, profile.KindPython, "python3", "p.py", pythonProgram, nil,
		"Tool.__init__", "Tool.use", "Tool.never", "Tool.fails", "Table.add", "Table.widest", "Table.made", "Table.chained", "temporary", "moved", "deep", "outer.<locals>.inner", "words")
	held(t, got, file,
		profile.FunctionCalls{Name: "Tool.__init__", Count: 1207, Looked: 1200, Different: 303, Repeated: 897, Same: 897, Cyclic: 11, Nothing: 1200},
		profile.FunctionCalls{Name: "Tool.use", Count: 307, Looked: 300, Different: 300, Results: 300, Plain: 300},
		profile.FunctionCalls{Name: "Tool.never"},
		profile.FunctionCalls{Name: "Tool.fails", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "Table.add", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "Table.widest", Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		profile.FunctionCalls{Name: "Table.made", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		profile.FunctionCalls{Name: "Table.chained", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "moved", Count: 300, Looked: 300, Different: 300, Results: 300},
		profile.FunctionCalls{Name: "deep", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "outer.<locals>.inner", Count: 300, Looked: 300, Different: 300, Results: 300},
		profile.FunctionCalls{Name: "words", Count: 300, Looked: 300, Different: 2, Repeated: 298, Results: 300, Cyclic: 296},
		profile.FunctionCalls{Name: "temporary", Count: 300, Looked: 300, Different: 300, Results: 300})
	if got, _ := run(t, profile.KindPython, "python3", "p.py", pythonProgram, nil, "Table.each"); got.Functions[0].Count < 300 || got.Functions[0].Looked != 0 {
		t.Errorf("a generator: %+v", got)
	}
	if len(got.Ways) != 1 {
		t.Errorf("%v", got.Ways)
	}
}

// A script that sets PYTHONPATH keeps the counter's own directory out; the user's own packages are
// found as before.
func TestPythonBehindAScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python")
	}
	if out, err := exec.Command(python, "-c", "import site; print(site.ENABLE_USER_SITE)").Output(); err != nil || strings.TrimSpace(string(out)) != "True" {
		t.Skip("no packages of a user")
	}
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	version, err := exec.Command(python, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(base, "lib", strings.TrimSpace(string(version)), "site-packages")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "p.py")
	for path, text := range map[string]string{
		filepath.Join(own, "usercustomize.py"): "import builtins\nbuiltins.theirs = 1\n", filepath.Join(own, "package.py"): "",
		file: "import package, site, os\ndef f(n):\n    return n\nfor n in range(30):\n    f(theirs)\nassert site.USER_BASE == '" + base + "', site.USER_BASE\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PYTHONUSERBASE", base)
	r, err := Prepare(t.TempDir(), []Function{{Name: "f", File: file, Kind: profile.KindPython}})
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"PYTHONPATH=/tmp exec " + python + " " + file, "exec " + python + " " + file, "PYTHONPATH=/tmp " + python + " -c 'import subprocess, sys; sys.exit(subprocess.call([sys.executable, \"" + file + "\"]))'"} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Env = r.Environment
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
	}
	got, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Functions) != 1 || got.Functions[0].Count != 90 || len(got.NotCounted) != 0 {
		t.Errorf("%+v", got)
	}
}

// An interpreter that does not load the counter is said.
func TestPythonWithoutTheCounter(t *testing.T) {
	got, _ := run(t, profile.KindPython, "python3", "p.py", pythonProgram, []string{"-I"}, "Tool.use")
	if len(got.NotCounted) != 1 || len(got.Functions) != 0 {
		t.Errorf("%+v", got)
	}
}

const pythonTimed = `
import time

def late(n):
    if n == 7 and at > 300:
        time.sleep(0.2)
    return n

def itself(n):
    return n and itself(n - 1)

for at in range(400):
    late(at % 300)
    itself(3)
`

// The time of a call counts where the number of the call belongs.
func TestPythonTimes(t *testing.T) {
	got, _ := run(t, profile.KindPython, "python3", "p.py", pythonTimed, nil, "late", "itself")
	timed(t, got, "late", "itself")
}
