// Package cgroup knows which container a control group belongs to.
//
// It owns the forms in which container runtimes name control groups. It takes a
// path in the control-group tree, or the number of a running process, and gives
// the container's ID, "" where there is none. It must never import another package
// of this module.
//
// The ID is what the runtime's own commands take: 64 hexadecimal digits (docker,
// podman, containerd, CRI-O and Kubernetes on top of them), a task with a number
// (Amazon ECS), the name of the container (LXC, Incus, systemd-nspawn).
package cgroup

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// ContainerID finds the innermost container on a path such as
// "/system.slice/docker-0123….scope" or "/kubepods/burstable/pod…/0123…/init".
func ContainerID(path string) string {
	for path != "" {
		at := strings.LastIndexByte(path, '/')
		element := path[at+1:]
		path = path[:max(at, 0)]
		if id := runtimeID(element); id != "" {
			return id
		}
		if name := named(element, path); name != "" {
			return name
		}
	}
	return ""
}

const (
	longID = 64 // digits of a container's ID
	taskID = 32 // digits of an ECS task's ID
)

// runtimeID finds an ID of hexadecimal digits at the end of an element; what stands
// in front of it is the runtime's name, or the pod's.
func runtimeID(element string) string {
	element = strings.TrimSuffix(element, ".scope")
	if n := len(element) - longID; n >= 0 && hexadecimal(element[n:]) {
		return element[n:]
	}
	task, number, ok := cutLast(element, '-')
	if n := len(task) - taskID; ok && n >= 0 && decimal(number) && hexadecimal(task[n:]) {
		return element[n:]
	}
	return ""
}

// named finds a container that has a name. parent is the path above the element.
func named(element, parent string) string {
	if name, ok := strings.CutPrefix(element, "lxc.payload."); ok {
		return name
	}
	if unit, ok := strings.CutPrefix(element, "systemd-nspawn@"); ok {
		name, _ := strings.CutSuffix(unit, ".service")
		return name
	}
	if _, last, _ := cutLast(parent, '/'); last == "lxc" { // before LXC 4
		return element
	}
	return ""
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, sep); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return "", s, false
}

func hexadecimal(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') }) < 0
}

func decimal(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// Process finds the container of a running process, as far as the control groups
// show it that this process can see.
func Process(pid uint32) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return "" // it is gone
	}
	return ofMemberships(text)
}

// ofMemberships takes the content of a cgroup file in /proc: a line of the form
// "number:controllers:path" for each hierarchy.
func ofMemberships(text []byte) string {
	for line := range bytes.Lines(text) {
		_, rest, _ := bytes.Cut(line, []byte(":"))
		_, path, _ := bytes.Cut(rest, []byte(":"))
		if id := ContainerID(string(bytes.TrimRight(path, "\n"))); id != "" {
			return id
		}
	}
	return ""
}
