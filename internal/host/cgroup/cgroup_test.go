package cgroup

import (
	"os"
	"strings"
	"testing"
)

var (
	long  = strings.Repeat("0123456789abcdef", 4)
	other = strings.Repeat("fedcba9876543210", 4)
	task  = long[:32] + "-4012345678"
)

func TestContainerID(t *testing.T) {
	for path, want := range map[string]string{
		"/":               "",
		"":                "",
		"/a":              "",
		"/docker/" + long: long,
		"/system.slice/docker-" + long + ".scope":                                                      long,
		"/system.slice/docker-" + long + ".scope/init":                                                 long,
		"/docker/" + long + "/system.slice/nginx.service":                                              long, // systemd in a container
		"/docker/" + long + "/docker/" + other:                                                         other,
		"/machine.slice/libpod-" + long + ".scope/container":                                           long,
		"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + long + ".scope":           long,
		"/kubepods/burstable/pod2d3da189-6407-48e3-9ab6-78188d75e609/" + long:                          long,
		"/kubepods.slice/kubepods-pod2d3da189.slice/cri-containerd-" + long + ".scope":                 long,
		"/kubepods.slice/kubepods-pod2d3da189.slice/crio-" + long + ".scope":                           long,
		"/system.slice/containerd.service/kubepods-pod2d3.slice:cri-containerd:" + long:                long,
		"/../cri-containerd-" + long + ".scope":                                                        long,
		"/ecs/" + task:                                                                                 task,
		"/ecs/" + long[:32] + "/" + long:                                                               long,
		"/ecs/" + long[:32] + "-":                                                                      "",
		"/lxc/web":                                                                                     "web",
		"/lxc/web/ns/system.slice":                                                                     "web",
		"/lxc.payload.web/system.slice/x":                                                              "web",
		"/lxc.monitor.web":                                                                             "",
		"/machine.slice/systemd-nspawn@web.service/payload":                                            "web",
		"/user.slice/user-1000.slice/session-3.scope":                                                  "",
		"/user.slice/user@1000.service/app.slice/vte-spawn-868f9513-eee8-457d-8e36-1b37ae8ae622.scope": "",
		"/x/" + strings.ToUpper(long):                                                                  "",
		"/x/" + long[:63]:                                                                              "",
	} {
		if got := ContainerID(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestMemberships(t *testing.T) {
	for text, want := range map[string]string{
		"0::/\n": "",
		"12:pids:/\n1:name=systemd:/docker/" + long + "\n0::/docker/" + long + "\n": long,
		"9:name=systemd:/a:b/" + long: long, // a path may hold colons
		"nonsense":                    "",
		"":                            "",
	} {
		if got := ofMemberships([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAProcessThatIsGone(t *testing.T) {
	if got := Process(1 << 30); got != "" {
		t.Errorf("%q", got)
	}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("no control groups here")
	}
	if got, want := Process(uint32(os.Getpid())), ofMemberships(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is found is on the path, and a longer path leads to it as well.
func FuzzContainerID(f *testing.F) {
	for _, path := range []string{"/docker/" + long, "/ecs/" + task, "/lxc.payload.web/x", "/lxc/web", "//", "systemd-nspawn@.service"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		id := ContainerID(path)
		if !strings.Contains(path, id) {
			t.Errorf("%q is not in %q", id, path)
		}
		if inner := ContainerID(path + "/init.scope"); id != "" && inner != id && !strings.HasSuffix(path, "/lxc") && path != "lxc" {
			t.Errorf("%q is in %q, and what is in it in %q", path, id, inner)
		}
	})
}
