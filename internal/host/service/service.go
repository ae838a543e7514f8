// Package service knows which service a running process belongs to, where nobody has said.
//
// It owns the order in which a process is asked, and the forms of what it answers: variables
// of OpenTelemetry, units of systemd, pods of Kubernetes, the command lines of interpreters.
// It takes a directory such as /proc and the number of a process, and gives a name, "" where
// nothing tells more than the name of the process. It must never import another package of
// this module.
package service

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Bounds of what is read and given.
const (
	maxFile = 256 << 10 // of an environment or a command line
	maxName = 128
)

// Of finds the service of a process. In this order: OTEL_SERVICE_NAME and service.name in
// OTEL_RESOURCE_ATTRIBUTES, the unit of systemd, the workload of Kubernetes, the main class,
// jar or script of an interpreter.
// For example: java -Xmx1g -jar /srv/checkout-2.3.1.jar in no unit and no pod is "checkout".
func Of(proc string, pid uint32) string {
	p := process{dir: filepath.Join(proc, strconv.FormatUint(uint64(pid), 10))}
	for _, ask := range []func() string{p.variable, p.unit, p.workload, p.program} {
		if name := clean(ask()); name != "" {
			return name
		}
	}
	return ""
}

// clean makes a name one that can be shown.
func clean(name string) string {
	name = strings.TrimSpace(strings.ToValidUTF8(name, "\uFFFD"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// process is what is known of one; its files are read when they are asked for.
type process struct {
	dir      string
	env      map[string]string
	cgroup   string
	hasGroup bool
}

func (p *process) file(name string) []byte {
	f, err := os.Open(filepath.Join(p.dir, name)) //nolint:gosec // below /proc
	if err != nil {
		return nil // it is gone, or not ours to read
	}
	defer f.Close()
	var out bytes.Buffer
	buf := make([]byte, 4096)
	for out.Len() < maxFile { // the kernel gives no size
		n, err := f.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return out.Bytes()
}

// The variables that are looked at. Nothing else of an environment is kept.
const (
	varService    = "OTEL_SERVICE_NAME"
	varAttributes = "OTEL_RESOURCE_ATTRIBUTES"
	varPod        = "POD_NAME"
	varHost       = "HOSTNAME" // in a container of Kubernetes the name of its pod
)

func (p *process) environ(name string) string {
	if p.env == nil {
		p.env = map[string]string{}
		for pair := range bytes.SplitSeq(p.file("environ"), []byte{0}) {
			key, value, _ := strings.Cut(string(pair), "=")
			switch key {
			case varService, varAttributes, varPod, varHost:
				p.env[key] = value
			}
		}
	}
	return p.env[name]
}

// attribute is one of OTEL_RESOURCE_ATTRIBUTES, key=value with commas between.
func (p *process) attribute(wanted string) string {
	for pair := range strings.SplitSeq(p.environ(varAttributes), ",") {
		key, value, _ := strings.Cut(pair, "=")
		if strings.TrimSpace(key) != wanted {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		return value
	}
	return ""
}

func (p *process) variable() string {
	if name := strings.TrimSpace(p.environ(varService)); name != "" {
		return name
	}
	return p.attribute("service.name")
}

// group is the process's place in the tree of control groups: that of systemd's hierarchy
// where there are several.
func (p *process) group() string {
	if p.hasGroup {
		return p.cgroup
	}
	p.hasGroup = true
	for line := range bytes.Lines(p.file("cgroup")) {
		parts := strings.SplitN(strings.TrimRight(string(line), "\n"), ":", 3)
		if len(parts) < 3 {
			continue
		}
		if parts[1] == "name=systemd" || parts[0] == "0" && p.cgroup == "" {
			p.cgroup = parts[2]
		}
	}
	return p.cgroup
}

// starters are units that run other programs: these are not what a service is called.
var starters = map[string]bool{
	"atd": true, "anacron": true, "containerd": true, "cron": true, "crond": true, "docker": true, "init": true, "sshd": true, "ssh": true,
	"supervisor": true, "supervisord": true, "user": true, "user-runtime-dir": true,
}

// unit is the service unit that a process runs in: "nginx" of /system.slice/nginx.service.
// Instances of a template are one service. A process in a container is not its runtime's.
func (p *process) unit() string {
	parts := strings.Split(p.group(), "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if strings.HasSuffix(parts[i], ".scope") { // a container, or a person's session
			return ""
		}
		name, is := strings.CutSuffix(parts[i], ".service")
		if !is {
			continue
		}
		name, _, _ = strings.Cut(unescaped(name), "@")
		if starters[name] {
			return ""
		}
		return name
	}
	return ""
}

var escape = regexp.MustCompile(`\\x[0-9a-f]{2}`)

// unescaped undoes systemd's way of writing characters: \x2d is a hyphen.
func unescaped(name string) string {
	return escape.ReplaceAllStringFunc(name, func(s string) string {
		n, _ := strconv.ParseUint(s[2:], 16, 8) // two digits
		return string(rune(n))
	})
}

// What Kubernetes appends to the name of a workload for the name of its pods: of a
// deployment, of a job that a schedule started, of a daemon set or a job, of a stateful set.
// Random parts have no vowels, so that they spell nothing.
var podSuffixes = []*regexp.Regexp{
	regexp.MustCompile(`-[bcdf-hj-np-tv-xz2456789]{6,10}-[bcdf-hj-np-tv-xz2456789]{5}$`),
	regexp.MustCompile(`-\d{8,10}-[bcdf-hj-np-tv-xz2456789]{5}$`),
	regexp.MustCompile(`-[bcdf-hj-np-tv-xz2456789]{5}$`),
	regexp.MustCompile(`-\d{1,4}$`),
}

// workload is what a pod belongs to.
func (p *process) workload() string {
	for _, kind := range []string{"deployment", "statefulset", "daemonset", "cronjob", "job"} {
		if name := p.attribute("k8s." + kind + ".name"); name != "" {
			return name
		}
	}
	pod := p.attribute("k8s.pod.name")
	if pod == "" {
		pod = p.environ(varPod)
	}
	// A pod that shares the host's network has the name of the node, which ends in none of these.
	if pod == "" && strings.Contains(p.group(), "kubepods") {
		pod = p.environ(varHost)
	}
	for _, suffix := range podSuffixes {
		if at := suffix.FindStringIndex(pod); at != nil && at[0] > 0 {
			return pod[:at[0]]
		}
	}
	return ""
}

// program is what an interpreter runs.
func (p *process) program() string {
	args := strings.Split(strings.TrimRight(string(p.file("cmdline")), "\x00"), "\x00")
	if len(args) < 2 {
		return ""
	}
	exe, err := os.Readlink(filepath.Join(p.dir, "exe"))
	if err != nil {
		exe = args[0]
	}
	exe = strings.TrimSuffix(exe, " (deleted)")
	found, ok := running(path.Base(exe), args[1:])
	if !ok {
		return ""
	}
	if found.name != "" {
		return found.name
	}
	return p.script(found.file)
}

// general are names of scripts that say nothing about what they do: their directory does.
var general = map[string]bool{
	"__main__": true, "app": true, "cli": true, "index": true, "init": true, "main": true, "manage": true, "run": true, "server": true, "start": true, "worker": true, "wsgi": true,
}

// script is the name of a script: its file, and its directory where that alone is said by
// many.
func (p *process) script(file string) string {
	base := path.Base(file)
	if !general[strings.TrimSuffix(base, path.Ext(base))] {
		return base
	}
	if !path.IsAbs(file) {
		cwd, err := os.Readlink(filepath.Join(p.dir, "cwd"))
		if err != nil {
			return base
		}
		file = path.Join(cwd, file)
	}
	if dir := path.Base(path.Dir(file)); dir != "/" && dir != "." {
		return dir + "/" + base
	}
	return base
}
