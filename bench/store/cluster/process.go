package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
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

func newShard(o *options, number, port int, others, cluster []int) (*process, error) {
	dir := filepath.Join(o.dir, fmt.Sprintf("shard%d", number+1))
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
  <shard><replica><host>127.0.0.1</host><port>%[5]d</port></replica></shard>
  <shard><replica><host>127.0.0.1</host><port>%[6]d</port></replica></shard>
 </two></remote_servers>
</yandex>`, dir, port, others[0], others[1], cluster[0], cluster[1])
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

func newServer(o *options, port, shard int, data string, more ...string) *process {
	return &process{dir: o.dir, name: "server", port: port, make: func() *exec.Cmd {
		args := []string{"serve", "--data", filepath.Join(o.dir, data), "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--listen-grpc", "",
			"--store", fmt.Sprintf("clickhouse://127.0.0.1:%d/cluster?cluster=two", shard), "--rules-every", "0"}
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
