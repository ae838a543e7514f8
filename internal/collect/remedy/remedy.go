// Package remedy knows the one command that gives a machine what a sampler
// lacks.
//
// It owns the names of packages by distribution. It takes the text of
// /etc/os-release and gives command lines for people to read; it runs nothing.
// It must never import a sampler.
package remedy

import (
	"os"
	"strings"
)

// Package is one piece of software under the names that distributions give it.
// Keys are the ID or ID_LIKE words of os-release(5); "" is what to say elsewhere.
type Package map[string]string

// Install is the command that installs the package on this machine.
func Install(p Package) string {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		text, _ = os.ReadFile("/usr/lib/os-release") // neither: the general advice serves
	}
	return install(p, string(text))
}

func install(p Package, osRelease string) string {
	for _, id := range distributions(osRelease) {
		name, known := p[id]
		if !known {
			continue
		}
		if manager, ok := managers[id]; ok {
			return manager + " " + name
		}
	}
	return p[""]
}

var managers = map[string]string{
	"debian": "sudo apt-get install",
	"ubuntu": "sudo apt-get install",
	"fedora": "sudo dnf install",
	"rhel":   "sudo dnf install",
	"suse":   "sudo zypper install",
	"arch":   "sudo pacman -S",
	"alpine": "sudo apk add",
}

// distributions lists the own ID and those of the parents, nearest first.
func distributions(osRelease string) []string {
	fields := map[string]string{}
	for line := range strings.Lines(osRelease) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[key] = strings.Trim(value, `"'`)
		}
	}
	return append([]string{fields["ID"]}, strings.Fields(fields["ID_LIKE"])...)
}
