package manifests

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// installed renders the chart as `helm install whyhot -n whyhot` does with these values,
// which are YAML.
func installed(t *testing.T, values string) (map[string]any, error) {
	t.Helper()
	c, err := loader.Load("../../deploy/helm/whyhot")
	if err != nil {
		t.Fatal(err)
	}
	var given map[string]any
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		t.Fatal(err)
	}
	return rendered(t, c, given)
}

func rendered(t *testing.T, c *chart.Chart, given map[string]any) (map[string]any, error) {
	t.Helper()
	options := common.ReleaseOptions{Name: "whyhot", Namespace: "whyhot", IsInstall: true, Revision: 1}
	all, err := util.ToRenderValues(c, given, options, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) == ".yaml" {
			maps.Copy(out, objects(t, name, []byte(files[name])))
		}
	}
	return out, nil
}

const everything = "monitoring: {enabled: true}\ndisruptionBudget: {enabled: true}\n"

// The chart installs what the manifests do: one of the two cannot be changed alone.
func TestChartIsTheManifests(t *testing.T) {
	chart, err := installed(t, "image: {tag: 1.2.0}\n"+everything)
	if err != nil {
		t.Fatal(err)
	}
	manifests := render(t)
	delete(manifests, "Namespace whyhot") // Helm makes it, or its administrator does
	for _, name := range slices.Sorted(maps.Keys(manifests)) {
		if got, want := plain(t, chart[name]), plain(t, manifests[name]); got != want {
			t.Errorf("%s is\n%s\nnot\n%s", name, got, want)
		}
		delete(chart, name)
	}
	for name := range chart {
		t.Errorf("%s is in no manifest", name)
	}
}

// plain is an object without what the two forms rightly differ in: Helm's own labels,
// where images are from and when they are pulled, and a token that the chart asks for.
func plain(t *testing.T, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	var strip func(any) any
	strip = func(x any) any {
		switch x := x.(type) {
		case map[string]any:
			for _, key := range []string{"app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "imagePullPolicy", "optional"} {
				delete(x, key)
			}
			if image, ok := x["image"].(string); ok {
				x["image"], _, _ = strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
			}
			for key, value := range x {
				if x[key] = strip(value); key == "labels" {
					if labels, ok := value.(map[string]any); ok && len(labels) == 0 {
						delete(x, key)
					}
				}
			}
		case []any:
			for i := range x {
				x[i] = strip(x[i])
			}
		}
		return x
	}
	text, err = yaml.Marshal(strip(tree))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestChartValues(t *testing.T) {
	for name, values := range map[string]string{
		"defaults":       "",
		"everything":     everything,
		"an agent alone": "server: {enabled: false}\nagent: {to: 'profiles.example.org:4317', args: ['--debuginfo=off']}\n",
		"a server alone": "agent: {enabled: false}\nserver: {storage: {size: 1Ti, class: fast}, args: ['--retention=720h'], nodeSelector: {disk: ssd}, tolerations: [{key: profiles, operator: Exists}]}\n" + everything,
		"bare":           "networkPolicy: {enabled: false}\nimage: {registry: 'localhost:5000', tag: 1.2.0, pullPolicy: Always, pullSecrets: [registry]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			all, err := installed(t, values)
			if err != nil {
				t.Fatal(err)
			}
			agent, hasAgent := all["DaemonSet whyhot-agent"].(*apps.DaemonSet)
			server, hasServer := all["StatefulSet whyhot-server"].(*apps.StatefulSet)
			_, hasPolicy := all["NetworkPolicy whyhot-server"]
			_, hasBudget := all["PodDisruptionBudget whyhot-server"]
			_, hasPodMonitor := all["PodMonitor whyhot-agent"].(*monitoring.PodMonitor)
			monitored := strings.Contains(values, "monitoring: {enabled: true}")
			if hasAgent != (name != "a server alone") || hasServer != (name != "an agent alone") || hasBudget != monitored ||
				hasPolicy != (hasServer && name != "bare") || hasPodMonitor != (hasAgent && monitored) {
				t.Errorf("it has %q", slices.Sorted(maps.Keys(all)))
			}
			if name == "an agent alone" {
				if args := agent.Spec.Template.Spec.Containers[0].Args; args[0] != "--to=profiles.example.org:4317" || args[len(args)-1] != "--debuginfo=off" {
					t.Errorf("%q", args)
				}
				policy, ok := all["NetworkPolicy whyhot-agent"].(*networking.NetworkPolicy)
				if !ok || policy.Spec.Egress[0].Ports[0].Port.IntVal != 4317 || len(policy.Spec.Egress[0].To) != 0 {
					t.Errorf("the agent may not reach its server: %+v", policy)
				}
			}
			if name == "a server alone" {
				claim := server.Spec.VolumeClaimTemplates[0].Spec
				if pod := server.Spec.Template.Spec; *claim.StorageClassName != "fast" || claim.Resources.Requests.Storage().String() != "1Ti" || pod.NodeSelector["disk"] != "ssd" || pod.Tolerations[0].Key != "profiles" ||
					!slices.Contains(pod.Containers[0].Args, "--retention=720h") {
					t.Errorf("%+v", server.Spec)
				}
			}
			if name == "bare" {
				if pod := server.Spec.Template.Spec; pod.Containers[0].Image != "localhost:5000/whyhot-server:1.2.0" || pod.ImagePullSecrets[0].Name != "registry" || pod.InitContainers[0].ImagePullPolicy != "Always" {
					t.Errorf("%+v", pod)
				}
			}
		})
	}
}

