package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"whyhot/internal/collect"
	"whyhot/internal/ingest/pprof"
	"whyhot/internal/profile"
)

// Stdout as an output path means the standard output.
const Stdout = "-"

// defaultOutput names the file after what was recorded.
func defaultOutput(t collect.Target) string {
	name := "system"
	switch {
	case len(t.Command) > 0:
		name = filepath.Base(t.Command[0])
	case len(t.PIDs) > 0:
		name = fmt.Sprintf("pid%d", t.PIDs[0])
		if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", t.PIDs[0])); err == nil {
			name = strings.TrimSpace(string(comm))
		}
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\:*?\"<>| \t", r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	return "whyhot-" + name + ".pb.gz"
}

// output is a file that appears under its name only when it is complete.
type output struct {
	path string
	file *os.File
	temp string // "" where the file is written in place
}

// openOutput fails before the recording where it would fail after it.
func openOutput(path string) (*output, error) {
	if path == Stdout {
		return &output{path: path, file: os.Stdout}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("cannot write %s: it is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // a device or FIFO keeps its place
		if err != nil {
			return nil, fmt.Errorf("cannot write the profile: %w", err)
		}
		return &output{path: path, file: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot write the profile: %w", err)
	}
	temp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) // a profile is for sharing; the umask decides
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w; name another place with -o", path, inDirectory(err, path))
	}
	return &output{path: path, file: f, temp: temp}, nil
}

// inDirectory tells of the directory what went wrong in it: the temporary name is
// nobody's business.
func inDirectory(err error, path string) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return fmt.Errorf("directory %s: %w", filepath.Dir(path), p.Err)
	}
	return err
}

// commit writes the profile and puts it in its place.
func (o *output) commit(p *profile.Profile) (size int64, err error) {
	counted := &counter{w: o.file}
	buffered := bufio.NewWriterSize(counted, 1<<16)
	if err = pprof.Write(buffered, p); err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", o.path, err)
	}
	if o.path == Stdout {
		return counted.n, nil
	}
	if err := o.file.Close(); err != nil {
		return 0, fmt.Errorf("writing %s: %w", o.path, err)
	}
	o.file = nil
	if o.temp != "" {
		if err := os.Rename(o.temp, o.path); err != nil {
			return 0, fmt.Errorf("writing %s: %w", o.path, err)
		}
		o.temp = ""
	}
	return counted.n, nil
}

// abandon leaves nothing behind; after commit it does nothing.
func (o *output) abandon() {
	if o.file != nil && o.path != Stdout {
		_ = o.file.Close() // what is in it is thrown away
	}
	if o.temp != "" {
		_ = os.Remove(o.temp) // nothing better can be done
	}
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
