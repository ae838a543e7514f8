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

// replay is what an installation runs, as processes: each volume is a directory, and each
// pod or container has a network namespace, in which the server's name resolves.
type replay struct {
	t      *testing.T
	bin    string
	dir    string
	server string
	pods   int
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
	if err := os.WriteFile(filepath.Join(hosts, "hosts"), []byte("127.0.0.1 localhost\n"+serverAddress+" "+r.server+"\n"), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.must("ip", "-n", name, "link", "set", "lo", "up")
	return name
}

// volume is the directory of a volume of a pod or container.
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

// installation is what one way to install whyhot runs: containers, and how they are told
// apart from outside.
type installation struct {
	init, server, agent *core.Container
	user                string // of the server
	host                string // the server's name for agents
	ready, metrics      string // paths of the server
	alive               string // URL of the agent
	node                string // the name that the agent gives to its machine
}

// flag is the value of a container's flag.
func flag(t *testing.T, args []string, name string) string {
	t.Helper()
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
	}
	t.Fatalf("no --%s in %q", name, args)
	return ""
}

// The chart installs what the manifests do (TestChartIsTheManifests), so this is theirs, too.
func TestReplay(t *testing.T) {
	all, err := installed(t, everything)
	if err != nil {
		t.Fatal(err)
	}
	pod := all["StatefulSet whyhot-server"].(*apps.StatefulSet).Spec.Template.Spec
	agent := &all["DaemonSet whyhot-agent"].(*apps.DaemonSet).Spec.Template.Spec.Containers[0]
	endpoint := all["ServiceMonitor whyhot-server"].(*monitoring.ServiceMonitor).Spec.Endpoints[0]
	works(t, installation{
		init: &pod.InitContainers[0], server: &pod.Containers[0], agent: agent,
		user: fmt.Sprint(*pod.SecurityContext.RunAsUser), host: *endpoint.TLSConfig.ServerName,
		ready: pod.Containers[0].ReadinessProbe.HTTPGet.Path, metrics: endpoint.Path,
		alive: fmt.Sprintf("http://127.0.0.1:%d%s", agent.Ports[0].ContainerPort, agent.ReadinessProbe.HTTPGet.Path),
		node:  nodeName,
	})
}

func TestReplayCompose(t *testing.T) {
	project := composed(t)
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	container := func(name string) *core.Container {
		service, err := project.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Container{Args: service.Command}
		for _, v := range service.Volumes {
			c.VolumeMounts = append(c.VolumeMounts, core.VolumeMount{Name: filepath.Base(v.Source), MountPath: v.Target})
		}
		for _, s := range service.Secrets { // each is a file of this directory
			c.VolumeMounts = append(c.VolumeMounts, core.VolumeMount{Name: s.Source, MountPath: "/run/secrets"})
		}
		return c
	}
	image, err := os.ReadFile("../../deploy/container/Containerfile.server")
	if err != nil {
		t.Fatal(err)
	}
	_, user, _ := strings.Cut(string(image), "\nUSER ")
	user, _, ok := strings.Cut(user, ":")
	if !ok {
		t.Fatal("the server's image has no user")
	}
	works(t, installation{
		init: container("first-token"), server: container("server"), agent: container("agent"),
		user: user, host: "server", ready: "/readyz", metrics: "/metrics", node: machine,
	})
}

// works: the first token is made and printed nowhere, the server listens with the
// certificate that it was given as a user without rights, the agent trusts the authority
// and delivers, and what monitors scrape is there. What only a cluster or a container has
// (admission, policies, read-only roots) is not replayed.
func works(t *testing.T, in installation) {
	t.Helper()
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
	r := &replay{t: t, bin: bin, dir: t.TempDir(), server: in.host}
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
	serverArgs, agentArgs := r.args("server", in.server), r.args("agent", in.agent)
	certificate, key, ca := flag(t, serverArgs, "tls-cert"), flag(t, serverArgs, "tls-key"), flag(t, agentArgs, "ca")
	r.must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN="+in.host,
		"-addext", "subjectAltName=DNS:"+in.host, "-keyout", key, "-out", certificate)
	r.must("cp", certificate, ca)
	r.must("chmod", "644", key)

	// The server, as its user, without capabilities.
	data := flag(t, serverArgs, "data")
	r.must("chown", in.user+":"+in.user, data)
	as := []string{"setpriv", "--reuid=" + in.user, "--regid=" + in.user, "--clear-groups", "--no-new-privs", "--bounding-set=-all"}
	program := filepath.Join(bin, "whyhot-server")
	first := append(append(append([]string{}, as[1:]...), program), r.args("server", in.init)...)
	said := r.must(as[0], first...)
	token, err := os.ReadFile(flag(t, first, "file"))
	if err != nil {
		t.Fatal(err)
	}
	if key := strings.TrimSpace(string(token)); key == "" || strings.Contains(said, key) {
		t.Errorf("the first token is %q, and the log of its container says %q", key, said)
	}
	r.must(as[0], first...) // it is started again
	r.start(server, filepath.Join(r.dir, "server.log"), nil, append(append(append([]string{}, as...), program), serverArgs...)...)
	base := "https://" + in.host + ":7878"
	r.until(agent, " 200", "--cacert", ca, base+in.ready)

	// Tokens, as the notes say.
	tokenFor := func(scope, file string) string {
		t.Helper()
		out := r.must("sh", "-c", fmt.Sprintf("%s token create --data %s --scope %s > %s 2> /dev/null && chown -R %s:%s %s && cat %s", program, data, scope, file, in.user, in.user, data, file))
		return "Authorization: Bearer " + out
	}
	tokenFor("send", flag(t, agentArgs, "token-file"))
	metrics, read := tokenFor("metrics", filepath.Join(r.dir, "metrics")), tokenFor("read", filepath.Join(r.dir, "read"))
	r.until(agent, " 401", "--cacert", ca, base+in.metrics)
	r.until(agent, "whyhot_", "--cacert", ca, "-H", metrics, base+in.metrics)

	// The agent.
	spool := r.volume("agent", "spool")
	r.start(agent, filepath.Join(r.dir, "agent.log"), []string{"CACHE_DIRECTORY=" + filepath.Join(spool, "cache")},
		append([]string{filepath.Join(bin, "whyhot"), "agent", "--spool=" + filepath.Join(spool, "spool")}, agentArgs...)...)
	if in.alive != "" {
		r.until(agent, "whyhot_agent", in.alive)
	}
	r.until(agent, in.node, "--cacert", ca, "-H", read, base+"/api/v1/labels/host?from=now-1h")
}
