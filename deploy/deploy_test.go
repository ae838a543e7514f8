// Package deploy holds no code: its tests keep the recipes for the agent's and the server's
// installation true to the program.
package deploy

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/sys/unix"

	"whyhot/internal/collect/ebpf"
	"whyhot/internal/host/tool"
)

const (
	unitFile      = "systemd/whyhot-agent.service"
	containerFile = "container/Containerfile"
	manifestFile  = "kubernetes/daemonset.yaml"
	// atStart is what the agent needs on some kernels until it records.
	atStart = "CAP_SYS_ADMIN"
)

var bits = map[string]uint{
	"CAP_BPF": unix.CAP_BPF, "CAP_PERFMON": unix.CAP_PERFMON, "CAP_SYS_PTRACE": unix.CAP_SYS_PTRACE,
	"CAP_CHECKPOINT_RESTORE": unix.CAP_CHECKPOINT_RESTORE, "CAP_SYSLOG": unix.CAP_SYSLOG,
	"CAP_DAC_READ_SEARCH": unix.CAP_DAC_READ_SEARCH, atStart: unix.CAP_SYS_ADMIN,
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// setting is the value of one line of the unit.
func setting(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(read(t, unitFile)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return value
		}
	}
	t.Fatalf("%s has no %s=", unitFile, name)
	return ""
}

// wantCapabilities compares a recipe's set with what the sampler says that it needs.
func wantCapabilities(t *testing.T, names []string) {
	t.Helper()
	var set uint64
	for _, name := range names {
		bit, ok := bits[name]
		if !ok {
			t.Errorf("%s is not needed", name)
		}
		set |= 1 << bit
	}
	if !slices.Contains(names, atStart) {
		t.Errorf("%s is missing", atStart)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root's own capabilities tell which are needed")
	}
	if needed := ebpf.NeededCapabilities(); set&^(1<<bits[atStart]) != needed&^(1<<bits[atStart]) {
		t.Errorf("capabilities %x; the agent needs %x", set, needed)
	}
}

func TestUnitCapabilities(t *testing.T) {
	ambient := setting(t, "AmbientCapabilities")
	if bounding := setting(t, "CapabilityBoundingSet"); bounding != ambient {
		t.Errorf("the bounding set is %s, the ambient one %s", bounding, ambient)
	}
	wantCapabilities(t, strings.Fields(ambient))
}

// program builds whyhot.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whyhot")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../cmd/whyhot")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

var (
	longFlag = regexp.MustCompile(`--[a-z][a-z-]*`)
	fromGo   = regexp.MustCompile(`(?m)^FROM .*golang:(\d+\.\d+)-`)
	goOfMod  = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
	copied   = regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`)
)

// Flags that the recipes give, also in comments, are flags of the agent.
func TestFlags(t *testing.T) {
	help, err := exec.CommandContext(t.Context(), program(t), "agent", "--help").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, help)
	}
	known := longFlag.FindAllString(string(help), -1)
	var args []string
	for line := range strings.Lines(read(t, manifestFile)) {
		if rest := strings.TrimLeft(line, " #"); strings.HasPrefix(rest, "- --") {
			args = append(args, rest)
		}
	}
	for where, text := range map[string]string{unitFile: setting(t, "ExecStart"), manifestFile: strings.Join(args, "")} {
		flags := longFlag.FindAllString(text, -1)
		if !slices.Contains(flags, "--to") {
			t.Errorf("%s does not say where to send to", where)
		}
		for _, flag := range flags {
			if !slices.Contains(known, flag) {
				t.Errorf("%s: the agent has no %s", where, flag)
			}
		}
	}
}

// systemd finds nothing to complain about.
func TestUnit(t *testing.T) {
	verified(t, unitFile, "/usr/local/bin/whyhot")
}

// verified has systemd check a unit, with a program in the place of ours: it only looks
// whether there is one. It gives the unit's text.
func verified(t *testing.T, file, program string) string {
	t.Helper()
	analyze, err := tool.Find("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	binary := filepath.Join(t.TempDir(), filepath.Base(program))
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), filepath.Base(file))
	text := strings.ReplaceAll(read(t, file), program, binary)
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput()
	// Units of the machine itself are none of ours.
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, filepath.Base(file)) {
			t.Error(line)
		}
	}
	if err != nil && !t.Failed() {
		t.Logf("systemd-analyze: %v\n%s", err, out)
	}
	return text
}

// The image is built with the module's Go, from all that the program is made of.
func TestContainerfile(t *testing.T) {
	text := read(t, containerFile)
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
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", "../cmd/whyhot")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		path = strings.TrimPrefix(path, "whyhot/")
		if !slices.ContainsFunc(sources, func(s string) bool { return path == s || strings.HasPrefix(path, s+"/") }) {
			t.Errorf("%s is not copied", path)
		}
	}
}

// manifest is the part of the DaemonSet that is checked; the rest may be anything.
type manifest struct {
	Kind string `yaml:"kind"`
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"selector"`
		Template struct {
			Metadata struct {
				Labels map[string]string `yaml:"labels"`
			} `yaml:"metadata"`
			Spec struct {
				HostPID    bool `yaml:"hostPID"`
				Containers []struct {
					SecurityContext struct {
						Capabilities struct {
							Add []string `yaml:"add"`
						} `yaml:"capabilities"`
					} `yaml:"securityContext"`
					VolumeMounts []struct {
						Name string `yaml:"name"`
					} `yaml:"volumeMounts"`
				} `yaml:"containers"`
				Volumes []struct {
					Name string `yaml:"name"`
				} `yaml:"volumes"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

func TestDaemonSet(t *testing.T) {
	var set manifest
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, manifestFile))))
	for set.Kind != "DaemonSet" {
		set = manifest{}
		if err := decoder.Decode(&set); err == io.EOF { //nolint:errorlint // the decoder returns it bare
			t.Fatal("no DaemonSet")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	pod := set.Spec.Template.Spec
	if !pod.HostPID || len(pod.Containers) != 1 {
		t.Fatalf("hostPID %v, %d containers", pod.HostPID, len(pod.Containers))
	}
	for name, value := range set.Spec.Selector.MatchLabels {
		if set.Spec.Template.Metadata.Labels[name] != value {
			t.Errorf("the selector's %s is not the pods'", name)
		}
	}
	var mounted, volumes, names []string
	for _, m := range pod.Containers[0].VolumeMounts {
		mounted = append(mounted, m.Name)
	}
	for _, v := range pod.Volumes {
		volumes = append(volumes, v.Name)
	}
	if slices.Sort(mounted); !slices.Equal(mounted, slices.Sorted(slices.Values(volumes))) {
		t.Errorf("volumes %q, mounted %q", volumes, mounted)
	}
	for _, name := range pod.Containers[0].SecurityContext.Capabilities.Add {
		names = append(names, "CAP_"+name)
	}
	wantCapabilities(t, names)
}
