//go:build cgo

package duckdb

import (
	"errors"
	"os"
	"path/filepath"

	"whyhot/internal/host/wholefile"
)

// fresh says whether nothing was ever kept here.
func (e *Engine) fresh() (bool, error) {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(e.dir, name))
		return !errors.Is(err, os.ErrNotExist)
	}
	switch made, file := exists(madeName), exists(fileName); {
	case made && !file:
		return false, damaged(errors.New("the file has gone"))
	case made:
		return false, nil
	}
	return true, nil
}

// setAside moves away what cannot be opened and was never said to be made: most likely the
// making of it was interrupted.
func (e *Engine) setAside() error {
	for _, name := range []string{fileName, fileName + ".wal"} {
		path := filepath.Join(e.dir, name)
		if err := os.Rename(path, path+".unfinished"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// made leaves the file that says that the database is there, durably.
func made(dir string) error {
	f, err := os.Create(filepath.Join(dir, madeName))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), wholefile.SyncDir(dir))
}
