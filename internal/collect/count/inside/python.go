package inside

import (
	_ "embed" // the counter is a file of its own
	"os"

	"whyhot/internal/profile"
)

// pythonCounter is imported by the interpreter at start by the name sitecustomize, and
// imports the one that it stands before.
//
//go:embed sitecustomize.py
var pythonCounter []byte

var python = language{
	kind: profile.KindPython, name: "python", file: "sitecustomize.py", text: pythonCounter, variable: "PYTHONPATH",
	value: func(dir, old string) string {
		if old == "" {
			return dir
		}
		return dir + string(os.PathListSeparator) + old
	},
	silent: "functions of Python: the interpreter did not load the counter (python -I, -S and -E do not), or it was killed before it could write",
}
