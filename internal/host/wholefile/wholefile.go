// Package wholefile writes files that are there as a whole or not at all.
//
// It owns how a file is written beside its place and renamed into it. It takes
// a path, permissions and a function that fills the file, and gives an error. It
// imports nothing of ours.
package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write lets fill write a temporary file in path's directory, gives it the
// permissions of mode and renames it to path. Whoever reads path meanwhile sees
// what was there before; on failure it stays, and the temporary file goes.
//
// A symbolic link stays one: the file that it leads to is replaced. What is no
// regular file, such as a pipe or /dev/stdout, cannot be replaced and is written
// to. The directory must exist.
func Write(path string, mode fs.FileMode, fill func(*os.File) error) error {
	return write(path, mode, fill, false)
}

// WriteDurably is Write, and when it returns the file is there also after the machine lost its
// power.
func WriteDurably(path string, mode fs.FileMode, fill func(*os.File) error) error {
	return write(path, mode, fill, true)
}

func write(path string, mode fs.FileMode, fill func(*os.File) error, durably bool) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, fill)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".whyhot-*")
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		// Nobody asked for the temporary file.
		return &fs.PathError{Op: "create", Path: path, Err: failed.Err}
	}
	if err != nil {
		return err
	}
	err = fill(tmp)
	err = errors.Join(err, tmp.Chmod(mode))
	if durably && err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if durably {
		return SyncDir(filepath.Dir(path))
	}
	return nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Bytes is a fill for Write that writes data.
func Bytes(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
}

func writeTo(path string, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}
