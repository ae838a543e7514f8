package clickhouse_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shard is a server of the machine's own package, on loopback, with a directory that
// goes when the tests end.
type shard struct {
	dir     string
	port    int
	cluster string // its shards
	more    string // configuration
	command *exec.Cmd
}

const cluster = "two"

// program is Debian's server, which is not on the PATH of everybody. It is not asked whether
// it starts: that of 2018 answers no question about itself with status 0, and these tests
// start it.
func program() (string, bool) {
	for _, p := range []string{"clickhouse-server", "/usr/sbin/clickhouse-server"} {
		if path, err := exec.LookPath(p); err == nil {
			return path, true
		}
	}
	return "", false
}

var shards []*shard

// ends are called when all tests have ended.
var ends []func()

func end(f func()) { ends = append(ends, f) }

func TestMain(m *testing.M) {
	// A server takes a few milliseconds for each statement, of which a round of the
	// property test is a few thousand.
	if err := errors.Join(flag.Set("rapid.checks", "12"), flag.Set("rapid.steps", "12")); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(func() int {
		if _, ok := program(); ok {
			dir, err := os.MkdirTemp("", "clickhouse")
			if err != nil {
				panic(err)
			}
			defer os.RemoveAll(dir)
			if err := startAll(dir); err != nil {
				panic(err)
			}
			defer func() {
				for _, s := range shards {
					s.kill()
				}
				for _, f := range ends {
					f()
				}
			}()
		}
		return m.Run()
	}())
}

func startAll(dir string) error {
	var ports []int
	for range 6 { // the native protocol, HTTP and servers among themselves, each twice
		l, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // before any test
		if err != nil {
			return err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	for i := range 2 {
		s := &shard{dir: filepath.Join(dir, fmt.Sprint(i)), port: ports[i]}
		for _, port := range ports[:2] {
			s.cluster += fmt.Sprintf("<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>\n", port)
		}
		if err := s.configure(ports[2+2*i : 4+2*i]); err != nil {
			return err
		}
		shards = append(shards, s)
	}
	return nil
}

func (s *shard) configure(others []int) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
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
</yandex>`, s.dir, s.port, others[0], others[1], s.cluster, s.more)
	users := `<yandex>
 <profiles><default><max_memory_usage>2000000000</max_memory_usage><max_threads>2</max_threads></default></profiles>
 <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
 <quotas><default></default></quotas>
</yandex>`
	if err := os.WriteFile(filepath.Join(s.dir, "config.xml"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "users.xml"), []byte(users), 0o600)
}

// start starts the server and waits until it answers.
func (s *shard) start() error {
	path, _ := program()
	s.command = exec.Command(path, "--config-file="+filepath.Join(s.dir, "config.xml")) //nolint:noctx // it outlives the test that starts it
	s.command.Dir = s.dir
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output := &bytes.Buffer{}
	s.command.Stdout, s.command.Stderr = output, output
	if err := s.command.Start(); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp4", s.address()); err == nil {
			return c.Close()
		}
	}
	s.kill()
	return fmt.Errorf("the server on %s does not answer: %s", s.address(), output)
}

func (s *shard) kill() {
	if s.command != nil {
		_ = s.command.Process.Kill()
		_ = s.command.Wait()
		s.command = nil
	}
}

func (s *shard) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// servers has both servers run.
func servers(t *testing.T) []*shard {
	t.Helper()
	if len(shards) == 0 {
		t.Skip("no clickhouse-server here: apt-get install clickhouse-server")
	}
	for _, s := range shards {
		if s.command == nil {
			if err := s.start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return shards
}

// database is a name of its own for each test.
func database(t *testing.T) string {
	return fmt.Sprintf("t%d_%s", time.Now().UnixNano(), strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, t.Name()))
}
