// Package yamldoc reads one strict YAML document.
//
// It owns how a mistake in such a file is told: one line "NAME:LINE: what". It takes
// the bytes and where they go, and gives an error for keys that are not known, for a
// second document and for what makes the YAML library panic. It imports nothing of
// ours.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
)

// MaxFile bounds what is read of a file that people write by hand.
const MaxFile = 256 << 10

// ErrSecond says that more follows the first document.
var ErrSecond = errors.New("more than one YAML document")

// Read reads a file.
func Read(path string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(data) > MaxFile {
		return fmt.Errorf("%s: larger than %d bytes", path, MaxFile)
	}
	return Decode(path, data, into)
}

// Decode reads data, which errors call name.
func Decode(name string, data []byte, into any) (err error) {
	defer Guard(name, &err)
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	err = dec.Decode(into)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: empty file", name)
	case err != nil:
		return positioned(name, err)
	}
	var more any
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", name, ErrSecond)
	}
	return nil
}

// Guard turns a panic of the YAML library, which some malformed documents cause,
// into an error about the file. It is deferred.
func Guard(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: not readable as YAML (the reader failed: %v); check brackets, tags and indentation", name, r)
	}
}

// positioned turns a decoder's error into one line "file:line: message".
func positioned(name string, err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
		msg, _, _ := strings.Cut(ye.GetMessage(), "\n")
		return fmt.Errorf("%s:%d: %s", name, ye.GetToken().Position.Line, msg)
	}
	return fmt.Errorf("%s: %w", name, err)
}
