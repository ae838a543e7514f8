package clickhouse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"whyhot/internal/store/engine"
	"whyhot/internal/store/engine/clickhouse"
	"whyhot/internal/store/engine/enginetest"
)

// replicated are two shards of two replicas each, with a ZooKeeper of their own.
type replicated struct {
	keeper   string
	replicas [][]*shard
}

var theReplicated struct {
	once sync.Once
	*replicated
	err error
}

// zookeeperJar is where Debian's package has the server.
const zookeeperJar = "/usr/share/java/zookeeper.jar"

// withReplicas has ZooKeeper and four servers run. They end with the process: each test brings
// back what it took away.
func withReplicas(t *testing.T) *replicated {
	t.Helper()
	if _, ok := program(); !ok {
		t.Skip("no clickhouse-server here: apt-get install clickhouse-server")
	}
	java, err := exec.LookPath("java")
	if _, jarErr := os.Stat(zookeeperJar); err != nil || jarErr != nil {
		t.Skip("no ZooKeeper here: apt-get install zookeeper")
	}
	theReplicated.once.Do(func() {
		dir, err := os.MkdirTemp("", "replicas")
		if err == nil {
			theReplicated.replicated, err = startReplicated(java, dir)
		}
		theReplicated.err = err
	})
	if theReplicated.err != nil {
		t.Fatal(theReplicated.err)
	}
	return theReplicated.replicated
}

func startReplicated(java, dir string) (*replicated, error) {
	var ports []int
	for range 13 {
		l, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it ends at once
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	out := &replicated{keeper: fmt.Sprintf("127.0.0.1:%d", ports[12])}
	config := filepath.Join(dir, "zoo.cfg") // a session lasts two ticks at least
	if err := os.WriteFile(config, fmt.Appendf(nil, "tickTime=500\nadmin.enableServer=false\nclientPort=%d\nclientPortAddress=127.0.0.1\ndataDir=%s\n", ports[12], filepath.Join(dir, "zookeeper")), 0o600); err != nil {
		return nil, err
	}
	zoo := exec.Command(java, "-Xmx256m", "-cp", zookeeperJar, "org.apache.zookeeper.server.ZooKeeperServerMain", config) //nolint:noctx // it serves all tests
	zoo.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output := &bytes.Buffer{}
	zoo.Stdout, zoo.Stderr = output, output
	if err := zoo.Start(); err != nil {
		return nil, err
	}
	end(func() { _ = zoo.Process.Kill(); _ = zoo.Wait(); _ = os.RemoveAll(dir) })
	cluster := ""
	for i := range 2 {
		cluster += "<shard><internal_replication>true</internal_replication>"
		for j := range 2 {
			cluster += fmt.Sprintf("<replica><host>127.0.0.1</host><port>%d</port></replica>", ports[2*i+j])
		}
		cluster += "</shard>"
	}
	for i := range 4 {
		// Without the first setting, one that was killed after it made a part, and before ZooKeeper
		// knows of it, does not start.
		s := &shard{dir: filepath.Join(dir, fmt.Sprint(i)), port: ports[i], cluster: cluster, more: fmt.Sprintf(
			"<merge_tree><replicated_max_ratio_of_wrong_parts>1</replicated_max_ratio_of_wrong_parts></merge_tree>"+
				"<interserver_http_host>127.0.0.1</interserver_http_host><zookeeper><node><host>127.0.0.1</host><port>%d</port></node><session_timeout_ms>2000</session_timeout_ms></zookeeper>", ports[12])}
		if err := s.configure(ports[4+2*i : 6+2*i]); err != nil {
			return nil, err
		}
		end(s.kill)
		if i%2 == 0 {
			out.replicas = append(out.replicas, nil)
		}
		out.replicas[i/2] = append(out.replicas[i/2], s)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp4", out.keeper); err == nil {
			return out, c.Close()
		}
		if time.Now().After(until) {
			return nil, fmt.Errorf("ZooKeeper does not answer: %s", output)
		}
	}
}