// Several servers reach each other by names of their own, have one database, one object store
// and one way to sign in, and no secret is in their arguments.
func TestChartOfSeveralServers(t *testing.T) {
	all, err := installed(t, `server:
  replicas: 3
  cluster: {secret: whyhot-cluster}
  debuginfoStore: {url: 's3://debug/fleet?endpoint=https://minio.example.org&region=us-east-1', secret: whyhot-s3}
  signIn: {secret: whyhot-sign-in}
`+everything)
	if err != nil {
		t.Fatal(err)
	}
	server, ok := all["StatefulSet whyhot-server"].(*apps.StatefulSet)
	if !ok {
		t.Fatalf("it has %q", slices.Sorted(maps.Keys(all)))
	}
	peers, ok := all["Service "+server.Spec.ServiceName].(*core.Service)
	if !ok || peers.Spec.ClusterIP != core.ClusterIPNone || !peers.Spec.PublishNotReadyAddresses || peers.Spec.Ports[0].Port != 7878 || peers.Spec.Selector["app.kubernetes.io/name"] != server.Spec.Template.Labels["app.kubernetes.io/name"] {
		t.Errorf("%+v", peers)
	}
	if *server.Spec.Replicas != 3 || server.Spec.PodManagementPolicy != apps.ParallelPodManagement {
		t.Errorf("%+v", server.Spec)
	}
	budget, ok := all["PodDisruptionBudget whyhot-server"].(*policy.PodDisruptionBudget)
	if !ok || budget.Spec.MinAvailable != nil || budget.Spec.MaxUnavailable.IntVal != 1 {
		t.Errorf("%+v", budget)
	}
	c := &server.Spec.Template.Spec.Containers[0]
	for _, want := range []string{
		"--advertise=https://$(POD_NAME)." + peers.Name + ".whyhot:7878", "--cluster-secret=/etc/whyhot-cluster/cluster",
		"--debuginfo-store=s3://debug/fleet?endpoint=https://minio.example.org&region=us-east-1", "--sign-in=/etc/whyhot-sign-in/sign-in.yaml",
	} {
		if !slices.Contains(c.Args, want) {
			t.Errorf("%q lacks %s", c.Args, want)
		}
	}
	from := map[string]string{}
	for _, e := range c.Env {
		if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
			from[e.Name] = e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key
		}
	}
	want := map[string]string{"WHYHOT_STORE": "whyhot-cluster/store", "AWS_ACCESS_KEY_ID": "whyhot-s3/AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY": "whyhot-s3/AWS_SECRET_ACCESS_KEY"}
	if !maps.Equal(from, want) {
		t.Errorf("%v", from)
	}
	// Each mount has its volume, and each file of an argument its mount.
	volumes := map[string]bool{"data": true}
	for _, v := range server.Spec.Template.Spec.Volumes {
		volumes[v.Name] = true
	}
	mounts := []string{}
	for _, m := range c.VolumeMounts {
		mounts = append(mounts, m.MountPath)
		if !volumes[m.Name] {
			t.Errorf("no volume %s", m.Name)
		}
	}
	for _, arg := range c.Args {
		if _, path, ok := strings.Cut(arg, "=/"); ok && !slices.ContainsFunc(mounts, func(m string) bool { return "/"+path == m || strings.HasPrefix("/"+path, m+"/") }) {
			t.Errorf("%s is in no mount of %q", arg, mounts)
		}
	}
	// The program knows all of the flags.
	program, err := filepath.Abs("../../bin/whyhot-server")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%v: `make build server` builds what the pods run", err)
	}
	if out, err := exec.CommandContext(t.Context(), program, append(c.Args, "--help")...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Values that mean nothing are refused before anything is installed, and say which.
func TestChartRefuses(t *testing.T) {
	for values, want := range map[string]string{
		"servr: {enabled: false}":                                  "servr",
		"server: {storage: {size: plenty}}":                        "size",
		"agent: {to: 'https://example.org'}":                       "to",
		"agent: {args: [debuginfo]}":                               "args",
		"server: {enabled: false}":                                 "agent.to is missing",
		"image: {pullPolicy: Sometimes}":                           "pullPolicy",
		"disruptionBudget: {enabled: 'please'}":                    "enabled",
		"server: {replicas: 2}":                                    "server.cluster.secret is missing",
		"server: {replicas: 0}":                                    "replicas",
		"server: {debuginfoStore: {url: 's3://key:secret@debug'}}": "url",
	} {
		if all, err := installed(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %d objects", values, err, len(all))
		}
	}
}
