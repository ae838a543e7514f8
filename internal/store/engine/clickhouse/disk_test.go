package clickhouse_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"whyhot/internal/store/engine/clickhouse"
)

// logged is a log that several goroutines write to.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// removeNodes removes a node of ZooKeeper with all below it.
func removeNodes(t *testing.T, c *zk.Conn, at string) {
	t.Helper()
	children, _, err := c.Children(at)
	for _, child := range children {
		removeNodes(t, c, path.Join(at, child))
	}
	if err == nil {
		err = c.Delete(at, -1)
	}
	if err != nil && !errors.Is(err, zk.ErrNoNode) {
		t.Fatal(at, err)
	}
}

// ZooKeeper knows the tables of a replica whose disk was lost, and ClickHouse refuses to make them.
// The others go on, the log says what to do, and then the replica gets all rows.
func TestReplicaWhoseDiskWasLost(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	log := &logged{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	shelf := func() {
		t.Helper()
		s, err := clickhouse.OpenShelf(o, "tokens")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		if err := s.Add(t.Context(), []string{"one"}); err != nil {
			t.Fatal(err)
		}
		if all, err := s.All(t.Context()); err != nil || !slices.Equal(all, []string{"one"}) {
			t.Error(all, err)
		}
	}
	e := opened(t, o)
	shelf()
	committed(t, e, 1, 300)
	s := r.replicas[0][0]
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) { // the other one has all of it
		if ask(t, r.replicas[0][1], "SELECT toString(count()) FROM system.replicas WHERE database = '"+o.Database+"' AND (inserts_in_queue > 0 OR log_pointer <= log_max_index AND log_max_index > 0)") == "0" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the other replica does not fetch all rows")
		}
	}
	committed(t, e, 2, 300)
	r.whole(t, o)
	s.kill()
	if err := os.RemoveAll(filepath.Join(s.dir, "data")); err != nil {
		t.Fatal(err)
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	const help = "remove the nodes"
	for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), help); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing of it in the log: %s", log)
		}
	}
	committed(t, e, 3, 300)
	shelf()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = opened(t, o) // with the first replica without tables
	committed(t, e, 4, 300)
	wantWhole(t, e, 4, 300)
	if n := strings.Count(log.String(), help); n > 4 {
		t.Errorf("the log says it %d times", n)
	}
	c, _, err := zk.Connect([]string{r.keeper}, 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	root := fmt.Sprintf("/whyhot/%s/%s/1", cluster, o.Database)
	tables, _, err := c.Children(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		removeNodes(t, c, path.Join(root, table, "replicas", s.address()))
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if ask(t, s, "SELECT toString(count()) FROM system.tables WHERE name = 'samples_local' AND database = '"+o.Database+"'") == "1" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("its tables are not made: %s", log)
		}
	}
	r.whole(t, o)
	wantWhole(t, e, 4, 300)
	shelf()
}
