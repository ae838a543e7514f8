package manifests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// replay is the chart's pods as processes: each volume is a directory, and each pod has a
// network namespace, in which the names of services resolve.
type replay struct {
	t    *testing.T
	bin  string
	dir  string
	pods int
}

const serverAddress, nodeName = "10.78.1.1", "node-1"

func (r *replay) command(name string, args ...string) (string, error) {
	out, err := exec.CommandContext(r.t.Context(), name, args...).CombinedOutput()
	return string(out), err
}

func (r *replay) must(name string, args ...string) string {
	r.t.Helper()
	out, err := r.command(name, args...)
	if err != nil {
		r.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(out)
}

// pod makes a network namespace. `ip netns exec` puts its file of hosts over the machine's.
func (r *replay) pod() string {
	r.t.Helper()
	r.pods++
	name := fmt.Sprintf("whyhot%d-%d", os.Getpid(), r.pods)
	r.must("ip", "netns", "add", name)
	hosts := filepath.Join("/etc/netns", name)
	r.t.Cleanup(func() {
		_ = exec.Command("ip", "netns", "delete", name).Run()
		_ = os.RemoveAll(hosts)
		_ = os.Remove("/etc/netns") // where it was not there before
	})
	if err := os.MkdirAll(hosts, 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hosts, "hosts"), []byte("127.0.0.1 localhost\n"+serverAddress+" whyhot-server.whyhot\n"), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.must("ip", "-n", name, "link", "set", "lo", "up")
	return name
}

// volume is the directory of a volume of a pod.
func (r *replay) volume(pod, name string) string {
	r.t.Helper()
	dir := filepath.Join(r.dir, pod, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// args are those of a container, with directories where it has mounts.
func (r *replay) args(pod string, c *core.Container) []string {
	var out []string
	for _, arg := range c.Args {
		for _, m := range c.VolumeMounts {
			if flag, path, ok := strings.Cut(arg, "="+m.MountPath+"/"); ok {
				arg = flag + "=" + r.volume(pod, m.Name) + "/" + path
				break
			}
			if flag, ok := strings.CutSuffix(arg, "="+m.MountPath); ok {
				arg = flag + "=" + r.volume(pod, m.Name)
				break
			}
		}
		out = append(out, strings.ReplaceAll(arg, "$(NODE_NAME)", nodeName))
	}
	return out
}

// start runs a pod's container until the test ends, which it has to do well.
func (r *replay) start(namespace, log string, env []string, command ...string) {
	r.t.Helper()
	file, err := os.Create(log)
	if err != nil {
		r.t.Fatal(err)
	}
	c := exec.CommandContext(context.WithoutCancel(r.t.Context()), "ip", append([]string{"netns", "exec", namespace}, command...)...)
	c.Stdout, c.Stderr, c.Env = file, file, append(os.Environ(), env...)
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		err := c.Wait()
		text, _ := os.ReadFile(log)
		if err != nil || r.t.Failed() {
			r.t.Errorf("%s: %v\n%s", command[0], err, text)
		}
		_ = file.Close()
	})
}

// until waits for what a URL answers, as it is asked from a pod.
func (r *replay) until(namespace, want string, curl ...string) {
	r.t.Helper()
	var out string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if out, _ = r.command("ip", append([]string{"netns", "exec", namespace, "curl", "-sS", "-w", " %{http_code}"}, curl...)...); strings.Contains(out, want) {
			return
		}
	}
	r.t.Fatalf("%q never answers %q: %s", curl, want, out)
}

