// Command touched reads the names of changed files, one a line, and says what of
// the project they touch, so that scripts/check tests that much and no more. It
// takes what `go list` and the analyser's sources tell, runs no test itself and
// imports nothing of whyhot. Its lines:
//
//	package PATH           a Go package with a changed file
//	importer PATH          a Go package that imports one directly
//	c++ FILE               a unit of the analyser to be linted
//	fixture PATH REGEXP    tests of a Go package that hold the analyser against fixtures
//	page FILE              a file of the page
//	beyond FILE            a file that only the whole of the tests covers
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "touched:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var files []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if lines.Text() != "" {
			files = append(files, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	packages, err := list(root)
	if err != nil {
		return err
	}
	sources, err := readTree(root)
	if err != nil {
		return err
	}
	said, err := touched(files, packages, sources)
	if err != nil {
		return err
	}
	for _, line := range said {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// goPackage is what `go list -json` says of a package, Dir being relative to the root.
type goPackage struct {
	Dir          string   `json:"Dir"`
	ImportPath   string   `json:"ImportPath"`
	Imports      []string `json:"Imports"`
	TestImports  []string `json:"TestImports"`
	XTestImports []string `json:"XTestImports"`
}

// list returns the packages of the module; one that does not compile is listed, too.
func list(root string) ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Imports,TestImports,XTestImports", "./...") //nolint:noctx // ends by itself
	cmd.Dir, cmd.Stderr = root, os.Stderr
	text, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var out []goPackage
	for dec := json.NewDecoder(text); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return out, cmd.Wait()
		}
		if err == nil {
			p.Dir, err = filepath.Rel(root, p.Dir)
		}
		if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		out = append(out, p)
	}
}

// readTree returns the analyser's C and C++ files by their path from the root.
func readTree(root string) (map[string]string, error) {
	out := map[string]string{}
	files := os.DirFS(root)
	return out, fs.WalkDir(files, "analyzer", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch path.Ext(name) {
		case ".c", unitExt, ".h":
			text, err := fs.ReadFile(files, name)
			out[name] = string(text)
			return err
		}
		return nil
	})
}
