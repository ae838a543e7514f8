package deploy

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const (
	serverUnit      = "systemd/whyhot-server.service"
	serverContainer = "container/Containerfile.server"
	serverManifest  = "kubernetes/server.yaml"
)

// serverProgram builds whyhot-server, without its engine: its flags are the same.
func serverProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whyhot-server")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/whyhot-server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

// Flags that the recipes give, also in comments, are flags of the server.
func TestServerFlags(t *testing.T) {
	program := serverProgram(t)
	known := map[string][]string{}
	for _, command := range []string{"serve", "token create"} {
		help, err := exec.CommandContext(t.Context(), program, append(strings.Fields(command), "--help")...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, help)
		}
		known[command] = longFlag.FindAllString(string(help), -1)
	}
	for where, path := range map[string]string{"the unit": serverUnit, "the manifest": serverManifest} {
		served := 0
		for line := range strings.Lines(read(t, path)) {
			command := "serve"
			switch {
			case strings.Contains(line, "token create"), strings.Contains(line, "token, create"):
				command = "token create"
			case strings.Contains(line, "kubectl"), strings.Contains(line, "systemctl"):
				continue
			}
			for _, flag := range longFlag.FindAllString(line, -1) {
				if !slices.Contains(known[command], flag) {
					t.Errorf("%s: whyhot-server %s has no %s: %s", where, command, flag, line)
				}
				if command == "serve" {
					served++
				}
			}
		}
		if served < 4 {
			t.Errorf("%s has %d flags of the server", where, served)
		}
	}
}

// systemd finds nothing to complain about, and little that it could still take away.
func TestServerUnit(t *testing.T) {
	text := verified(t, serverUnit, "/usr/local/bin/whyhot-server")
	// It needs no capability at all.
	for line := range strings.Lines(text) {
		for _, name := range []string{"AmbientCapabilities=", "CapabilityBoundingSet="} {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok && value != "" {
				t.Errorf("%s%s", name, value)
			}
		}
	}
}

// The image is built with the module's Go, from all that the server is made of.
func TestServerContainerfile(t *testing.T) {
	text := read(t, serverContainer)
	image, module := fromGo.FindStringSubmatch(text), goOfMod.FindStringSubmatch(read(t, "../go.mod"))
	if image == nil || module == nil || image[1] != module[1] {
		t.Errorf("the image's Go is %q, the module's %q", image, module)
	}
	var sources []string
	for _, m := range copied.FindAllStringSubmatch(text, -1) {
		sources = append(sources, strings.Fields(m[1])...)
	}
	for _, source := range sources {
		if _, err := os.Stat(filepath.Join("..", source)); err != nil {
			t.Error(err)
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "../cmd/whyhot-server")
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for path := range strings.FieldsSeq(string(out)) {
		path = strings.TrimPrefix(path, "whyhot/")
		found++
		if !slices.ContainsFunc(sources, func(s string) bool { return path == s || strings.HasPrefix(path, s+"/") }) {
			t.Errorf("%s is not copied", path)
		}
	}
	if found < 10 {
		t.Errorf("it is made of %d packages", found)
	}
}

// serverSet is the part of the StatefulSet that is checked.
type serverSet struct {
	Kind string `yaml:"kind"`
	Spec struct {
		Replicas int `yaml:"replicas"`
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
			App         string            `yaml:"app.kubernetes.io/name"` // of a Service
		} `yaml:"selector"`
		Ports []struct {
			TargetPort string `yaml:"targetPort"`
		} `yaml:"ports"`
		Template struct {
			Metadata struct {
				Labels map[string]string `yaml:"labels"`
			} `yaml:"metadata"`
			Spec struct {
				InitContainers []serverContainerSpec `yaml:"initContainers"`
				Containers     []serverContainerSpec `yaml:"containers"`
				Volumes        []struct {
					Name string `yaml:"name"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
		Claims []struct {
			Metadata struct {
				Name string `yaml:"name"`
			} `yaml:"metadata"`
		} `yaml:"volumeClaimTemplates"`
	} `yaml:"spec"`
}

type serverContainerSpec struct {
	Ports []struct {
		Name string `yaml:"name"`
	} `yaml:"ports"`
	SecurityContext struct {
		Escalation   *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities struct {
			Add  []string `yaml:"add"`
			Drop []string `yaml:"drop"`
		} `yaml:"capabilities"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name string `yaml:"name"`
	} `yaml:"volumeMounts"`
}

func TestStatefulSet(t *testing.T) {
	kinds := map[string]serverSet{}
	for decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, serverManifest)))); ; {
		var one serverSet
		if err := decoder.Decode(&one); err == io.EOF { //nolint:errorlint // the decoder returns it bare
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[one.Kind] = one
	}
	set, service := kinds["StatefulSet"], kinds["Service"]
	pod := set.Spec.Template.Spec
	if set.Spec.Replicas != 1 || len(pod.Containers) != 1 || len(pod.InitContainers) != 1 {
		t.Fatalf("%d replicas, %d containers", set.Spec.Replicas, len(pod.Containers))
	}
	labels := set.Spec.Template.Metadata.Labels
	for name, value := range set.Spec.Selector.MatchLabels {
		if labels[name] != value {
			t.Errorf("the selector's %s is not the pods'", name)
		}
	}
	if service.Spec.Selector.App == "" || labels["app.kubernetes.io/name"] != service.Spec.Selector.App {
		t.Errorf("the service selects %q", service.Spec.Selector.App)
	}
	var ports, volumes []string
	for _, p := range pod.Containers[0].Ports {
		ports = append(ports, p.Name)
	}
	for _, p := range service.Spec.Ports {
		if !slices.Contains(ports, p.TargetPort) {
			t.Errorf("the service's port %s is not the server's", p.TargetPort)
		}
	}
	for _, v := range pod.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, c := range set.Spec.Claims {
		volumes = append(volumes, c.Metadata.Name)
	}
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		for _, m := range c.VolumeMounts {
			if !slices.Contains(volumes, m.Name) {
				t.Errorf("there is no volume %s", m.Name)
			}
		}
		s := c.SecurityContext
		if s.Escalation == nil || *s.Escalation || !s.ReadOnly || len(s.Capabilities.Add) > 0 || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
			t.Errorf("a container may do more than it needs: %+v", s)
		}
	}
	if len(pod.Containers[0].VolumeMounts) != len(volumes) {
		t.Errorf("volumes %q", volumes)
	}
}
