package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a program that listens on a port.
type process struct {
	dir, name string
	port      int
	make      func() *exec.Cmd
	command   *exec.Cmd
}

func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it ends at once
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// clusterOf is the configuration of shards, each of so many servers.
func clusterOf(ports []int, replicas int) string {
	var out strings.Builder
	for i, port := range ports {
		if i%replicas == 0 {
			out.WriteString("<shard><internal_replication>true</internal_replication>")
		}
		fmt.Fprintf(&out, "<replica><host>127.0.0.1</host><port>%d</port></replica>", port)
		if i%replicas == replicas-1 {
			out.WriteString("</shard>")
		}
	}
	return out.String()
}

// newZooKeeper has sessions of four seconds at least, as where nobody has changed tickTime.
func newZooKeeper(o *options, port int) (*process, error) {
	config := filepath.Join(o.dir, "zoo.cfg")
	text := fmt.Sprintf("tickTime=2000\nadmin.enableServer=false\nclientPort=%d\nclientPortAddress=127.0.0.1\ndataDir=%s\n", port, filepath.Join(o.dir, "zookeeper"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return &process{dir: o.dir, name: "zookeeper", port: port, make: func() *exec.Cmd {
		return exec.Command("java", "-Xmx512m", "-cp", o.zookeeper, "org.apache.zookeeper.server.ZooKeeperServerMain", config) //nolint:noctx // it is killed
	}}, nil
}

// newShard is a server of ClickHouse; keeper is the port of ZooKeeper, 0 without it.
func newShard(o *options, name string, port, keeper int, others []int, cluster string) (*process, error) {
	dir := filepath.Join(o.dir, name)
	more := ""
	if keeper > 0 {
		more = fmt.Sprintf("<interserver_http_host>127.0.0.1</interserver_http_host><zookeeper><node><host>127.0.0.1</host><port>%d</port></node><session_timeout_ms>4000</session_timeout_ms></zookeeper>", keeper)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`<yandex>
 <logger><level>warning</level><log>%[1]s/log</log><errorlog>%[1]s/errors</errorlog></logger>
 <tcp_port>%[2]d</tcp_port><http_port>%[3]d</http_port><interserver_http_port>%[4]d</interserver_http_port>
 <listen_host>127.0.0.1</listen_host>
 <path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><user_files_path>%[1]s/files/</user_files_path>
 <mark_cache_size>268435456</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
 <max_concurrent_queries>100</max_concurrent_queries>
 <users_config>%[1]s/users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
 <remote_servers><two>
  %[5]s
 </two></remote_servers>
 %[6]s
</yandex>`, dir, port, others[0], others[1], cluster, more)
	const users = `<yandex>
 <profiles><default><max_memory_usage>2000000000</max_memory_usage><max_threads>2</max_threads></default></profiles>
 <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
 <quotas><default></default></quotas>
</yandex>`
	if err := os.WriteFile(filepath.Join(dir, "config.xml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "users.xml"), []byte(users), 0o600); err != nil {
		return nil, err
	}
	return &process{dir: dir, name: "clickhouse", port: port, make: func() *exec.Cmd {
		return exec.Command(o.clickhouse, "--config-file="+filepath.Join(dir, "config.xml")) //nolint:noctx // it is killed
	}}, nil
}

func newServer(o *options, port int, store, data string, more ...string) *process {
	return &process{dir: o.dir, name: "server", port: port, make: func() *exec.Cmd {
		args := []string{"serve", "--data", filepath.Join(o.dir, data), "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--listen-grpc", "",
			"--store", store, "--rules-every", "0"}
		return exec.Command(o.server, append(args, more...)...) //nolint:noctx // it is killed
	}}
}

// start starts it and waits until it takes connections.
func (p *process) start(ctx context.Context) error {
	out, err := log(p.dir, p.name)
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // the process has its own
	p.command = p.make()
	p.command.Dir = p.dir
	p.command.Stdout, p.command.Stderr = out, out
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", p.port)); err == nil {
			return c.Close()
		}
	}
	return errors.New(p.name + " does not listen")
}

func (p *process) signal(s syscall.Signal) error { return p.command.Process.Signal(s) }

func (p *process) kill() {
	if p.command != nil {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
		p.command = nil
	}
}
