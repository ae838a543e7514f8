// Package cgrouptest makes control groups like those of container runtimes, for
// tests. It must be imported by tests alone.
package cgrouptest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Container is one control group.
type Container struct {
	ID  string // as docker would show it
	dir string
}

// New makes a container. Where that is not possible the test is skipped.
func New(tb testing.TB) *Container {
	tb.Helper()
	c, err := Try(tb)
	if err != nil {
		tb.Skipf("a control group cannot be made here: %v", err)
	}
	return c
}

// Try makes a control group with the name that docker gives to those of its
// containers. It is gone at the end of the test.
func Try(tb testing.TB) (*Container, error) {
	tb.Helper()
	root := ""
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var st unix.Statfs_t
		if unix.Statfs(dir, &st) == nil && st.Type == unix.CGROUP2_SUPER_MAGIC {
			root = dir
		}
	}
	if root == "" {
		return nil, errors.New("no unified control groups are mounted")
	}
	sum := sha256.Sum256([]byte(tb.TempDir()))
	c := &Container{ID: hex.EncodeToString(sum[:])}
	c.dir = filepath.Join(root, "docker-"+c.ID+".scope")
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		return nil, err
	}
	tb.Cleanup(func() {
		// A process leaves its group some time after its end.
		for range 100 {
			if unix.Rmdir(c.dir) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		tb.Errorf("the control group %s is still in use", c.dir)
	})
	return c, nil
}

// Command is a command line that runs args in the container.
func (c *Container) Command(args ...string) []string {
	script := `echo $$ > "$0/cgroup.procs" && exec "$@"`
	return append([]string{"sh", "-c", script, c.dir}, args...)
}