// What the chart installs works together: the first token is made and printed nowhere,
// the server listens with the secret's certificate as a user without rights, the agent
// trusts the secret's authority and delivers, and what monitors scrape is there. What
// only a cluster has (admission, policies) is not replayed.
func TestReplay(t *testing.T) {
	bin, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whyhot", "whyhot-server"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Skipf("%v: `make build server` builds what the pods run", err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("namespaces need root")
	}
	all, err := installed(t, everything)
	if err != nil {
		t.Fatal(err)
	}
	set, agents := all["StatefulSet whyhot-server"].(*apps.StatefulSet), all["DaemonSet whyhot-agent"].(*apps.DaemonSet)
	monitor := all["ServiceMonitor whyhot-server"].(*monitoring.ServiceMonitor)
	r := &replay{t: t, bin: bin, dir: t.TempDir()}
	for _, dir := range []string{r.dir, filepath.Dir(r.dir)} { // the server's user reaches its data
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}

	// The network: a pod of the server, one of the agent.
	server, agent := r.pod(), r.pod()
	r.must("ip", "-n", agent, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", server)
	for namespace, address := range map[string]string{server: serverAddress, agent: "10.78.1.2"} {
		r.must("ip", "-n", namespace, "address", "add", address+"/24", "dev", "eth0")
		r.must("ip", "-n", namespace, "link", "set", "eth0", "up")
	}

	// The secrets that somebody makes.
	tls, secret := r.volume("server", "tls"), r.volume("agent", "token")
	r.must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=whyhot-server.whyhot",
		"-addext", "subjectAltName=DNS:"+*monitor.Spec.Endpoints[0].TLSConfig.ServerName, "-keyout", filepath.Join(tls, "tls.key"), "-out", filepath.Join(tls, "tls.crt"))
	ca := filepath.Join(secret, "ca.pem")
	r.must("cp", filepath.Join(tls, "tls.crt"), ca)
	r.must("chmod", "644", filepath.Join(tls, "tls.key"))

	// The server's pod, as its user, without capabilities.
	pod := set.Spec.Template.Spec
	data := r.volume("server", "data")
	user := fmt.Sprint(*pod.SecurityContext.RunAsUser)
	r.must("chown", user+":"+user, data)
	as := []string{"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups", "--no-new-privs", "--bounding-set=-all"}
	program := filepath.Join(bin, "whyhot-server")
	first := append(append(append([]string{}, as[1:]...), program), r.args("server", &pod.InitContainers[0])...)
	said := r.must(as[0], first...)
	token, err := os.ReadFile(filepath.Join(data, "first.token"))
	if err != nil {
		t.Fatal(err)
	}
	if key := strings.TrimSpace(string(token)); key == "" || strings.Contains(said, key) {
		t.Errorf("the first token is %q, and the init container's log says %q", key, said)
	}
	r.must(as[0], first...) // the pod starts again
	r.start(server, filepath.Join(r.dir, "server.log"), nil, append(append(append([]string{}, as...), program), r.args("server", &pod.Containers[0])...)...)
	base := "https://whyhot-server.whyhot:7878"
	r.until(agent, " 200", "--cacert", ca, base+pod.Containers[0].ReadinessProbe.HTTPGet.Path)

	// Tokens, as the notes say.
	tokenFor := func(scope, file string) string {
		t.Helper()
		out := r.must("sh", "-c", fmt.Sprintf("%s token create --data %s --scope %s > %s 2> /dev/null && chown -R %s:%s %s && cat %s", program, data, scope, file, user, user, data, file))
		return "Authorization: Bearer " + out
	}
	tokenFor("send", filepath.Join(secret, "token"))
	metrics, read := tokenFor("metrics", filepath.Join(r.dir, "metrics")), tokenFor("read", filepath.Join(r.dir, "read"))
	scraped := base + monitor.Spec.Endpoints[0].Path
	r.until(agent, " 401", "--cacert", ca, scraped)
	r.until(agent, "whyhot_", "--cacert", ca, "-H", metrics, scraped)

	// The agent's pod.
	c := &agents.Spec.Template.Spec.Containers[0]
	spool := r.volume("agent", "spool")
	r.start(agent, filepath.Join(r.dir, "agent.log"), []string{"CACHE_DIRECTORY=" + filepath.Join(spool, "cache")},
		append([]string{filepath.Join(bin, "whyhot"), "agent", "--spool=" + filepath.Join(spool, "spool")}, r.args("agent", c)...)...)
	r.until(agent, "whyhot_agent", fmt.Sprintf("http://127.0.0.1:%d%s", c.Ports[0].ContainerPort, c.ReadinessProbe.HTTPGet.Path))
	r.until(agent, nodeName, "--cacert", ca, "-H", read, base+"/api/v1/labels/host?from=now-1h")
}
