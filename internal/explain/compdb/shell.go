package compdb

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"whyhot/internal/host/shellwords"
)

// maxResponseDepth bounds response files that name each other.
const maxResponseDepth = 8

// expandResponseFiles puts the contents of @file in its place. To gcc a name that
// is no file is an argument like any other; in a recorded command it is a file
// that the build has not written yet, and the flags in it are missed.
func expandResponseFiles(directory string, args []string, depth int) ([]string, error) {
	if depth > maxResponseDepth {
		return nil, errors.New("response files name each other without end")
	}
	out := make([]string, 0, len(args))
	for i, a := range args {
		name, ok := strings.CutPrefix(a, "@")
		if !ok || i == 0 {
			out = append(out, a)
			continue
		}
		data, err := os.ReadFile(absolute(directory, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("response file %s does not exist (looked in %s); build once, so that it is written", a, directory)
		}
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		words, err := shellwords.Split(string(data))
		if err != nil {
			return nil, fmt.Errorf("response file %s: %w", a, err)
		}
		// Argument 0 of the nested list is no compiler: keep it out of the
		// exception for names above.
		nested, err := expandResponseFiles(directory, append([]string{""}, words...), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, nested[1:]...)
	}
	return out, nil
}
