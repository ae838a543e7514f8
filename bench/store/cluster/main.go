// Program cluster runs a server on two shards of ClickHouse, with senders and somebody who
// asks, and takes one thing after another away: a shard, the one with the dictionary, an
// answer of a shard that says nothing, the server itself, and all of it. In the end each
// batch that was acknowledged must be there once.
//
//	cluster -server bin/whyhot-server -dir DIR [-for 10m] [-servers 3 [-replicas 2]]
//
// With several servers, which share the database, clients go from one to the next, and what is
// taken away are the server that writes, another one, the network between them, and the shards.
// With -replicas 2 each shard is two servers of ClickHouse with the same rows, and it is
// replicas that are taken away.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	o := options{}
	flag.StringVar(&o.server, "server", "bin/whyhot-server", "the server's program")
	flag.StringVar(&o.clickhouse, "clickhouse", "/usr/sbin/clickhouse-server", "ClickHouse's program")
	flag.StringVar(&o.dir, "dir", "", "directory for all that is kept")
	flag.DurationVar(&o.length, "for", 10*time.Minute, "how long")
	flag.DurationVar(&o.each, "each", 8*time.Second, "how long a thing is away, and there again")
	flag.IntVar(&o.servers, "servers", 1, "how many servers share the database")
	flag.IntVar(&o.replicas, "replicas", 1, "how many servers of ClickHouse have the rows of each shard; from two on with ZooKeeper, and several servers")
	flag.StringVar(&o.zookeeper, "zookeeper", "/usr/share/java/zookeeper.jar", "ZooKeeper's program")
	flag.IntVar(&o.stacks, "stacks", 0, "how many different stacks there are before, with several servers")
	flag.DurationVar(&o.try, "try", time.Second, "how long a client waits for the answer of one of several servers before it asks the next")
	flag.Parse()
	if err := run(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	server, clickhouse, dir string
	length, each, try       time.Duration
	servers, stacks         int
	replicas                int
	zookeeper               string
}

// blow is something that is taken away and brought back.
type blow struct {
	name       string
	begin, end func() error
}

func run(ctx context.Context, o *options) error {
	if o.dir == "" {
		return fmt.Errorf("-dir: missing")
	}
	if o.replicas > 1 && o.servers < 2 || o.replicas < 1 || o.replicas > 2 {
		return fmt.Errorf("invalid -replicas %d: must be 1, or 2 with several servers", o.replicas)
	}
	n := 2 * o.replicas
	ports, err := freePorts(3*n + 2)
	if err != nil {
		return err
	}
	store, keeper := fmt.Sprintf("clickhouse://127.0.0.1:%d/cluster?cluster=two", ports[0]), 0
	if o.replicas > 1 {
		keeper = ports[3*n+1]
		store = fmt.Sprintf("clickhouse://127.0.0.1:%d,127.0.0.1:%d/cluster?cluster=two&keeper=127.0.0.1:%d", ports[0], ports[1], keeper)
		z, err := newZooKeeper(o, keeper)
		if err != nil {
			return err
		}
		defer z.kill()
		if err := z.start(ctx); err != nil {
			return err
		}
	}
	var shards []*process
	for i := range n {
		name := fmt.Sprintf("shard%d", i/o.replicas+1)
		if o.replicas > 1 {
			name += fmt.Sprintf("-%d", i%o.replicas+1)
		}
		s, err := newShard(o, name, ports[i], keeper, ports[n+2*i:n+2*i+2], clusterOf(ports[:n], o.replicas))
		if err != nil {
			return err
		}
		defer s.kill()
		if err := s.start(ctx); err != nil {
			return err
		}
		shards = append(shards, s)
	}
	if o.servers > 1 {
		return several(ctx, o, shards, store)
	}
	server := newServer(o, ports[3*n], store, "data")
	defer server.kill()
	if err := server.start(ctx); err != nil {
		return err
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", ports[3*n])
	blows := []blow{
		{"a shard killed", func() error { shards[1].kill(); return nil }, func() error { return shards[1].start(ctx) }},
		{"the shard with the dictionary killed", func() error { shards[0].kill(); return nil }, func() error { return shards[0].start(ctx) }},
		{"a shard silent (SIGSTOP)", func() error { return shards[1].signal(syscall.SIGSTOP) }, func() error { return shards[1].signal(syscall.SIGCONT) }},
		{"the server killed", func() error { server.kill(); return server.start(ctx) }, func() error { return nil }},
		{"both shards and the server killed, the server back first", func() error {
			server.kill()
			shards[0].kill()
			shards[1].kill()
			return server.start(ctx)
		}, func() error {
			if err := shards[0].start(ctx); err != nil {
				return err
			}
			return shards[1].start(ctx)
		}},
	}
	l := newLoad(url)
	if err := l.settle(ctx, time.Minute); err != nil {
		return err
	}
	l.start(ctx)
	began := time.Now()
	struck, err := strike(o, blows, l.during)
	if err != nil {
		return err
	}
	l.stop()
	if err := l.settle(ctx, 3*time.Minute); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d blows in %.0f s, load %s", struck, time.Since(began).Seconds(), load)
	return l.report(ctx)
}

// strike gives the blows in turn until the time is over, and says how many there were. during
// is told what goes on.
func strike(o *options, blows []blow, during func(phase string)) (struck int, err error) {
	for began := time.Now(); time.Since(began) < o.length; struck++ {
		b := blows[struck%len(blows)]
		during(b.name)
		if err := b.begin(); err != nil {
			return struck, fmt.Errorf("%s: %w", b.name, err)
		}
		time.Sleep(o.each)
		if err := b.end(); err != nil {
			return struck, fmt.Errorf("%s, back: %w", b.name, err)
		}
		during("after: " + b.name)
		time.Sleep(o.each)
	}
	return struck, nil
}

// log is the file that a process writes to.
func log(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
