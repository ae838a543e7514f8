package keeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// jar is where Debian's package has the server.
const jar = "/usr/share/java/zookeeper.jar"

// server is a ZooKeeper that ends with the test.
func server(t *testing.T) (address string, process *os.Process) {
	t.Helper()
	java, err := exec.LookPath("java")
	if _, jarErr := os.Stat(jar); err != nil || jarErr != nil {
		t.Skip("no ZooKeeper here: apt-get install zookeeper")
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "zoo.cfg")
	if err := os.WriteFile(config, fmt.Appendf(nil, "tickTime=500\nadmin.enableServer=false\nclientPort=%d\nclientPortAddress=127.0.0.1\ndataDir=%s\n", port, dir), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), java, "-Xmx128m", "-cp", jar, "org.apache.zookeeper.server.ZooKeeperServerMain", config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return fmt.Sprintf("127.0.0.1:%d", port), cmd.Process
}

func opened(t *testing.T, address, root string) *Keeper {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	k, err := Open(ctx, []string{address}, root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

func TestLeaseIsOfOne(t *testing.T) {
	address, process := server(t)
	one, two := opened(t, address, "/whyhot/two/shop"), opened(t, address, "/whyhot/two/shop")
	l, err := one.Take(t.Context(), "http://one")
	if err != nil || !l.Certain() {
		t.Fatal(err)
	}
	held := (*HeldError)(nil)
	if _, err := two.Take(t.Context(), "http://two"); !errors.As(err, &held) || held.By != "http://one" {
		t.Error(err)
	}
	other := opened(t, address, "/whyhot/two/web")
	if _, err := other.Take(t.Context(), "http://two"); err != nil {
		t.Errorf("that of another path: %v", err)
	}
	l.Close()
	<-l.Gone()
	if l.Certain() {
		t.Error("it is held after it was given up")
	}
	if l, err = two.Take(t.Context(), "http://two"); err != nil {
		t.Fatal(err)
	}
	// A session that ends takes the lease with it.
	two.Close()
	<-l.Gone()
	if l, err = one.Take(t.Context(), "http://one"); err != nil {
		t.Fatal(err)
	}
	// Who cannot reach ZooKeeper is not certain any more.
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); l.Certain(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is certain of its lease without ZooKeeper")
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := one.Value(short); !errors.Is(err, ErrAway) {
		t.Error(err)
	}
}

func TestValueIsReplacedByWhoKnowsIt(t *testing.T) {
	address, _ := server(t)
	one, two := opened(t, address, "/whyhot/two/shop"), opened(t, address, "/whyhot/two/shop")
	data, version, err := one.Value(t.Context())
	if err != nil || len(data) > 0 {
		t.Fatal(data, err)
	}
	next, err := two.Replace(t.Context(), []byte("two"), version)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Replace(t.Context(), []byte("one"), version); !errors.Is(err, ErrChanged) {
		t.Errorf("a value that it did not know was replaced: %v", err)
	}
	data, version, err = one.Value(t.Context())
	if err != nil || string(data) != "two" || version != next {
		t.Errorf("%q, %d, %v", data, version, err)
	}
	if _, err := one.Replace(t.Context(), []byte("one"), version); err != nil {
		t.Error(err)
	}
}

func TestNoServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, []string{"127.0.0.1:1"}, "/whyhot/x"); !errors.Is(err, ErrAway) {
		t.Error(err)
	}
}
