package count

import (
	"errors"
	"os"
	"testing"

	"whyhot/internal/collect"
	"whyhot/internal/collect/command"
	"whyhot/internal/profile"
)

func counted(t *testing.T, script string) *Result {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	r, err := Run(t.Context(), Options{
		Command: []string{"/bin/sh", "-c", script}, TempDir: t.TempDir(), Streams: command.Streams{In: null, Out: null, Err: null},
	})
	un := (*collect.UnavailableError)(nil)
	if errors.As(err, &un) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Result) named(name string) profile.Calls {
	for _, c := range r.Calls {
		if c.Name == name {
			return c
		}
	}
	return profile.Calls{Name: name}
}

// Calls of the command and of its children are counted, with their bytes, and paths only by
// how many there are.
func TestCallsAreCounted(t *testing.T) {
	r := counted(t, `i=0; while [ $i -lt 300 ]; do echo 1234567; [ -e /no/such/file ]; i=$((i+1)); done; (i=0; while [ $i -lt 200 ]; do echo 1234567; i=$((i+1)); done); exit 3`)
	if r.Exit.Code != 3 {
		t.Errorf("%+v", r.Exit)
	}
	if w := r.named("write"); w.Count < 490 || w.Count > 510 || w.Bytes < 490*8 {
		t.Errorf("writes: %+v", w)
	}
	asked := profile.Calls{}
	for _, name := range []string{"stat", "newfstatat", "faccessat", "faccessat2", "access", "statx"} {
		c := r.named(name)
		asked.Count += c.Count
		asked.Failed += c.Failed
		asked.Paths = max(asked.Paths, c.Paths)
	}
	if asked.Count < 300 || asked.Failed < 300 || asked.Paths == 0 || asked.Paths > 60 {
		t.Errorf("looked up: %+v", asked)
	}
}

func TestDifferentPathsAreTold(t *testing.T) {
	same := counted(t, `i=0; while [ $i -lt 200 ]; do [ -e /no/such ]; i=$((i+1)); done`)
	each := counted(t, `i=0; while [ $i -lt 200 ]; do [ -e /no/such$i ]; i=$((i+1)); done`)
	of := func(r *Result) (paths uint64) {
		for _, c := range r.Calls {
			paths = max(paths, c.Paths)
		}
		return paths
	}
	if d := int64(of(each)) - int64(of(same)); d < 190 || d > 210 {
		t.Errorf("%d and %d", of(same), of(each))
	}
}

// Where the kernel denies counting, there is none to ask.
func TestWithoutTheKernel(t *testing.T) {
	var k *kernel
	r := &Result{}
	if err := errors.Join(k.follow(1), k.read(r)); err != nil || len(r.Calls)+len(r.Functions)+len(r.NotCounted) != 0 {
		t.Errorf("%+v %v", r, err)
	}
	k.close()
}
