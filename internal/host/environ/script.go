package environ

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// deepest is how many #! lines the kernel follows (BINPRM_MAX_RECURSION).
const deepest = 5

// Programs are the files that the kernel executes for a command, found as by
// LookPath and shown from here: the program alone, or what the #! line of a
// script leads to, the last being the one that runs in the end. For a script with
// #!/usr/bin/env python3 that is env, then python3.
func Programs(env []string, dir, name string) ([]string, error) {
	var chain []string
	next := name
	for range deepest {
		found, err := LookPath(env, dir, next)
		if err != nil {
			return nil, err
		}
		path := From(dir, found)
		interpreter, argument, err := shebang(path)
		switch {
		case err != nil:
			return nil, err
		case interpreter == "":
			return append(chain, path), nil
		}
		next = interpreter
		if filepath.Base(interpreter) != "env" {
			continue
		}
		chain = append(chain, From(dir, interpreter))
		if next = envTarget(argument); next == "" {
			return chain, nil
		}
	}
	return nil, fmt.Errorf("%s: too many #! lines name each other", name)
}

// shebang is the interpreter line of a script; "" for anything else.
func shebang(path string) (interpreter, argument string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", fmt.Errorf("reading the program: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading: nothing can be lost
	const kernelLimit = 256          // BINPRM_BUF_SIZE
	line, err := bufio.NewReader(io.LimitReader(f, kernelLimit)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", fmt.Errorf("reading %s: %w", path, err)
	}
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", "", nil
	}
	rest = strings.TrimSpace(rest)
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", "", fmt.Errorf("%s: its #! line names no interpreter", path)
	}
	return rest[:end], strings.TrimSpace(rest[end:]), nil
}

// envTarget is the program that "env ARG" starts: the first word that is
// neither an option nor an assignment.
func envTarget(argument string) string {
	for word := range strings.FieldsSeq(argument) {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}
