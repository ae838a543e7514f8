package inside

import (
	_ "embed" // the counter is a file of its own
	"fmt"
	"os"
	"path/filepath"

	"whyhot/internal/profile"
)

// pythonCounter is imported by the interpreter at start by the name sitecustomize, and
// imports the one that it stands before.
//
//go:embed sitecustomize.py
var pythonCounter []byte

// pythonUser is the same counter in the directory of the user's own packages, for programs whose
// script sets PYTHONPATH: the interpreter imports usercustomize from there. It also adds the
// directory that this one stands before.
//
//go:embed usercustomize.py
var pythonUser []byte

// pythonUserBase is where the user's own packages are without us.
const pythonUserBase = "WHYHOT_COUNT_USERBASE"

var python = language{
	kind: profile.KindPython, name: "python", file: "sitecustomize.py", text: pythonCounter, variable: "PYTHONPATH",
	value: func(dir, old string) string {
		if old == "" {
			return dir
		}
		return dir + string(os.PathListSeparator) + old
	},
	more: func(dir string) []string {
		return []string{"PYTHONUSERBASE=" + filepath.Join(dir, "user"), pythonUserBase + "=" + os.Getenv("PYTHONUSERBASE")}
	},
	build: func(dir string, _ []Function) (string, error) {
		const oldest, newest = 7, 20 // of Python 3
		for minor := oldest; minor <= newest; minor++ {
			packages := filepath.Join(dir, "user", "lib", fmt.Sprintf("python3.%d", minor), "site-packages")
			if err := os.MkdirAll(packages, 0o700); err != nil {
				return "", fmt.Errorf("preparing the run: %w", err)
			}
			if err := os.WriteFile(filepath.Join(packages, "usercustomize.py"), pythonUser, 0o600); err != nil {
				return "", fmt.Errorf("preparing the run: %w", err)
			}
		}
		return "", nil
	},
	silent: "functions of Python: the interpreter did not load the counter (python -I, -S and -E do not; nor in a virtual environment where a script sets PYTHONPATH), or it was killed before it could write",
}
