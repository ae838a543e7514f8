// Package manifests has tests alone: they hold what lies in deploy/kubernetes and
// deploy/compose against the types of Kubernetes, of Prometheus's operator and of
// Compose, field by field. It is a module of its own, since whyhot needs none of these.
package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const kubernetes = "../../deploy/kubernetes"

// kinds are those that the manifests may be of.
var kinds = map[string]func() any{
	"apps/v1 DaemonSet":                       func() any { return &apps.DaemonSet{} },
	"apps/v1 StatefulSet":                     func() any { return &apps.StatefulSet{} },
	"v1 Namespace":                            func() any { return &core.Namespace{} },
	"v1 Service":                              func() any { return &core.Service{} },
	"networking.k8s.io/v1 NetworkPolicy":      func() any { return &networking.NetworkPolicy{} },
	"policy/v1 PodDisruptionBudget":           func() any { return &policy.PodDisruptionBudget{} },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &monitoring.ServiceMonitor{} },
	"monitoring.coreos.com/v1 PodMonitor":     func() any { return &monitoring.PodMonitor{} },
}

// objects decodes the documents of a file, and refuses a field that its kind has not.
func objects(t *testing.T, name string, text []byte) map[string]any {
	t.Helper()
	all := map[string]any{}
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		one, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var head struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Metadata   struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		if err := yaml.Unmarshal(one, &head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if head.Kind == "" {
			continue // comments alone
		}
		make := kinds[head.APIVersion+" "+head.Kind]
		if make == nil {
			t.Errorf("%s: unknown kind %s %s", name, head.APIVersion, head.Kind)
			continue
		}
		object := make()
		if err := yaml.UnmarshalStrict(one, object); err != nil {
			t.Errorf("%s: %s %s: %v", name, head.Kind, head.Metadata.Name, err)
		}
		all[head.Kind+" "+head.Metadata.Name] = object
	}
}

func TestManifests(t *testing.T) {
	found := 0
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(kubernetes, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if filepath.Base(path) == "kustomization.yaml" {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found += len(objects(t, path, text))
		}
	}
	if found != 9 {
		t.Errorf("%d objects, want 9", found)
	}
}

// A field that does not exist is refused: the test above would be worth nothing else.
func TestUnknownField(t *testing.T) {
	text := []byte("apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {prots: []}\n")
	if err := yaml.UnmarshalStrict(text, &core.Service{}); err == nil {
		t.Error("an unknown field is taken")
	}
}

// render builds a kustomization of everything.
func render(t *testing.T) map[string]any {
	t.Helper()
	disk := filesys.MakeFsInMemory()
	err := filepath.WalkDir(kubernetes, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(kubernetes, path)
		if err != nil {
			return err
		}
		return disk.WriteFile("/base/"+name, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay := "resources: [../base]\ncomponents: [../base/monitoring, ../base/disruption]\nimages:\n- name: registry.example.org/whyhot-agent\n  newTag: 1.2.0\n"
	if err := disk.WriteFile("/overlay/kustomization.yaml", []byte(overlay)); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/overlay")
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, "rendered", text)
}

func TestKustomize(t *testing.T) {
	all := render(t)
	if len(all) != 9 {
		t.Errorf("%d objects, want 9", len(all))
	}
	agent, ok := all["DaemonSet whyhot-agent"].(*apps.DaemonSet)
	if !ok {
		t.Fatal("no DaemonSet")
	}
	pod := agent.Spec.Template.Spec
	args := pod.Containers[0].Args
	for _, want := range []string{"--to=whyhot-server.whyhot:4317", "--token-file=/etc/whyhot/token", "--ca=/etc/whyhot/ca.pem"} {
		if !slices.Contains(args, want) {
			t.Errorf("the agent has no %s: %q", want, args)
		}
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "example.org") }) {
		t.Errorf("the agent sends elsewhere: %q", args)
	}
	if !strings.HasSuffix(pod.Containers[0].Image, ":1.2.0") {
		t.Errorf("image %s", pod.Containers[0].Image)
	}
	server, ok := all["StatefulSet whyhot-server"].(*apps.StatefulSet)
	if !ok {
		t.Fatal("no StatefulSet")
	}
	// A first token is made once, and is printed nowhere.
	first := server.Spec.Template.Spec.InitContainers[0]
	if line := strings.Join(first.Args, " "); len(first.Command) > 0 || !strings.Contains(line, "--if-none") || !strings.Contains(line, "--file=/var/lib/whyhot-server/") {
		t.Errorf("%q %q", first.Command, first.Args)
	}
	// Each name of a port that a policy or a monitor gives is one of the pod's.
	ports := map[string]bool{}
	for _, p := range slices.Concat(pod.Containers[0].Ports, server.Spec.Template.Spec.Containers[0].Ports) {
		ports[p.Name] = true
	}
	for _, name := range []string{"whyhot-server", "whyhot-agent"} {
		rules, ok := all["NetworkPolicy "+name].(*networking.NetworkPolicy)
		if !ok {
			t.Fatalf("no NetworkPolicy %s", name)
		}
		if got := rules.Spec.PodSelector.MatchLabels["app.kubernetes.io/name"]; got != name {
			t.Errorf("the policy %s is of %s", name, got)
		}
		for _, rule := range rules.Spec.Ingress {
			for _, p := range rule.Ports {
				if !ports[p.Port.StrVal] {
					t.Errorf("policy %s: no port %s", name, p.Port)
				}
			}
		}
	}
	service, ok := all["Service whyhot-server"].(*core.Service)
	if !ok {
		t.Fatal("no Service")
	}
	monitor, ok := all["ServiceMonitor whyhot-server"].(*monitoring.ServiceMonitor)
	if !ok {
		t.Fatal("no ServiceMonitor")
	}
	for label, value := range monitor.Spec.Selector.MatchLabels {
		if service.Labels[label] != value {
			t.Errorf("the monitor selects %s=%s, the service has %q", label, value, service.Labels[label])
		}
	}
	budget, ok := all["PodDisruptionBudget whyhot-server"].(*policy.PodDisruptionBudget)
	if !ok {
		t.Fatal("no PodDisruptionBudget")
	}
	for label, value := range budget.Spec.Selector.MatchLabels {
		if server.Spec.Template.Labels[label] != value {
			t.Errorf("the budget selects %s=%s", label, value)
		}
	}
}

func composed(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../../deploy/compose/compose.yaml"}, cli.WithInterpolation(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestCompose(t *testing.T) {
	project := composed(t)
	for _, name := range []string{"first-token", "server", "agent"} {
		s, err := project.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !strings.HasSuffix(s.Image, ":latest") {
			t.Errorf("%s: %v %v %s", name, s.ReadOnly, s.CapDrop, s.Image)
		}
	}
}