// options are those of a database of its own, with all servers there.
func (r *replicated) options(t *testing.T) clickhouse.Options {
	t.Helper()
	r.start(t)
	var addresses []string
	for _, s := range r.replicas[0] {
		addresses = append(addresses, s.address())
	}
	o := clickhouse.Options{Address: strings.Join(addresses, ","), Database: database(t), Cluster: cluster, Keeper: []string{r.keeper}}
	t.Cleanup(func() {
		r.start(t)
		for _, s := range slices.Concat(r.replicas...) {
			dropped(t, s, o.Database)
		}
	})
	return o
}

// dropped drops a database. A server that was paused has lost its session with ZooKeeper, and
// needs a moment for another; one that was asked for a table by somebody who is gone makes it all
// the same, and then the database has to be dropped again.
func dropped(t *testing.T, s *shard, database string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := do(t, s, "DROP DATABASE IF EXISTS "+database)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func (r *replicated) start(t *testing.T) {
	t.Helper()
	for _, s := range slices.Concat(r.replicas...) {
		if s.command == nil {
			if err := s.start(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// whole waits until each replica has the rows that the other one has.
func (r *replicated) whole(t *testing.T, o clickhouse.Options) {
	t.Helper()
	for _, list := range r.replicas {
		sums := make([]string, len(list))
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			for i, s := range list {
				sums[i] = ask(t, s, fmt.Sprintf("SELECT toString(sum(events)) FROM %s.samples_local WHERE grp > 0", o.Database))
			}
			if sums[0] == sums[1] {
				break
			}
		}
		if sums[0] != sums[1] {
			t.Errorf("replicas have %s rows", sums)
			for _, s := range list {
				t.Log(ask(t, s, "SELECT arrayStringConcat(groupArray(concat(table, ' ', type, ' ', new_part_name, ' ', source_replica, ' ', toString(num_tries), ' ', last_exception, ' ', postpone_reason)), ' | ') FROM system.replication_queue"))
				t.Log(ask(t, s, "SELECT arrayStringConcat(groupArray(concat(table, ' ', toString(is_readonly), ' ', toString(queue_size), ' ', toString(log_pointer), ' ', toString(log_max_index), ' ', toString(active_replicas))), ' | ') FROM system.replicas"))
			}
		}
	}
}

// Each case makes and drops some forty replicated tables, which takes ten seconds.
func TestConformanceOfReplicas(t *testing.T) {
	if os.Getenv("WHYHOT_TEST_REPLICAS") == "" {
		t.Skip("it takes minutes: set WHYHOT_TEST_REPLICAS")
	}
	r := withReplicas(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Backend {
		o := r.options(t)
		return enginetest.Backend{
			Open: func() (engine.Engine, error) {
				e, err := clickhouse.Open(context.WithoutCancel(t.Context()), o)
				if err != nil {
					return nil, err
				}
				return e, nil
			},
			Newer: func(t *testing.T) {
				run(t, r.replicas[0][0], "INSERT INTO "+o.Database+".store_version SELECT toUInt64(99)")
			},
			Damage: func(t *testing.T) {
				for _, s := range slices.Concat(r.replicas...) {
					run(t, s, "DROP TABLE "+o.Database+".samples_local")
				}
			},
			Piecemeal: true,
		}
	})
}

// committed makes a commit, however often it has to be tried.
func committed(t *testing.T, e *clickhouse.Engine, n uint64, rows int) (failed int) {
	t.Helper()
	blocks := killedBlocks(uint32(n), rows)
	for end := time.Now().Add(2 * time.Minute); ; failed++ {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := e.Commit(ctx, n, blocks)
		cancel()
		if err == nil {
			return failed
		}
		if !errors.Is(err, engine.ErrAway) && !errors.Is(err, context.DeadlineExceeded) {
			t.Logf("commit %d: %v", n, err)
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// wantWhole waits until a replica that was away has all rows, and wants each once.
func wantWhole(t *testing.T, e engine.Engine, commits int, rows int64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		s, err := e.Sum(t.Context(), engine.Query{Table: engine.Samples, To: math.MaxUint32, By: []string{engine.ColSeries}})
		if err == nil && len(s.Missing) == 0 {
			for i, n := range s.Counts {
				if n != rows {
					t.Errorf("commit %d has %d rows, not %d", s.Keys[0][i], n, rows)
				}
			}
			if s.Len() != commits {
				t.Errorf("rows of %d commits, not %d", s.Len(), commits)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v is missing, %v", s, err)
		}
	}
}

// Whichever replica is killed, and however often: each commit is there once, on all replicas.
func TestReplicaKilledWhileCommitting(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	const commits, rows = 20, 3000
	stop := killing(t, rand.New(rand.NewPCG(2, 1)), span{100, 700}, 500, func(n int) *shard { return r.replicas[n%2][n/2%2] })
	failed := 0
	for n := uint64(1); n <= commits; n++ {
		failed += committed(t, e, n, rows)
	}
	t.Logf("%d kills, %d commits that failed and were made again", stop(), failed)
	r.start(t)
	wantWhole(t, e, commits, rows)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	r.whole(t, o)
	e = opened(t, o)
	if e.Committed() != commits {
		t.Errorf("the last commit is %d, not %d", e.Committed(), commits)
	}
}

// While a replica is away, all can be asked and written; when it is back it has what was written.
func TestAReplicaIsAway(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 3000)
	n := uint64(1)
	for _, away := range []int{0, 1} {
		for _, shard := range []int{0, 1} {
			r.whole(t, o)
			s := r.replicas[shard][away]
			s.kill()
			wantWhole(t, e, int(n), 3000)
			n++
			committed(t, e, n, 3000)
			if err := s.start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantWhole(t, e, int(n), 3000)
	// One that says nothing is passed over.
	frozen := r.replicas[0][0]
	if err := frozen.command.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, e, int(n), 3000)
	committed(t, e, n+1, 3000)
	if err := frozen.command.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, e, int(n)+1, 3000)
}

// What was written while one replica of the first shard was away is known to the other one
// alone. Whoever opens the store then, with that one away, would give numbers twice.
func TestStoreDoesNotOpenOnAReplicaThatIsBehind(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 300)
	first, second := r.replicas[0][0], r.replicas[0][1]
	second.kill()
	committed(t, e, 2, 300)
	committed(t, e, 3, 300)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	first.kill()
	if err := second.start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if e, err := clickhouse.Open(ctx, o); !errors.Is(err, engine.ErrAway) {
		t.Errorf("opened: %v, %v", e, err)
	} else {
		t.Log(err)
	}
	if err := first.start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if e, err := clickhouse.Open(t.Context(), o); err == nil {
			defer func() { _ = e.Close() }()
			if e.Committed() != 3 {
				t.Errorf("the last commit is %d, not 3", e.Committed())
			}
			wantWhole(t, e, 3, 300)
			return
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A process that was paused between two steps of a commit, or cut off from ZooKeeper, writes
// nothing that another one does not know of.
func TestSupersededProcessBeginsNothing(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	o.Shared, o.Advertise = true, "http://first:7878"
	old := opened(t, o)
	committed(t, old, 1, 300)
	if err := clickhouse.WriteRegisterAgain(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := old.Commit(t.Context(), 2, killedBlocks(2, 300)); err != nil {
		t.Errorf("after an answer of ZooKeeper got lost: %v", err)
	}
	held := (*engine.HeldError)(nil)
	other := o
	other.Advertise = "http://second:7878"
	if _, err := clickhouse.Open(t.Context(), other); !errors.As(err, &held) || held.By != o.Advertise {
		t.Fatal(err)
	}
	clickhouse.LoseLease(old)
	e := opened(t, other)
	if err := old.Commit(t.Context(), 3, killedBlocks(20, 300)); !errors.Is(err, engine.ErrSuperseded) && !errors.Is(err, engine.ErrInUse) {
		t.Errorf("a commit: %v", err)
	}
	clickhouse.BelieveInLease(old)
	for range 3 { // however often it tries
		if err := old.Commit(t.Context(), 3, killedBlocks(20, 300)); !errors.Is(err, engine.ErrSuperseded) {
			t.Errorf("a commit of one that believes that it has the database: %v", err)
		}
	}
	committed(t, e, 3, 300)
	wantWhole(t, e, 3, 300)
}

// A replica whose disk was lost gets its tables and rows again.
func TestReplicaWithAnEmptyDisk(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	e := opened(t, o)
	committed(t, e, 1, 3000)
	for _, s := range []*shard{r.replicas[0][1], r.replicas[1][0]} {
		dropped(t, s, o.Database)
		committed(t, e, e.Committed()+1, 3000)
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if n := ask(t, s, "SELECT toString(count()) FROM system.tables WHERE name = 'samples_local' AND database = '"+o.Database+"'"); n == "1" {
				break
			}
			if time.Now().After(end) {
				t.Fatal("its tables are not made")
			}
		}
	}
	wantWhole(t, e, int(e.Committed()), 3000)
}

// Stores are told how to move.
func TestReplicatedOrNot(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	plain := o
	plain.Keeper = nil
	if _, err := clickhouse.Open(t.Context(), plain); err == nil || !strings.Contains(err.Error(), "has replicas, which would stay empty") {
		t.Errorf("a new store on one of several replicas: %v", err)
	}
	if err := opened(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := clickhouse.Open(t.Context(), plain); err == nil || !strings.Contains(err.Error(), "add keeper=") {
		t.Errorf("a replicated store without ZooKeeper: %v", err)
	}
	// As where the configuration had the shards in another order.
	swapped := o
	swapped.Database += "_swapped"
	run(t, r.replicas[0][0], "CREATE DATABASE "+swapped.Database)
	t.Cleanup(func() { dropped(t, r.replicas[0][0], swapped.Database) })
	run(t, r.replicas[0][0], fmt.Sprintf("CREATE TABLE %[1]s.samples_local (n UInt64) ENGINE = ReplicatedMergeTree('/whyhot/%[2]s/%[1]s/2/samples_local', '%[3]s') ORDER BY n", swapped.Database, cluster, r.replicas[0][0].address()))
	if _, err := clickhouse.Open(t.Context(), swapped); err == nil || !strings.Contains(err.Error(), "in the order in which") {
		t.Errorf("tables of another shard: %v", err)
	}
	// As a program of before made it.
	old := o
	old.Database += "_old"
	for _, s := range slices.Concat(r.replicas...) {
		run(t, s, "CREATE DATABASE "+old.Database)
		t.Cleanup(func() { dropped(t, s, old.Database) })
	}
	run(t, r.replicas[0][0], "CREATE TABLE "+old.Database+".store_commits (number UInt64) ENGINE = MergeTree ORDER BY number")
	if _, err := clickhouse.Open(t.Context(), old); err == nil || !strings.Contains(err.Error(), "store export") {
		t.Errorf("a store of before: %v", err)
	}
}

// A list has what any process added, whichever replica it asks.
func TestShelfOfReplicas(t *testing.T) {
	r := withReplicas(t)
	o := r.options(t)
	s, err := clickhouse.OpenShelf(o, "tokens")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := errors.Join(s.Add(t.Context(), []string{"one"}), s.Add(t.Context(), []string{"two", "one"})); err != nil {
		t.Fatal(err)
	}
	for _, away := range r.replicas[0] {
		away.kill()
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			all, err := s.All(t.Context())
			slices.Sort(all)
			if err == nil && slices.Equal(all, []string{"one", "two"}) {
				break
			}
			if time.Now().After(end) {
				t.Fatal(all, err)
			}
		}
		if err := away.start(); err != nil {
			t.Fatal(err)
		}
		// It fetches what it lacks from the other one, which is killed next.
		for end := time.Now().Add(2 * time.Minute); ask(t, away, "SELECT toString(uniqExact(text)) FROM "+o.Database+".tokens") != "2"; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("a replica does not fetch what was added")
			}
		}
	}
}
