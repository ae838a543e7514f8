package fix

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write puts the changed files in place of the old ones. All new texts are
// written beside them first, and a file that is no longer what the fix was made
// for is left alone, and with it all others.
func Write(changes []Change) (err error) {
	var temporary []string
	defer func() {
		for _, t := range temporary {
			err = errors.Join(err, os.Remove(t))
		}
	}()
	targets := make([]string, len(changes))
	for i, c := range changes {
		target, err := filepath.EvalSymlinks(c.Path)
		if err != nil {
			return err
		}
		now, err := os.ReadFile(target)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, c.Before) {
			return fmt.Errorf("%s changed since the fix was written: nothing was applied, run it again", c.Path)
		}
		tmp, err := writeBeside(target, c.After)
		if err != nil {
			return err
		}
		temporary = append(temporary, tmp)
		targets[i] = target
	}
	for i, target := range targets {
		if err := os.Rename(temporary[0], target); err != nil {
			return fmt.Errorf("%w (%d of %d files were changed)", err, i, len(targets))
		}
		temporary = temporary[1:]
	}
	return nil
}

func writeBeside(path string, text []byte) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".whyhot-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
